"""An app's page for programs: apps/<name>/app.json, described by schema/app-page.schema.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from market.catalog import App, Catalog
from market.configuration import Difference, Entry
from market.site import figures, history, reproduction
from market.site.language import LANGUAGES
from market.site.leaderboard import Row
from market.site.presentation import anchor

Record = dict[str, Any]


def of(app: Entry, rows: tuple[Row, ...], catalog: Catalog) -> str:
    """The record as JSON. ``rows`` are the leaderboard; speeds are tokens/s, sizes decimal gigabytes or bytes."""
    own = sorted((row for row in rows if row.app is app), key=lambda row: row.report.id, reverse=True)
    record = {
        "name": app.name,
        "title": {language.code: figures.title(app, language) for language in LANGUAGES},
        "pages": {language.code: _address(app, language.root, catalog) for language in LANGUAGES},
        "version": app.version if isinstance(app, App) else None,
        "card": app.card,
        "shipped": _shipped(app) if isinstance(app, App) else None,
        "versions": [_edition(edition) for edition in history.editions(app, catalog)],
        "reports": [_report(row, catalog) for row in own],
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def _address(app: Entry, root: str, catalog: Catalog) -> str:
    return f"{catalog.market['origin']}{root}apps/{app.name}/"


def _shipped(app: App) -> Record:
    """What the app installs, as its values.yaml has it."""
    return {
        "server": app.values.get("server"),
        "models": app.values.get("models") or [],
        "download_gigabytes": round(figures.download_gigabytes(app), 6),
    }


def _edition(edition: history.Edition) -> Record:
    release = edition.release
    ledger = {"released": release.released, "sha256": release.sha256, "bytes": release.size} if release else None
    if release and release.withdrawn and ledger:
        ledger["withdrawn"] = release.withdrawn
    changed = None if edition.changes is None else [_change(one) for one in edition.changes]
    return {
        "version": edition.version,
        "release": ledger,
        "reports": [report.id for report in edition.reports],
        "since": edition.since,
        "changes": changed,
    }


def _change(one: Difference) -> Record:
    return {"kind": one.kind, "subject": one.subject, "before": one.measured, "after": one.shipped}


def _report(row: Row, catalog: Catalog) -> Record:
    report = row.report
    return {
        "id": report.id,
        "page": f"{_address(row.app, '/', catalog)}#{anchor(report)}",
        "statistics": _statistics(row),
        "rank": row.rank,
        "agreement": row.agreement.verdict.value,
        "differences": [_change(one) for one in row.agreement.differences],
        "reproduce": reproduction.command(row.app, report, catalog.prompts),
        "report": report.data,
    }


def _statistics(row: Row) -> Mapping[str, float | int | None]:
    """Tokens/s. What was only estimated from a range is left out, as on the page."""
    s, measured = row.statistics, not row.statistics.estimated
    low, high = row.interval or (None, None)
    found = {
        "mean": s.mean, "median": s.median, "minimum": s.minimum, "maximum": s.maximum, "range": s.range,
        "deviation": s.deviation if measured else None, "variation": s.variation if measured else None,
        "interval_low": low, "interval_high": high,
        "acceptance": row.report.acceptance.fraction if row.report.acceptance else None,
    }  # fmt: skip
    # Cut where no bit of a platform's mathematics library shows.
    return {"n": s.n} | {name: None if value is None else float(f"{value:.12g}") for name, value in found.items()}
