"""The leaderboard: one row a report, ranked only where the data allow it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from market.catalog import Catalog
from market.configuration import Agreement, Entry, Verdict, compare
from market.report import Report
from market.statistics import Summary

_CLOSENESS = {Verdict.SAME: 0, Verdict.PARTIAL: 1, Verdict.DIFFERS: 2, Verdict.UNSHIPPED: 3}


@dataclass(frozen=True, slots=True)
class Row:
    """One measured series.

    ``rank`` is ``None`` where no interval can be computed from published runs; ``shared`` says whether
    another series has the same one.
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


def rows(catalog: Catalog) -> tuple[Row, ...]:
    """Every report as a row, fastest mean first."""
    entries: tuple[Entry, ...] = (*catalog.apps, *catalog.shelved)
    found = [Row(app, report, report.statistics, compare(app, report)) for app in entries for report in app.reports]
    found.sort(key=lambda row: (-row.statistics.mean, row.app.name, row.report.id))
    return ranked(found)


def ranked(found: Sequence[Row]) -> tuple[Row, ...]:
    """Give each row with an interval its rank: one more than the rows whose whole interval is above.

    Rows whose intervals overlap so share a rank; the order within a rank says nothing.
    """
    intervals = [row.interval for row in found]
    ranks = [rank(interval, intervals) for interval in intervals]
    return tuple(
        replace(row, rank=own, shared=own is not None and ranks.count(own) > 1)
        for row, own in zip(found, ranks, strict=True)
    )


def rank(own: tuple[float, float] | None, others: Iterable[tuple[float, float] | None]) -> int | None:
    """One more than the number of intervals that lie wholly above ``own``."""
    if own is None:
        return None
    return 1 + sum(1 for other in others if other is not None and other[0] > own[1])


def headline(app: Entry) -> Row | None:
    """The report that speaks for an app: closest to what ships, then raw, then newest, then fastest."""
    candidates = [Row(app, report, report.statistics, compare(app, report)) for report in app.reports]
    candidates.sort(key=lambda row: (row.report.date, row.statistics.mean, row.report.id), reverse=True)
    candidates.sort(key=lambda row: (_CLOSENESS[row.agreement.verdict], not row.report.is_raw))
    return candidates[0] if candidates else None
