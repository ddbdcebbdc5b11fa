"""Family ``chart``: what Helm makes of an app's templates. Importing it registers all of its rules."""

from __future__ import annotations

from market.rules import (
    chart_files,
    chart_network,
    chart_objects,
    chart_permissions,
    chart_render,
    chart_resources,
    chart_security,
    chart_storage,
    chart_workloads,
)

THEMES = (
    chart_files, chart_render, chart_objects, chart_workloads, chart_resources, chart_network, chart_storage,
    chart_permissions, chart_security,
)  # fmt: skip
"""From the chart's files to the smallest part of an object."""
