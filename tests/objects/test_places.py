"""From rendered objects back to the lines that somebody wrote."""

from __future__ import annotations

import time

import pytest

from market.catalog import Catalog
from market.objects import objects
from market.packaging import Package
from market.rendered import Path
from market.scenario import Scenario
from market.templates import LINE_LIMIT, Place, origins, place, source_path

TEMPLATE = "demo/templates/server.yaml"
SOURCE = "apps/demo/chart/templates/server.yaml"
VALUES = "apps/demo/chart/values.yaml"
CONTAINER = ("spec", "template", "spec", "containers", 0)


@pytest.mark.parametrize(
    ("number", "path", "expected"),
    [
        (0, ("kind",), Place(SOURCE, 4, 1)),
        (0, ("metadata", "name"), Place(SOURCE, 6, 3)),
        (0, ("metadata", "labels", "tier"), Place(SOURCE, 9, 5)),
        (0, ("metadata", "labels", "extra"), Place(VALUES, 11, 10)),
        (0, ("spec", "replicas"), Place(VALUES, 2, 24)),
        (0, ("spec", "strategy", "type"), Place(SOURCE, 14, 5)),
        (0, (*CONTAINER, "image"), Place(VALUES, 4, 10)),
        (0, (*CONTAINER, "args", 0), Place(VALUES, 6, 10)),
        (0, (*CONTAINER, "args", 1), Place(VALUES, 6, 21)),
        (0, (*CONTAINER, "env", 0, "value"), Place(SOURCE, 30, 15)),
        (0, (*CONTAINER, "env", 1, "value"), Place(VALUES, 8, 11)),
        (0, (*CONTAINER, "env", 2, "value"), Place(VALUES, 9, 14)),
        (0, (*CONTAINER, "env", 2, "name"), Place(SOURCE, 32, 13)),
        (0, (*CONTAINER, "ports", 0, "containerPort"), Place(VALUES, 5, 9)),
        (0, (*CONTAINER, "resources", "limits", "cpu"), Place(SOURCE, 42, 15)),
        (0, (*CONTAINER, "resources", "limits", "gpu"), Place(SOURCE, 40, 13)),
        (1, ("kind",), Place(SOURCE, 56, 1)),
        (1, ("spec", "ports", 0, "targetPort"), Place(SOURCE, 65, 7)),
        (1, ("spec", "ports", 0, "port"), Place(VALUES, 5, 9)),
    ],
)
def test_a_value_is_found_where_it_was_written(
    small: Catalog, rendered: Package, number: int, path: Path, expected: Place
) -> None:
    text = rendered.renderings[Scenario("admin", "nvidia")].documents[TEMPLATE]
    assert place(small, rendered.app, objects(TEMPLATE, text)[number], path) == expected


def test_the_branch_that_rendered_is_the_one_that_is_named(small: Catalog, rendered: Package) -> None:
    path = (*CONTAINER, "resources", "limits", "cpu")
    text = rendered.renderings[Scenario("admin", "cpu")].documents[TEMPLATE]
    assert place(small, rendered.app, objects(TEMPLATE, text)[0], path) == Place(SOURCE, 44, 15)


def test_a_text_that_lost_its_quotes_is_the_templates_fault(small: Catalog, rendered: Package) -> None:
    text = rendered.renderings[Scenario("admin", "nvidia")].documents[TEMPLATE].replace('value: "8192"', "value: 8192")
    path = (*CONTAINER, "env", 2, "value")
    assert place(small, rendered.app, objects(TEMPLATE, text)[0], path) == Place(SOURCE, 33, 15)


def test_a_template_of_an_archetype_is_found_there(small: Catalog, rendered: Package) -> None:
    assert source_path(small, rendered.app, TEMPLATE) == SOURCE
    assert source_path(small, rendered.app, "demo/templates/none.yaml") == "apps/demo/chart/templates/none.yaml"


def test_texts_that_have_nothing_in_common_have_no_lines() -> None:
    assert dict(origins("a: 1\nb: 2\n", "c: 3\nd: 4\n")) == {}
    assert dict(origins("", "")) == {}


def test_long_and_repetitive_texts_are_given_up_or_done_in_time() -> None:
    started = time.perf_counter()
    repeated = "- a: {{ .x }}b{{ .y }}c\n" * (LINE_LIMIT - 1)
    origins(repeated, "- a: " + "b" * 3000 + "\n" + "- a: 1b2c\n" * 200)
    assert dict(origins("a\n" * LINE_LIMIT, "a\n")) == {}
    assert time.perf_counter() - started < 20
