"""Manifests that are Helm templates: rendered by Helm, with every value where its author wrote it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market import legacy
from market.archive import pack
from market.helm import render, render_here
from market.source import SourceText
from market.yamldoc import parse

IS_ADMIN = "and .Values.admin .Values.bfl.username (eq .Values.admin .Values.bfl.username)"


def read(text: str) -> dict[str, legacy.Reading]:
    (readings,) = legacy.read([("demo", SourceText("demo/OlaresManifest.yaml", text))], render_here)
    return {reading.owner: reading for reading in readings}


def test_each_owner_gets_their_own_branch_with_places_in_the_source() -> None:
    text = (
        "spec:\n"
        f"  {{{{- if {IS_ADMIN} }}}}\n"
        "  limitedCpu: 4\n"
        "  {{- else }}\n"
        "  limitedCpu: 50m\n"
        "  {{- end }}\n"
        "  developer: demo\n"
    )
    readings = read(text)
    admin, user = readings["admin"].document, readings["user"].document
    assert admin and user
    assert admin.data == {"spec": {"limitedCpu": 4, "developer": "demo"}}
    assert user.data == {"spec": {"limitedCpu": "50m", "developer": "demo"}}
    assert admin.place(("spec", "limitedCpu")) == (3, 15)
    assert user.place(("spec", "limitedCpu")) == (5, 15)
    assert user.place(("spec", "developer"), key=True) == (7, 3)
    assert user.source.text == text


def test_text_that_an_action_made_stands_where_the_action_stands() -> None:
    document = read("a: 1\nname: x-{{ .Values.bfl.username }}-y\nlist:\n{{ list 1 2 | toYaml }}\nend: true\n")[
        "user"
    ].document
    assert document
    assert document.data == {"a": 1, "name": "x-user-y", "list": [1, 2], "end": True}
    assert document.place(("name",)) == (2, 7)
    assert document.place(("list", 0)) == (4, 1)
    assert document.place(("list", 1)) == (4, 1)
    assert document.place(("end",)) == (5, 6)


def test_yaml_that_is_broken_after_rendering_is_reported_in_the_source() -> None:
    (problem,) = read("a: 1\n{{- if .Values.admin }}\nb: [1, 2\n{{- end }}\nc: 3\n")["admin"].problems
    assert (problem.rule, problem.path, problem.line) == ("yaml.syntax", "demo/OlaresManifest.yaml", 5)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: {{ if }}\n", 2, "missing value for if"),
        ("a: 1\n\nb: {{ .Values.no.such }}\n", 3, "nil pointer"),
        ("a: {{ nosuch }}\n", 1, 'function "nosuch" not defined'),
        ('a: 1\nb: {{ fail "not here" }}\n', 2, "not here"),
    ],
)
def test_what_helm_refuses_is_reported_in_its_words_at_its_line(text: str, line: int, said: str) -> None:
    (problem,) = read(text)["admin"].problems
    assert (problem.rule, problem.line) == ("olares.manifest-render", line)
    assert said in problem.message


def test_the_sign_of_a_mark_is_one_that_the_text_does_not_hold() -> None:
    text = "a: \ue000\ue0013\ue001\nb: {{ .Values.admin }}\n"
    document = read(text)["admin"].document
    assert document and document.data == {"a": "\ue000\ue0013\ue001", "b": "admin"}


def test_actions_end_where_strings_and_comments_let_them() -> None:
    text = 'a {{ "}}" }} b {{/* }} */}} c {{ `}}` }} d {{ printf "\\"}}" }} e {{ open'
    assert [text[start:end] for start, end in legacy.actions(text)] == [
        '{{ "}}" }}', "{{/* }} */}}", "{{ `}}` }}", '{{ printf "\\"}}" }}', "{{ open",
    ]  # fmt: skip


PIECES = [
    "key@: value@\n",
    "key@: value@   \n",
    "\n",
    "  \n",
    "# a comment {{ .Values.admin }}\n",
    "{{/* a comment }} */}}\n",
    "{{- /* trimmed */ -}}\n",
    "{{- if .Values.admin }}\nkey@: value@\n{{- end }}\n",
    "{{ if not .Values.admin }}\nkey@: value@\n{{ else }}\nother@: value@\n{{ end }}\n",
    "{{- if eq .Values.admin .Values.bfl.username }}\nkey@: value@\n{{- else -}}\nother@: value@\n{{- end }}   \n",
    '{{- $x := "}}" }}\nkey@: value@\n',
    "{{- if and\n  .Values.admin\n  true }}\nkey@: value@\n{{- end }}\n",
    "map@:\n  {{- range list 1 2 }}\n  - item\n  {{- end }}\n",
    "{{- with .Values.bfl -}}\nkey@: value@\n{{- end -}}\n",
    "{{ with .Values.bfl -}}\n  key@: value@\n{{- end }}\n",
    "block@: |\n  text {{ .Values.admin }}\n  value@\n",
]
"""Parts of a template; ``@`` becomes a number that no other part has."""
templates = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(
    lambda pieces: "start: here\n" + "".join(piece.replace("@", str(at)) for at, piece in enumerate(pieces))
)


@given(templates)
@settings(max_examples=150, deadline=None)
def test_marks_change_nothing_and_every_value_is_found_in_its_own_line(text: str) -> None:
    chart = pack("plain", "0.0.1", {"Chart.yaml": b"apiVersion: v2\nname: plain\nversion: 0.0.1\n",
                                    "templates/m.yaml": text.encode()}).data  # fmt: skip
    lines = text.split("\n")
    for owner, reading in read(text).items():
        (plain,) = render(chart, "demo", {"admin": "admin", "bfl": {"username": owner}}).values()
        expected, problems = parse(SourceText("plain", plain))
        if expected is None:
            assert {one.rule for one in reading.problems} == {one.rule for one in problems}
            continue
        assert reading.document is not None
        assert reading.document.data == expected.data
        for path, value in expected.data.items():
            # A trimming action can join a comment to the value, so only its own word is compared.
            own = re.match(r"value\d+", value) if isinstance(value, str) else None
            if own:
                line, column = reading.document.place((path,))
                assert lines[line - 1][column - 1 :].startswith(own[0])
