"""What a page says of itself reaches the theme's attributes whole."""

from __future__ import annotations

import pytest

from market.site import frontmatter


@pytest.mark.parametrize(
    "written",
    ["description: '{}'\n", "description: >-\n  {}\n", "description: |\n\n  {}\n\n"],
)
def test_a_description_can_stand_between_quotes(written: str) -> None:
    said = 'Sees "all", <b> & more'
    page = "---\ntitle: x\n" + written.format(said) + "hide: [toc]\n---\n\n# X\n"
    quoted = frontmatter.quoted(page)
    front = frontmatter.read(quoted)
    assert front == {"title": "x", "description": "Sees &quot;all&quot;, &lt;b&gt; &amp; more", "hide": ["toc"]}
    assert frontmatter.plain(front["description"]) == said
    assert quoted.endswith("---\n\n# X\n")
    assert frontmatter.quoted(quoted) == quoted


@pytest.mark.parametrize(
    "page", ["# X\n", "---\ntitle: x\n---\n", "---\ndescription: >-\n  L’essai :\n  « oui »\n---\n\n# X\n"]
)
def test_a_page_that_needs_nothing_stays_as_it_is(page: str) -> None:
    assert frontmatter.quoted(page) == page
