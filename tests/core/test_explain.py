"""A rule explained: both variants of its example, and the address of its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from market import check, explain
from market.cli import main
from market.paths import PROJECT
from market.rules import examples, registry
from market.rules.examples import Edit, Example, Extra
from market.site.language import LANGUAGES
from market.site.words import words

assert check.FAMILIES


def example(*edits: Edit, extras: tuple[Extra, ...] = ()) -> Example:
    return Example("a.b", "catalog", edits, extras, (), (), False)


def test_marked_lines_are_those_that_the_other_variant_lacks() -> None:
    made = example(Edit("f", "a\nb\n", "a\nx\nc\n", "a\nc\nd\n"))
    (fails,) = explain.shown(made, "fail").excerpts
    (passes,) = explain.shown(made, "pass").excerpts
    assert [(line.text, line.differs) for line in fails.lines] == [("a", False), ("x", True), ("c", False)]
    assert [(line.text, line.differs) for line in passes.lines] == [("a", False), ("c", False), ("d", True)]


def test_lines_that_a_variant_takes_away_are_missing() -> None:
    (fails,) = explain.shown(example(Edit("f", "a\n", "", "a\n")), "fail").excerpts
    assert fails.lines == ()


def test_what_both_variants_share_stands_apart() -> None:
    made = example(Edit("f", "a\n", "b\n", "b\n"), Edit("g", "a\n", "b\n", "c\n"))
    assert [excerpt.file for excerpt in explain.setting(made)] == ["f"]
    assert [excerpt.file for excerpt in explain.shown(made, "pass").excerpts] == ["g"]


def test_signs_that_nobody_sees_are_shown() -> None:
    text = "\tx\r\n\ufeffy\x07\x0c"
    (shown,) = explain.shown(example(Edit("f", "a", text, "a")), "fail").excerpts
    assert [line.text for line in shown.lines] == ["⇥x↵", "[BOM]y\\x07\\x0c"]


def test_long_texts_are_cut() -> None:
    text = "\n".join(map(str, range(100)))
    (shown,) = explain.shown(example(extras=(Extra("f", "text", text, ("fail",)),)), "fail").excerpts
    assert (len(shown.lines), shown.left_out) == (explain.LINES_SHOWN, 100 - explain.LINES_SHOWN)


@pytest.mark.parametrize("rule", [rule.id for rule in registry.rules()])
def test_every_rule_can_be_explained(rule: str) -> None:
    found = registry.find(rule)
    assert found is not None
    text = "\n".join(line.plain for line in explain.explanation(found, "https://x.example/"))
    assert text.startswith(f"{rule} ({found.severity}): {found.title}\n")
    assert "\nfails   " in text
    assert "\npasses  " in text
    made = examples.load(rule)
    for variant in ("fail", "pass"):
        for extra in explain.shown(made, variant).extras:
            for language in LANGUAGES:
                assert extra.file in explain.in_words(extra, words(language).texts)


def test_the_address_is_that_of_the_catalogs_site(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/market.yaml").write_text("origin: https://x.example\n")
    assert explain.address(tmp_path, "a.b") == "https://x.example/en/rules/a.b/"
    for broken in ("origin: [", "origin: 5\n", "- a\n"):
        (tmp_path / "data/market.yaml").write_text(broken)
        assert explain.address(tmp_path, "a.b") == explain.address(PROJECT, "a.b") != ""


def test_the_command_prints_address_and_example() -> None:
    result = CliRunner().invoke(main, ["--catalog", str(PROJECT), "explain", "yaml.tab"])
    assert result.exit_code == 0
    assert f"page    {explain.address(PROJECT, 'yaml.tab')}\n" in result.output
    assert "fails   apps/demo/chart/OlaresManifest.yaml\n      │ ⇥developer: demo\n" in result.output
    assert "passes  apps/demo/chart/OlaresManifest.yaml\n" in result.output
    assert CliRunner().invoke(main, ["explain", "no.rule"]).exit_code == 1
