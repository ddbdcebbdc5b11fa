"""Short code and names stay on one line, and nothing else of a page changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.site.unbroken import LONGEST, kept_together, mark

PIECES = [
    "<code>", "</code>", "<pre>", "</pre>", "<p>", "</p>", "--vision", " ", "SHA-256", "35B-A3B", "\n",
    '<a title="35B-A3B">', "</a>", "x" * LONGEST, '<code class="oo-nowrap">', '<span class="oo-nowrap">', "</span>",
]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><code>--mlock</code></p>", '<p><code class="oo-nowrap">--mlock</code></p>'),
        (f"<code>{'x' * (LONGEST + 1)}</code>", f"<code>{'x' * (LONGEST + 1)}</code>"),
        ("<pre><code>--mlock</code></pre>", "<pre><code>--mlock</code></pre>"),
        ("<p>le SHA-256 de</p>", '<p>le <span class="oo-nowrap">SHA-256</span> de</p>'),
        ("<b>Qwen3.6 35B-A3B</b>", '<b>Qwen3.6 <span class="oo-nowrap">35B-A3B</span></b>'),
        ('<a href="/x-35B-A3B" title="35B-A3B">x</a>', '<a href="/x-35B-A3B" title="35B-A3B">x</a>'),
        ("<head><title>35B-A3B</title></head>", "<head><title>35B-A3B</title></head>"),
        ("<code>Qwen/Qwen3.6-35B-A3B at some length</code>", "<code>Qwen/Qwen3.6-35B-A3B at some length</code>"),
        ("<p>Qwen3.6-35B-A3B-GGUF</p>", "<p>Qwen3.6-35B-A3B-GGUF</p>"),
    ],
)
def test_what_stays_on_one_line(html: str, expected: str) -> None:
    assert kept_together(html) == expected
    assert kept_together(expected) == expected


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_only_marks_are_added_and_once(html: str) -> None:
    once = kept_together(html)
    assert kept_together(once) == once
    assert re.sub(r"<[^>]*>", "", once) == re.sub(r"<[^>]*>", "", html)


def test_every_page_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text("<code>--x</code>", "utf-8")
    mark(tmp_path)
    assert (tmp_path / "a" / "index.html").read_text("utf-8") == '<code class="oo-nowrap">--x</code>'
