"""Numbers, dates and spaces as each language writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.site.language import ENGLISH, FRENCH, Language, typeset


@pytest.mark.parametrize(
    ("value", "digits", "french", "english"),
    [
        (243.588, 2, "243,59", "243.59"),
        (262144, 0, "262\u202f144", "262,144"),
        (1234567.5, 1, "1\u202f234\u202f567,5", "1,234,567.5"),
        (0.125, 2, "0,13", "0.13"),
        (2.675, 2, "2,68", "2.68"),
        (-0.04, 1, "0,0", "0.0"),
        (-2.5, 0, "\u22123", "\u22123"),
        (None, 2, "—", "—"),
    ],
)
def test_number(value: float | None, digits: int, french: str, english: str) -> None:
    assert FRENCH.number(value, digits) == french
    assert ENGLISH.number(value, digits) == english


def test_percent_and_sizes() -> None:
    assert FRENCH.percent(0.01518, 2) == "1,52\u00a0%"
    assert ENGLISH.percent(0.01518, 2) == "1.52%"
    assert FRENCH.signed_percent(-0.02775) == "\u22122,8\u00a0%"
    assert ENGLISH.signed_percent(0.0436) == "+4.4%"
    assert FRENCH.signed(0.001, 1) == "0,0"
    assert (FRENCH.gigabytes(17.2), ENGLISH.gigabytes(17.2)) == ("17,2\u00a0Go", "17.2\u00a0GB")


def test_dates() -> None:
    assert FRENCH.date("2026-05-24") == "24\u00a0mai 2026"
    assert FRENCH.date("2026-06-01") == "1er\u00a0juin 2026"
    assert ENGLISH.date("2026-06-01T23:59:59Z") == "1\u00a0June 2026"


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 3))
def test_both_languages_write_the_same_number(value: float, digits: int) -> None:
    def plain(text: str) -> str:
        return text.replace("\u202f", "").replace(",", ".").replace("\u2212", "-")

    english = ENGLISH.number(value, digits).replace(",", "").replace("\u2212", "-")
    assert plain(FRENCH.number(value, digits)) == english
    assert abs(float(english) - value) <= 0.5 * 10**-digits + abs(value) * 1e-15


@pytest.mark.parametrize(
    ("source", "french"),
    [
        ("Le débit : 95 % ; vraiment ?", "Le débit\u00a0: 95\u00a0%\u00a0; vraiment\u00a0?"),
        ("« oui »", "«\u00a0oui\u00a0»"),
        ("12 000 jetons, 24 Go", "12\u202f000\u00a0jetons, 24\u00a0Go"),
        ("de 240,94 246,23 à 1 234 567", "de 240,94 246,23 à 1\u202f234\u202f567"),
        ("Core Ultra 9 275HX", "Core Ultra 9 275HX"),
        ("| a : | b ; |", "| a\u00a0: | b\u00a0; |"),
        ("|---|--:|", "|---|--:|"),
        (":   définition", ":   définition"),
        ("`a : b`", "`a : b`"),
        ("```\na : b 24 Go\n```\n", "```\na : b 24 Go\n```\n"),
        ('<p title="a : b">c : d</p>', '<p title="a : b">c\u00a0: d</p>'),
        ("[x : y](http://a.b/c:d)", "[x\u00a0: y](http://a.b/c:d)"),
        ("---\ntitle: a : b\n---\n\nc : d", "---\ntitle: a : b\n---\n\nc\u00a0: d"),
        ("512 ko, 12 Gio, 3 Mo/s, 8 cœurs", "512\u00a0ko, 12\u00a0Gio, 3\u00a0Mo/s, 8\u00a0cœurs"),
        ("5 $ ou 5 \\$ par mois, 03:05 UTC", "5\u00a0$ ou 5\u00a0\\$ par mois, 03:05\u00a0UTC"),
        ("**12** Go, {n} jetons", "**12**\u00a0Go, {n}\u00a0jetons"),
        ("243,1 ± 0,4 ; 64 × 64", "243,1\u00a0±\u00a00,4\u00a0; 64\u00a0×\u00a064"),
        ("n = 10, p = 0,29", "n\u00a0=\u00a010, p\u00a0=\u00a00,29"),
        ("p < 0,001 et t = −1,5", "p\u00a0<\u00a00,001 et t\u00a0=\u00a0−1,5"),
        ("p &lt; 0,001", "p\u00a0&lt;\u00a00,001"),
        ("<pre><code>a : 24 Go</code></pre>", "<pre><code>a : 24 Go</code></pre>"),
        ("<code>n = 1</code> n = 1", "<code>n = 1</code> n\u00a0=\u00a01"),
        ("12 sondes, 3 Mots, une passe = 10", "12 sondes, 3 Mots, une passe = 10"),
    ],
)
def test_french_spaces(source: str, french: str) -> None:
    assert typeset(source, FRENCH) == french


@pytest.mark.parametrize("language", [FRENCH, ENGLISH])
def test_setting_type_twice_changes_nothing(language: Language) -> None:
    once = typeset("Le débit : 95 %, 243,59 tokens/s ; 24 Go « net »", language)
    assert typeset(once, language) == once


@given(st.sampled_from([FRENCH, ENGLISH]), st.text("« »:;?!%±×=<>&np019 {}tGos$*`\n,", max_size=60))
def test_typesetting_only_changes_spaces_and_once(language: Language, text: str) -> None:
    once = typeset(text, language)
    assert once.replace("\u00a0", " ").replace("\u202f", " ") == text
    assert typeset(once, language) == once


def test_english_keeps_its_punctuation() -> None:
    assert typeset("Speed: 95%; 24 GB", ENGLISH) == "Speed: 95%; 24\u00a0GB"
    assert typeset("really ? n = 10, 512 kB, 1 token", ENGLISH) == "really ? n = 10, 512\u00a0kB, 1\u00a0token"
