"""Contributors' text on our pages has no effect beyond its words."""

from __future__ import annotations

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.site import richtext
from market.site.language import ENGLISH, FRENCH


@pytest.mark.parametrize(
    ("source", "forbidden"),
    [
        ("<script>alert(1)</script>", "<script"),
        ('<img src="https://x/y.png" onerror="alert(1)">', "<img"),
        ("![x](https://x/y.png)", "<img"),
        ("[x](javascript:alert(1))", "javascript"),
        ("[x](http://plain.example)", "http://"),
        ('<a href="https://x" onclick="alert(1)">x</a>', "onclick"),
        ("<style>body{display:none}</style>", "<style"),
        ('<iframe src="https://x"></iframe>', "<iframe"),
        ("<svg onload=alert(1)>", "<svg"),
        ("<!-- x -->", "<!--"),
        ('<p style="position:fixed">x</p>', "style"),
    ],
)
def test_what_does_not_pass(source: str, forbidden: str) -> None:
    assert forbidden not in richtext.block(source)


def test_what_passes() -> None:
    html = richtext.block("# Big\n\n**bold** `code` [link](https://x.example/a)\n\n- one\n- two\n\n```\na\n\nb\n```")
    assert "<h3>Big</h3>" in html
    assert "<strong>bold</strong> <code>code</code>" in html
    assert 'href="https://x.example/a"' in html
    assert 'rel="noopener nofollow ugc"' in html
    assert "<li>one</li>" in html
    assert "a\n\nb" in html


def test_spaces_are_those_of_the_language_of_the_text() -> None:
    text = "Rapide : 24 Go, `a : 24 Go`, [ici : là](https://x.example/a:b)\n\n    c : d\n"
    expected = richtext.block(text).replace("Rapide : 24 Go", "Rapide\u00a0: 24\u00a0Go")
    assert richtext.block(text, FRENCH) == expected.replace("ici : là", "ici\u00a0: là")
    assert richtext.block("Fast : 24 GB", ENGLISH) == "<p>Fast : 24\u00a0GB</p>"
    assert richtext.block("a : 24 Go") == "<p>a : 24 Go</p>"


def test_expressions_stay_text() -> None:
    assert "{{ 7 * 7 }}" in richtext.block("{{ 7 * 7 }}")


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1))
def test_an_escaped_line_reads_as_it_was_written(text: str) -> None:
    shown = markdown.markdown("x " + richtext.inline(text) + " y", extensions=["attr_list", "tables", "footnotes"])
    assert "<" not in shown.removeprefix("<p>").removesuffix("</p>")
