"""Measured against shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from market.configuration import Verdict, compare, options, pairs

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport


def test_reading_arguments() -> None:
    arguments = ["--jinja", "-ngl", "99", "--temp=0.6", "--min-p", "-1", "--spec", '{"a": 1}', "--list", "a", "b"]
    assert pairs(arguments) == (
        ("--jinja", ""), ("-ngl", "99"), ("--temp", "0.6"), ("--min-p", "-1"), ("--spec", '{"a": 1}'),
        ("--list", "a b"),
    )  # fmt: skip
    assert options(arguments)["--n-gpu-layers"] == "99"
    assert pairs(["stray"]) == ()


ARGUMENTS = ["--model", "/models/x.gguf", "--port", "8000", "-ngl", "99", "--spec", '{"a":1,"b":2}', "--jinja"]


@pytest.mark.parametrize(
    ("measured", "complete", "verdict", "what"),
    [
        (["--n-gpu-layers", "99", "--spec", '{"b": 2, "a": 1}', "--jinja"], True, Verdict.SAME, []),
        (["-ngl", "99"], False, Verdict.PARTIAL, []),
        (["-ngl", "99"], True, Verdict.DIFFERS, ["--jinja", "--spec"]),
        (["-ngl", "98"], False, Verdict.DIFFERS, ["--n-gpu-layers"]),
        (["--mlock"], False, Verdict.DIFFERS, ["--mlock"]),
        (["--port", "9", "--model", "/elsewhere.gguf", "--host", "::"], False, Verdict.PARTIAL, []),
    ],
)
def test_arguments(
    make_app: MakeApp, make_report: MakeReport, measured: list[str], complete: bool, verdict: Verdict, what: list[str]
) -> None:
    app = make_app(args=ARGUMENTS)
    report = make_report(runs=[1, 2], configuration={"args": measured, "complete": complete})
    found = compare(app, report)
    assert (found.verdict, [difference.subject for difference in found.differences]) == (verdict, what)


def test_image_context_and_models(make_app: MakeApp, make_report: MakeReport) -> None:
    target = {"role": "target", "repo": "a/b", "file": "c.gguf"}
    app = make_app(models=[target, {"role": "mmproj", "repo": "a/b", "file": "m.gguf"}])
    configuration = {
        "image": "example/server:2", "context_tokens": 8192, "models": [target | {"file": "d.gguf"}],
    }  # fmt: skip
    found = compare(app, make_report(runs=[1, 2], configuration=configuration))
    assert [(d.kind, d.measured, d.shipped) for d in found.differences] == [
        ("image", "example/server:2", "docker.io/example/server:1"),
        ("context", "8192", "4096"),
        ("model", "a/b/d.gguf", "a/b/c.gguf"),
        ("model", None, "a/b/m.gguf"),
    ]


def test_a_registry_prefix_is_no_difference(make_app: MakeApp, make_report: MakeReport) -> None:
    report = make_report(runs=[1, 2], configuration={"image": "example/server:1"})
    assert compare(make_app(), report).verdict is Verdict.PARTIAL
