"""The heads of pages: cards, structured data, twins, icons; and the files that programs ask for."""

from __future__ import annotations

import json
import re
import struct
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.quality.page_types import PAGE_TYPES

from market.catalog import Catalog
from market.site import cards
from market.site.cards import Card, Series
from market.site.kept import Kept
from market.site.language import ENGLISH, FRENCH
from market.site.leaderboard import headline
from market.site.writeups import cited, title


def html_of(site: Path, path: str) -> str:
    return (site / path.strip("/") / "index.html" if path.endswith("/") else site / path.strip("/")).read_text("utf-8")


def metas(html: str) -> dict[str, str]:
    return {
        name: unescape(value)
        for name, value in re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', html)
    }


def data_of(html: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.S)[0])
    return found


@pytest.mark.parametrize("path", [path for path in PAGE_TYPES if not path.endswith("404.html")])
def test_every_page_has_a_card_a_description_and_its_twins(site: Path, repository: Catalog, path: str) -> None:
    html, origin = html_of(site, path), repository.market["origin"]
    found = metas(html)
    assert len(found["description"]) > 20
    assert found["og:url"] == origin + path
    assert found["twitter:card"] == "summary_large_image"
    assert found["og:image:alt"]
    picture = site / found["og:image"].removeprefix(origin + "/")
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (1200, 630)
    bare = path.removeprefix("/en") if path.startswith("/en/") else path
    twins = dict(re.findall(r'<link rel="alternate " hreflang="([^"]+)" href="([^"]+)"', html))
    assert twins == {"fr": origin + bare, "en": f"{origin}/en{bare}", "x-default": origin + bare}
    assert f'<link rel="canonical" href="{origin}{path}">' in html


def test_the_card_of_an_app_has_its_figure(site: Path, repository: Catalog) -> None:
    app = next(app for app in repository.apps if app.name == "llamacppqwen36a3bone")
    row = headline(app)
    assert row is not None
    for root, language in (("", FRENCH), ("en/", ENGLISH)):
        found = metas(html_of(site, f"/{root}apps/{app.name}/"))
        assert f"{language.number(row.statistics.mean, 2)} tokens/s" in found["og:image:alt"]


def test_structured_data(site: Path, repository: Catalog) -> None:
    origin = repository.market["origin"]
    board = data_of(html_of(site, "/en/leaderboard/"))
    assert board["@type"] == "Dataset"
    downloads = [download["contentUrl"] for download in board["distribution"]]
    assert f"{origin}/en/leaderboard.csv" in downloads
    assert all((site / download.removeprefix(origin + "/")).is_file() for download in downloads)
    app = data_of(html_of(site, "/apps/llamacppqwen36a3bone/"))
    assert app["@type"] == "SoftwareApplication"
    assert app["softwareVersion"] == next(a.version for a in repository.apps if a.name == "llamacppqwen36a3bone")
    article = data_of(html_of(site, "/en/blog/qwen36-a3b-vision-gpu-swap/"))
    assert article["@type"] == "Article"
    assert article["datePublished"] == "2026-05-24"
    assert f"{origin}/en/apps/llamacppqwen36a3bone/" in [app["url"] for app in article["mentions"]]
    for found in (board, app, article):
        assert found["@context"] == "https://schema.org"


def test_a_write_up_leads_to_its_neighbours_and_to_the_apps_that_it_cites(site: Path) -> None:
    html = html_of(site, "/en/blog/qwen36-a3b-vision-gpu-swap/")
    related = html.partition('<nav class="oo-related"')[2].partition("</nav>")[0]
    assert 'href="/en/apps/llamacppqwen36a3bone/"' in related
    around = html.partition('<nav class="oo-around"')[2].partition("</nav>")[0]
    assert re.search(r'class="oo-around__older" href="\.\./gemma4-26b-mtp-vision-vllm/"', around)
    assert re.search(r'class="oo-around__newer" href="\.\./qwen36-a3b-dflash-upstream/"', around)
    assert re.search(r"\d+ min read", html)
    assert 'oo-around__newer"' not in html_of(site, "/en/blog/which-app-when/")


def test_files_at_fixed_addresses(site: Path, repository: Catalog) -> None:
    icon = (site / "favicon.ico").read_bytes()
    assert struct.unpack("<HHHBB", icon[:8]) == (0, 1, 1, 32, 32)
    assert icon[22:30] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", (site / "apple-touch-icon.png").read_bytes()[16:24]) == (180, 180)
    assert "Sitemap: " in (site / "robots.txt").read_text()
    for root in ("", "en/"):
        text = (site / root / "llms.txt").read_text("utf-8")
        assert text.startswith(f"# {repository.market['title']['en-US']}\n\n> ")
        assert len(re.findall(r"^- \[[^]]+\]\(https://[^)]+\)", text, re.M)) > len(repository.listed)
        assert f"/{root}apps/{repository.listed[0].name}/" in text


def test_a_card_depends_on_what_it_shows_and_on_nothing_else() -> None:
    series = Series("One & <two>", 123.456, (120.0, 126.9))
    card = Card("A long title, " * 12, "", (series,), "mean of 3 runs", 350.0, FRENCH)
    drawing = cards.svg(card, "Site")
    assert "123,46" in drawing
    assert "± 3,45" in drawing
    assert "One & <two>" not in drawing
    assert cards.name(drawing) == cards.name(cards.svg(card, "Site"))
    assert cards.png(drawing, Kept()) == cards.png(drawing, Kept())


def test_cards_are_kept_between_builds(tmp_path: Path) -> None:
    drawing = cards.svg(Card("T", "Note", (), "", 100.0, ENGLISH), "Site")
    first = cards.png(drawing, Kept(tmp_path))
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [first]
    kept[0].write_bytes(b"kept")
    assert cards.png(drawing, Kept(tmp_path)) == b"kept"


def test_what_a_write_up_cites() -> None:
    source = """{% set a = report("one", "x") %} one two {{ fmt(report("two", "y").mean) }} "three"
    {{ report('two', "z").n }}"""
    assert cited(source, ["one", "two", "three", "x"]) == ["two", "one", "x"]


def test_the_title_of_a_page_has_no_markdown() -> None:
    assert title("---\na: b\n---\n\n# The `x` of [y](z.md)\\: *two* { #id }\n\n# no\n") == "The x of y: two"
