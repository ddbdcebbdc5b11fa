"""A contributor's app whose texts attack: refused with a clear problem, or shown as the text that it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser
from tests.site.served import served

from market.catalog import load
from market.check import check
from market.progress import Silent
from market.site import generator
from market.site.build import write_pages
from market.site.language import FRENCH
from market.site.markup import read
from market.site.pages import Pages

APP = "llamacppqwen36a3btextone"
BENCH = "2026-05-21-space-invaders-32k"
ATTACK = (
    "<script>window.owned = 1</script><img src=x onerror=\"window.owned = 2\">[go](javascript:window.owned=3) "
    "<a href=\"javascript:window.owned=4\" onclick=\"window.owned=5\">x</a> \u202etxet\u202c </article></main></div> "
    "</script><svg onload=window.owned=6> <style>body{display:none}</style> \"'><iframe src=//x.example></iframe> `"
)  # fmt: skip
EXPRESSION = "{{ config.secret }} {% set x = 1 %} {{ 7*7 }} {# x #} "


def attacked(root: Path, target: Path, description: str, summary: str) -> Path:
    """A copy of the repository in which one app has these texts wherever an app may say something."""
    shutil.copytree(root, target)
    folder = target / "apps" / APP
    for path in (folder / "chart").rglob("OlaresManifest.yaml"):
        data = yaml.safe_load(path.read_text("utf-8"))
        data["metadata"] |= {"title": "<b>\u202eEvil</b>", "description": ATTACK[:300]}
        data["spec"] |= {"fullDescription": description, "upgradeDescription": ATTACK}
        path.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
    card = yaml.safe_load((folder / "app.yaml").read_text("utf-8"))
    card |= {"summary": {"en": summary, "fr": summary}}
    card["model"] |= {"name": ATTACK, "licence": ATTACK}
    (folder / "app.yaml").write_text(yaml.safe_dump(card, allow_unicode=True), "utf-8")
    report = folder / "bench" / f"{BENCH}.yaml"
    notes = yaml.safe_load(report.read_text("utf-8"))
    notes["notes"] = [{"en": summary, "fr": summary}]
    report.write_text(yaml.safe_dump(notes, allow_unicode=True), "utf-8")
    return target


def test_a_check_refuses_what_is_too_long(root: Path, tmp_path: Path) -> None:
    catalog = attacked(root, tmp_path / "catalog", EXPRESSION + "word " * 20_000, ATTACK)
    for app in (catalog / "apps").iterdir():
        if app.name != APP:
            shutil.rmtree(app)
    found = {(problem.rule, Path(problem.path).name): problem.message for problem in check(catalog, Silent()).problems}
    assert "100" in found["schema.wrong-value", "OlaresManifest.yaml"]
    assert "at most 20000" in found["schema.wrong-value", "OlaresManifest.yaml"]


@pytest.fixture(scope="module")
def address(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of that app, with as few others as its links need."""
    work = tmp_path_factory.mktemp("hostile")
    catalog = load(attacked(root, work / "catalog", EXPRESSION + ATTACK + "word " * 3_000, EXPRESSION + ATTACK))[0]
    assert catalog.sound
    docs = work / "docs"
    write_pages(Pages(catalog, FRENCH), docs)
    for path in [*docs.glob("apps/*.md"), *docs.glob("rules/*.md")]:
        if path.stem not in (APP, "index"):
            path.unlink()
    with generator.running(FRENCH, docs, work / "html", catalog.market["origin"], 1_780_000_000) as ended:
        ended()
    own = set(read((work / "html" / "404.html").read_text("utf-8")).scripts)
    for page in (work / "html").rglob("*.html"):
        assert own.issuperset(read(page.read_text("utf-8")).scripts), page
    with served(work / "html") as found:
        yield found


@pytest.mark.parametrize("path", [f"/apps/{APP}/", "/apps/", "/leaderboard/", "/"])
def test_its_texts_are_shown_and_do_nothing(browser: Browser, address: str, path: str) -> None:
    # Without the policy of the site, which alone would stop most of it.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    dialogs: list[Any] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + path)
    for link in page.locator("main a, main summary").all()[:40]:
        link.dispatch_event("mouseover")
    assert page.evaluate("window.owned") is None
    assert page.locator("main iframe, main style, main img[src=x], main svg[onload]").count() == 0
    assert page.locator("a[href^='javascript:' i], [onclick], [onerror], [onload]").count() == 0
    assert page.locator("body").is_visible()
    assert page.locator("main article").count() <= 1
    assert dialogs == []
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
    text = page.inner_text("body")
    assert "\u202e" not in page.content()
    context.close()
    if path == f"/apps/{APP}/":
        assert "<script>window.owned = 1</script>" in text
        assert "{{ config.secret }} {% set x = 1 %} {{ 7*7 }}" in text
