"""The leaderboard: one row a report, ranked only where the data allow it: on one scale, at one workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from market.catalog import Catalog
from market.configuration import Agreement, Entry, Verdict, compare
from market.report import Report
from market.statistics import Summary

# The role of the machine that this market is for, in data/hardware.yaml.
_TARGET = "target"

# The prompt of a report whose publication names none, in data/prompts.yaml: two of them need not be the same.
_UNSTATED = "unstated"

_CLOSENESS = {Verdict.SAME: 0, Verdict.PARTIAL: 1, Verdict.DIFFERS: 2, Verdict.UNSHIPPED: 3}


@dataclass(frozen=True, slots=True)
class Scale:
    """What two series must have in common for their speeds to be ranked together.

    ``concurrency`` counts requests at a time; a report that does not state it is taken for one.
    """

    hardware: str
    concurrency: int


@dataclass(frozen=True, slots=True)
class Workload:
    """What was asked: the id of the prompt, and the tokens of context before it (``None`` where not stated)."""

    prompt: str
    depth_tokens: int | None

    @property
    def is_stated(self) -> bool:
        """Whether two series of it were asked the same."""
        return self.prompt != _UNSTATED and self.depth_tokens is not None


@dataclass(frozen=True, slots=True)
class Row:
    """One measured series.

    ``rank`` is its place among the series of its scale at the workload that most of them share: ``None`` where no
    interval can be computed from published runs, and at any other workload; ``shared`` says whether another series
    has the same one.
    """

    app: Entry
    report: Report
    statistics: Summary
    agreement: Agreement
    rank: int | None = None
    shared: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean; never an estimated one."""
        return None if self.statistics.estimated else self.statistics.interval

    @property
    def scale(self) -> Scale:
        """What it may be ranked with."""
        return Scale(str(self.report.data["hardware"]), self.report.protocol.get("concurrency") or 1)

    @property
    def workload(self) -> Workload:
        """What it was asked."""
        return Workload(str(self.report.protocol["prompt"]), self.report.protocol.get("depth_tokens"))

    @property
    def key(self) -> str:
        """Names the series for good: ``app/report``."""
        return f"{self.app.name}/{self.report.id}"


def rows(catalog: Catalog) -> tuple[Row, ...]:
    """Every report as a row: the machine of this market first, one request at a time first, fastest mean first."""
    entries: tuple[Entry, ...] = (*catalog.apps, *catalog.shelved)
    found = [Row(app, report, report.statistics, compare(app, report)) for app in entries for report in app.reports]
    found.sort(key=lambda row: (-row.statistics.mean, row.app.name, row.report.id))
    found.sort(key=lambda row: (not is_target(catalog, row.scale), row.scale.hardware, row.scale.concurrency))
    return tuple(row for _, group in scales(found) for row in ranked(group))


def scales(found: Iterable[Row]) -> tuple[tuple[Scale, tuple[Row, ...]], ...]:
    """The rows by scale, in their order."""
    groups: dict[Scale, list[Row]] = {}
    for row in found:
        groups.setdefault(row.scale, []).append(row)
    return tuple((scale, tuple(group)) for scale, group in groups.items())


def is_target(catalog: Catalog, scale: Scale) -> bool:
    """Whether a scale is of the machine that this market is for."""
    return (catalog.hardware.get(scale.hardware) or {}).get("role") == _TARGET


def ranked(found: Sequence[Row]) -> tuple[Row, ...]:
    """Give rows of one scale their rank: one more than the rows whose whole interval is above.

    Rows whose intervals overlap so share a rank; the order within a rank says nothing. Prose is slower than code
    where drafts help, and a full context slower than an empty one, so only one workload is ranked.
    """
    workload = _shared_workload(found)
    intervals = [row.interval if row.workload == workload else None for row in found]
    ranks = [rank(interval, intervals) for interval in intervals]
    return tuple(
        replace(row, rank=own, shared=own is not None and ranks.count(own) > 1)
        for row, own in zip(found, ranks, strict=True)
    )


def _shared_workload(found: Iterable[Row]) -> Workload | None:
    """The stated workload of most rows with an interval, the first one among equals."""
    counted = Counter(row.workload for row in found if row.interval is not None and row.workload.is_stated)
    return max(counted, key=lambda workload: counted[workload], default=None)


def rank(own: tuple[float, float] | None, others: Iterable[tuple[float, float] | None]) -> int | None:
    """One more than the number of intervals that lie wholly above ``own``."""
    if own is None:
        return None
    return 1 + sum(1 for other in others if other is not None and other[0] > own[1])


@lru_cache(maxsize=1024)
def headline(app: Entry) -> Row | None:
    """The report that speaks for an app: closest to what ships, then raw, then newest, then fastest.

    Only those of the app's own machine and of one request at a time: others are on another scale.
    """
    own = Scale(str(app.card["hardware"]), 1)
    found = [Row(app, report, report.statistics, compare(app, report)) for report in app.reports]
    candidates = [row for row in found if row.scale == own]
    candidates.sort(key=lambda row: (row.report.date, row.statistics.mean, row.report.id), reverse=True)
    candidates.sort(key=lambda row: (_CLOSENESS[row.agreement.verdict], not row.report.is_raw))
    return candidates[0] if candidates else None
