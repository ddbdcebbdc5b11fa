"""The YAML reader: PyYAML's data, exact places, and nothing that can hurt."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from market.source import SourceFile, SourceText, decode
from market.yamldoc import Document, parse

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=5)
    ),
    max_leaves=20,
)


def read(text: str) -> tuple[Document | None, list[tuple[str, int, int]]]:
    document, problems = parse(SourceText("x.yaml", text))
    return document, [(problem.rule, problem.line, problem.column) for problem in problems]


@given(json_values)
def test_reads_back_what_pyyaml_writes(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    decoded, _ = decode(SourceFile("x.yaml", text.encode()))
    if decoded is None:
        return
    document, problems = parse(decoded)
    assert document is not None, problems
    assert document.data == yaml.safe_load(decoded.text)


@given(st.binary(max_size=300))
def test_never_raises_on_bytes(data: bytes) -> None:
    decoded, problems = decode(SourceFile("x.yaml", data))
    if decoded is None:
        assert problems
        return
    document, problems = parse(decoded)
    assert document is not None or problems


@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"# \n\t?,%@`<0159._~"), max_size=120))
def test_what_is_accepted_is_json(text: str) -> None:
    document, problems = parse(SourceText("x.yaml", text))
    if document is not None:
        json.dumps(document.data, allow_nan=False)
    else:
        assert problems


def test_places_point_at_values_and_keys() -> None:
    document, problems = read("a: 1\nlist:\n  - x: [1, two]\n    long key: v\n")
    assert document is not None
    assert not problems
    assert document.place(("list", 0, "x", 1)) == (3, 12)
    assert document.place(("list", 0, "long key"), key=True) == (4, 5)
    assert document.place(("list", 0, "absent")) == (3, 5)
    assert document.get("list", 0, "x", 1) == "two"
    assert document.get("list", 5, default="d") == "d"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\n", [("yaml.alias", 1, 4), ("yaml.alias", 2, 4)]),
        ("a: 1\nb:\n  <<: {c: 1}\n", [("yaml.alias", 3, 3)]),
        ("a: 1\nb: 2\na: 3\n", [("yaml.duplicate-key", 3, 1)]),
        ("a:\n\tb: 1\n", [("yaml.tab", 2, 1)]),
        ("a: !!python/object:os.system x\n", [("yaml.tag", 1, 4)]),
        ("a: 1\n---\nb: 2\n", [("yaml.documents", 1, 1)]),
        ("", [("yaml.documents", 1, 1)]),
        ("a: .inf\n", [("yaml.number", 1, 4)]),
        ("1: a\ntrue: b\n", [("yaml.key", 1, 1), ("yaml.key", 2, 1)]),
        ("a: 'x\n", [("yaml.syntax", 2, 1)]),
        ("a: b: c\n", [("yaml.syntax", 1, 5)]),
        ("[" * 100 + "]" * 100, [("yaml.too-deep", 1, 41)]),
    ],
)
def test_refusals_have_places(text: str, expected: list[tuple[str, int, int]]) -> None:
    _, problems = read(text)
    assert problems == expected


def test_a_bomb_is_refused_quickly() -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    started = time.process_time()
    _, problems = read("\n".join(rows))
    assert {rule for rule, _, _ in problems} == {"yaml.alias"}
    assert time.process_time() - started < 5


def test_platform_types_are_kept() -> None:
    document, _ = read("v: 1.10\nyes: no\noctal: 0444\nday: 2026-01-02\nquoted: '1.10'\n")
    assert document is not None
    assert document.data == {"v": 1.1, "yes": False, "octal": 292, "day": "2026-01-02", "quoted": "1.10"}
    assert document.marks[("v",)].raw == "1.10"


@pytest.mark.parametrize(
    ("data", "rule", "line", "column"),
    [
        (b"a: \xff\n", "yaml.encoding", 1, 4),
        ("a: é\nb: \x00\n".encode(), "yaml.control-character", 2, 4),
        (b"a: 1\r\n", "yaml.carriage-return", 1, 1),
        (b"\xef\xbb\xbfa: 1\n", "yaml.byte-order-mark", 1, 1),
        (b"a: 1\n" * 60_000, "layout.file-too-large", 1, 1),
    ],
)
def test_bytes_are_decoded_or_refused(data: bytes, rule: str, line: int, column: int) -> None:
    _, problems = decode(SourceFile("x.yaml", data))
    assert [(problem.rule, problem.line, problem.column) for problem in problems] == [(rule, line, column)]
