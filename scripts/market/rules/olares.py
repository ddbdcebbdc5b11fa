"""Family ``olares``: the platform's own rules for manifests. Importing it registers all of them."""

from __future__ import annotations

from collections.abc import Iterator

from market import legacy
from market.problem import Problem
from market.rules import (
    olares_dependencies,
    olares_entrances,
    olares_environment,
    olares_folder,
    olares_form,
    olares_listing,
    olares_manifest,
    olares_metadata,
    olares_middleware,
    olares_options,
    olares_permissions,
    olares_resources,
)

THEMES = (
    olares_folder, olares_form, legacy, olares_metadata, olares_entrances, olares_resources,
    olares_permissions, olares_dependencies, olares_options, olares_environment, olares_middleware,
    olares_listing,
)  # fmt: skip
"""In the order in which one reads a manifest."""


def judge(manifest: olares_manifest.Manifest) -> Iterator[Problem]:
    """Apply every check to a manifest from elsewhere."""
    for check in olares_manifest.checks():
        yield from check(manifest)
