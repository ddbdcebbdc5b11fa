"""Times in the index. They all come from the ledger, never from a clock."""

from __future__ import annotations

from market.catalog import App, Catalog
from market.ledger import Release

NEVER = "1970-01-01T00:00:00Z"


def release_of(catalog: Catalog, app: App) -> Release:
    """The ledger's entry of what ships.

    Raises:
        LookupError: there is none; the release rules refuse such a catalog before an index is made.
    """
    release = catalog.ledger.find(app.name, app.version)
    if release is None:
        raise LookupError(f"{app.name} {app.version} is not in the ledger")
    return release


def newest(catalog: Catalog) -> str:
    """RFC 3339 time of the newest release."""
    latest = catalog.ledger.latest
    return latest.released if latest else NEVER


def newest_milliseconds(catalog: Catalog) -> int:
    """Unix milliseconds of the newest release."""
    latest = catalog.ledger.latest
    return latest.milliseconds if latest else 0


def nanoseconds(stamp: str) -> str:
    """The same time with nine fractional digits, which every known reader of an index parses."""
    return stamp.removesuffix("Z") + ".000000000Z"
