"""The built site, shared with the tests of tests/site, and a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.quality.page_types import CHROMIUM
from tests.site.conftest import repository, root, site
from tests.site.served import served

from market.catalog import Catalog

__all__ = ["repository", "root", "site"]


@pytest.fixture(scope="session")
def whole(site: Path, repository: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the icons that another part of the build adds."""
    served = Path(shutil.copytree(site, tmp_path_factory.mktemp("whole") / "dist"))
    (served / "icons").mkdir()
    for app in repository.apps:
        (served / "icons" / f"{app.name}.png").write_bytes(app.icon)
    return served


@pytest.fixture(scope="session")
def address(whole: Path) -> Iterator[str]:
    """Where the site is served."""
    with served(whole) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. A missing one is a failure where the tests have to run, and a skip elsewhere."""
    if not CHROMIUM.exists():
        needed("needs /usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


def needed(reason: str) -> None:
    """Fail in continuous integration and skip elsewhere, since a tool is missing."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
