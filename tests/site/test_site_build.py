"""The real build of the pages. That two builds are equal byte for byte is shown on the whole of dist/ (tests/e2e)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from market.catalog import Catalog, load
from market.errors import MarketError
from market.paths import PROJECT
from market.progress import Silent
from market.site.build import build_site
from market.site.csp import script_hashes
from market.site.markup import Reader

EPOCH = 1_780_000_000  # as in conftest.py


def test_other_files_of_the_folder_stay(site: Path) -> None:
    assert (site / "api/status").read_text() == "{}"


def test_every_page_has_its_twin(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    english = {path.removeprefix("en/") for path in pages if path.startswith("en/")}
    french = {path for path in pages if not path.startswith("en/")}
    assert french == english
    assert {"index.html", "leaderboard/index.html", "method/index.html", "hardware/index.html", "404.html"} <= french
    assert {"blog/qwen36-a3b-vision-gpu-swap/index.html", "blog/archive/2026/index.html"} <= french
    assert "apps/llamacppqwen36beellamavisionone/index.html" in french


def test_the_language_switch_keeps_the_page(site: Path) -> None:
    for path in ("apps/llamacppqwen36a3bone", "leaderboard", "blog/category/vision"):
        french = (site / path / "index.html").read_text("utf-8")
        english = (site / "en" / path / "index.html").read_text("utf-8")
        assert f'href="/en/{path}/" hreflang="en"' in french
        assert f'href="/{path}/" hreflang="fr"' in english
        assert '<html lang="fr"' in french
        assert '<html lang="en"' in english


def test_numbers_are_written_in_the_language_of_the_page(site: Path) -> None:
    french = (site / "leaderboard/index.html").read_text("utf-8")
    english = (site / "en/leaderboard/index.html").read_text("utf-8")
    assert "<b>243,59</b>" in french
    assert "<b>243.59</b>" in english
    assert "<b>243.59</b>" not in french


def test_the_leaderboard_is_complete_without_script(site: Path, repository: Catalog) -> None:
    html = (site / "leaderboard/index.html").read_text("utf-8")
    assert len(re.findall(r"<tr [^>]*data-series=", html)) == len(list(repository.root.glob("apps/*/bench/*.yaml")))
    assert re.search(r"data-controls hidden", html)


def test_inline_scripts_are_few_and_the_same_everywhere(site: Path) -> None:
    assert len(script_hashes(Reader().below(site).values())) == 3


def test_no_page_uses_inline_style(site: Path) -> None:
    for page in site.rglob("*.html"):
        html = page.read_text("utf-8")
        assert " style=" not in html, page
        assert "<style" not in html, page


def test_both_languages_are_on_the_page_for_unknown_addresses(site: Path) -> None:
    for path in ("404.html", "en/404.html"):
        html = (site / path).read_text("utf-8")
        assert "Cette page n’existe pas" in html
        assert "This page does not exist" in html
        assert 'href="/assets/' in html or 'href="/en/assets/' in html


def test_old_names_can_be_searched(site: Path) -> None:
    assert "llamacppqwen36beellamavisionone" in (site / "search/search_index.json").read_text("utf-8")


def test_nothing_that_depends_on_the_machine_is_left(site: Path) -> None:
    assert not list(site.rglob("*.gz"))
    assert "2026-05-28" in (site / "sitemap.xml").read_text("utf-8")
    for page in site.rglob("*.html"):
        assert str(PROJECT) not in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("[x](nowhere.md) [y](hardware.md#gone)", ["nowhere.md", "#gone"]),
        (
            '<a href="/gone/">x</a> <img src="https://x.example/p.png" alt="">\n\n<script>evil()</script>',
            [
                "/method/index.html: /gone/ leads nowhere",
                "loads https://x.example/p.png from another host",
                "a script of an author's is in:\nmethod/index.html",
            ],
        ),
        ("{{ app('none').title }}", ["docs/fr/method.md:", "no app is called 'none'"]),
    ],
)
def test_a_broken_page_stops_the_build(site: Path, root: Path, tmp_path: Path, text: str, messages: list[str]) -> None:
    """The pictures are those of the sound site."""
    shutil.copytree(site.parent / "work" / "cache", tmp_path / "work" / "cache")
    catalog = shutil.copytree(root, tmp_path / "catalog")
    with (catalog / "docs/fr/method.md").open("a", encoding="utf-8") as stream:
        stream.write(f"\n{text}\n")
    out = tmp_path / "dist"
    out.mkdir()
    with pytest.raises(MarketError) as caught:
        build_site(load(catalog)[0], out, tmp_path / "work", EPOCH, Silent())
    for message in messages:
        assert message in str(caught.value)
    assert list(out.iterdir()) == []
