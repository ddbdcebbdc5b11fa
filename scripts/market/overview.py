"""The catalog in one table: what was measured of each app, and whether it still holds for what ships."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from market.catalog import App, Catalog, Shelved
from market.configuration import Agreement, Verdict, compare
from market.report import Report
from market.statistics import Summary

HOLDS = {
    Verdict.SAME: "yes",
    Verdict.PARTIAL: "as far as published",
    Verdict.DIFFERS: "no",
    Verdict.UNSHIPPED: "not shipped",
}


@dataclass(frozen=True)
class Line:
    """One app with its latest report, if it has any."""

    app: App | Shelved
    report: Report | None
    agreement: Agreement | None

    @property
    def holds(self) -> str:
        """Whether the measured configuration is the shipped one, and what differs."""
        if self.agreement is None:
            return "-"
        differing = ", ".join(dict.fromkeys(one.kind for one in self.agreement.differences))
        verdict = HOLDS[self.agreement.verdict]
        return f"{verdict}: {differing}" if differing else verdict


def lines(catalog: Catalog) -> tuple[Line, ...]:
    """One line an app, by name."""
    apps: list[App | Shelved] = [*catalog.apps, *catalog.shelved]
    return tuple(_line(app) for app in sorted(apps, key=lambda app: app.name))


def table(catalog: Catalog) -> Table:
    """The overview as a table; speeds are tokens/s, deviations n-1, intervals 95 %."""
    result = Table(
        "app", "status", "version", "reports", "latest", "n", "mean", "s", "95 % interval", "holds for what ships"
    )
    for line in lines(catalog):
        app = line.app
        version = app.version if isinstance(app, App) else "-"
        figures = _figures(line.report.statistics) if line.report else ("-", "-", "-", "-")
        date = line.report.date if line.report else "-"
        result.add_row(app.name, str(app.card["status"]), version, str(len(app.reports)), date, *figures, line.holds)
    return result


def totals(catalog: Catalog) -> str:
    """How many apps, reports and runs there are."""
    everything = [report for line in lines(catalog) for report in line.app.reports]
    raw = [report for report in everything if report.is_raw]
    runs = sum(len(report.speeds) for report in raw)
    return (
        f"{len(catalog.listed)} apps listed of {len(catalog.apps) + len(catalog.shelved)}; {len(everything)} reports, "
        f"{len(raw)} with their raw runs ({runs} runs), {len(everything) - len(raw)} published as a summary only"
    )


def _line(app: App | Shelved) -> Line:
    if not app.reports:
        return Line(app, None, None)
    latest = max(app.reports, key=lambda report: (report.date, report.id))
    return Line(app, latest, compare(app, latest))


def _figures(summary: Summary) -> tuple[str, str, str, str]:
    deviation = "-" if summary.deviation is None else f"{'~' if summary.estimated else ''}{summary.deviation:.2f}"
    interval = summary.interval
    between = "-" if interval is None or summary.estimated else f"{interval[0]:.2f} to {interval[1]:.2f}"
    return str(summary.n), f"{summary.mean:.2f}", deviation, between
