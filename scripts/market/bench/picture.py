"""Series of speeds drawn in a terminal: one dot a run on a common scale, with the mean's interval above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from market.statistics import Summary, summarise

WIDTH = 60
_BARS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float]) -> str:
    """The values in their order as small bars, the lowest and highest filling the height."""
    if not values:
        return ""
    low, high = min(values), max(values)
    if high <= low:
        return _BARS[3] * len(values)
    return "".join(_BARS[round((value - low) / (high - low) * (len(_BARS) - 1))] for value in values)


def dots(series: Mapping[str, Sequence[float]], width: int = WIDTH) -> tuple[str, ...]:
    """Each series as two lines: its 95 % interval with the mean, and its runs; then the scale in tokens/s.

    Dots that fall on one place are counted (`2`, `3`, ... `+` from ten).
    """
    known = {name: tuple(values) for name, values in series.items() if values}
    if not known:
        return ()
    summaries = {name: summarise(values) for name, values in known.items()}
    low, high = _scale(known, summaries)
    label = max(len(name) for name in known)
    lines = []
    for name, values in known.items():
        lines.append(f"{'':>{label}}  {_interval(summaries[name], low, high, width)}")
        lines.append(f"{name:>{label}}  {_runs(values, low, high, width)}")
    left, right = f"{low:.1f}", f"{high:.1f} tokens/s"
    lines.append(f"{'':>{label}}  {left}{right:>{width - len(left)}}")
    return tuple(line.rstrip() for line in lines)


def _scale(series: Mapping[str, Sequence[float]], summaries: Mapping[str, Summary]) -> tuple[float, float]:
    edges = [value for values in series.values() for value in values]
    edges += [edge for summary in summaries.values() for edge in summary.interval or ()]
    low, high = min(edges), max(edges)
    margin = (high - low) * 0.03 or abs(high) * 0.01 or 1.0
    return low - margin, high + margin


def _place(value: float, low: float, high: float, width: int) -> int:
    return min(width - 1, max(0, int((value - low) / (high - low) * width)))


def _interval(summary: Summary, low: float, high: float, width: int) -> str:
    line = [" "] * width
    if summary.interval:
        left, right = (_place(edge, low, high, width) for edge in summary.interval)
        line[left : right + 1] = ["─"] * (right - left + 1)
        line[left], line[right] = "├", "┤"
    line[_place(summary.mean, low, high, width)] = "┼"
    return "".join(line)


def _runs(values: Sequence[float], low: float, high: float, width: int) -> str:
    counts = [0] * width
    for value in values:
        counts[_place(value, low, high, width)] += 1
    return "".join(" " if not count else "●" if count == 1 else str(count) if count < 10 else "+" for count in counts)
