"""The pages of the rules: one a rule, in a language that says what it is, and inert whatever an example holds."""

from __future__ import annotations

import re

import pytest

from market import combination
from market.rules import examples
from market.site import rulebook
from market.site.language import FRENCH, typeset
from market.site.pages import Pages
from market.site.richtext import line, spans
from market.site.words import words


@pytest.fixture(scope="module")
def in_french(french: Pages) -> dict[str, str]:
    return rulebook.pages_of(french)


@pytest.fixture(scope="module")
def in_english(english: Pages) -> dict[str, str]:
    return rulebook.pages_of(english)


def test_every_rule_has_a_page_and_stands_in_the_list(in_french: dict[str, str], in_english: dict[str, str]) -> None:
    wanted = {f"rules/{rule.id}.md" for rule in rulebook.rules()} | {"rules/index.md"}
    assert set(in_french) == set(in_english) == wanted
    for pages, root in ((in_french, "/"), (in_english, "/en/")):
        links = re.findall(rf'href="{root}rules/([\w.-]+)/"', pages["rules/index.md"])
        assert sorted(links) == [rule.id for rule in rulebook.rules()]


def test_english_texts_on_french_pages_say_so(in_french: dict[str, str], in_english: dict[str, str]) -> None:
    page = in_french["rules/yaml.tab.md"]
    assert "Le texte de cette règle n’existe qu’en anglais." in page
    assert '<h1 id="rule" lang="en">A tab as indentation</h1>' in page
    assert '<dd lang="en">Indent with spaces.</dd>' in page
    assert "<dt>Pourquoi</dt>" in page
    assert "lang=" not in in_english["rules/yaml.tab.md"]


def test_known_combinations_speak_french(in_french: dict[str, str]) -> None:
    for one in combination.load():
        if one.is_checked:
            page = in_french[f"rules/{one.rule}.md"]
            assert f'<h1 id="rule">{spans(typeset(one.title["fr"], FRENCH))}</h1>' in page
            assert "lang=" not in page
            for source in one.sources:
                assert f'href="{source["url"]}"' in page


def test_pages_show_both_variants_and_the_places(in_english: dict[str, str]) -> None:
    page = in_english["rules/site.claim.md"]
    assert '<span class="oo-differs">printed: &#34;16.53&#34;</span>' in page
    assert '<span class="oo-differs">verdict: rounds</span>' in page
    (place,) = examples.load("site.claim").expect
    assert f"data/claims.yaml, line {place.line}, column {place.column}" in page


def test_every_family_has_words(french: Pages, english: Pages) -> None:
    for rule in rulebook.rules():
        for pages in (french, english):
            assert words(pages.language)(f"family_{rule.family}")
            assert words(pages.language)(f"severity_{rule.severity}")


def test_code_and_addresses_in_plain_texts() -> None:
    text = spans("a `<b>` of https://x.example/y?z=1, <i> & https://x.example.")
    assert text == (
        'a <code>&lt;b&gt;</code> of <a href="https://x.example/y?z=1" rel="noopener">x.example/y?z=1</a>, '
        '&lt;i&gt; &amp; <a href="https://x.example" rel="noopener">x.example</a>.'
    )


def test_a_line_of_our_own_markdown_keeps_links_and_nothing_else() -> None:
    text = line("see [a](/rules/a.b/), `c`, *d* <script>e</script> <img src=x onerror=f> [g](javascript:h)")
    assert '<a href="/rules/a.b/" rel="noopener">a</a>, <code>c</code>, <em>d</em>' in text
    assert not re.search(r"<script|<img|javascript:|<p>", text)
