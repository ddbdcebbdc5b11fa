"""The site in a browser, under the policy that it is served with."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.site.served import served

from market.catalog import Catalog

CHROMIUM = Path("/usr/bin/chromium")
PAGES = (
    "/", "/leaderboard/", "/apps/", "/apps/llamacppqwen36a3bone/", "/method/", "/hardware/", "/blog/",
    "/blog/qwen36-a3b-vision-gpu-swap/", "/en/", "/en/leaderboard/", "/en/apps/vllmqwen36turbo27bone/",
    "/en/blog/beellama-qwen36-27b-vision/", "/404.html", "/claims/", "/en/engines/", "/rules/",
    "/en/rules/llm.bee-gemma4/", "/rules/chart.cluster-rights/", "/compare/", "/en/compare/",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")


@pytest.fixture(scope="module")
def address(site: Path, repository: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site behind a server with the strictest policy that it has to work under."""
    target = shutil.copytree(site, tmp_path_factory.mktemp("served") / "dist")
    (target / "icons").mkdir()
    for app in repository.apps:
        (target / "icons" / f"{app.name}.png").write_bytes(app.icon)
    with served(target) as address:
        yield address


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


def test_the_language_switch_keeps_the_page(page: Page, address: str) -> None:
    page.goto(address + "/apps/llamacppqwen36a3bone/")
    page.get_by_role("link", name="English").click()
    assert page.url == address + "/en/apps/llamacppqwen36a3bone/"
    page.get_by_role("link", name="Français").click()
    assert page.url == address + "/apps/llamacppqwen36a3bone/"


def scheme(page: Page) -> tuple[str, str]:
    """The theme of a page, and whether its scroll bars follow."""
    found = page.evaluate("[document.body.dataset.mdColorScheme, document.documentElement.style.colorScheme]")
    return found[0], found[1]


LIGHT, DARK = ("default", "light"), ("slate", "dark")


def test_the_choice_of_theme_holds_in_both_languages(page: Page, address: str) -> None:
    page.goto(address + "/")
    page.get_by_role("button", name="Passer au thème clair").click()
    page.get_by_role("button", name="Passer au thème sombre").press("Enter")
    assert scheme(page) == DARK
    page.goto(address + "/en/method/")
    assert scheme(page) == DARK
    assert set(page.eval_on_selector_all("meta[name=theme-color]", "found => found.map(one => one.content)")) == {
        "#121518"
    }
    page.get_by_role("button", name="Follow the system's theme").click()
    page.emulate_media(color_scheme="light")
    assert scheme(page) == LIGHT


def test_the_theme_follows_the_system_before_the_first_paint(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.route("**/*.js", lambda route: route.abort())  # what the scripts do comes after the first paint
    page.goto(address + "/")
    assert scheme(page) == DARK


def test_the_theme_follows_another_tab(page: Page, address: str) -> None:
    page.goto(address + "/")
    other = page.context.new_page()
    other.goto(address + "/en/")
    other.get_by_role("button", name="Switch to the light theme").click()
    other.get_by_role("button", name="Switch to the dark theme").click()
    expect(page.get_by_role("button", name="Suivre le thème du système")).to_be_visible()
    assert scheme(page) == DARK
    other.close()


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
