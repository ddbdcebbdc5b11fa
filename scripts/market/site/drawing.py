"""Two small drawings as inline SVG, for which Vega-Lite is too much: the bar in a cell, and the tree of forks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_BAR_WIDTH, _BAR_HEIGHT = 160.0, 14.0
_TREE_WIDTH, _TREE_STEP, _TREE_INDENT, _TREE_MARGIN = 340.0, 26.0, 22.0, 6.0


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
    size = f"0 0 {_n(_TREE_WIDTH)} {_n(y - _TREE_STEP)}"
    return Markup(  # noqa: S704 - numbers of our own making and escaped texts
        f'<svg class="oo-tree" viewBox="{size}" role="img" aria-label="{escape(label)}" data-search-exclude>'
        f"{''.join(lines + projects)}</svg>"
    )


def _project(branch: Branch, x: float, y: float) -> str:
    kind = "oo-tree__dot" if branch.remark else "oo-tree__dot oo-tree__dot--empty"
    shapes = [f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="4.5"/>']
    for text, style, at, anchor in (
        (branch.name, "name", x + 11, "start"),
        (branch.remark, "remark", _TREE_WIDTH, "end"),
    ):
        place = f'x="{_n(at)}" y="{_n(y + 4)}" text-anchor="{anchor}"'
        shapes.append(f'<text class="oo-tree__{style}" {place}>{escape(text)}</text>' if text else "")
    return "".join(shapes)


def _n(value: float) -> str:
    """A coordinate with at most two decimals; the same text on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
