"""What authors may say about an app or a report: figures by name, computed when asked for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from market.catalog import App, Catalog, Shelved
from market.configuration import Agreement, Entry, compare
from market.report import Report
from market.site import richtext
from market.site.language import Language
from market.site.leaderboard import headline
from market.statistics import Summary


class FigureError(Exception):
    """An expression asks for something the catalog does not know; the text says what and offers the nearest."""


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """The figures of one report: tokens/s unless a name says otherwise."""

    app: Entry
    report: Report

    @property
    def statistics(self) -> Summary:
        """All statistics of the series."""
        return self.report.statistics

    @property
    def n(self) -> int:
        """How many runs."""
        return self.statistics.n

    @property
    def mean(self) -> float:
        """Mean of the runs."""
        return self.statistics.mean

    @property
    def median(self) -> float | None:
        """Median, where the runs are known."""
        return self.statistics.median

    @property
    def min(self) -> float | None:
        """The slowest run."""
        return self.statistics.minimum

    @property
    def max(self) -> float | None:
        """The fastest run."""
        return self.statistics.maximum

    @property
    def range(self) -> float | None:
        """Fastest minus slowest."""
        return self.statistics.range

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (n-1), measured and not estimated."""
        return None if self.statistics.estimated else self.statistics.deviation

    @property
    def cv(self) -> float | None:
        """Coefficient of variation, as a fraction."""
        return None if self.statistics.estimated else self.statistics.variation

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % interval of the mean."""
        return None if self.statistics.estimated else self.statistics.half_width

    @property
    def low(self) -> float | None:
        """Lower end of the 95 % interval."""
        return self._edge(0)

    @property
    def high(self) -> float | None:
        """Upper end of the 95 % interval."""
        return self._edge(1)

    @property
    def runs(self) -> tuple[float, ...]:
        """The single runs in their order; empty where they were never published."""
        return self.report.speeds

    @property
    def acceptance(self) -> float | None:
        """Draft acceptance, as a fraction."""
        return self.report.acceptance.fraction if self.report.acceptance else None

    @property
    def context(self) -> int | None:
        """Allocated window in tokens."""
        return self.report.context_tokens

    @property
    def date(self) -> str:
        """ISO date of the measurement."""
        return self.report.date

    @property
    def version(self) -> str:
        """The version that was measured.

        Raises:
            FigureError: it was never published; the page has to say so in its own words.
        """
        found = str(self.report.data["app_version"])
        if not is_stated(found):
            raise FigureError("the version that was measured was never published")
        return found

    @property
    def tokens_per_run(self) -> int | None:
        """Tokens generated a run."""
        return self.report.protocol.get("tokens_per_run")

    @property
    def published(self) -> Mapping[str, Any]:
        """What was printed at the time: claims, not figures."""
        return self.report.data.get("published") or {}

    @property
    def vision_check(self) -> Mapping[str, Any]:
        """The check with an image, if one was made: seconds and milliseconds."""
        return self.report.data.get("vision_check") or {}

    @property
    def image(self) -> str:
        """The container image that was measured."""
        return str(self.report.configuration.get("image") or "")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The argument vector that was measured, as far as published."""
        return tuple(str(item) for item in self.report.configuration.get("args") or ())

    @property
    def agreement(self) -> Agreement:
        """What was measured against what ships."""
        return compare(self.app, self.report)

    def _edge(self, index: int) -> float | None:
        interval = None if self.statistics.estimated else self.statistics.interval
        return None if interval is None else interval[index]


@dataclass(frozen=True, slots=True)
class AppFigures:
    """The facts of one app."""

    app: App
    language: Language

    @property
    def title(self) -> str:
        """The store title, escaped for a line of Markdown."""
        return richtext.inline(title(self.app, self.language))

    @property
    def version(self) -> str:
        """The version that ships."""
        return self.app.version

    @property
    def context(self) -> int | None:
        """Allocated window of the shipped configuration, in tokens."""
        return self.app.card.get("context_tokens")

    @property
    def image(self) -> str:
        """The container image that ships."""
        return str((self.app.values.get("server") or {}).get("image") or "")

    @property
    def download(self) -> float:
        """Size of the model files in decimal gigabytes."""
        return download_gigabytes(self.app)

    @property
    def vram(self) -> float:
        """Sum of the memory parts in decimal gigabytes."""
        return float(sum(part["gb"] for part in (self.app.card.get("vram") or {}).get("parts") or ()))

    @property
    def headline(self) -> ReportFigures:
        """The report that speaks for the app."""
        row = headline(self.app)
        if row is None:
            raise FigureError(f"{self.app.name} has no bench report")
        return ReportFigures(self.app, row.report)

    def part(self, index: int) -> float:
        """Decimal gigabytes of one memory part, counted from 1 in the order of app.yaml."""
        parts = (self.app.card.get("vram") or {}).get("parts") or ()
        if not 1 <= index <= len(parts):
            raise FigureError(f"{self.app.name} has {len(parts)} memory parts, not {index}")
        return float(parts[index - 1]["gb"])


def find_app(catalog: Catalog, name: str) -> App:
    """Return an app by name.

    Raises:
        FigureError: there is none of this name.
    """
    found = catalog.app(name)
    if found is None:
        raise FigureError(f"no app is called {name!r}{_nearest(name, [app.name for app in catalog.apps])}")
    return found


def find_report(catalog: Catalog, app: str, id: str) -> ReportFigures:
    """Return a report by app and id.

    Raises:
        FigureError: there is no such app or report.
    """
    shelved = next((entry for entry in catalog.shelved if entry.name == app), None)
    owner: Entry = shelved or find_app(catalog, app)
    found = next((report for report in owner.reports if report.id == id), None)
    if found is None:
        raise FigureError(f"{app} has no report {id!r}{_nearest(id, [report.id for report in owner.reports])}")
    return ReportFigures(owner, found)


def is_stated(fact: str) -> bool:
    """Whether a data file tells a version or a licence; it says ``not stated`` where nobody published it."""
    return fact != "not stated"


def title(app: Entry, language: Language) -> str:
    """The store title in a language of the site; an app without a chart has only its name."""
    if isinstance(app, Shelved):
        return app.name
    return app.title("fr-FR" if language.code == "fr" else "en-US")


def download_gigabytes(app: App) -> float:
    """Size of the model files in decimal gigabytes, from exact bytes where they are known."""
    return sum(model_gigabytes(model) for model in app.values.get("models") or ())


def model_gigabytes(model: Mapping[str, Any]) -> float:
    """Size of one model file in decimal gigabytes."""
    return float(model["bytes"]) / 1e9 if model.get("bytes") else float(model.get("gigabytes") or 0)


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known) or 'none'}"
