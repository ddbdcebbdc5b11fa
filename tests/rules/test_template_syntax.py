"""Template actions in modern manifests: refused outside texts, as the platform's line scanner sees texts."""

from __future__ import annotations

import pytest

from market.rules.olares_form import template_syntax
from market.source import SourceText


def places(text: str) -> list[tuple[int, int]]:
    return [(one.line, one.column) for one in template_syntax(SourceText("m", text))]


@pytest.mark.parametrize(
    "text",
    [
        'a: "{{ x }}"\n',
        "a: '{{ x }}'\n",
        "a: 'it''s {{ x }}'\n",
        'a: "an \\" {{ x }}"\n',
        "a: |\n  {{ x }}\n\n  {{ y }}\n",
        "a:\n  - >-\n    {{ x }}\n",
        "a: |2 # a comment\n  {{ x }}\n",
        "a: {b: {c: 1}}\n".replace("}}", "} }"),
        "a: 'open\n",
    ],
)
def test_texts_may_hold_anything(text: str) -> None:
    assert places(text) == []


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: {{ x }}\n", 1, 4),
        ("# {{ x }}\n", 1, 3),
        ("a: 1 # '{{ x }}'\n", 1, 9),
        ("a: |\n  text\nb: {{ x }}\n", 3, 4),
        ("a: 'x' {{ y }}\n", 1, 8),
        ("a: {b: {c: 1}}\n", 1, 13),
        ("a: b | c\n  {{ x }}\n", 2, 3),
        ("{{- if x }}\n", 1, 1),
    ],
)
def test_everything_else_may_not(text: str, line: int, column: int) -> None:
    assert places(text) == [(line, column)]


def test_each_line_is_reported_once() -> None:
    assert places("a: {{ x }} {{ y }}\nb: {{ z }}\n") == [(1, 4), (2, 4)]
