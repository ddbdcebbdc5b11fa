"""The pictures of the site with their words: what :mod:`market.site.plots` draws, filled in from a catalog."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from market.catalog import App
from market.configuration import Entry, Verdict
from market.report import Report
from market.site import plots
from market.site.language import NO_BREAK
from market.site.leaderboard import Row
from market.site.presentation import Presentation, anchor
from market.site.vega import Artist, Picture


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table beside a picture."""

    row: Row
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with its data."""

    picture: Markup
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Frontier:
    """Speed against context: the picture for a wide and for a narrow page, and the series that nothing beats."""

    wide: Markup
    narrow: Markup
    front: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Gallery:
    """Pictures of one catalog in one language."""

    say: Presentation
    artist: Artist

    def runs(self, row: Row) -> Markup:
        """The runs of a series in their order."""
        s, number = row.statistics, self.say.language.number
        label = self.say.words(
            "plot_runs" if row.report.is_raw else "plot_summary", n=s.n, mean=number(s.mean, 2),
            min=number(s.minimum, 2), max=number(s.maximum, 2),
        )  # fmt: skip
        names = [
            str(self.say.words("plot_run", n=index, speed=number(speed, 2)))
            for index, speed in enumerate(row.report.speeds, 1)
        ]
        unit = str(self.say.words("tokens_per_second"))
        return self._drawn(plots.runs(s, row.report.speeds, str(label), names, unit))

    def memory(self, app: App, limit: float) -> Markup:
        """The memory of an app against what its card leaves, in decimal gigabytes."""
        size = self.say.language.gigabytes
        parts = [
            plots.Part(f"{self.say.words.pick(part['name'])}{NO_BREAK}: {size(part['gb'], 2)}", part["gb"])
            for part in app.card["vram"]["parts"]
        ]
        total = sum(part.gigabytes for part in parts)
        label = self.say.words("memory_label", sum=size(total, 2), limit=size(limit, 2))
        said = f"{self.say.words('memory_limit')} {size(limit, 2)}"
        unit = self.say.language.gigabyte
        return self._drawn(plots.memory(parts, limit, str(label), said, unit))

    def history(self, app: Entry, rows: Sequence[Row]) -> Drawn | None:
        """The series of one app in the order of their dates, unless there is only one."""
        own = sorted((row for row in rows if row.app is app), key=_age)
        if len(own) < 2:
            return None
        names = [self._series(row.report) for row in own]
        seen = Counter(names)
        lines = [
            Line(row, name if seen[name] == 1 else self._series(row.report, by_name=True), f"#{anchor(row.report)}")
            for row, name in zip(own, names, strict=True)
        ]
        return self._bars(lines, str(self.say.words("history_label", app=self.say.title(app), n=len(own))))

    def fastest(self, rows: Sequence[Row]) -> Drawn | None:
        """One bar an app: ``rows`` are the series that speak for them."""
        if not rows:
            return None
        lines = [Line(row, self.say.title(row.app), self._address(row)) for row in rows]
        return self._bars(lines, str(self.say.words("fastest_label", n=len(rows))))

    def frontier(self, rows: Sequence[Row]) -> Frontier | None:
        """Speed against allocated context, of what listed apps were measured with."""
        known = [row for row in rows if row.report.context_tokens and row.agreement.verdict is not Verdict.UNSHIPPED]
        known = [row for row in known if isinstance(row.app, App) and row.app.is_listed]
        if not known:
            return None
        best = sorted(front(known), key=lambda row: row.report.context_tokens or 0)
        spots = [
            plots.Spot(self._spot(row), row.report.context_tokens or 0, row.statistics.mean, row.interval,
                       best.index(row) + 1 if row in best else None)
            for row in known
        ]  # fmt: skip
        t = self.say.words
        label = str(t("frontier_label", n=len(known), front=len(best)))
        axes = str(t("frontier_context")), str(t("tokens_per_second"))
        wide, narrow = (self._drawn(plots.plane(spots, label, axes, is_wide)) for is_wide in (True, False))
        return Frontier(wide, narrow, tuple(Line(row, self.say.title(row.app), self._address(row)) for row in best))

    def _bars(self, lines: Sequence[Line], label: str) -> Drawn:
        bars = [
            plots.Bar(
                line.name,
                self.say.language.number(line.row.statistics.mean, 2),
                line.row.statistics.mean,
                line.row.interval,
                line.row.agreement.verdict in (Verdict.SAME, Verdict.PARTIAL),
            )
            for line in lines
        ]
        return Drawn(self._drawn(plots.bars(bars, label)), tuple(lines))

    def _series(self, report: Report, by_name: bool = False) -> str:
        """A series in short: version, date, and its window or the name of its file."""
        language = self.say.language
        version, context = self.say.version(report), report.context_tokens
        tail = report.id.removeprefix(report.date).lstrip("-")
        if context and not by_name:
            tail = f"{language.number(context)}{NO_BREAK}{self.say.words('tokens')}"
        elif not by_name:
            tail = ""
        return " · ".join(part for part in (version, language.date(report.date), tail) if part)

    def _spot(self, row: Row) -> str:
        number, t = self.say.language.number, self.say.words
        mean, context = number(row.statistics.mean, 2), number(row.report.context_tokens)
        return str(t("frontier_spot", app=self.say.title(row.app), mean=mean, context=context))

    def _address(self, row: Row) -> str:
        return f"{self.say.language.root}apps/{row.app.name}/#{anchor(row.report)}"

    def _drawn(self, picture: Picture | None) -> Markup:
        return Markup() if picture is None else self.artist.draw(picture, self.say.language)


def _age(row: Row) -> tuple[str, list[int], str]:
    """The order of an app's series: by date, then by version, then by the name of the file."""
    version = [int(number) for number in re.findall(r"\d+", str(row.report.data.get("app_version")))]
    return str(row.report.date), version, row.report.id


def front(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows that no other beats in speed without having less context, or in context without being slower."""

    def beaten(row: Row) -> bool:
        return any(other is not row and _beats(other, row) for other in rows)

    return tuple(row for row in rows if not beaten(row))


def _beats(one: Row, other: Row) -> bool:
    a = one.report.context_tokens or 0, one.statistics.mean
    b = other.report.context_tokens or 0, other.statistics.mean
    return a != b and a[0] >= b[0] and a[1] >= b[1]
