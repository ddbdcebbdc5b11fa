"""Family ``bench``: whether a report's figures can be, and of what they are. Importing it registers its rules."""

from __future__ import annotations

from market.rules import bench_copies, bench_drafts, bench_figures, bench_protocol, bench_record, bench_shipped

THEMES = (bench_figures, bench_drafts, bench_record, bench_protocol, bench_copies, bench_shipped)
"""From the numbers themselves to what they are numbers of."""
