"""Icons and store pictures: the right size, the right figures, the same bytes."""

from __future__ import annotations

import struct

import pytest

from market import icons, pictures
from market.catalog import App, load
from market.paths import PROJECT
from market.site.leaderboard import headline

CATALOG, _ = load(PROJECT)


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


@pytest.mark.parametrize("app", CATALOG.listed, ids=lambda app: app.name)
def test_the_icon_is_what_the_card_draws(app: App) -> None:
    assert icons.png(app.card) == app.icon
    assert size(app.icon) == (256, 256)


@pytest.mark.parametrize("app", CATALOG.listed[::6], ids=lambda app: app.name)
def test_a_store_picture_has_the_size_that_stores_ask_for(app: App) -> None:
    assert size(pictures.png(app)) == (1440, 900)


@pytest.mark.parametrize("app", CATALOG.listed, ids=lambda app: app.name)
def test_a_store_picture_shows_the_figures_of_the_reports(app: App) -> None:
    row, drawn = headline(app), pictures.svg(app)
    if row is None:
        assert "Not measured yet" in drawn
        return
    summary = row.statistics
    assert f">{summary.mean:.2f}<" in drawn
    assert ("±" in drawn) == (summary.half_width is not None and not summary.estimated)


def test_text_of_a_card_cannot_break_out_of_a_picture() -> None:
    app = CATALOG.listed[0]
    card = {**app.card, "model": {**app.card["model"], "family": "<script>&", "name": "</svg>"}}
    assert "<script>" not in icons.svg(card)
