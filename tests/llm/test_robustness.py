"""No rule of the families ``llm`` and ``bench`` fails on data that it did not expect."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from market.catalog import App, Catalog, load
from market.helm import Rendering, render_here
from market.packaging import Package, archive
from market.problem import Problem
from market.report import Report
from market.rules import bench, examples, llm, registry
from market.scenario import scenarios, values
from market.yamldoc import Document

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "$(N)", "é" * 40, [], {}, [None], [1], [[]], [{}], [{"name": []}],
    {"a": None},
)  # fmt: skip

assert llm.THEMES
assert bench.THEMES


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    root = tmp_path_factory.mktemp("base") / "catalog"
    shutil.copytree(examples.FOLDER / "base", root)
    return load(root)[0]


@pytest.fixture(scope="module")
def renderings(catalog: Catalog) -> Mapping[Any, Rendering]:
    (app,) = catalog.apps
    made = archive(catalog, app)
    jobs = [(made.data, app.name, values(app.manifest, one)) for one in scenarios(app.manifest)]
    return dict(zip(scenarios(app.manifest), render_here(jobs), strict=True))


def changed(document: Document, path: tuple[Any, ...], value: Any) -> Document:
    whole = copy.deepcopy(document.data)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return replace(document, data=whole)


def places(document: Document) -> Iterator[tuple[Any, ...]]:
    for path in document.marks:
        if path and not (path[-1] == "key" and document.get(*path) is None):
            yield path


def with_document(app: App, name: str, document: Document) -> App:
    changes: Any = {name: document}
    return replace(app, **changes)


def is_ours(check: Callable[..., Any]) -> bool:
    return check.__module__.startswith(("market.rules.llm", "market.rules.bench"))


def judge(catalog: Catalog, app: App, renderings: Mapping[Any, Rendering]) -> list[Problem]:
    """What the two families say; other families' rules have tests of their own."""
    whole = replace(catalog, apps=(app,))
    package = Package(app, archive(catalog, catalog.apps[0]), renderings)
    return [
        *(one for check in filter(is_ours, registry._APP_CHECKS) for one in check(app)),
        *(one for check in filter(is_ours, registry._CATALOG_CHECKS) for one in check(whole)),
        *(one for check in filter(is_ours, registry._PACKAGE_CHECKS) for one in check(whole, package)),
    ]


@pytest.mark.parametrize("name", ["card_document", "values_document", "manifest_document"])
def test_any_value_may_stand_anywhere_in_a_document(
    name: str, catalog: Catalog, renderings: Mapping[Any, Rendering]
) -> None:
    (app,) = catalog.apps
    document = getattr(app, name)
    for count, path in enumerate(places(document)):
        odd = ODD[count % len(ODD) :: 5] if len(path) > 2 else ODD
        for value in odd:
            for one in judge(catalog, with_document(app, name, changed(document, path, value)), renderings):
                assert one.line >= 1
                assert one.message


def test_any_value_may_stand_anywhere_in_rendered_objects(
    catalog: Catalog, renderings: Mapping[Any, Rendering]
) -> None:
    (app,) = catalog.apps
    scenario, rendering = next(iter(renderings.items()))
    for template, text in rendering.documents.items():
        whole = yaml.safe_load(text)
        for count, path in enumerate(_paths(whole)):
            for value in ODD[count % 4 :: 4]:
                odd = copy.deepcopy(whole)
                inner = odd
                for step in path[:-1]:
                    inner = inner[step]
                inner[path[-1]] = value
                documents = {**rendering.documents, template: yaml.safe_dump(odd, allow_unicode=True)}
                for one in judge(catalog, app, {scenario: Rendering(documents)}):
                    assert one.line >= 1


def _paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*before, key)
        yield from _paths(inner, (*before, key))


def test_numbers_of_a_report_may_be_anything_that_its_schema_lets_in(catalog: Catalog) -> None:
    (app,) = catalog.apps
    (report,) = app.reports
    document = report.document
    for path in places(document):
        if isinstance(document.get(*path), (int, float)) and not isinstance(document.get(*path), bool):
            for value in (1, 10**12, 1e-9, 0.5):
                one = Report(report.id, report.app, changed(document, path, value))
                assert isinstance(judge(catalog, replace(app, reports=(one,)), {}), list)


def test_the_base_itself_is_sound(catalog: Catalog, renderings: Mapping[Any, Rendering], tmp_path: Path) -> None:
    assert not any(tmp_path.iterdir())
    assert judge(catalog, catalog.apps[0], renderings) == []
