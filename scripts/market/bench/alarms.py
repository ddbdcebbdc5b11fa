"""Is the series still worth continuing? Looked at after every run.

Each alarm is set so that a single look at a normal series is wrong in 1 case of 1000; over the looks of a
series of ten runs that is about 0.4 % for each (tests/bench/test_alarms.py simulates it).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from market.statistics import t_tail

FEWEST = 6
"""Runs before any alarm: with fewer, hardly any pattern could be told from chance."""
RATE = 0.001
"""How often a single look at a normal series may be wrong."""
WORTH = 0.02
"""A pattern smaller than 2 % of the mean is below what the field calls repeatable, and changes no conclusion."""

# 0.999 quantile, over normal series of n runs, of the largest gap between two groups of at least two runs in
# units of the deviation within the groups; by simulation of 500,000 series each.
SPLIT_LIMITS = {
    6: 16.93, 7: 12.64, 8: 10.44, 9: 9.10, 10: 8.20, 11: 7.58, 12: 7.06, 13: 6.67, 14: 6.35, 15: 6.08,
    16: 5.91, 17: 5.73, 18: 5.53, 19: 5.41, 20: 5.29,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Alarm:
    """Why a series should stop: a name, and the reason in English and French."""

    name: str
    en: str
    fr: str


@dataclass(frozen=True, slots=True)
class Split:
    """The best division of runs into a slow and a fast group. ``distance`` is in deviations within the groups."""

    slow: tuple[float, ...]
    fast: tuple[float, ...]
    distance: float

    @property
    def gap(self) -> float:
        """Difference of the groups' means as a fraction of the fast one's."""
        return 1 - statistics.fmean(self.slow) / statistics.fmean(self.fast)


def split(speeds: Sequence[float]) -> Split:
    """The division into two groups of at least two runs that lie furthest apart.

    Raises:
        ValueError: there are fewer than four runs.
    """
    ordered, n = sorted(speeds), len(speeds)
    if n < 4:
        raise ValueError("two groups of two need four runs")
    middle = statistics.fmean(ordered)
    sums = [0.0, *accumulate(speed - middle for speed in ordered)]
    squares = sum((speed - middle) ** 2 for speed in ordered)
    distances = [(_distance(sums, squares, n, k), k) for k in range(2, n - 1)]
    distance, k = max(distances, key=lambda found: found[0])
    return Split(tuple(ordered[:k]), tuple(ordered[k:]), distance)


def bimodal(speeds: Sequence[float]) -> Alarm | None:
    """The alarm of a series that jumps between two speeds, as one with drafts that break down does."""
    if len(speeds) < FEWEST:
        return None
    found = split(speeds)
    if found.distance <= SPLIT_LIMITS[min(len(speeds), max(SPLIT_LIMITS))] or found.gap < WORTH:
        return None
    slow, fast = statistics.fmean(found.slow), statistics.fmean(found.fast)
    return Alarm(
        "bimodal",
        f"The runs have two speeds: {len(found.fast)} near {fast:.1f} and {len(found.slow)} near {slow:.1f} tokens/s. "
        "A mean of the two describes neither.",
        f"Les passes ont deux vitesses : {len(found.fast)} vers {_fr(fast)} et {len(found.slow)} vers {_fr(slow)} "
        "jetons/s. Une moyenne des deux ne décrit ni l’une ni l’autre.",
    )


def drifting(speeds: Sequence[float]) -> Alarm | None:
    """The alarm of a series that gets steadily slower or faster, by the t-test of a straight line's slope."""
    n = len(speeds)
    if n < FEWEST:
        return None
    mean, middle = statistics.fmean(speeds), (n - 1) / 2
    square = sum((i - middle) ** 2 for i in range(n))
    slope = sum((i - middle) * (speed - mean) for i, speed in enumerate(speeds)) / square
    rest = sum((speed - mean - slope * (i - middle)) ** 2 for i, speed in enumerate(speeds))
    change = slope * (n - 1)
    if abs(change) < WORTH * mean:
        return None
    error = math.sqrt(rest / (n - 2) / square)
    if error > 0 and 2 * t_tail(abs(slope) / error, n - 2) > RATE:
        return None
    first, last = mean - change / 2, mean + change / 2
    return Alarm(
        "drift",
        f"The speed drifts from about {first:.1f} to {last:.1f} tokens/s over {n} runs ({change / first:+.1%}): "
        "let the machine reach a steady temperature, or look for what else runs on it.",
        f"La vitesse glisse d’environ {_fr(first)} à {_fr(last)} jetons/s en {n} passes : laissez la machine atteindre "
        "une température stable, ou cherchez ce qui tourne à côté.",
    )


def short_stop(tokens: int, wanted: int, finish_reason: str | None) -> Alarm | None:
    """The alarm of a run that ended before its length: its speed is not comparable with a full one's."""
    if finish_reason == "length" or tokens >= wanted:
        return None
    return Alarm(
        "short-stop",
        f"The model stopped by itself after {tokens} of {wanted} tokens ({finish_reason}). Ask for fewer tokens with "
        "--tokens, or forbid the stop with --ignore-eos.",
        f"Le modèle s’est arrêté de lui-même après {tokens} jetons sur {wanted} ({finish_reason}). Demandez-en moins "
        "avec --tokens, ou interdisez l’arrêt avec --ignore-eos.",
    )


def changed(before: str | None, now: str | None) -> Alarm | None:
    """The alarm of a server that is no longer the one that was measured."""
    if before is None or now is None or before == now:
        return None
    return Alarm(
        "server-changed",
        f"The server changed from {before} to {now} during the series; these are runs of two servers.",
        f"Le serveur est passé de {before} à {now} pendant la série ; ce sont les passes de deux serveurs.",
    )


def of_speeds(speeds: Sequence[float]) -> Alarm | None:
    """The first alarm that a series of speeds raises. Two speeds come first: they look like drift as well."""
    return bimodal(speeds) or drifting(speeds)


def _distance(sums: Sequence[float], squares: float, n: int, k: int) -> float:
    """Gap between the means of the k slowest and the others, in deviations within the two groups."""
    low, high = sums[k] / k, (sums[n] - sums[k]) / (n - k)
    within = squares - k * low**2 - (n - k) * high**2
    if within > squares * 1e-12:
        return (high - low) / math.sqrt(within / (n - 2))
    # Equal runs within both groups: infinitely far apart, unless there is no gap either.
    return math.inf if squares > 0 else 0.0


def _fr(value: float) -> str:
    return f"{value:.1f}".replace(".", ",")
