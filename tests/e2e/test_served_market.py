"""The whole path: build the repository, serve it from the real Workers runtime, act as a device and as a reader."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Page, sync_playwright
from rich.console import Console

from market.build import build
from market.catalog import load
from market.device.verify import run
from market.helm import load_archive
from market.paths import PROJECT
from market.progress import Silent
from market.runtime import serve

pytestmark = pytest.mark.xdist_group("runtime")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("market") / "dist"
    built = build(PROJECT, out, out.parent / "work", Silent())
    assert built.written, built.checked.problems
    return out


@pytest.fixture(scope="module")
def url(dist: Path) -> Iterator[str]:
    with serve(dist) as served:
        yield served.url


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("mode", ["genA", "genB", "v2"])
def test_a_device_of_every_generation_is_served(url: str, mode: str) -> None:
    console = Console(record=True, width=160)
    assert run(url, (mode,), "1.12.6", False, console) == 0, console.export_text()


def test_every_listed_chart_is_served_and_loads_in_helm(url: str) -> None:
    catalog, _ = load(PROJECT)
    assert len(catalog.listed) >= 6
    for app in catalog.listed:
        name = f"{app.name}-{app.version}.tgz"
        reply = requests.get(
            f"{url}/api/v1/applications/{app.name}/chart", {"fileName": name, "version": app.version}, timeout=30
        )
        release = catalog.ledger.find(app.name, app.version)
        assert release is not None
        assert hashlib.sha256(reply.content).hexdigest() == release.sha256
        assert (load_archive(reply.content).name, load_archive(reply.content).version) == (app.name, app.version)


def test_the_status_names_what_is_served(url: str) -> None:
    status = requests.get(f"{url}/api/status", timeout=30).json()
    served = requests.get(f"{url}/api/v1/appstore/hash", {"version": "1.12.6"}, timeout=30).json()
    assert status["hash"] == served["hash"]


@pytest.mark.parametrize("path", ["/api/manifest", "/api/release"])
def test_a_build_that_was_never_published_has_no_release(url: str, path: str) -> None:
    reply = requests.get(f"{url}{path}", timeout=30)
    assert (reply.status_code, reply.headers["Content-Type"].split(";")[0]) == (404, "application/json")
    assert reply.content == b""


def test_the_app_page_shows_statistics_that_no_file_holds(url: str, browser_page: Page) -> None:
    browser_page.goto(f"{url}/en/apps/llamacppqwen36a3bone/")
    text = browser_page.locator("main").inner_text()
    for figure in ("243.59", "13.79", "3.70", "2.65"):
        assert figure in text
    browser_page.goto(f"{url}/apps/llamacppqwen36a3bone/")
    assert "243,59" in browser_page.locator("main").inner_text()


@pytest.mark.parametrize("figure", ["3.70", "3,70", "2.65", "2,65", "3.699", "2.646"])
def test_no_source_file_holds_a_computed_figure(figure: str) -> None:
    for folder in ("apps", "docs"):
        for path in sorted((PROJECT / folder).rglob("*")):
            if path.suffix in (".md", ".yaml") and path.is_file():
                assert not re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\d)", path.read_text("utf-8")), path


def test_the_old_name_leads_to_the_new_one(url: str, browser_page: Page) -> None:
    for language in ("", "en/"):
        browser_page.goto(f"{url}/{language}apps/llamacppqwen36beellamavisionone/")
        browser_page.wait_for_url(f"{url}/{language}apps/llamacppqwen36beevisionone/")


def test_pages_ask_no_other_host_and_log_no_error(url: str, browser_page: Page) -> None:
    requested: list[str] = []
    logged: list[str] = []
    browser_page.on("request", lambda request: requested.append(request.url))
    browser_page.on("console", lambda message: logged.append(message.text) if message.type == "error" else None)
    browser_page.on("pageerror", lambda error: logged.append(str(error)))
    for path in ("/", "/leaderboard/", "/en/", "/en/leaderboard/", "/en/apps/llamacppqwen36a3bone/", "/blog/"):
        reply = browser_page.goto(f"{url}{path}", wait_until="networkidle")
        assert reply is not None
        assert reply.status == 200, path
    assert not [request for request in requested if not request.startswith((url, "data:", "blob:"))]
    assert not logged


def test_what_is_not_there_is_said_in_the_right_form(url: str) -> None:
    api = requests.get(f"{url}/api/v2/nothing", timeout=30)
    assert (api.status_code, api.headers["Content-Type"].split(";")[0]) == (404, "application/json")
    json.loads(api.text)
    page = requests.get(f"{url}/nothing/", timeout=30)
    assert (page.status_code, page.headers["Content-Type"].split(";")[0]) == (404, "text/html")
