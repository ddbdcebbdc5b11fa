"""What the site's pictures show, as Vega-Lite specifications: positions are data, words are placeholders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from market.site.drawing import ceiling
from market.site.vega import Picture
from market.statistics import Summary

Spec = dict[str, Any]

# A width that a phone shows without shrinking it; the style sheet lets a picture grow by a quarter.
WIDTH: Final = 340
_INK, _SOFT = "var(--oo-ink, #1b1f23)", "var(--oo-soft, #555c63)"
_PAPER, _BAR = "var(--oo-paper, #fcfcfa)", "var(--oo-bar, #788f9d)"
_NEEDLE, _WASH = "var(--oo-needle, #b03a1c)", "var(--oo-needle-wash, #b03a1c24)"
_LINE = "var(--oo-line, #dcdcd6)"
_PARTS: Final = ("#34515f", "#6b8796", "#8b5e83", "#c9a25b", "#7b8f6a", "#a6a69c")
_STEP, _ROW = 11, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it is, its value as text, tokens/s, and the 95 % interval where there is one."""

    name: str
    value: str
    mean: float
    interval: tuple[float, float] | None
    is_main: bool = True


@dataclass(frozen=True, slots=True)
class Spot:
    """One series in the plane of context and speed. ``number`` marks those that nothing beats in both."""

    name: str
    context: int
    mean: float
    interval: tuple[float, float] | None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the memory: its name with its size in the page's language, and decimal gigabytes."""

    name: str
    gigabytes: float


def runs(summary: Summary, speeds: Sequence[float], label: str, names: Sequence[str], unit: str = "") -> Picture | None:
    """Every run as a dot in its order from top to bottom, over the interval and the mean.

    ``names`` say each dot, ``unit`` the axis. Without runs: the published extremes as a line, or nothing when only
    the mean is known.
    """
    if not speeds and summary.range is None:
        return None
    low, high, step = _axis(summary, speeds)
    height = max(len(speeds), 3) * _STEP + 4
    layers = [_rule({"x": summary.mean}, _NEEDLE, 1.5)]
    if summary.interval and not summary.estimated:
        left, right = (min(max(edge, low), high) for edge in summary.interval)
        layers.insert(0, _layer("rect", {"x": left, "x2": right}, color=_WASH))
    if speeds:
        dots = [{"x": speed, "y": 4 + (index + 0.5) * _STEP, "say": f"@{index}"} for index, speed in enumerate(speeds)]
        layers.append(_layer("point", *dots, filled=True, size=36, opacity=1, color=_INK, stroke=_PAPER, strokeWidth=1))
    else:
        edge = {"x": summary.minimum, "x2": summary.maximum, "y": 4 + 1.5 * _STEP}
        layers.append(_layer("rule", edge, color=_BAR, strokeWidth=5, strokeDash=[1, 5]))
    scale = _encoding("x", [low, high], _ticks(low, high, step), ".1f" if step % 1 else ",.0f")
    texts = (*names, unit)
    return Picture("runs", _sheet(layers, height, scale, height, (20, 20), f"@{len(names)}"), label, texts)


def memory(parts: Sequence[Part], limit: float, label: str, said: str = "", unit: str = "") -> Picture:
    """Parts of the memory end to end, against the card's limit, on a scale that holds both.

    ``said`` stands at the limit, ``unit`` at the axis.
    """
    total = sum(part.gigabytes for part in parts)
    top = max(total, limit) * 1.04
    step = ceiling(top / 6)
    boxes, at = [], 0.0
    for index, part in enumerate(parts):
        end = at + part.gigabytes
        boxes.append({"x": at, "x2": end, "y": 22, "y2": 48, "colour": _part_colour(index), "say": f"@{index}"})
        at = end
    scale = _encoding("x", [0, top], _ticks(0, top, step), ".1f" if step % 1 else ",.0f")
    scale["x"]["axis"]["grid"] = False
    count = len(parts)
    layers = [
        _layer("rect", *boxes, stroke=_PAPER, strokeWidth=1),
        _rule({"x": limit, "y": 2, "y2": 54}, _NEEDLE, 2, [3, 2]),
        _layer("text", {"x": limit, "y": 12, "text": f"@{count}"}, dx=-5, align="right", baseline="alphabetic"),
    ]
    texts = (*(part.name for part in parts), said, unit)
    return Picture("memory", _sheet(layers, 54, scale, 54, (4, 20), f"@{count + 1}"), label, texts)


def bars(found: Sequence[Bar], label: str) -> Picture:
    """A bar for each, from zero to the mean, with the interval drawn over its end and its name above it."""
    top = ceiling(max(bar.interval[1] if bar.interval else bar.mean for bar in found))
    height = len(found) * _ROW
    ticks = _ticks(0, top, top / 5)
    solid: list[Mapping[str, Any]] = []
    hollow: list[Mapping[str, Any]] = []
    whiskers, names, values, grid = [], [], [], []
    for index, bar in enumerate(found):
        y = index * _ROW
        (solid if bar.is_main else hollow).append({"x": 0, "x2": bar.mean, "y": y + 19, "y2": y + 28})
        grid += [{"x": tick, "y": y + 17, "y2": y + 30} for tick in ticks]  # behind the bars, not through the words
        names.append({"x": 0, "y": y + 13, "text": f"@{2 * index}"})
        values.append({"x": top, "y": y + 13, "text": f"@{2 * index + 1}"})
        if bar.interval:
            low, high = bar.interval
            whiskers += [{"x": max(0.0, low), "x2": high, "y": y + 23.5}, {"x": high, "y": y + 19, "y2": y + 28}]
            whiskers += [{"x": low, "y": y + 19, "y2": y + 28}] if low > 0 else []  # cut off at zero, it has no end
    layers = [_layer("rule", *grid, color=_LINE)]
    layers += [_layer("rect", *solid, color=_BAR)] if solid else []
    layers += [_layer("rect", *hollow, color=_PAPER, stroke=_BAR, strokeWidth=1.25)] if hollow else []
    layers += [_layer("rule", whisker, color=_NEEDLE, strokeWidth=1.5) for whisker in whiskers]
    layers.append(_layer("text", *names, baseline="alphabetic"))
    layers.append(_layer("text", *values, baseline="alphabetic", align="right"))
    scale = _encoding("x", [0, top], ticks, ".1f" if top / 5 % 1 else ",.0f")
    scale["x"]["axis"]["grid"] = False
    texts = tuple(text for bar in found for text in (bar.name, bar.value))
    return Picture("bars", _sheet(layers, height, scale, height, (4, 16)), label, texts)


def plane(spots: Sequence[Spot], label: str, axes: tuple[str, str], is_wide: bool) -> Picture:
    """Speed against allocated context. A line joins the series that no other beats in both, and numbers name them.

    ``axes`` names the axis of the context and that of the speed.
    """
    width, height = (680, 300) if is_wide else (WIDTH, 280)
    low = 2 ** math.floor(math.log2(min(spot.context for spot in spots)))
    high = 2 ** math.ceil(math.log2(max(spot.context for spot in spots)))
    if low == high:
        low //= 2
    top = ceiling(max(spot.interval[1] if spot.interval else spot.mean for spot in spots))
    x = _encoding("x", [low, high], [low * 2**n for n in range(0, round(math.log2(high / low)) + 1, 2)], ",.0f")
    x["x"]["scale"] |= {"type": "log", "base": 2}
    y = _encoding("y", [0, top], _ticks(0, top, top / 5), ",.0f")
    spots = sorted(spots, key=lambda spot: spot.number is not None)  # what is drawn last lies on top
    front = sorted((spot for spot in spots if spot.number), key=lambda spot: spot.context)
    whiskers = [{"x": s.context, "y": max(0, s.interval[0]), "y2": s.interval[1]} for s in spots if s.interval]
    layers = [
        *([_layer("rule", *whiskers, color=_SOFT, opacity=0.7)] if whiskers else []),
        _layer("line", *({"x": s.context, "y": s.mean} for s in front), color=_NEEDLE, strokeWidth=1.5,
               interpolate="step-before"),
        _layer("point", *({"x": s.context, "y": s.mean, "say": f"@{index}", "colour": _NEEDLE if s.number else _BAR}
               for index, s in enumerate(spots)), size=46, opacity=1, stroke=_PAPER, strokeWidth=1),
        _layer("text", *({"x": s.context, "y": s.mean, "text": str(s.number)} for s in front), dy=-10, align="center",
               fontWeight="bold", color=_NEEDLE),
    ]  # fmt: skip
    names = tuple(spot.name for spot in spots)
    titles = [
        _layer("text", {"fx": 0, "fy": -12, "text": f"@{len(names)}"}, color=_SOFT),
        _layer("text", {"fx": width - 62, "fy": height + 34, "text": f"@{len(names) + 1}"}, color=_SOFT, align="right"),
    ]
    spec = {
        "layer": [*layers, *titles], "width": width - 62, "height": height, "encoding": x | y,
        "padding": {"left": 36, "right": 26, "top": 24, "bottom": 42}, "autosize": {"type": "none"},
    }  # fmt: skip
    return Picture("plane-wide" if is_wide else "plane-narrow", spec, label, (*names, axes[1], axes[0]))


def _part_colour(index: int) -> str:
    number = index % len(_PARTS)
    return f"var(--oo-part-{number + 1}, {_PARTS[number]})"


def _sheet(
    layers: Sequence[Spec], height: int, x: Spec, depth: float, margins: tuple[int, int], unit: str = ""
) -> Spec:
    """A picture whose upright is in units of its own, from 0 at the top to ``depth``.

    ``margins`` are what the numbers at both ends of the scale need, left and right; ``unit`` stands below them.
    """
    y = {"y": {"scale": {"domain": [0, depth], "reverse": True, "nice": False}, "axis": None, "title": None}}
    (left, right), width = margins, WIDTH - sum(margins)
    below = [_layer("text", {"fx": width, "fy": height + 30, "text": unit}, color=_SOFT, align="right")] if unit else []
    return {
        "layer": [*below, *layers], "width": width, "height": height, "encoding": x | y,
        "padding": {"left": left, "right": right, "top": 2, "bottom": 38 if unit else 22},
        "autosize": {"type": "none"},
    }  # fmt: skip


def _encoding(channel: str, domain: Sequence[float], values: Sequence[float], form: str) -> Spec:
    axis = {"values": list(values), "format": form}
    scale = {"domain": list(domain), "nice": False, "zero": False}
    return {channel: {"scale": scale, "axis": axis, "title": None}}


def _layer(mark: str, *values: Mapping[str, Any], **style: Any) -> Spec:
    """One layer: a mark for each of ``values``, whose keys are the channels."""
    fields: dict[str, Any] = {}
    for key in sorted({key for value in values for key in value}):
        match key:
            case "say":
                fields["description"] = {"field": key, "type": "nominal"}
            case "colour":
                fields["fill" if mark == "point" else "color"] = {"field": key, "type": "nominal", "scale": None}
            case "text":
                fields["text"] = {"field": key, "type": "nominal"}
            case "x2" | "y2":
                fields[key] = {"field": key}
            case "fx" | "fy":
                fields[key[1]] = {"value": values[0][key]}
            case _:
                fields[key] = {"field": key, "type": "quantitative"}
    return {"data": {"values": [dict(value) for value in values]}, "mark": {"type": mark, **style}, "encoding": fields}


def _rule(at: Mapping[str, Any], colour: str, width: float, dash: Sequence[int] = ()) -> Spec:
    return _layer("rule", at, color=colour, strokeWidth=width, **({"strokeDash": list(dash)} if dash else {}))


def _ticks(low: float, high: float, step: float) -> list[float]:
    count = math.floor((high - low) / step + 1e-9)
    return [round(low + index * step, 9) for index in range(count + 1)]


def _axis(summary: Summary, speeds: Sequence[float]) -> tuple[float, float, float]:
    """Both ends of a scale that holds a series and its interval, and the step of its ticks."""
    known = [*speeds, summary.mean, *(edge for edge in (summary.minimum, summary.maximum) if edge is not None)]
    known += [] if summary.estimated else list(summary.interval or ())
    spread = max(known) - min(known)
    if spread <= abs(summary.mean) * 1e-9:  # equal runs, up to rounding
        spread = max(abs(summary.mean) * 0.02, 1.0)
    step = ceiling(spread / 4)
    low, high = math.floor(min(known) / step) * step, math.ceil(max(known) / step) * step
    return low, high if high > low else low + step, step
