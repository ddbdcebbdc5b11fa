"""The four shapes of problems."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from rich.console import Console

from market.paths import PROJECT
from market.problem import Problem, Severity, in_order
from market.reporters import REPORTERS, github

# The official schema of OASIS SARIF 2.1.0, which this package of Microsoft's carries.
SARIF = PROJECT / "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"

SOURCE = {"apps/demo/app.yaml": "status: published\nstatsu: x # [red]not markup[/red]\n"}
FOUND = Problem(
    "schema.unknown-key", Severity.ERROR, "apps/demo/app.yaml", 2, 1, "`statsu` is not a known key", "Why.", "Fix."
)

texts = st.text(max_size=60)
problems = st.builds(
    Problem, st.just("layout.name"), st.sampled_from(Severity), texts, st.integers(1, 99), st.integers(1, 99), texts,
    texts, texts,
)  # fmt: skip


def shown(markup: str) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200, highlight=False, soft_wrap=True).print(markup)
    return stream.getvalue()


def test_text_points_at_the_place() -> None:
    assert shown(REPORTERS["text"]([FOUND], SOURCE)).splitlines() == [
        "apps/demo/app.yaml:2:1 error `statsu` is not a known key [schema.unknown-key]",
        "    2 | statsu: x # [red]not markup[/red]",
        "      | ^",
        "  why Why.",
        "  fix Fix.",
        "",
        "1 error in 1 file",
    ]


@given(st.lists(problems, max_size=5))
def test_nothing_steers_the_terminal(found: list[Problem]) -> None:
    text = shown(REPORTERS["text"](found, {problem.path: "\x1b[31m\u202e" for problem in found}))
    assert "\x1b" not in text
    assert "\u202e" not in text


@given(st.lists(problems, max_size=5))
def test_sarif_passes_its_schema(found: list[Problem]) -> None:
    log = json.loads(REPORTERS["sarif"](found, {}))
    assert not list(Draft7Validator(json.loads(SARIF.read_text("utf-8-sig"))).iter_errors(log))
    assert len(log["runs"][0]["results"]) == len(found)


@given(st.lists(problems, max_size=50))
def test_github_keeps_to_ten_annotations_a_level(found: list[Problem]) -> None:
    lines = REPORTERS["github"](found, {}).split("\n")
    for level in ("error", "warning", "notice"):
        assert sum(line.startswith(f"::{level} ") for line in lines) <= github.LIMIT
    assert len(lines) <= 3 * (github.LIMIT + 1)


@given(st.lists(problems, min_size=1, max_size=30))
def test_the_step_summary_has_a_row_for_each(found: list[Problem]) -> None:
    rows = [line for line in github.summary(found).split("\n") if line.startswith("| ")]
    assert len(rows) == len(found) + 2
    assert all("<" not in row for row in rows)


def test_annotations_are_escaped() -> None:
    odd = Problem("r.x", Severity.WARNING, "a,b:c", 1, 1, "50 % off\nnext")
    assert REPORTERS["github"]([odd], {}) == "::warning file=a%2Cb%3Ac,line=1,col=1,title=r.x::50 %25 off%0Anext"


def test_problems_come_in_file_and_line_order_each_once() -> None:
    later = Problem("a.a", Severity.ERROR, "b", 1, 1, "m")
    assert in_order([later, FOUND, FOUND]) == (FOUND, later)


@pytest.mark.parametrize("form", sorted(REPORTERS))
def test_no_problem_is_said_in_every_form(form: str) -> None:
    assert isinstance(REPORTERS[form]([], {}), str)
