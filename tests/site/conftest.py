"""Catalogs, reports and pages for the tests of the site."""

from __future__ import annotations

import dataclasses
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from playwright.sync_api import Browser, sync_playwright

from market.catalog import App, Catalog, load
from market.paths import PROJECT
from market.progress import Silent
from market.report import Report
from market.site.build import build_site
from market.site.language import ENGLISH, FRENCH
from market.site.pages import Pages
from market.source import SourceText
from market.yamldoc import parse

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport

SPEAKING = (*PROJECT.glob("docs/*/**/*.md"), PROJECT / "data/claims.yaml")
EPOCH = 1_780_000_000
CONFIGURATION = {
    "complete": False,
    "image": "docker.io/example/server:1",
    "context_tokens": 4096,
    "args": [],
    "models": [],
}
PROTOCOL = {
    "prompt": "space-invaders-html", "tokens_per_run": 100, "depth_tokens": 0,
    "warmup": {"en": "none", "fr": "aucun"}, "concurrency": 1, "sampling": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with the apps that its pages speak of, the same for the whole run."""
    target = tmp_path_factory.mktemp("repository")
    spoken = {word for path in SPEAKING for word in re.findall(r"\w+", path.read_text("utf-8"))}
    apps = sorted(app.name for app in (PROJECT / "apps").iterdir() if app.name in spoken)
    for name in ("archetypes", "data", "docs", *(f"apps/{app}" for app in apps)):
        shutil.copytree(PROJECT / name, target / name)
    shutil.copy(PROJECT / "releases.json", target)
    return target


@pytest.fixture(scope="session")
def repository(root: Path) -> Catalog:
    """The catalog of that copy."""
    return load(root)[0]


@pytest.fixture(scope="session")
def french(repository: Catalog) -> Pages:
    """The repository's pages in French."""
    return Pages(repository, FRENCH)


@pytest.fixture(scope="session")
def english(repository: Catalog) -> Pages:
    """The repository's pages in English."""
    return Pages(repository, ENGLISH)


@pytest.fixture
def make_report() -> MakeReport:
    """Make a report from runs or a summary."""

    def make(id: str = "2026-01-01-test", app: str = "demo", **values: Any) -> Report:
        configuration = CONFIGURATION | values.pop("configuration", {})
        protocol = PROTOCOL | values.pop("protocol", {})
        data = {
            "app": app, "app_version": "1.0.0", "date": "2026-01-01", "hardware": "olares-one", "measured_by": "nobody",
            "source": [], "configuration": configuration, "protocol": protocol,
        }  # fmt: skip
        if "runs" in values:
            values["runs"] = [{"tokens_per_second": speed} for speed in values["runs"]]
        document, problems = parse(SourceText("bench.yaml", yaml.safe_dump(data | values)))
        assert document is not None, problems
        return Report(id, app, document)

    return make


@pytest.fixture
def make_app(repository: Catalog) -> MakeApp:
    """Make an app that ships what ``CONFIGURATION`` says, unless told otherwise."""

    def make(name: str = "demo", reports: tuple[Report, ...] = (), **card: Any) -> App:
        server = {"image": "docker.io/example/server:1", "args": card.pop("args", [])}
        values = {"server": server, "models": card.pop("models", [])}
        facts = {
            "status": "published", "context_tokens": 4096, "hardware": "olares-one", "archetype": "llama-server",
            "model": {"name": "Demo", "kind": "dense", "licence": "MIT", "quantisation": "Q4"},
            "engine": {"id": "llama-cpp", "version": "1"}, "summary": {"en": "A demo.", "fr": "Une démo."},
            "capabilities": {"text": True, "vision": False, "audio": False, "tools": None, "thinking": False},
        }  # fmt: skip

        def document(path: str, data: Any) -> Any:
            found, problems = parse(SourceText(path, yaml.safe_dump(data)))
            assert found is not None, problems
            return found

        return dataclasses.replace(
            repository.apps[0],
            name=name,
            card_document=document("app.yaml", facts | card),
            values_document=document("values.yaml", values),
            reports=reports,
        )

    return make


@pytest.fixture(scope="session")
def site(repository: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished site of the repository, in a folder that held another file before.

    Built once for all workers, which only read it; what it was made from lies beside it, in ``work``.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    built = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (built / "done").exists():
            shutil.rmtree(built, ignore_errors=True)
            (built / "dist" / "api").mkdir(parents=True)
            (built / "dist" / "api" / "status").write_text("{}")
            build_site(repository, built / "dist", built / "work", EPOCH, Silent())
            (built / "done").touch()
    return built / "dist"
