"""The history of releases as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from market.publish.history import Released


def lines(releases: Iterable[Released]) -> list[str]:
    """One line a release: serial, time in UTC, commit, catalog hash, what it changed."""
    return [_line(one) for one in releases]


def data(releases: Iterable[Released]) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {
            "serial": one.statement.serial,
            "current": one.is_current,
            "issued": f"{one.statement.issued:%Y-%m-%dT%H:%M:%SZ}",
            "expires": f"{one.statement.expires:%Y-%m-%dT%H:%M:%SZ}",
            "commit": one.statement.commit,
            "catalog": one.statement.catalog,
            "manifest": one.statement.manifest,
            "added": dict(one.difference.added),
            "removed": dict(one.difference.removed),
            "changed": {name: list(pair) for name, pair in one.difference.changed.items()},
            "replies": list(one.difference.replies),
            "pictures": one.difference.pictures,
            "pages": one.difference.pages,
        }
        for one in releases
    ]


def _line(one: Released) -> str:
    mark = "*" if one.is_current else " "
    commit = (one.statement.commit or "no commit")[:12]
    when = f"{one.statement.issued:%Y-%m-%d %H:%M}"
    catalog = one.statement.catalog[:12]
    return f"{mark} {one.statement.serial:>4}  {when}  {commit:<12}  {catalog}  {one.difference.summary()}"
