"""The site in a browser, under the policy that it is served with."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from market.catalog import Catalog
from market.site.csp import script_hashes

CHROMIUM = Path("/usr/bin/chromium")
PAGES = (
    "/", "/leaderboard/", "/apps/", "/apps/llamacppqwen36a3bone/", "/method/", "/hardware/", "/blog/",
    "/blog/qwen36-a3b-vision-gpu-swap/", "/en/", "/en/leaderboard/", "/en/apps/vllmqwen36turbo27bone/",
    "/en/blog/beellama-qwen36-27b-vision/", "/404.html", "/claims/", "/en/engines/", "/rules/",
    "/en/rules/llm.bee-gemma4/", "/rules/chart.cluster-rights/",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")


@pytest.fixture(scope="module")
def address(site: Path, repository: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site behind a server with the strictest policy that it has to work under."""
    served = shutil.copytree(site, tmp_path_factory.mktemp("served") / "dist")
    (served / "icons").mkdir()
    for app in repository.apps:
        (served / "icons" / f"{app.name}.png").write_bytes(app.icon)
    hashes = " ".join(f"'sha256-{digest}'" for digest in script_hashes(site))
    policy = (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(served))

        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_no_page_complains_overflows_or_asks_another_host(
    browser: Browser, address: str, width: int, scheme: Any
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith((address, "data:")) else found.append(request.url)
    )
    page.on("response", lambda response: found.append(response.url) if response.status >= 400 else None)
    for path in PAGES:
        page.goto(address + path)
        page.wait_for_timeout(100)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert (path, found, wider) == (path, [], 0)
    context.close()


def shown(page: Page) -> list[float]:
    """The means of the rows that are shown, in their order."""
    cells = page.eval_on_selector_all(
        "[data-board] tbody tr:not([hidden])", "rows => rows.map(row => row.cells[2].dataset.value)"
    )
    return [float(cell) for cell in cells]


def test_the_leaderboard_sorts_and_filters_and_its_address_keeps_it(page: Page, address: str) -> None:
    page.goto(address + "/en/leaderboard/")
    everything = shown(page)
    assert everything == sorted(everything, reverse=True)
    button = page.get_by_role("button", name="Speed ± 95% CI")
    button.click()
    button.click()
    assert shown(page) == sorted(everything)
    assert page.locator("th[aria-sort=ascending]").count() == 1
    page.get_by_label("Filter the rows").fill("beellama 0.1.2")
    page.get_by_label("images only").check()
    some = shown(page)
    assert 0 < len(some) < len(everything)
    page.reload()
    assert shown(page) == some
    page.get_by_label("images only").uncheck()
    page.get_by_label("Filter the rows").fill("")
    assert shown(page) == sorted(everything)


def test_unknown_values_come_last_either_way(page: Page, address: str) -> None:
    page.goto(address + "/en/leaderboard/")
    button = page.get_by_role("button", name="Draft acceptance")
    for _ in range(2):
        button.click()
        texts = page.eval_on_selector_all("[data-board] tbody tr", "rows => rows.map(row => row.cells[10].textContent)")
        known = [text != "—" for text in texts]
        assert known == sorted(known, reverse=True)
        assert any(known)


def test_the_leaderboard_is_whole_without_script(browser: Browser, address: str, repository: Catalog) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "/leaderboard/")
    assert page.locator("[data-board] tbody tr").count() == len(list(repository.root.glob("apps/*/bench/*.yaml")))
    assert not page.locator("[data-controls]").is_visible()
    context.close()


def test_the_language_switch_keeps_the_page(page: Page, address: str) -> None:
    page.goto(address + "/apps/llamacppqwen36a3bone/")
    page.get_by_role("link", name="English").click()
    assert page.url == address + "/en/apps/llamacppqwen36a3bone/"
    page.get_by_role("link", name="Français").click()
    assert page.url == address + "/apps/llamacppqwen36a3bone/"


def test_the_choice_of_theme_holds_in_both_languages(page: Page, address: str) -> None:
    page.goto(address + "/")
    page.click("label[for=__palette_1]")
    page.click("label[for=__palette_2]")
    page.goto(address + "/en/method/")
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def test_an_old_name_is_found_and_leads_on(page: Page, address: str) -> None:
    page.goto(address + "/en/apps/llamacppqwen36beellamavisionone/")
    page.wait_for_url(address + "/en/apps/llamacppqwen36beevisionone/")
    page.goto(address + "/")
    page.keyboard.press("/")
    page.keyboard.type("llamacppqwen36beellamavisionone")
    result = page.locator(".md-search-result__link").first
    expect(result).to_have_attribute("href", re.compile("/apps/llamacppqwen36beevisionone/"), timeout=30_000)


def test_the_pages_of_a_section_are_one_step_apart(page: Page, address: str) -> None:
    page.goto(address + "/rules/yaml.tab/")
    section = page.get_by_role("navigation", name="Référence", exact=True)
    assert section.locator("[aria-current]").all_inner_texts() == ["Règles"]
    assert page.locator(".oo-sections [aria-current]").all_inner_texts() == ["Référence"]
    section.get_by_role("link", name="Affirmations").click()
    assert page.url == address + "/claims/"
    assert section.locator("[aria-current=page]").all_inner_texts() == ["Affirmations"]
    page.goto(address + "/blog/")
    assert section.count() == 0
    assert page.locator(".oo-sections [aria-current]").all_inner_texts() == ["Journal"]


def test_the_drawer_of_a_phone_has_the_pages_of_a_section(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(address + "/en/")
    page.locator(".md-header__button[for=__drawer]").click()
    page.get_by_role("link", name="Rules").click()
    page.wait_for_url(address + "/en/rules/")
    context.close()


def test_a_rule_is_found_by_its_id(page: Page, address: str) -> None:
    page.goto(address + "/en/")
    page.keyboard.press("/")
    page.keyboard.type("llm.hami-zero")
    # The list follows every key typed: only the one of the last key counts.
    result = page.locator(".md-search-result__link").first
    expect(result).to_have_attribute("href", re.compile("/en/rules/llm.hami-zero/"), timeout=30_000)


def test_a_write_up_leads_to_its_claims(page: Page, address: str) -> None:
    page.goto(address + "/en/blog/qwen36-a3b-vision-gpu-swap/")
    page.get_by_role("link", name="All claims of that text").click()
    assert page.url == address + "/en/claims/#writeup-0524"
