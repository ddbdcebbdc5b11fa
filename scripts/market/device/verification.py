"""The result of verifying a market: values only, ready to be shown or written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from market.device.chart import Chart
from market.device.deviation import Deviation
from market.device.journal import Step
from market.device.state import Row


@dataclass(frozen=True, slots=True)
class SeenApp:
    """An app as a device shows it. ``chart_bytes`` is the size of the .tgz; 0 when none was fetched."""

    id: str
    name: str
    title: str
    version: str
    categories: tuple[str, ...]
    chart_bytes: int
    chart_sha256: str


@dataclass(frozen=True, slots=True)
class Verification:
    """Every step of every mode, the apps as a device sees them, every deviation."""

    url: str
    olares_version: str
    modes: tuple[str, ...]
    steps: tuple[Step, ...]
    apps: tuple[SeenApp, ...]
    deviations: tuple[Deviation, ...]

    @property
    def passed(self) -> bool:
        """Whether every step of every mode passed."""
        return all(step.passed for step in self.steps)

    @property
    def exit_code(self) -> int:
        """0: nothing to object to. 1: there are deviations."""
        return 0 if self.passed else 1

    def as_dict(self) -> dict[str, Any]:
        """Return the whole as plain data for JSON."""
        return {"passed": self.passed, **asdict(self)}


def seen_apps(rows: Sequence[Row], charts: Sequence[Chart]) -> tuple[SeenApp, ...]:
    """Join rows and charts; the title is the chart's, as in the store, else the catalog's, else the name."""
    by_id = {chart.id: chart for chart in charts}
    return tuple(_seen(row, by_id.get(row.id)) for row in sorted(rows, key=lambda row: row.name))


def _seen(row: Row, chart: Chart | None) -> SeenApp:
    title = (chart.title if chart else "") or row.entry.get("title") or row.name
    size, digest = (chart.size, chart.sha256) if chart else (0, "")
    return SeenApp(row.id, row.name, title, row.version, row.categories, size, digest)
