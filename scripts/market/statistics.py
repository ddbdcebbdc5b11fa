"""Statistics of a series of runs, and the comparison of two series.

Everything the site says about a measurement comes from here. Deviations are sample deviations
(divided by n-1); intervals are two-sided 95 % intervals of the mean by Student's t.
"""

from __future__ import annotations

import math
import statistics as stdlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CONFIDENCE = 0.95

# Expected range of n normal values in units of the deviation (the d2 constants of control charts,
# NIST/SEMATECH e-Handbook of Statistical Methods, section 6.3.2).
RANGE_TO_DEVIATION = {
    2: 1.128, 3: 1.693, 4: 2.059, 5: 2.326, 6: 2.534, 7: 2.704, 8: 2.847, 9: 2.970, 10: 3.078,
    11: 3.173, 12: 3.258, 13: 3.336, 14: 3.407, 15: 3.472, 16: 3.532, 17: 3.588, 18: 3.640,
    19: 3.689, 20: 3.735,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Summary:
    """What a series of runs says. Units are those of the runs; ``None`` where it cannot be known.

    ``deviation`` is s (n-1), ``variation`` is s / mean, ``half_width`` is half of the 95 % interval
    of the mean. ``estimated`` is true when s was estimated from the range because the runs were
    never published: such a half-width is an estimate and has to be shown as one.
    """

    n: int
    mean: float
    median: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    deviation: float | None = None
    estimated: bool = False

    @property
    def range(self) -> float | None:
        """Maximum minus minimum."""
        if self.minimum is None or self.maximum is None:
            return None
        return self.maximum - self.minimum

    @property
    def variation(self) -> float | None:
        """Coefficient of variation, s / mean, as a fraction."""
        return None if self.deviation is None or not self.mean else self.deviation / self.mean

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % confidence interval of the mean: t(0.975, n-1) * s / sqrt(n)."""
        if self.deviation is None or self.n < 2:
            return None
        return t_quantile(0.5 + CONFIDENCE / 2, self.n - 1) * self.deviation / math.sqrt(self.n)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean."""
        half = self.half_width
        return None if half is None else (self.mean - half, self.mean + half)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A minus B by Welch's test. ``interval`` is the 95 % interval of the difference of means."""

    difference: float
    interval: tuple[float, float]
    t: float
    degrees: float
    p: float
    estimated: bool

    @property
    def shown(self) -> bool:
        """Whether the data show a difference at the 5 % level."""
        return self.p < 1 - CONFIDENCE


def summarise(values: Sequence[float]) -> Summary:
    """Summarise raw runs.

    Raises:
        ValueError: there is no run.
    """
    if not values:
        raise ValueError("no run to summarise")
    return Summary(
        n=len(values),
        mean=stdlib.fmean(values),
        median=stdlib.median(values),
        minimum=min(values),
        maximum=max(values),
        deviation=stdlib.stdev(values) if len(values) > 1 else None,
    )


def from_published(
    n: int,
    mean: float,
    minimum: float | None = None,
    maximum: float | None = None,
    deviation: float | None = None,
) -> Summary:
    """Summary of a series whose runs were never published.

    Without a published deviation, s is estimated as range / d2(n) and marked as an estimate.
    """
    estimated = False
    if deviation is None and minimum is not None and maximum is not None and n in RANGE_TO_DEVIATION:
        deviation, estimated = (maximum - minimum) / RANGE_TO_DEVIATION[n], True
    return Summary(n, mean, None, minimum, maximum, deviation, estimated)


def welch(a: Summary, b: Summary) -> Comparison | None:
    """Compare two means without assuming equal variances (B. L. Welch, Biometrika 34, 1947).

    Returns ``None`` when either series has no deviation or fewer than two runs, or neither varies.
    """
    if a.deviation is None or b.deviation is None or a.n < 2 or b.n < 2:
        return None
    va, vb = a.deviation**2 / a.n, b.deviation**2 / b.n
    if va + vb == 0:
        return None
    error = math.sqrt(va + vb)
    degrees = (va + vb) ** 2 / (va**2 / (a.n - 1) + vb**2 / (b.n - 1))
    difference = a.mean - b.mean
    t = difference / error
    half = t_quantile(0.5 + CONFIDENCE / 2, degrees) * error
    return Comparison(
        difference=difference,
        interval=(difference - half, difference + half),
        t=t,
        degrees=degrees,
        p=2 * t_tail(abs(t), degrees),
        estimated=a.estimated or b.estimated,
    )


def t_tail(t: float, degrees: float) -> float:
    """P(T > t) for Student's t with ``degrees`` degrees of freedom, t >= 0."""
    square = t * t
    return 0.5 * _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square))


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: float) -> float:
    """The t with P(T <= t) = ``probability``, for 0.5 <= probability < 1, by bisection."""
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > 1 - probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_tail(middle, degrees) > 1 - probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """Regularised incomplete beta function I_x(a, b) with y = 1 - x (NIST DLMF 8.17.22).

    Both are given because 1 - x loses its digits where x is near 1.
    """
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(a, b, x) / a
    return 1 - front * _continued_fraction(b, a, y) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the continued fraction of the incomplete beta function."""
    tiny, c, d = 1e-300, 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return result
