"""No rule fails on data that it did not expect: any value may stand anywhere in a manifest."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from market import schema
from market.rules import examples, olares
from market.rules.olares_folder import Folder, judge, judge_with
from market.rules.olares_manifest import Manifest
from market.source import SourceText
from market.yamldoc import Document, Path, parse

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "é" * 40, [], {}, [None], [1], [[]], [{}], [{"name": []}], {"a": None},
)  # fmt: skip
RICH = """
ports: [{name: p, host: demo, port: 80, exposePort: 4000, protocol: tcp}]
sharedEntrances: [{name: s, host: sharedentrances-s, port: 0, title: S, invisible: true, authLevel: internal}]
overlayGateway: {enable: true, entrances: [{title: T, port: 1, workload: demo, protocol: tcp}]}
envs: [{envName: NAME, type: int, valueFrom: {envName: OTHER}}]
middleware: {postgres: {username: u, databases: [{name: d}]}, redis: {namespace: n}}
provider: [{name: p}]
"""


def document(path: str, text: str) -> Document:
    parsed, problems = parse(SourceText(path, text))
    assert parsed and not problems
    return parsed


def manifests() -> Iterator[Document]:
    own = (examples.FOLDER / "base/apps/demo/chart/OlaresManifest.yaml").read_text("utf-8")
    other = (examples.FOLDER / "platform/demo/OlaresManifest.yaml").read_text("utf-8")
    yield document("own", own)
    rich = other.replace("envs:", "").replace(
        "options:\n", "options:\n  shared: true\n  policies: [{uriRegex: /, level: a}]\n"
    )
    yield document("other", rich + RICH)
    yield document("v2", rich.replace("apiVersion: 'v3'", "apiVersion: v2").replace("0.12.0", "0.11.0") + RICH)


def changed(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    whole = copy.deepcopy(data)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return whole


@pytest.mark.parametrize("whole", list(manifests()), ids=lambda whole: whole.path)
def test_any_value_may_stand_anywhere(whole: Document) -> None:
    chart = document("Chart.yaml", "apiVersion: v1\nname: demo\nversion: 1.0.0\nappVersion: '2'\n")
    folder = Folder("demo", {"i18n/en-US/OlaresManifest.yaml": b"", "templates/a.yaml": b""}, chart)
    for path in whole.marks:
        if path and path[-1] == "key" and whole.get(*path) is None:
            continue  # the mark of a key
        for value in ODD:
            odd = replace(whole, data=changed(whole.data, path, value))
            manifest = Manifest(odd, chart)
            for problem in (*olares.judge(manifest), *judge_with(folder, manifest)):
                assert problem.line >= 1
                assert problem.message


@pytest.mark.parametrize("name", ["platform-manifest", "manifest"])
def test_any_value_may_be_validated(name: str) -> None:
    whole = next(manifests())
    for path in list(whole.marks)[::7]:
        if path and path[-1] == "key" and whole.get(*path) is None:
            continue
        for value in ODD:
            for problem in schema.validate(replace(whole, data=changed(whole.data, path, value)), name):
                assert problem.message


@pytest.mark.parametrize("value", ODD)
def test_any_value_may_stand_in_chart_yaml(value: Any) -> None:
    whole = next(manifests())
    chart = document("Chart.yaml", "apiVersion: v1\nname: demo\nversion: 1.0.0\nappVersion: '2'\ntype: application\n")
    for key in chart.data:
        folder = Folder("demo", {}, replace(chart, data={**chart.data, key: value}))
        found = [*judge(folder, True), *judge_with(folder, Manifest(whole, folder.chart))]
        assert {problem.rule for problem in found} >= {"layout.missing-file"}
