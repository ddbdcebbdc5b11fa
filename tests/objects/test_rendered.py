"""Rendered YAML, read as the platform reads it."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from market.rendered import NODE_LIMIT, TEXT_LIMIT, read, scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("Off", False), ("y", True), ("~", None), ("", None), ("null", None),
        ("0444", 292), ("0o17", 15), ("0x1F", 31), ("-0x1F", -31), ("0b101", 5), ("1_000", 1000), ("+7", 7),
        ("08", 8.0), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0), ("9" * 40, float("9" * 40)),
        (".inf", math.inf), ("-.Inf", -math.inf),
        ("12:30", "12:30"), ("2026-05-24", "2026-05-24"), ("1.2.3", "1.2.3"), ("_1", "_1"), ("-", "-"),
        ("24Gi", "24Gi"), ("500m", "500m"), ("--model", "--model"), ("=", "="),
    ],
)  # fmt: skip
def test_plain_scalars_mean_what_go_yaml_takes_them_for(text: str, value: object) -> None:
    found = scalar(text)
    assert found == value
    assert type(found) is type(value)
    assert math.isnan(scalar(".nan"))


def test_documents_anchors_and_merges_are_unfolded() -> None:
    stream = read("a: &x {b: 1, c: 2}\nd: *x\ne:\n  <<: *x\n  b: 3\nf:\n  <<: [*x, {g: 4}]\n---\n- 1\n---\n")
    assert [item.data for item in stream.items] == [
        {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 2}, "e": {"b": 3, "c": 2}, "f": {"b": 1, "c": 2, "g": 4}},
        [1],
        None,
    ]
    assert not stream.error
    assert read('"<<": {a: 1}\n').items[0].data == {"<<": {"a": 1}}
    assert read("<<: 1\nb: 2\n").items[0].data == {"b": 2}


def test_values_know_the_line_of_their_key() -> None:
    (item,) = read(
        "spec:\n  ports:\n    - name: http\n      port: 80\n    - 7\n  text: |\n    a\n    b\n  last: 1\n"
    ).items
    assert item.lines[("spec",)] == 1
    assert item.lines[("spec", "ports")] == 2
    assert item.lines[("spec", "ports", 0)] == 3
    assert item.lines[("spec", "ports", 0, "port")] == 4
    assert item.lines[("spec", "ports", 1)] == 5
    assert item.lines[("spec", "text")] == 6
    assert item.lines[("spec", "last")] == 9


def test_a_key_that_stands_twice_is_remembered_and_the_last_one_wins() -> None:
    stream = read("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert stream.duplicates == ((4, "c"), (5, "a"))
    assert stream.items[0].data == {"a": 3, "b": {"c": 2}}


def test_keys_become_texts_as_in_json() -> None:
    assert read("8000: a\nyes: b\n? [x]\n: c\n~: d\n").items[0].data == {"8000": "a", "true": "b", "?": "c", "~": "d"}


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        ("a: b\nc: d: e\n", "mapping values", 2),
        ("a: 1\n\tb: 2\n", "tab character", 2),
        ("a: *nowhere\n", "unknown anchor nowhere", 1),
        ("a: 1\nb: &b [*b]\n", "unknown anchor b", 2),
        ("[" * 5000, "nesting", None),
        ("{a: " * 500, "more than 100 levels", 1),
        ("- " * 500, "more than 100 levels", 1),
        ("a: \x01\n", "control characters", None),
        ("x" * (TEXT_LIMIT + 1), "MiB of text", 1),
        ("[" + "1," * NODE_LIMIT + "1]", "values", 1),
        ("a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9}]\n" for i in range(1, 30)), "values", None),
    ],
)
def test_what_cannot_be_read_has_an_error_and_a_line(text: str, error: str, line: int | None) -> None:
    stream = read(text)
    assert error in stream.error
    assert line is None or stream.error_line == line


texts = st.text(st.characters(exclude_categories=["C", "Z"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=30,
)


@given(values)
def test_json_is_read_as_what_it_is(value: object) -> None:
    (item,) = read(json.dumps(value, ensure_ascii=False)).items
    assert item.data == value


@given(st.text(alphabet="ab:-?[]{}&*!|>'\"#%@, \n0123", max_size=60))
def test_any_text_gives_an_answer_and_errors_are_those_of_libyaml(text: str) -> None:
    stream = read(text)
    try:
        for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
            pass
    except yaml.YAMLError:
        assert stream.error
    else:
        assert not stream.error or "anchor" in stream.error
