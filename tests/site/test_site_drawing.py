"""Drawings: every run a dot, the interval only where it may be shown, labels escaped."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.site.drawing import Part, bar, ceiling, plot, stack
from market.site.language import ENGLISH, FRENCH
from market.statistics import from_published, summarise

SPEEDS = st.lists(st.floats(0.5, 1e4), min_size=1, max_size=30)


def classes(svg: str) -> list[str]:
    return [element.get("class", "") for element in ET.fromstring(svg.replace("data-search-exclude", "")).iter()]


@given(SPEEDS)
def test_every_run_is_a_dot_inside_the_drawing(speeds: list[float]) -> None:
    svg = plot(summarise(speeds), speeds, "x", FRENCH)
    root = ET.fromstring(svg.replace(" data-search-exclude", ""))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    dots = [element for element in root.iter() if element.get("class") == "oo-plot__dot"]
    assert len(dots) == len(speeds)
    for dot in dots:
        assert 0 <= float(dot.get("cx", "")) <= width
        assert 0 <= float(dot.get("cy", "")) <= height


def test_interval_and_range() -> None:
    raw = classes(plot(summarise([1, 2, 3]), [1, 2, 3], "x", FRENCH))
    assert "oo-plot__interval" in raw
    published = classes(plot(from_published(10, 2, 1, 3), [], "x", FRENCH))
    assert "oo-plot__interval" not in published
    assert "oo-plot__range" in published
    assert plot(from_published(10, 2), [], "x", FRENCH) == ""


def test_labels_are_escaped_and_numbers_localised() -> None:
    speeds = [100.1, 100.2, 100.3]
    svg = plot(summarise(speeds), speeds, '"><script>', FRENCH)
    assert "<script>" not in svg
    assert re.search(r">100,\d<", svg)
    assert re.search(r">100\.\d<", plot(summarise(speeds), speeds, "x", ENGLISH))
    assert "<b>" not in stack([Part("<b>", 1.0)], 2.0, "<b>", ENGLISH)


def test_bar_keeps_to_its_scale() -> None:
    assert 'width="78"' in bar(50, None, 100)
    assert "oo-bar__interval" not in bar(50, None, 100)
    assert "oo-bar__interval" in bar(50, (45, 55), 100)


def test_stack_marks_the_limit_beyond_or_within_the_parts() -> None:
    fits, over = stack([Part("a", 10.0)], 25.0, "x", FRENCH), stack([Part("a", 30.0)], 25.0, "x", FRENCH)
    for svg, inside in ((fits, False), (over, True)):
        root = ET.fromstring(svg.replace(" data-search-exclude", ""))
        body = next(element for element in root.iter() if "oo-stack__part" in element.get("class", ""))
        limit = next(element for element in root.iter() if element.get("class") == "oo-stack__limit")
        edge = float(limit.get("d", "")[1:].split()[0])
        assert (edge < float(body.get("width", ""))) is inside


@given(st.floats(1e-6, 1e9))
def test_ceiling_is_near_and_not_below(value: float) -> None:
    top = ceiling(value)
    assert value * 0.99999 <= top <= value * 2.5
    assert math.isfinite(top)


@pytest.mark.parametrize(("value", "top"), [(253.7, 300), (100, 100), (1.1, 2), (0, 1)])
def test_ceiling(value: float, top: float) -> None:
    assert ceiling(value) == pytest.approx(top)
