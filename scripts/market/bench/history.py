"""An app's reports in the order of their dates, each against the one before it that measured the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from market import configuration
from market.bench.comparison import Pairing, compare
from market.catalog import App
from market.configuration import Agreement
from market.report import Report


@dataclass(frozen=True, slots=True)
class Entry:
    """One report with its predecessor, if any, and how its configuration stands to what ships."""

    report: Report
    before: Report | None
    pairing: Pairing | None
    agreement: Agreement


def entries(app: App) -> tuple[Entry, ...]:
    """The history, oldest first."""
    ordered = sorted(app.reports, key=lambda report: (report.date, report.id))
    found = []
    for index, report in enumerate(ordered):
        before = _predecessor(report, ordered[:index])
        pairing = compare(report, before) if before else None
        found.append(Entry(report, before, pairing, configuration.compare(app, report)))
    return tuple(found)


def _predecessor(report: Report, earlier: Sequence[Report]) -> Report | None:
    """The latest earlier report of the same machine, prompt, depth, number of streams and window."""
    return next((one for one in reversed(earlier) if _kind(one) == _kind(report)), None)


def _kind(report: Report) -> tuple[object, ...]:
    protocol = report.protocol
    return (report.data["hardware"], protocol["prompt"], protocol["depth_tokens"], protocol["concurrency"],
            report.context_tokens)  # fmt: skip
