"""The description says what there is: no route is missing from it, and none is made up."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing.jsonschema import DRAFT202012
from schemathesis.specs.openapi import definitions

from market import schema
from market.canonical import encode
from market.errors import MarketError
from market.index import openapi
from market.paths import PROJECT

from .request import Target
from .routes import DOCUMENT, Route, routes

pytestmark = pytest.mark.xdist_group("api")

ROUTES = {route.template: route for route in routes()}
PUBLISHED_ONLY = {template for template, route in ROUTES.items() if "x-added-by" in route.item}


def router() -> list[tuple[str, str]]:
    """The Worker's own routes: a regular expression and a verb each."""
    text = (PROJECT / "worker/src/router.ts").read_text("utf-8")
    found = re.findall(r"path: /\^(.+?)\$/,\s*verb: \"(\w+)\"", text)
    assert len(found) == text.count("handler:") - 1, "a route is written in a way that this test cannot read"
    return [(path.replace("\\/", "/"), verb) for path, verb in found]


def test_it_is_an_openapi_document() -> None:
    assert not list(Draft202012Validator(definitions.OPENAPI_31).iter_errors(DOCUMENT))
    ids = [operation["operationId"] for route in ROUTES.values() for operation in map(route.item.get, route.verbs)]
    assert len(set(ids)) == len(ids)


def test_every_reference_leads_to_something_inside() -> None:
    text = json.dumps(DOCUMENT)
    resolver = DRAFT202012.create_resource(DOCUMENT)
    for target in set(re.findall(r'"\$ref": "([^"]+)"', text)):
        assert target.startswith("#/")
        assert resolver.pointer(target.removeprefix("#"), resolver=None), target  # type: ignore[arg-type]


def test_the_schemas_are_those_that_the_build_checks_with() -> None:
    embedded = {name for name in DOCUMENT["components"]["schemas"] if name.startswith("index-")}
    assert embedded == {name for name in schema.names() if name.startswith("index-")}


def test_it_is_served_as_it_is(target: Target) -> None:
    assert target.get("/api/openapi.json").body == encode(DOCUMENT)


def test_a_damaged_checkout_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "openapi.yaml"
    broken.write_text("a: [")
    for file in (broken, tmp_path / "none.yaml"):
        monkeypatch.setattr(openapi, "FILE", file)
        with pytest.raises(MarketError, match=f"cannot read {file.name}"):
            openapi.document()


@pytest.mark.parametrize("expression", [path for path, _ in router()])
def test_every_route_of_the_worker_is_described(expression: str) -> None:
    verb = dict(router())[expression].lower()

    @settings(max_examples=200, derandomize=True, database=None, deadline=None)
    @given(st.from_regex(re.compile(expression, re.ASCII), fullmatch=True))
    def described(path: str) -> None:
        # The file name of a chart is checked behind the router.
        if path.startswith("/charts/"):
            path = ROUTES["/charts/{file}"].path
        assert any(route.matches(path) and verb in route.verbs for route in ROUTES.values()), path

    described()


@pytest.mark.parametrize("route", ROUTES.values(), ids=list(ROUTES))
def test_every_described_route_is_one_of_the_worker_or_a_file(route: Route, dist: Path) -> None:
    known = [verb.lower() for path, verb in router() if re.fullmatch(path, route.path)]
    is_file = (dist / route.path.lstrip("/")).is_file()
    assert is_file == (route.served_by != "worker")
    if route.template.startswith(("/api/", "/charts/")):
        assert known == [verb for verb in route.verbs if verb != "options"]
    # Only the Worker can answer OPTIONS.
    assert ("options" in route.verbs) == (route.served_by == "worker")


def test_every_file_that_is_served_beside_the_site_is_described(dist: Path) -> None:
    served = [f"/{path.relative_to(dist).as_posix()}" for path in dist.rglob("*") if path.is_file()]
    ours = [path for path in served if path.startswith(("/api/", "/charts/", "/icons/", "/pictures/"))]
    assert len(ours) > 20
    for path in ours:
        assert [route for route in ROUTES.values() if route.matches(path) and route.served_by != "worker"], path


def test_the_edge_is_told_of_exactly_the_described_files() -> None:
    rules = tomllib.loads((PROJECT / "wrangler.toml").read_text("utf-8"))["assets"]["run_worker_first"]
    files = {route.template for route in ROUTES.values() if route.served_by == "file"}
    assert {rule[1:] for rule in rules if rule.startswith("!")} == {path for path in files if path.startswith("/api/")}


@pytest.mark.parametrize("template", sorted(set(ROUTES) - PUBLISHED_ONLY))
def test_every_described_address_is_served(template: str, target: Target) -> None:
    route = ROUTES[template]
    if "get" in route.verbs:
        reply = target.get(route.path)
        assert reply.status == 200
        assert reply.type in route.item["get"]["responses"]["200"]["content"]
