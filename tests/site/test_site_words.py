"""The texts: both languages alike, none missing, none forgotten."""

from __future__ import annotations

import re

import pytest
import yaml

from market import combination, schema
from market.catalog import Catalog
from market.configuration import Entry, Verdict
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


def test_a_name_is_the_same_in_both_languages_and_a_text_is_not() -> None:
    pair = {"fr": "Fichiers : 24 Go", "en": "Files: 24 GB"}
    assert (words(FRENCH).pick(pair), words(ENGLISH).pick(pair)) == ("Fichiers\u00a0: 24\u00a0Go", "Files: 24\u00a0GB")
    assert words(FRENCH).pick("owner/name") == words(ENGLISH).pick("owner/name") == "owner/name"
    assert words(FRENCH).pick(None) == ""


@pytest.mark.parametrize("title", ["", {"en": "Model files"}, {"en": "Model files", "fr": ""}, 7])
def test_a_title_is_a_name_or_a_text_in_both_languages(title: object, repository: Catalog) -> None:
    card = dict(repository.apps[0].card)
    assert schema.errors(card | {"links": [{"title": title, "url": "https://x.example/"}]}, "app-card")
    for fine in ("owner/name", {"en": "Model files", "fr": "Fichiers du modèle"}):
        assert not schema.errors(card | {"links": [{"title": fine, "url": "https://x.example/"}]}, "app-card")


def test_no_title_of_the_repository_is_english_prose_alone(repository: Catalog) -> None:
    links = [source for one in combination.load() for source in one.sources]
    apps: list[Entry] = [*repository.apps, *repository.shelved]
    for app in apps:
        links += [*app.card.get("links", ()), *(app.card.get("vram") or {}).get("source", ())]
        links += [link for report in app.reports for link in report.data["source"]]
    prose = re.compile(r"\b(?:[Aa]|[Tt]he|of|with|and|by|for|at|[Ww]rite-up|[Mm]odel|[Mm]anifest|[Pp]ost|[Dd]raft)\b")
    assert [link["title"] for link in links if isinstance(link["title"], str) and prose.search(link["title"])] == []


def test_parameters_are_escaped() -> None:
    assert "<b>" not in words(FRENCH)("claim", claims="<b>")
