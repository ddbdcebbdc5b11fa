"""Every picture of the catalog in a browser at the width of a phone: texts stay inside, apart, and large enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from market.catalog import App, Catalog, Shelved
from market.paths import PROJECT
from market.site.kept import Kept
from market.site.language import LANGUAGES
from market.site.pages import Pages, usable_gigabytes
from market.site.vega import Vega

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")

# Where each text of each picture is, in CSS pixels: picture, text, left, right, top, bottom, size of its font.
PLACES = """() => [...document.querySelectorAll("svg")].filter(svg => svg.getClientRects().length).map(svg => {
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width
  return {label: svg.getAttribute("aria-label"), left: frame.left, right: frame.right, top: frame.top,
          bottom: frame.bottom, texts: [...svg.querySelectorAll("text")].map(text => {
    const box = text.getBoundingClientRect()
    return {text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            size: parseFloat(getComputedStyle(text).fontSize) * scale}
  })}
})"""


def pictures(catalog: Catalog, cache: Path) -> list[str]:
    found: list[str] = []
    for language in LANGUAGES:
        pages = Pages(catalog, language, artist=Vega(Kept(cache)))
        found += [pages.gallery.runs(row) for row in pages.rows]
        for app in catalog.apps:
            limit = usable_gigabytes(catalog, app)
            if (app.card.get("vram") or {}).get("parts") and limit is not None:
                found.append(pages.gallery.memory(app, limit))
        everything: list[App | Shelved] = [*catalog.apps, *catalog.shelved]
        drawn = [pages.gallery.history(app, pages.rows) for app in everything]
        found += [one.picture for one in (*drawn, pages.gallery.fastest(pages.headlines)) if one]
        found.append(pages.frontier())
    return [str(one) for one in found if one]


@pytest.fixture(scope="module")
def places(repository: Catalog, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a browser makes of them, 328 pixels wide: a phone of 360 less the page's margins."""
    folder = tmp_path_factory.mktemp("pictures")
    css = (PROJECT / "theme/assets/market.css").read_text("utf-8")
    body = "".join(pictures(repository, folder))
    page = (
        f'<!doctype html><meta charset="utf-8"><style>html {{ font-size: 125% }} {css}</style>'
        f'<body data-md-color-scheme="default"><main class="md-typeset" style="width:328px">{body}</main>'
    )
    (folder / "page.html").write_text(page, "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 360, "height": 800})
        tab.goto((folder / "page.html").as_uri())
        found: list[dict[str, Any]] = tab.evaluate(PLACES)
        browser.close()
    return found


def test_texts_stay_inside_their_picture(places: list[dict[str, Any]]) -> None:
    assert len(places) > 80
    outside = [
        (picture["label"], text["text"])
        for picture in places
        for text in picture["texts"]
        if text["left"] < picture["left"] - 1
        or text["right"] > picture["right"] + 1
        or text["top"] < picture["top"] - 1
        or text["bottom"] > picture["bottom"] + 2
    ]
    assert outside == []


def test_texts_do_not_run_into_each_other(places: list[dict[str, Any]]) -> None:
    def meet(a: dict[str, Any], b: dict[str, Any]) -> bool:
        # Boxes are as high as the font, letters are not: a third of a line may be shared.
        height = (a["bottom"] - a["top"]) / 3
        is_beside = a["right"] <= b["left"] or b["right"] <= a["left"]
        return not (is_beside or a["bottom"] - height <= b["top"] or b["bottom"] - height <= a["top"])

    found = [
        (picture["label"], a["text"], b["text"])
        for picture in places
        for index, a in enumerate(picture["texts"])
        for b in picture["texts"][index + 1 :]
        if meet(a, b)
    ]
    assert found == []


def test_texts_can_be_read_on_a_phone(places: list[dict[str, Any]]) -> None:
    assert min(text["size"] for picture in places for text in picture["texts"]) >= 10
