"""The leaderboard as a file to download."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from market.site.leaderboard import Row


def table(rows: Iterable[Row]) -> str:
    """The leaderboard as CSV: full precision, English keys, empty where a value is not known."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow((
        "app", "report", "app_version", "date", "rank", "n", "mean_tokens_per_second", "median", "min", "max",
        "s_n_minus_1", "ci95_low", "ci95_high", "context_tokens", "acceptance", "image", "matches_shipped", "runs",
    ))  # fmt: skip
    for row in rows:
        s, report = row.statistics, row.report
        low, high = row.interval or (None, None)
        acceptance = report.acceptance.fraction if report.acceptance else None
        writer.writerow((
            row.app.name, report.id, report.data["app_version"], report.date, row.rank, s.n, _short(s.mean), s.median,
            s.minimum, s.maximum, None if s.estimated else _short(s.deviation), _short(low), _short(high),
            report.context_tokens, _short(acceptance), report.configuration["image"], row.agreement.verdict.value,
            " ".join(str(speed) for speed in report.speeds),
        ))  # fmt: skip
    return stream.getvalue()


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"
