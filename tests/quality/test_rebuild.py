"""A build that finds the files of an earlier one: faster, and the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.site.conftest import EPOCH

from market.catalog import load
from market.progress import Silent
from market.site import generator
from market.site.build import build_site
from market.site.language import FRENCH, Language
from market.site.rendering import UnmergeableError, merged_search, merged_sitemap

CITED = "apps/llamacppqwen36a3btextone/bench/2026-05-21-space-invaders-32k.yaml"
UNCITED = "apps/gemma426ba4bone/bench/2026-05-07-single-run-64k.yaml"
NEVER = {"api/status"}


def digests(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(("file", "in_journal"), [(CITED, True), (UNCITED, False)])
def test_a_rebuild_after_one_run_changed_touches_the_pages_that_show_it_and_the_way_back_is_exact(
    site: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, in_journal: bool
) -> None:
    asked: list[int] = []
    running = generator.running

    def counted(language: Language, docs: Path, *rest: Any) -> AbstractContextManager[Callable[[], None]]:
        asked.append(len(list(docs.rglob("*.md"))))
        return running(language, docs, *rest)

    monkeypatch.setattr(generator, "running", counted)
    work, catalog = tmp_path / "work", tmp_path / "catalog"
    shutil.copytree(site.parent / "work", work)
    shutil.copytree(root, catalog)
    report = catalog / file
    original = report.read_text("utf-8")
    data = yaml.safe_load(original)
    data["runs"][0]["tokens_per_second"] += 0.07
    report.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")

    changed = tmp_path / "changed"
    changed.mkdir()
    build_site(load(catalog)[0], changed, work, EPOCH, Silent())
    before, after = digests(site), digests(changed)
    touched = {path for path in before if path not in NEVER and after.get(path) != before[path]}
    pages = {path for path in touched if path.endswith(".html")}
    assert {path.removeprefix("en/") for path in pages if path.startswith("en/")} == {
        path for path in pages if not path.startswith("en/")
    }
    assert f"{file.partition('/bench/')[0]}/index.html" in pages
    assert "leaderboard/index.html" in pages
    assert "leaderboard.csv" in touched
    assert any(path.startswith("blog/") for path in pages) == in_journal
    assert not {path for path in pages if "rules/" in path or "bench/" in path or "engines/" in path}
    every = len(list((site.parent / "work/site/fr/docs").rglob("*.md")))
    assert all(count < every / 2 for count in asked), (asked, every)

    report.write_text(original, "utf-8")
    back = tmp_path / "back"
    back.mkdir()
    build_site(load(catalog)[0], back, work, EPOCH, Silent())
    assert len(asked) == 4  # two languages, twice, and never a whole run
    again = digests(back)
    assert {path for path in before if path not in NEVER and again.get(path) != before[path]} == set()
    assert set(again) == set(before) - NEVER


@pytest.mark.parametrize("lost", ["fr/html/method/index.html", "en/html/rules/chart.checker/index.html"])
def test_html_that_got_lost_is_made_again(site: Path, root: Path, tmp_path: Path, lost: str) -> None:
    """Of a page that MkDocs would get a stub of, and of one that it would not get at all."""
    shutil.copytree(site.parent / "work", tmp_path / "work")
    (tmp_path / "work/site" / lost).unlink()
    out = tmp_path / "out"
    out.mkdir()
    build_site(load(root)[0], out, tmp_path / "work", EPOCH, Silent())
    assert {path: digest for path, digest in digests(site).items() if path not in NEVER} == digests(out)


def test_mkdocs_stops_when_nobody_waits_for_it(site: Path, tmp_path: Path) -> None:
    docs, html = site.parent / "work/site/fr/docs", tmp_path / "html"
    with pytest.raises(KeyboardInterrupt), generator.running(FRENCH, docs, html, "https://market.example", EPOCH):
        raise KeyboardInterrupt
    assert not (html / "index.html").exists()


def test_search_entries_of_kept_pages_stand_where_they_stood() -> None:
    old = index(("", "home"), ("a/", "old a"), ("a/#x", "old x"), ("b/", "old b"), ("c/", "old c"))
    new = index(("", "home 2"), ("b/", "new b"), ("b/#y", "new y"))
    assert (
        json.loads(merged_search(old, new, {"a/", "c/"}))["docs"]
        == json.loads(
            index(
                ("", "home 2"), ("a/", "old a"), ("a/#x", "old x"), ("b/", "new b"), ("b/#y", "new y"), ("c/", "old c")
            )
        )["docs"]
    )
    with pytest.raises(UnmergeableError):
        merged_search(old, index(("d/", "unknown")), {"a/"})
    with pytest.raises(UnmergeableError):
        merged_search(old + " ", new, {"a/"})


def index(*entries: tuple[str, str]) -> str:
    docs = [{"location": location, "title": "", "text": text} for location, text in entries]
    return json.dumps({"config": {}, "docs": docs}, separators=(",", ":"))


def test_addresses_of_kept_pages_stand_where_they_stood() -> None:
    old, new = sitemap(a=1, b=1, c=1), sitemap(b=2)
    assert merged_sitemap(old, new, {"a", "c"}) == sitemap(a=1, b=2, c=1)
    with pytest.raises(UnmergeableError):
        merged_sitemap(old, new, {"a"})


def sitemap(**pages: int) -> str:
    urls = "".join(
        f"    <url>\n         <loc>{page}</loc>\n         <lastmod>{day}</lastmod>\n    </url>\n"
        for page, day in pages.items()
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset>\n{urls}</urlset>'
