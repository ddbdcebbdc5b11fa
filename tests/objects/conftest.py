"""A small app, and renderings of it made up by the tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from market.catalog import Catalog, load
from market.helm import Rendering, render_here
from market.packaging import Package, package
from market.scenario import Scenario

BASE = Path(__file__).parent / "chart"
Packager = Callable[[Mapping[Scenario, Mapping[str, str]]], Package]


@pytest.fixture(scope="session")
def small() -> Catalog:
    """A catalog with one app, ``demo``, that ships its own templates."""
    catalog, _ = load(BASE)
    return catalog


@pytest.fixture(scope="session")
def rendered(small: Catalog) -> Package:
    """The app, rendered by Helm."""
    return package(small, small.apps, render_here)[0]


@pytest.fixture
def packager(rendered: Package) -> Packager:
    """Make a package of the app whose templates rendered to given texts."""

    def make(texts: Mapping[Scenario, Mapping[str, str]]) -> Package:
        return Package(
            rendered.app, rendered.archive, {scenario: Rendering(documents) for scenario, documents in texts.items()}
        )

    return make
