"""The catalog's own apps against the families ``llm`` and ``bench``."""

from __future__ import annotations

import pytest

from market.catalog import Catalog, load
from market.helm import render_here
from market.packaging import Package, package
from market.paths import PROJECT
from market.problem import Problem, Severity
from market.rules import bench, llm, registry
from market.rules.chart_views import views
from market.serving import serving
from market.vram import estimate

assert llm.THEMES
assert bench.THEMES

SIX = (
    "llamacppqwen36a3bone", "llamacppqwen36a3btextone", "llamacppqwen36beellamaone", "llamacppqwen36beevisionone",
    "vllmgemma426ba4bvisionone", "vllmqwen36turbo27bone",
)  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(PROJECT)[0]


@pytest.fixture(scope="module")
def packages(catalog: Catalog) -> tuple[Package, ...]:
    return package(catalog, catalog.apps, lambda jobs, _: render_here(jobs))


@pytest.fixture(scope="module")
def problems(catalog: Catalog, packages: tuple[Package, ...]) -> tuple[Problem, ...]:
    found = registry.run(catalog, packages)
    return tuple(one for one in found if one.rule.startswith(("llm.", "bench.")))


@pytest.mark.parametrize("name", SIX)
def test_an_app_breaks_no_rule(name: str, problems: tuple[Problem, ...]) -> None:
    errors = [one for one in problems if one.severity is Severity.ERROR and one.path.startswith(f"apps/{name}/")]
    assert [f"{one.path}:{one.line} {one.rule} {one.message}" for one in errors] == []


@pytest.mark.parametrize("name", SIX)
def test_the_server_of_an_app_is_read_completely(name: str, catalog: Catalog, packages: tuple[Package, ...]) -> None:
    found = next(one for one in packages if one.app.name == name)
    for view in views(found):
        served = serving(catalog, found.app, view.pods, view.objects)
        assert served is not None
        assert served.line.unresolved == ()
        assert [one.spelled for one in served.options.all if one.flag is None or one.is_short] == []
        assert served.line.words == tuple(found.app.values["server"]["args"])[-len(served.line.words) :]


def test_every_published_estimate_fits_the_card(catalog: Catalog) -> None:
    for app in catalog.listed:
        found = estimate(app.card)
        assert found is None or found.mebibytes <= 24463, app.name


def test_what_is_known_of_the_measured_images_is_said(problems: tuple[Problem, ...]) -> None:
    said = {(one.rule, one.path.split("/")[1]) for one in problems}
    assert ("llm.bee-long-agentic", "llamacppqwen36beellamaone") in said
    assert ("bench.draft-counters", "vllmgemma426ba4bvisionone") in said
