"""Drawings: every run a dot, the interval only where it may be shown, texts escaped and in the page's language."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.errors import MarketError
from market.site import plots, svg
from market.site.drawing import bar, ceiling
from market.site.kept import Kept
from market.site.language import ENGLISH, FRENCH
from market.site.vega import Blank, Picture, Vega
from market.statistics import from_published, summarise

SPEEDS = st.lists(st.floats(0.5, 1e4), min_size=1, max_size=30)
SPEECH = "var(--oo-needle-wash"


@pytest.fixture(scope="module")
def artist(tmp_path_factory: pytest.TempPathFactory) -> Vega:
    return Vega(Kept(tmp_path_factory.mktemp("pictures")))


def drawing(frame: str) -> ET.Element:
    """The SVG in its frame."""
    found = re.search(r"<svg.*</svg>", frame, re.S)
    assert found, frame
    return ET.fromstring(found[0])


def box(root: ET.Element) -> tuple[float, float]:
    _, _, width, height = map(float, root.get("viewBox", "").split())
    return width, height


def dots(root: ET.Element) -> list[tuple[float, float]]:
    """Places of the marks that say something."""
    places = []
    for mark in root.iter("path"):
        if mark.find("title") is not None:
            moved = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", mark.get("transform", ""))
            assert moved, mark.attrib
            places.append((float(moved[1]), float(moved[2])))
    return places


@given(SPEEDS)
def test_every_run_is_specified_inside_its_scale(speeds: list[float]) -> None:
    picture = plots.runs(summarise(speeds), speeds, "x", [str(speed) for speed in speeds])
    assert picture is not None
    low, high = picture.spec["encoding"]["x"]["scale"]["domain"]
    values = picture.spec["layer"][-1]["data"]["values"]
    assert [value["x"] for value in values] == speeds
    assert all(low <= value["x"] <= high for value in values)
    ticks = picture.spec["encoding"]["x"]["axis"]["values"]
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))


def test_every_run_is_a_dot_in_its_order(artist: Vega) -> None:
    speeds = [100.0, 110.0, 101.0, 111.0, 102.0, 112.0]
    picture = plots.runs(summarise(speeds), speeds, "two groups", [f"run {n}" for n in range(6)])
    assert picture is not None
    root = drawing(artist.draw(picture, ENGLISH))
    width, height = box(root)
    places = dots(root)
    assert len(places) == len(speeds)
    assert [y for _, y in places] == sorted(y for _, y in places), "the first run is on top"
    unit = (places[1][0] - places[0][0]) / 10
    assert [x - places[0][0] for x, _ in places] == pytest.approx([(v - 100) * unit for v in speeds], abs=0.1)
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    assert [title.text for title in root.iter("title")] == [f"run {n}" for n in range(6)]


def test_interval_and_range(artist: Vega) -> None:
    raw = plots.runs(summarise([1, 2, 3]), [1, 2, 3], "x", ["a", "b", "c"])
    published = plots.runs(from_published(10, 2, 1, 3), [], "x", [])
    assert raw is not None
    assert published is not None
    assert SPEECH in artist.draw(raw, FRENCH)
    drawn = artist.draw(published, FRENCH)
    assert SPEECH not in drawn
    assert "stroke-dasharray" in drawn
    assert plots.runs(from_published(10, 2), [], "x", []) is None


def test_texts_are_escaped_and_numbers_localised(artist: Vega) -> None:
    speeds = [1100.1, 1100.2, 1100.3]
    picture = plots.runs(summarise(speeds), speeds, '"><script>', ["<b>", "&", "@0"])
    assert picture is not None
    french, english = artist.draw(picture, FRENCH), artist.draw(picture, ENGLISH)
    for drawn in (french, english):
        root = drawing(drawn)
        assert root.get("aria-label") == '"><script>'
        assert root.get("role") == "img"
        assert [title.text for title in root.iter("title")] == ["<b>", "&", "@0"]
    assert re.search(r">1\u202f100,\d<", french)
    assert re.search(r">1,100\.\d<", english)


def test_a_second_drawing_comes_from_the_folder_and_is_the_same(tmp_path: Path) -> None:
    speeds = [10.0, 11.0, 12.0]
    picture = plots.runs(summarise(speeds), speeds, "x", ["a", "b", "c"])
    assert picture is not None
    first, again = Vega(Kept(tmp_path / "one")), Vega(Kept(tmp_path / "two"))
    assert first.draw(picture, FRENCH) == again.draw(picture, FRENCH)
    (kept,) = (tmp_path / "one/pictures").iterdir()
    kept.write_text('<svg viewBox="0 0 1 1"><text>7.5</text></svg>')
    assert "7,5" in first.draw(picture, FRENCH)
    assert "7.5" in first.draw(picture, ENGLISH), "one drawing serves both languages"


def test_no_style_no_font_and_no_sheet_of_its_own(artist: Vega) -> None:
    drawn = artist.draw(plots.memory([plots.Part("a", 10.0)], 25.0, "x"), FRENCH)
    for part in ("style=", "<style", "font-family", 'fill="white"', "xmlns", "<g"):
        assert part not in drawn


@pytest.mark.parametrize(("size", "fits"), [(10.0, True), (30.0, False)])
def test_the_limit_stands_beyond_or_within_the_parts(artist: Vega, size: float, fits: bool) -> None:
    root = drawing(artist.draw(plots.memory([plots.Part("a", size)], 25.0, "x"), FRENCH))
    part = next(mark for mark in root.iter("path") if mark.find("title") is not None)
    limit = next(mark for mark in root.iter("path") if "stroke-dasharray" in mark.attrib)
    width = float(re.findall(r"h([\d.]+)", part.get("d", ""))[0])
    at = float(re.findall(r"M([\d.]+)", limit.get("d", ""))[0])
    assert (at - 10 > width) is fits
    assert at <= box(root)[0]


def test_bars_keep_to_their_scale_and_names_to_the_width(artist: Vega) -> None:
    bars = [plots.Bar("one", "200,00", 200.0, (190.0, 210.0)), plots.Bar("two", "50,00", 50.0, None, is_main=False)]
    drawn = artist.draw(plots.bars(bars, "x"), FRENCH)
    root = drawing(drawn)
    texts = [text.text for text in root.iter("text")]
    assert {"one", "200,00", "two", "50,00"} <= set(texts)
    assert drawn.count('stroke="var(--oo-needle') == 1, "one interval, joined to one path"
    assert drawn.count('fill="var(--oo-paper') == 1, "the bar that no longer ships is hollow"


def test_an_interval_that_is_cut_off_at_zero_has_no_end_there(artist: Vega) -> None:
    def ends(low: float) -> int:
        drawn = artist.draw(plots.bars([plots.Bar("one", "50,00", 50.0, (low, 110.0))], "x"), FRENCH)
        (path,) = (mark for mark in drawing(drawn).iter("path") if "oo-needle" in mark.get("stroke", ""))
        return path.get("d", "").count("V")

    assert (ends(5.0), ends(-10.0)) == (2, 1)


def test_axes_say_their_unit_and_the_limit_its_size(artist: Vega) -> None:
    runs = plots.runs(summarise([1, 2, 3]), [1, 2, 3], "x", ["a", "b", "c"], "tokens/s")
    assert runs is not None
    memory = plots.memory([plots.Part("a", 10.0)], 25.0, "x", "usable 25 Go", "Go")
    for picture, said in ((runs, {"tokens/s"}), (memory, {"usable 25 Go", "Go"})):
        assert said <= {str(text.text) for text in drawing(artist.draw(picture, FRENCH)).iter("text")}


def test_the_plane_marks_what_nothing_beats(artist: Vega) -> None:
    spots = [
        plots.Spot("a", 32768, 250.0, (240.0, 260.0), 1),
        plots.Spot("b", 262144, 200.0, None, 2),
        plots.Spot("c", 4096, 180.0, (150.0, 200.0), None),
    ]
    for is_wide in (True, False):
        root = drawing(artist.draw(plots.plane(spots, "x", ("context", "speed"), is_wide), ENGLISH))
        width, height = box(root)
        places = dots(root)
        assert len(places) == 3
        assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
        assert {"context", "speed", "262,144", "1", "2"} <= {str(text.text) for text in root.iter("text")}
        says = [str(title.text) for title in root.iter("title")]
        a, b, c = (places[says.index(name)] for name in "abc")
        assert a[1] < b[1] < c[1], "faster is higher"
        assert c[0] < a[0] < b[0], "more context is further right"
        assert says[0] == "c", "the front lies on top"


def test_one_context_for_all_is_drawn(artist: Vega) -> None:
    assert dots(drawing(artist.draw(plots.plane([plots.Spot("a", 4096, 1.0, None, 1)], "x", ("c", "s"), True), FRENCH)))


def test_the_check_draws_frames_only() -> None:
    frame = drawing(Blank().draw(Picture("runs", {}, "what it shows"), FRENCH))
    assert frame.get("aria-label") == "what it shows"
    assert not list(frame)


def test_a_wrong_specification_is_a_fault_of_ours(artist: Vega) -> None:
    with pytest.raises(MarketError, match="Vega-Lite cannot draw"):
        artist.draw(Picture("x", {"mark": {"type": "rect"}, "encoding": {"x": {"field": 3, "type": []}}}, "x"), FRENCH)
    with pytest.raises(MarketError, match="does not know"):
        svg.compact('<svg viewBox="0 0 1 1"><image href="x"/></svg>')


def test_bar_keeps_to_its_scale() -> None:
    assert 'width="78"' in bar(50, None, 100)
    assert "oo-bar__interval" not in bar(50, None, 100)
    assert "oo-bar__interval" in bar(50, (45, 55), 100)


@given(st.floats(1e-6, 1e9))
def test_ceiling_is_near_and_not_below(value: float) -> None:
    top = ceiling(value)
    assert value * 0.99999 <= top <= value * 2.5
    assert math.isfinite(top)


@pytest.mark.parametrize(("value", "top"), [(253.7, 300), (100, 100), (1.1, 2), (0, 1)])
def test_ceiling(value: float, top: float) -> None:
    assert ceiling(value) == pytest.approx(top)
