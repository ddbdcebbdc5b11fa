"""The versions of an app: when each was released and measured, and what changed in its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from market.catalog import App, Catalog
from market.configuration import Difference, Entry, Setup, changes, measured, shipped
from market.ledger import Release
from market.report import Report
from market.semver import parse_version


@dataclass(frozen=True, slots=True)
class Edition:
    """One version.

    ``release`` is ``None`` for a version that this catalog never released: reports know versions of before.
    ``changes`` are those since ``since``, the nearest earlier version of which a configuration is known;
    ``None`` where no configuration of this version, or of any before it, is known.
    """

    version: str
    is_current: bool
    release: Release | None
    reports: tuple[Report, ...]
    since: str | None
    changes: tuple[Difference, ...] | None

    @property
    def date(self) -> str | None:
        """ISO date of its release, or else of its first measurement."""
        if self.release:
            return self.release.released[:10]
        return min((report.date for report in self.reports), default=None)


def editions(app: Entry, catalog: Catalog) -> tuple[Edition, ...]:
    """Every version of an app that a report or the ledger knows, newest first."""
    releases = {release.version: release for release in catalog.ledger.history(app.name)}
    current = app.version if isinstance(app, App) else None
    reports: dict[str, list[Report]] = {}
    for report in app.reports:
        reports.setdefault(str(report.data["app_version"]), []).append(report)
    known = _versions({*releases, *reports, *([current] if current else [])})
    setups = {
        version: setup for version in known if (setup := _setup(version, app, reports.get(version) or ())) is not None
    }
    found = [
        Edition(version, version == current, releases.get(version), tuple(reports.get(version) or ()),
                *_since(version, known, setups))
        for version in known
    ]  # fmt: skip
    return tuple(reversed(found))


def _setup(version: str, app: Entry, reports: Sequence[Report]) -> Setup | None:
    """What a version ran: what ships, or what the fullest of its reports says, of equals the newest."""
    if isinstance(app, App) and version == app.version:
        return shipped(app)
    best = max(reports, key=_fullness, default=None)
    return None if best is None else measured(best)


def _fullness(report: Report) -> tuple[bool, int, str, str]:
    known = report.configuration
    return bool(known.get("complete")), len(known.get("args") or ()), report.date, report.id


def _since(
    version: str, known: Sequence[str], setups: Mapping[str, Setup]
) -> tuple[str | None, tuple[Difference, ...] | None]:
    earlier = [other for other in known[: known.index(version)] if other in setups]
    if version not in setups or not earlier:
        return None, None
    return earlier[-1], changes(setups[earlier[-1]], setups[version])


def _versions(texts: set[str]) -> tuple[str, ...]:
    """Versions in their order, oldest first; what is not one, such as “not stated”, is left out."""
    found = []
    for text in texts:
        try:
            found.append((parse_version(text), text))
        except ValueError:
            continue
    return tuple(text for _, text in sorted(found))
