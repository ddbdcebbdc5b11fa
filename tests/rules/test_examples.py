"""Every rule has an example that breaks it in exactly the places it says, and one that does not break it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from market import check as families
from market.problem import Severity
from market.rules import examples, olares, registry, stage

assert families.FAMILIES
assert olares.THEMES  # importing the families registers their rules

RULES = tuple(rule.id for rule in registry.rules())


def test_every_rule_has_an_example_and_every_example_a_rule() -> None:
    assert sorted(examples.names()) == sorted(RULES)


def test_every_rule_says_who_demands_it() -> None:
    nameless = {rule.id for rule in registry.rules() if rule.family == "olares" and not rule.source}
    assert nameless == {"olares.not-rendered"}  # a remark on this program, not a demand of the platform


@pytest.mark.parametrize("form", ["catalog", "platform"])
def test_the_bases_are_sound(form: examples.Form, tmp_path: Path) -> None:
    root = tmp_path / "base"
    shutil.copytree(examples.FOLDER / examples.BASES[form], root)
    found = stage.judge(root, form)
    assert [f"{one.path}:{one.line}: {one.rule}" for one in found if one.rule != "olares.not-rendered"] == []


@pytest.mark.parametrize("rule", RULES)
def test_what_breaks_the_rule_is_found_where_it_stands(rule: str, tmp_path: Path) -> None:
    example = examples.load(rule)
    stage.write(example, "fail", tmp_path / "catalog")
    found = stage.judge(tmp_path / "catalog", example.form)
    places = sorted((one.path, one.line, one.column) for one in found if one.rule == rule)
    assert places == [(at.file, at.line, at.column) for at in example.expect]
    assert places, "an example that nothing is wrong with explains nothing"
    others = {one.rule for one in found if one.severity is Severity.ERROR} - {rule}
    assert others <= set(example.also)
    assert set(example.also) <= {one.rule for one in found}


@pytest.mark.parametrize("rule", RULES)
def test_what_is_right_is_not_complained_of(rule: str, tmp_path: Path) -> None:
    example = examples.load(rule)
    stage.write(example, "pass", tmp_path / "catalog")
    found = stage.judge(tmp_path / "catalog", example.form)
    assert [one for one in found if one.rule == rule or one.severity is Severity.ERROR] == []


def test_a_snippet_of_lines_fits_with_any_indentation_but_only_once() -> None:
    text = "a:\n  b:\n    c: 1\n    d: 2\n"
    assert stage.replace_once(text, "c: 1\nd: 2\n", "e:\n  f: 3\n") == "a:\n  b:\n    e:\n      f: 3\n"
    assert stage.replace_once(text, "c: 1", "c: 9") == text.replace("c: 1", "c: 9")
    for missing in ("c: 2\n", "c: 1\n  d: 2\n", ": "):
        with pytest.raises(ValueError, match="times"):
            stage.replace_once(text, missing, "")
