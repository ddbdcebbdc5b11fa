"""Family ``olares``: the platform's own rules for manifests. Importing it registers all of them."""

from __future__ import annotations

from market import legacy
from market.rules import (
    olares_dependencies,
    olares_entrances,
    olares_environment,
    olares_folder,
    olares_form,
    olares_listing,
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
