"""What every test may ask for."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from market.paths import PROJECT

# A busy machine is no fault of an example; all else stays as Hypothesis sets it, in CI the same examples every time.
settings.register_profile("tests", settings(deadline=None))
settings.load_profile("tests")

CATALOG = ("apps", "archetypes", "data", "docs", "releases.json", "mkdocs.yml", "mkdocs.en.yml", "theme")


@pytest.fixture(scope="session", autouse=True)
def _elsewhere() -> Iterator[None]:
    """Run in another zone than the one the expectations were written in."""
    os.environ["TZ"] = "Pacific/Auckland"
    time.tzset()
    yield


def copy_catalog(target: Path) -> Path:
    """A copy of the repository's catalog that a test may damage."""
    for name in CATALOG:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, target / name, symlinks=True)
        elif source.exists():
            shutil.copy(source, target / name)
    return target


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """A copy of the repository's catalog."""
    return copy_catalog(tmp_path / "catalog")
