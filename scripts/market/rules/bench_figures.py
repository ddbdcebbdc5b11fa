"""Family ``bench``: figures that no series of runs can have, and claims that the runs do not give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from market import statistics
from market.catalog import App
from market.problem import Problem
from market.report import Report
from market.rules.registry import app_check, declare

PARTS = ("summary", "published")
"""What the site computes with, and what was printed at the time and is only shown as a claim."""

declare("bench.deviation", "error", "A standard deviation that the range does not allow",
        why="For n values between two bounds, s lies between range/√(2(n-1)) and range/2·√(n/(n-1)). Outside of "
            "that, one of the figures is wrong or is not what its name says.",
        fix="Check deviation, range and number of runs against the source.",
        source="T. Popoviciu, Mathematica 9, 1935; K. R. Nair, Biometrika 35, 1948")  # fmt: skip
declare("bench.mean", "error", "A mean that minimum and maximum do not allow",
        why="With n runs, the mean lies between (max + (n-1)·min)/n and (min + (n-1)·max)/n.",
        fix="Check mean, minimum, maximum and number of runs against the source.",
        source="arithmetic")  # fmt: skip
declare("bench.order", "error", "A minimum above the maximum",
        why="One of the two is wrong, or they are exchanged.",
        fix="Check both against the source.",
        source="arithmetic")  # fmt: skip
declare("bench.run-count", "error", "Two different numbers of runs",
        why="Every interval on the site depends on the number of runs.",
        fix="Correct `n`, or add the runs that are missing.",
        source="arithmetic")  # fmt: skip
declare("bench.claim", "warning", "A published figure that the runs do not give, or that cannot be",
        why="The site shows the claim beside the figure that the runs give. A difference beyond rounding is either "
            "a slip in the copy or an error of the publication.",
        fix="Compare with the source. If it really prints this, leave it and say so under `notes`.",
        source="arithmetic on the report's own runs")  # fmt: skip
declare("bench.two-groups", "advice", "Runs that fall into two groups",
        why="A mean between two groups is a speed that no run had; something changed between the runs.",
        fix="Say under `notes` what changed, or publish the groups as two reports.",
        source="design of this catalog, measurement integrity")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure as printed; ``unit`` is that of its last decimal."""

    value: float
    unit: float

    def is_about(self, other: float, slack: float = 0.0) -> bool:
        """Whether rounding explains the difference to another value that is known within ``slack``."""
        return abs(self.value - other) <= self.unit / 2 + slack + 1e-9


def printed(report: Report, *path: str | int) -> Printed | None:
    """A number of a report with the precision in which it is written."""
    value = report.document.get(*path)
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        return None
    mark = report.document.marks.get(path)
    decimals = (mark.raw or "").partition(".")[2] if mark else ""
    return Printed(float(value), 10.0 ** -len(decimals) if decimals.isdigit() else 1.0)


@app_check
def figures(app: App) -> Iterator[Problem]:
    """The figures of every report can be."""
    for report in app.reports:
        for part in PARTS:
            yield from _order(report, part)
            yield from _mean(report, part)
            yield from _deviation(report, part)
        yield from _count(report)
        yield from _claims(report)
        yield from _groups(report)


def _rule(rule: str, part: str) -> str:
    """A claim that cannot be is still what was published: it stays, and is only pointed out."""
    return rule if part == "summary" else "bench.claim"


def _n(report: Report) -> int:
    return report.statistics.n


def _range(report: Report, part: str) -> Printed | None:
    """The range of a part, printed or from its ends."""
    low, high, stated = (printed(report, part, key) for key in ("min", "max", "range"))
    if low is not None and high is not None:
        return Printed(high.value - low.value, low.unit + high.unit)
    return stated


def _order(report: Report, part: str) -> Iterator[Problem]:
    low, high = printed(report, part, "min"), printed(report, part, "max")
    if low is not None and high is not None and low.value > high.value:
        message = f"`{part}.min` {low.value:g} is above `{part}.max` {high.value:g}"
        yield report.document.problem(_rule("bench.order", part), part, "min", message=message)


def _mean(report: Report, part: str) -> Iterator[Problem]:
    mean, low, high = (printed(report, part, key) for key in ("mean", "min", "max"))
    n = _n(report)
    if mean is None or low is None or high is None or low.value > high.value:
        return
    least = (high.value + (n - 1) * low.value) / n
    most = (low.value + (n - 1) * high.value) / n
    slack = (mean.unit + low.unit + high.unit) / 2
    if not min(least, most) - slack <= mean.value <= max(least, most) + slack:
        message = f"`{part}.mean` {mean.value:g} is outside {min(least, most):.2f} to {max(least, most):.2f}"
        yield report.document.problem(_rule("bench.mean", part), part, "mean", message=message)


def _deviation(report: Report, part: str) -> Iterator[Problem]:
    stated, spread, n = printed(report, part, "sd"), _range(report, part), _n(report)
    if stated is None or spread is None or n < 2 or spread.value < 0:
        return
    slack = stated.unit / 2 + spread.unit / 2
    most = spread.value / 2 * math.sqrt(n / (n - 1)) + slack
    # A published deviation may be that of the population, which is smaller by √((n-1)/n).
    factor = math.sqrt((n - 1) / n) if part == "published" else 1.0
    least = spread.value / math.sqrt(2 * (n - 1)) * factor - slack
    if not least <= stated.value <= most:
        message = (
            f"`{part}.sd` {stated.value:g} is impossible for {n} runs with a range of {spread.value:.2f}: "
            f"{max(least, 0.0):.2f} to {most:.2f}"
        )
        yield report.document.problem(_rule("bench.deviation", part), part, "sd", message=message)


def _count(report: Report) -> Iterator[Problem]:
    stated = report.document.get("published", "n")
    if isinstance(stated, (int, float)) and stated != _n(report):
        message = f"`published.n` is {stated:g}, the report has {_n(report)} runs"
        yield report.document.problem("bench.run-count", "published", "n", message=message)


def _claims(report: Report) -> Iterator[Problem]:
    """Published figures against what the runs, or the summary, give."""
    found = report.statistics
    units = [one.unit for index in range(len(report.speeds))
             if (one := printed(report, "runs", index, "tokens_per_second"))]  # fmt: skip
    # All runs are printed alike; a trailing zero that was left out makes one look coarser than it is.
    slack = min(units, default=0.0) / 2
    given = {"mean": found.mean, "min": found.minimum, "max": found.maximum, "range": found.range}
    for key, value in given.items():
        claim = printed(report, "published", key)
        room = slack * (2 if key == "range" else 1)
        if claim is not None and value is not None and not claim.is_about(value, room):
            message = f"`published.{key}` is {claim.value:g}, the figures give {value:.2f}"
            yield report.document.problem("bench.claim", "published", key, message=message)
    claim = printed(report, "published", "sd")
    if claim is not None and report.is_raw and len(report.speeds) > 1:
        sample = statistics.summarise(report.speeds).deviation or 0.0
        population = sample * math.sqrt(1 - 1 / len(report.speeds))
        if not (claim.is_about(sample, slack) or claim.is_about(population, slack)):
            message = f"`published.sd` is {claim.value:g}, the runs give {sample:.2f} (n-1) or {population:.2f} (n)"
            yield report.document.problem("bench.claim", "published", "sd", message=message)


def _groups(report: Report) -> Iterator[Problem]:
    """Two groups: a gap wider than half of the range, with at least two runs on each side."""
    speeds = sorted(report.speeds)
    if len(speeds) < 6 or speeds[0] <= 0 or speeds[-1] / speeds[0] < 1.1:
        return
    gaps = [(after - before, at) for at, (before, after) in enumerate(pairwise(speeds), 1)]
    gap, at = max(gaps)
    if gap > (speeds[-1] - speeds[0]) / 2 and 2 <= at <= len(speeds) - 2:
        message = f"{at} runs up to {speeds[at - 1]:g} tokens/s and {len(speeds) - at} from {speeds[at]:g} on"
        yield report.document.problem("bench.two-groups", "runs", message=message)
