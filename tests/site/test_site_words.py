"""The texts: both languages alike, none missing, none forgotten."""

from __future__ import annotations

import re

import yaml

from market.configuration import Verdict
from market.site.choices import NEEDS
from market.site.language import ENGLISH, FRENCH
from market.site.words import TEMPLATES, parameters, words

DATA = yaml.safe_load((TEMPLATES / "words.yaml").read_text("utf-8"))
SOURCES = [*TEMPLATES.glob("*.jinja"), *TEMPLATES.parent.glob("*.py")]


def test_both_languages_have_every_text_with_the_same_parameters() -> None:
    for key, pair in DATA.items():
        assert isinstance(key, str), key
        assert set(pair) == {"fr", "en"}, key
        assert parameters(pair["fr"]) == parameters(pair["en"]), key


def test_every_text_that_is_asked_for_exists() -> None:
    asked = set()
    for source in SOURCES:
        asked |= set(
            re.findall(r"""\b(?:t|words|words_raw|stat)\(\s*["']([\w-]+)["']\s*[,)]""", source.read_text("utf-8"))
        )
    assert len(asked) > 100
    assert asked - set(DATA) == set()


def test_no_text_is_forgotten() -> None:
    text = "\n".join(source.read_text("utf-8") for source in SOURCES)
    prefixes = (
        "need_", "difference_", "role_", "kind_", "capability_", "claim_", "resource_", "status_", "plot_", "verdict_",
        "unit_", "severity_", "family_", "extra_", "evidence_", "rule_fail", "rule_pass", "can_", "board_choose_",
        "change_",
    )  # fmt: skip
    literals = set(re.findall(r"""["']([\w-]+)["']""", text)) | {verdict.value for verdict in Verdict}
    literals |= {f"{verdict.value}_long" for verdict in Verdict}
    unused = [key for key in DATA if key not in literals and not key.startswith(prefixes)]
    assert unused == []


def test_every_need_has_words() -> None:
    for need in NEEDS:
        assert words(FRENCH)(f"need_{need.id}") != words(ENGLISH)(f"need_{need.id}")


def test_parameters_are_escaped() -> None:
    assert "<b>" not in words(FRENCH)("claim", claims="<b>")
