"""The leaderboard and the comparison in a browser: sort, filter, compare, address, languages, keyboard, no script."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, expect
from tests.site.served import served

from market.catalog import Catalog
from market.report import Report
from market.site.download import document
from market.site.language import ENGLISH, FRENCH
from market.site.leaderboard import rows
from market.site.pages import Pages
from market.site.unbroken import kept_together
from market.source import SourceText
from market.statistics import welch
from market.yamldoc import parse

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 60_000
MANY = 500
LIMIT = 200_000
A = "llamacppqwen36a3bone/2026-05-24-space-invaders-262k"
B = "llamacppqwen36a3btextone/2026-05-21-space-invaders-32k"
SHOWN = "[data-board] tbody:not([hidden]) tr[data-id]:not([hidden])"

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")


@pytest.fixture(scope="module")
def many(repository: Catalog) -> Catalog:
    """The catalog with 500 reports more, some of another machine and some of four requests at once."""
    app = next(app for app in repository.listed if app.name == A.split("/", maxsplit=1)[0])
    own = app.reports[0]

    def copy(index: int) -> Report:
        data: dict[str, Any] = json.loads(json.dumps(dict(own.data), default=str))
        data["runs"] = [{"tokens_per_second": 40 + index / 2 + step} for step in (0, 0.7, 1.9)]
        data["hardware"] = "rtx-4090" if index % 50 == 7 else "olares-one"
        data["protocol"]["concurrency"] = 4 if index % 50 == 9 else 1
        found, problems = parse(SourceText("bench.yaml", json.dumps(data)))
        assert found is not None, problems
        return Report(f"2026-07-01-made-{index:03}", app.name, found)

    changed = dataclasses.replace(app, reports=(*app.reports, *(copy(index) for index in range(MANY))))
    apps = tuple(changed if found is app else found for found in repository.apps)
    return dataclasses.replace(repository, apps=apps)


@pytest.fixture(scope="module")
def address(site: Path, repository: Catalog, many: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, and at /en/many/ its leaderboard with 500 rows more."""
    target = shutil.copytree(site, tmp_path_factory.mktemp("served") / "dist")
    page = (target / "en/leaderboard/index.html").read_text("utf-8")
    board, larger = (kept_together(str(Pages(found, ENGLISH).leaderboard())) for found in (repository, many))
    assert board in page, "Markdown leaves the board as it is"
    (target / "en/many").mkdir()
    (target / "en/many/index.html").write_text(page.replace(board, larger), "utf-8")
    with served(target) as address:
        yield address


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    expect.set_options(timeout=PATIENCE)
    return context.new_page()


def ready(page: Page, address: str) -> None:
    """Open a leaderboard and wait for its script."""
    page.goto(address)
    expect(page.locator("[data-count]")).not_to_be_empty()


def speeds(page: Page) -> list[float]:
    """The means of the rows that are shown, in their order."""
    return [float(text) for text in page.eval_on_selector_all(SHOWN, "rows => rows.map(r => r.cells[2].dataset.value)")]


def header(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader").get_by_role("button", name=name)


def test_it_sorts_and_the_address_keeps_the_order(page: Page, address: str) -> None:
    ready(page, address + "/en/leaderboard/")
    everything = speeds(page)
    assert everything == sorted(everything, reverse=True)
    expect(page.locator("th[data-key=speed]")).to_have_attribute("aria-sort", "descending")
    header(page, "Speed").click()
    expect(page.locator("th[data-key=speed]")).to_have_attribute("aria-sort", "ascending")
    assert speeds(page) == sorted(everything)
    header(page, "Context").click()
    expect(page).to_have_url(re.compile(r"\?sort=-context$"))
    expect(page.locator("th[aria-sort]")).to_have_count(1)
    page.reload()
    expect(page.locator("th[data-key=context]")).to_have_attribute("aria-sort", "descending")
    page.go_back()
    expect(page.locator("th[data-key=speed]")).to_have_attribute("aria-sort", "ascending")
    assert speeds(page) == sorted(everything)
    page.go_back()
    expect(page).to_have_url(address + "/en/leaderboard/")
    assert speeds(page) == everything


def test_unknown_values_come_last_either_way(page: Page, address: str) -> None:
    ready(page, address + "/en/leaderboard/")
    for order in ("descending", "ascending"):
        header(page, "Accept.").click()
        expect(page.locator("th[data-key=acceptance]")).to_have_attribute("aria-sort", order)
        values = page.eval_on_selector_all(SHOWN, "rows => rows.map(r => r.cells[10].dataset.value)")
        known = [float(value) for value in values if value]
        assert values[: len(known)] == [value for value in values if value]
        assert known == sorted(known, reverse=order == "descending")
        assert 0 < len(known) < len(values)


def test_filters_leave_what_they_say(page: Page, address: str, repository: Catalog) -> None:
    ready(page, address + "/en/leaderboard/")
    total = len(rows(repository))
    expect(page.locator("[data-count]")).to_have_text(f"{total} of {total} series")
    page.get_by_label("images", exact=True).check()
    page.get_by_label("Engine", exact=True).select_option("beellama-cpp")
    page.get_by_label("Context of at least").select_option("131072")
    shown = page.locator(SHOWN)
    for row in shown.all():
        expect(row).to_have_attribute("data-engine", "beellama-cpp")
        expect(row).to_have_attribute("data-can", re.compile("vision"))
    few = shown.count()
    assert 0 < few < total
    expect(page.locator("[data-count]")).to_have_text(f"{few} of {total} series")
    page.get_by_label("VRAM known, at most").select_option("6")
    expect(page.get_by_text("No series passes these filters.")).to_be_visible()
    page.get_by_role("button", name="Clear all").click()
    expect(shown).to_have_count(total)
    page.get_by_label("Search the rows").fill("beellama 0.1.2")
    expect(page).to_have_url(re.compile(r"\?filter=beellama\+0\.1\.2$"))
    assert 0 < shown.count() < total
    page.get_by_label("Search the rows").fill("")
    page.get_by_label("Model family").select_option("Gemma 4")
    page.get_by_label("what ships").check()
    for row in shown.all():
        expect(row).to_have_attribute("data-family", "Gemma 4")
        expect(row.locator("[data-value=same]")).to_have_count(1)


def test_an_address_with_what_does_not_exist_shows_everything(page: Page, address: str, repository: Catalog) -> None:
    query = "?engine=nothing&sort=-no&compare=a/b,c/d&context=abc&vram=&family=%22%3E%3Cscript%3E"
    ready(page, address + "/en/leaderboard/" + query)
    assert len(speeds(page)) == len(rows(repository))
    expect(page.locator("[data-picked]")).to_be_hidden()
    ready(page, address + "/en/leaderboard/?context=100000")
    expect(page.get_by_label("Context of at least")).to_have_value("100000")
    assert 0 < len(speeds(page)) < len(rows(repository))


def test_up_to_four_rows_are_compared(page: Page, address: str, repository: Catalog) -> None:
    ready(page, address + "/en/leaderboard/")
    panel = page.get_by_role("region", name="Side by side")
    for key in (A, B):
        page.locator(f'[data-id="{key}"]').get_by_role("checkbox").check()
    expect(panel).to_be_visible()
    first, second = (next(row for row in rows(repository) if row.key == key) for key in (A, B))
    result = welch(second.statistics, first.statistics)
    assert result is not None
    assert result.shown
    expect(panel).to_contain_text("difference shown: faster")
    expect(panel).to_contain_text(f"{ENGLISH.signed(result.difference, 2)} tokens/s")
    low, high = (ENGLISH.signed(edge, 2) for edge in result.interval)
    expect(panel).to_contain_text(f"{low} to {high} tokens/s")
    page.reload()
    expect(panel).to_contain_text("difference shown: faster")
    boxes = page.locator(f"{SHOWN} input:not(:checked)")
    for _ in range(2):
        boxes.first.check()
    boxes.first.click()
    expect(page.get_by_text("Four series at most: remove one first.")).to_be_visible()
    expect(panel.get_by_role("columnheader")).to_have_count(4)
    panel.get_by_role("button", name="Remove").first.click()
    expect(panel.get_by_role("columnheader")).to_have_count(3)
    page.get_by_role("button", name="Clear the choice").click()
    expect(page.locator("[data-panel]")).to_be_hidden()
    page.go_back()
    expect(panel.get_by_role("columnheader")).to_have_count(3)


def test_a_summary_is_compared_as_an_estimate_or_not_at_all(page: Page, address: str, repository: Catalog) -> None:
    found = rows(repository)
    estimated = next(row for row in found if row.statistics.estimated)
    bare = next(row for row in found if row.statistics.deviation is None)
    ready(page, f"{address}/en/leaderboard/?compare={A},{estimated.key},{bare.key}")
    panel = page.get_by_role("region", name="Side by side")
    expect(panel).to_contain_text("(estimate)")
    expect(panel).to_contain_text("cannot be compared")


def test_the_other_language_shows_the_same(page: Page, address: str) -> None:
    ready(page, address + "/en/leaderboard/")
    page.get_by_label("audio", exact=True).check()
    header(page, "Date").click()
    expected = speeds(page)
    page.get_by_role("link", name="Français").click()
    expect(page).to_have_url(address + "/leaderboard/?sort=-date&can=audio")
    expect(page.get_by_label("son", exact=True)).to_be_checked()
    assert speeds(page) == expected


def test_everything_works_by_keyboard(page: Page, address: str) -> None:
    ready(page, address + "/en/leaderboard/")
    page.get_by_label("Search the rows").focus()
    page.keyboard.type("qwen36a3bone")
    few = page.locator(SHOWN).count()
    assert 0 < few < 10
    header(page, "Speed").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[data-key=speed]")).to_have_attribute("aria-sort", "ascending")
    page.locator(f"{SHOWN} input").first.focus()
    page.keyboard.press("Space")
    for _ in range(2):  # over the link of the row to the box of the next
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    compare = page.get_by_role("button", name="Compare", exact=True)
    expect(compare).to_be_visible()
    compare.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Side by side")).to_be_focused()


def test_on_a_phone_the_results_come_first(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    ready(page, address + "/leaderboard/")
    drawer = page.locator("[data-drawer]")
    assert page.locator("[data-controls]").evaluate(
        "form => document.querySelector('[data-board]').compareDocumentPosition(form)"
        " & Node.DOCUMENT_POSITION_FOLLOWING"
    )
    expect(page.get_by_label("Moteur", exact=True)).to_be_hidden()
    drawer.locator("summary").click()
    expect(page.get_by_label("Moteur", exact=True)).to_be_visible()
    page.get_by_label("Trier par").select_option("-context")
    expect(page).to_have_url(re.compile("sort=-context"))
    page.get_by_role("button", name="Voir les séries").click()
    expect(page.get_by_label("Moteur", exact=True)).to_be_hidden()
    expect(page.locator(SHOWN).first).to_be_in_viewport()
    page.locator(f"{SHOWN} input").first.check()
    expect(page.get_by_text("1 série choisie, il en faut deux")).to_be_in_viewport()
    context.close()


def test_without_script_everything_is_there(browser: Browser, address: str, repository: Catalog) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "/leaderboard/")
    assert page.locator(SHOWN).count() == len(rows(repository))
    for hidden in ("controls", "picked", "panel", "how", "none"):
        expect(page.locator(f"[data-{hidden}]")).to_be_hidden()
    page.goto(address + f"/en/compare/?a={A}&b={B}")
    expect(page.get_by_role("heading", name="All series")).to_be_visible()
    expect(page.get_by_text("Choosing any pair takes JavaScript")).to_be_visible()
    assert page.locator("[data-scriptless] a[href*='#r-']").count() == len(rows(repository))
    context.close()


def test_the_printed_page_is_the_table(page: Page, address: str) -> None:
    ready(page, address + "/en/leaderboard/")
    page.emulate_media(media="print")
    expect(page.locator("[data-controls]")).to_be_hidden()
    expect(page.locator(f"{SHOWN} input").first).to_be_hidden()
    expect(page.locator(SHOWN).last).to_be_visible()
    page.set_viewport_size({"width": 1030, "height": 700})  # A4 across, without its margins
    wide = page.evaluate("document.querySelector('[data-board]').scrollWidth - document.body.clientWidth")
    assert wide <= 0


def test_two_reports_are_compared_by_their_address(page: Page, address: str, repository: Catalog) -> None:
    page.goto(f"{address}/en/compare/?a={A}&b={B}")
    first, second = (next(row for row in rows(repository) if row.key == key) for key in (A, B))
    result = welch(first.statistics, second.statistics)
    assert result is not None
    told = page.locator("[data-result]")
    expect(told).to_contain_text("difference shown: slower")
    expect(told).to_contain_text(f"{ENGLISH.signed(result.difference, 2)} tokens/s")
    expect(told).to_contain_text(f"t = {ENGLISH.number(result.t, 2)}, {ENGLISH.number(result.degrees, 1)} degrees")
    apart = page.locator("h2:has-text('What sets them apart') + div")
    for name in ("Image measured", "--mmproj-gpu-swap", "Allocated context", "image encoder (mmproj)"):
        expect(apart.get_by_role("rowheader", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Swap").click()
    expect(told).to_contain_text("difference shown: faster")
    expect(page).to_have_url(f"{address}/en/compare/?a={B}&b={A}")
    page.reload()
    expect(told).to_contain_text("difference shown: faster")
    page.get_by_role("link", name="Français").click()
    expect(page).to_have_url(f"{address}/compare/?a={B}&b={A}")
    expect(told).to_contain_text("différence montrée : plus rapide".replace(" :", "\u00a0:"))
    expect(told).to_contain_text(f"{FRENCH.signed(-result.difference, 2)} tokens/s")
    page.get_by_label("Seconde série").select_option(B)
    expect(told).to_contain_text("C’est deux fois la même série.")
    page.go_back()
    expect(told).to_contain_text("plus rapide")


def test_a_report_that_does_not_exist_is_named(page: Page, address: str) -> None:
    page.goto(f"{address}/en/compare/?a=<b>no</b>/such&b={B}")
    expect(page.get_by_text("No series is called <b>no</b>/such.")).to_be_visible()


def test_every_baseline_of_the_catalog_is_one_step_away(page: Page, address: str) -> None:
    page.goto(address + "/en/compare/")
    link = page.locator("ul.oo-pairs a").first
    link.click()
    expect(page.locator("[data-result] dl")).to_be_visible()


def test_five_hundred_rows_more(page: Page, address: str, many: Catalog) -> None:
    replies: list[Response] = []
    page.on("response", lambda reply: replies.append(reply))  # noqa: PLW0108 - Playwright marks the function
    ready(page, address + "/en/many/")
    page.wait_for_load_state("networkidle")
    sizes = {reply.url: len(gzip.compress(reply.body())) for reply in list(replies)}
    total = len(rows(many))
    assert total > MANY
    expect(page.locator("[data-count]")).to_have_text(f"{total} of {total} series")
    assert sum(sizes.values()) <= LIMIT, sizes
    assert not any("search_index" in url for url in sizes), "the search index waits until somebody searches"
    groups = page.locator("[data-scale]")
    expect(groups).to_have_count(3)
    expect(groups.nth(1)).to_contain_text("4 requests at a time")
    expect(groups.nth(2)).to_contain_text("RTX 4090")
    header(page, "Speed").click()
    for index in range(3):
        own = page.locator("[data-board] tbody").nth(index)
        found = own.locator("tr[data-id]").evaluate_all("rows => rows.map(r => Number(r.cells[2].dataset.value))")
        assert found == sorted(found)
        assert own.locator("tr").first.get_attribute("data-scale") == ""
    page.get_by_label("Machine", exact=True).select_option("rtx-4090")
    expect(page.locator(SHOWN)).to_have_count(10)
    expect(groups.nth(0)).to_be_hidden()
    ranks = page.eval_on_selector_all(SHOWN, "rows => rows.map(r => r.cells[0].dataset.value)")
    assert "1" in ranks, "each scale has a first rank of its own"
    page.get_by_label("Search the rows").fill("made-007")
    expect(page.locator(SHOWN)).to_have_count(1)


def test_the_file_of_the_comparison_stays_small_with_five_hundred_rows(many: Catalog) -> None:
    assert len(gzip.compress(document(rows(many), many).encode())) <= LIMIT


def test_another_scale_is_said_to_be_one(page: Page, address: str, make_app: MakeApp, make_report: MakeReport) -> None:
    ready(page, address + "/en/many/?hardware=rtx-4090&sort=speed")
    other = page.locator(SHOWN).first.get_attribute("data-id")
    ready(page, f"{address}/en/many/?compare={A},{other}")
    expect(page.locator("[data-panel]")).to_contain_text("the difference says nothing of the apps")
