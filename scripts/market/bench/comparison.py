"""Two reports side by side: difference, interval, test, effect, and whether they may be compared at all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from market.report import Report
from market.statistics import Comparison, Summary, welch

# Parts of the protocol that change a speed by themselves.
_PROTOCOL = {
    "prompt": "the prompt", "depth_tokens": "the depth", "tokens_per_run": "the length of a run",
    "concurrency": "the number of streams", "sampling": "the sampling", "thinking": "thinking",
    "seed_varies": "one seed or many", "prompt_cache": "the prompt cache",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pairing:
    """A against B. ``difference`` is A minus B in tokens/s; ``None`` where no test is possible."""

    a: Summary
    b: Summary
    test: Comparison | None
    effect: float | None
    unlike: tuple[str, ...]

    @property
    def percent(self) -> float:
        """A minus B in percent of B."""
        return (self.a.mean / self.b.mean - 1) * 100

    @property
    def verdict(self) -> str:
        """What may be said, in one sentence."""
        if self.test is None:
            return "No test is possible: one of the series has no spread (a single run, or runs never published)."
        estimate = " (s estimated from the published range)" if self.test.estimated else ""
        if not self.test.shown:
            low, high = (edge / self.b.mean * 100 for edge in self.test.interval)
            return (f"No difference shown{estimate}: p = {self.test.p:.3f}. They may still differ; the "
                    f"data allow anything from {low:+.1f} % to {high:+.1f} %.")  # fmt: skip
        faster = "A is faster than B" if self.test.difference > 0 else "A is slower than B"
        return f"{faster} by {abs(self.percent):.1f} %{estimate}: p {_p(self.test.p)}."


def compare(a: Report, b: Report) -> Pairing:
    """Compare two reports."""
    first, second = a.statistics, b.statistics
    return Pairing(first, second, welch(first, second), hedges(first, second), tuple(unlike(a.data, b.data)))


def hedges(a: Summary, b: Summary) -> float | None:
    """The difference in units of the pooled deviation, corrected for few runs (Hedges, J. Educ. Stat. 6, 1981)."""
    if a.deviation is None or b.deviation is None or a.n < 2 or b.n < 2:
        return None
    degrees = a.n + b.n - 2
    pooled = math.sqrt(((a.n - 1) * a.deviation**2 + (b.n - 1) * b.deviation**2) / degrees)
    return (a.mean - b.mean) / pooled * (1 - 3 / (4 * degrees - 1)) if pooled else None


def unlike(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """What differs besides the configuration, so that the difference may not be the configuration's."""
    if a["hardware"] != b["hardware"]:
        yield f"the machine: {a['hardware']} / {b['hardware']}"
    for key, name in _PROTOCOL.items():
        first, second = a["protocol"].get(key), b["protocol"].get(key)
        if first != second and (first is not None or second is not None):
            yield f"{name}: {_said(first)} / {_said(second)}"
    if _clock(a) != _clock(b):
        yield f"the clock: {_clock(a)} / {_clock(b)}"


def magnitude(effect: float) -> str:
    """An effect in words, by Cohen's conventions."""
    size = abs(effect)
    return "negligible" if size < 0.2 else "small" if size < 0.5 else "medium" if size < 0.8 else "large"


def _clock(data: Mapping[str, Any]) -> str:
    runs: list[Mapping[str, Any]] = data.get("runs") or []
    return ", ".join(sorted({str(run.get("speed_source", "not stated")) for run in runs})) or "not stated"


def _said(value: Any) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in value.items()) or "none"
    return str(value)


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
