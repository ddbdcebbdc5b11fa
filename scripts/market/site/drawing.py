"""Small drawings of measurements as inline SVG: no script, colours from the style sheet, text that scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from market.site.language import Language
from market.statistics import Summary

_BAR_WIDTH, _BAR_HEIGHT = 160.0, 14.0
_PLOT_WIDTH, _PLOT_MARGIN, _PLOT_STEP, _PLOT_FOOT = 380.0, 30.0, 11.0, 20.0
_TREE_STEP, _TREE_INDENT, _TREE_MARGIN = 26.0, 22.0, 6.0


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the memory: its name in the page's language and decimal gigabytes."""

    name: str
    gigabytes: float


@dataclass(frozen=True, slots=True)
class Branch:
    """One project of a lineage: its name, how many forks lie between it and the first one, and a remark."""

    name: str
    depth: int
    remark: str


def ceiling(value: float) -> float:
    """The next round number (1, 2, 2.5, 3, 4, 5 or 7.5 times a power of ten) at or above ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 3, 4, 5, 7.5, 10) if step * power >= value * 0.999999)


def bar(mean: float, interval: tuple[float, float] | None, top: float) -> Markup:
    """A bar from zero to the mean with the 95 % interval drawn over its end; the number stands beside it."""
    scale = (_BAR_WIDTH - 4) / top
    end = mean * scale
    shapes = [f'<rect class="oo-bar__body" x="0" y="3" width="{_n(end)}" height="8"/>']
    if interval:
        low, high = (max(0.0, edge) * scale for edge in interval)
        shapes.append(f'<path class="oo-bar__interval" d="M{_n(low)} 7H{_n(high)}M{_n(low)} 2.5v9M{_n(high)} 2.5v9"/>')
    size = f"0 0 {_n(_BAR_WIDTH)} {_n(_BAR_HEIGHT)}"
    # The cell says the numbers in words, so the drawing is hidden from screen readers.
    return Markup(  # noqa: S704 - numbers of our own making
        f'<svg class="oo-bar" viewBox="{size}" preserveAspectRatio="none" aria-hidden="true">{"".join(shapes)}</svg>'
    )


def plot(statistics: Summary, speeds: Sequence[float], label: str, language: Language) -> Markup:
    """Every run as a dot in its order from top to bottom, over the interval and the mean.

    Without runs: the published minimum, mean and maximum as a line with a mark, or nothing when only the
    mean was published.
    """
    if not speeds and statistics.range is None:
        return Markup()
    low, high, step = _axis(statistics, speeds)
    rows = max(len(speeds), 3)
    height = 8 + rows * _PLOT_STEP + _PLOT_FOOT
    foot = height - _PLOT_FOOT

    def x(value: float) -> float:
        return _PLOT_MARGIN + (value - low) / (high - low) * (_PLOT_WIDTH - 2 * _PLOT_MARGIN)

    shapes = [_ticks(low, high, step, x, foot, language)]
    if statistics.interval and not statistics.estimated:
        left, right = (min(max(x(edge), 0.0), _PLOT_WIDTH) for edge in statistics.interval)
        width = _n(right - left)
        shapes.append(f'<rect class="oo-plot__interval" x="{_n(left)}" y="2" width="{width}" height="{_n(foot - 2)}"/>')
    shapes.append(f'<path class="oo-plot__mean" d="M{_n(x(statistics.mean))} 2V{_n(foot)}"/>')
    if speeds:
        shapes += [_dot(x(speed), 8 + (index + 0.5) * _PLOT_STEP) for index, speed in enumerate(speeds)]
    elif statistics.minimum is not None and statistics.maximum is not None:
        middle = _n(8 + rows * _PLOT_STEP / 2)
        edges = f"M{_n(x(statistics.minimum))} {middle}H{_n(x(statistics.maximum))}"
        shapes.append(f'<path class="oo-plot__range" d="{edges}"/>')
    size = f"0 0 {_n(_PLOT_WIDTH)} {_n(height)}"
    body = "".join(shapes)
    return Markup(  # noqa: S704 - numbers of our own making and an escaped label
        f'<svg class="oo-plot" viewBox="{size}" role="img" aria-label="{escape(label)}" data-search-exclude>'
        f"{body}</svg>"
    )


def stack(parts: Sequence[Part], limit: float, label: str, language: Language) -> Markup:
    """Parts of the memory end to end, against the card's limit, on a scale that holds both."""
    total = sum(part.gigabytes for part in parts)
    width, top = 380.0, max(total, limit) * 1.06
    shapes, at = [], 0.0
    for index, part in enumerate(parts):
        start, length = at / top * width, part.gigabytes / top * width
        kind = f"oo-stack__part oo-part-{index % 6 + 1}"
        title = f"{escape(part.name)} {language.gigabytes(part.gigabytes, 2)}"
        shape = f'<rect class="{kind}" x="{_n(start)}" y="8" width="{_n(max(length, 0.8))}" height="26">'
        shapes.append(f"{shape}<title>{title}</title></rect>")
        at += part.gigabytes
    edge = _n(limit / top * width)
    shapes.append(f'<path class="oo-stack__limit" d="M{edge} 0V42"/>')
    return Markup(  # noqa: S704 - numbers of our own making and escaped texts
        f'<svg class="oo-stack" viewBox="0 0 {_n(width)} 42" role="img" aria-label="{escape(label)}" '
        f"data-search-exclude>{''.join(shapes)}</svg>"
    )


def lineage(families: Sequence[Sequence[Branch]], label: str) -> Markup:
    """Families of projects as trees that grow downwards: a line a project, a step to the right a fork.

    A project with a remark has a full dot, one that only others descend from an empty one.
    """
    lines, projects, y = [], [], _TREE_STEP / 2
    for family in families:
        above: dict[int, float] = {}
        for branch in family:
            x = _TREE_MARGIN + branch.depth * _TREE_INDENT
            if branch.depth:
                path = f"M{_n(x - _TREE_INDENT)} {_n(above[branch.depth - 1])}V{_n(y)}H{_n(x)}"
                lines.append(f'<path class="oo-tree__line" d="{path}"/>')
            projects.append(_project(branch, x, y))
            above[branch.depth] = y
            y += _TREE_STEP
        y += _TREE_STEP / 2
    size = f"0 0 {_n(_PLOT_WIDTH)} {_n(y - _TREE_STEP)}"
    return Markup(  # noqa: S704 - numbers of our own making and escaped texts
        f'<svg class="oo-tree" viewBox="{size}" role="img" aria-label="{escape(label)}" data-search-exclude>'
        f"{''.join(lines + projects)}</svg>"
    )


def _project(branch: Branch, x: float, y: float) -> str:
    kind = "oo-tree__dot" if branch.remark else "oo-tree__dot oo-tree__dot--empty"
    shapes = [f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="4.5"/>']
    for text, style, at, anchor in (
        (branch.name, "name", x + 11, "start"),
        (branch.remark, "remark", _PLOT_WIDTH, "end"),
    ):
        place = f'x="{_n(at)}" y="{_n(y + 4)}" text-anchor="{anchor}"'
        shapes.append(f'<text class="oo-tree__{style}" {place}>{escape(text)}</text>' if text else "")
    return "".join(shapes)


def _axis(statistics: Summary, speeds: Sequence[float]) -> tuple[float, float, float]:
    known = [
        *speeds,
        statistics.mean,
        *(v for v in (statistics.minimum, statistics.maximum) if v is not None),
    ]
    known += [] if statistics.estimated else list(statistics.interval or ())
    spread = max(known) - min(known)
    if spread <= abs(statistics.mean) * 1e-9:  # equal runs, up to rounding
        spread = max(abs(statistics.mean) * 0.02, 1.0)
    step = ceiling(spread / 4)
    low = math.floor(min(known) / step) * step
    high = math.ceil(max(known) / step) * step
    return low, high if high > low else low + step, step


def _ticks(low: float, high: float, step: float, x: object, foot: float, language: Language) -> str:
    assert callable(x)
    digits = 0 if step >= 1 and step == int(step) else 1
    marks = []
    for index in range(round((high - low) / step) + 1):
        value = low + index * step
        at = _n(x(value))
        marks.append(f'<path class="oo-plot__tick" d="M{at} 2V{_n(foot + 3)}"/>')
        text = language.number(value, digits)
        marks.append(f'<text class="oo-plot__text" x="{at}" y="{_n(foot + 15)}" text-anchor="middle">{text}</text>')
    return "".join(marks)


def _dot(x: float, y: float) -> str:
    return f'<circle class="oo-plot__dot" cx="{_n(x)}" cy="{_n(y)}" r="3.2"/>'


def _n(value: float) -> str:
    """A coordinate with at most two decimals; the same text on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
