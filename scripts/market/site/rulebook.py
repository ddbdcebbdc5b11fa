"""The pages of the rules: all of them in a list, and one page a rule with its reasons and its example."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from market import combination, explain
from market.combination import Combination
from market.explain import Excerpt, Shown
from market.rules import examples, registry
from market.rules.examples import Example
from market.rules.registry import Rule
from market.rules.stage import replace_once
from market.site.language import LANGUAGES, typeset
from market.site.pages import Pages
from market.site.words import words


@dataclass(frozen=True, slots=True)
class Texts:
    """What is said of a rule; ``language`` is the code of the language that it is said in."""

    language: str
    title: str
    why: str
    fix: str
    scope: str = ""


@dataclass(frozen=True)
class Entry:
    """One rule with its texts for a page."""

    rule: Rule
    texts: Texts
    combination: Combination | None
    example: Example | None

    @property
    def setting(self) -> tuple[Excerpt, ...]:
        """What both variants of the example have in common."""
        return () if self.example is None else explain.setting(self.example)

    @property
    def variants(self) -> Mapping[str, Shown]:
        """What breaks the rule and what does not."""
        if self.example is None:
            return {}
        return {"fail": explain.shown(self.example, "fail"), "pass": explain.shown(self.example, "pass")}

    def reported(self, excerpt: Excerpt) -> Collection[int]:
        """Which of the marked lines the rule reports, counted from 0; none where only one is marked."""
        if self.example is None or sum(line.differs for line in excerpt.lines) < 2:
            return ()
        whole = _broken(self.example, excerpt.file)
        wanted = {whole[at.line - 1] for at in self.example.expect if at.file == excerpt.file and at.line <= len(whole)}
        own = [line.text.strip() for line in excerpt.lines]
        return [index for index, text in enumerate(own) if text in wanted and own.count(text) == 1]


ENGLISH: Final = "en"


def rules() -> tuple[Rule, ...]:
    """Every rule of every family."""
    # The families hold this package's own rules: imported late, no circle.
    from market import check  # noqa: PLC0415

    assert check.FAMILIES
    return registry.rules()


def find(id: str) -> Rule | None:
    """The rule with this id, whether or not its family was imported before."""
    return next((rule for rule in rules() if rule.id == id), None)


def entries(language: str) -> tuple[Entry, ...]:
    """Every rule with the texts for pages of a language."""
    known = {one.rule: one for one in combination.load()}
    having = set(examples.names())
    return tuple(_entry(rule, known.get(rule.id), rule.id in having, language) for rule in rules())


def _entry(rule: Rule, one: Combination | None, has_example: bool, language: str) -> Entry:
    texts = Texts(ENGLISH, rule.title, rule.why, rule.fix)
    if one is not None:
        own = next(known for known in LANGUAGES if known.code == language)
        title, why, fix, scope = (
            typeset(pair.get(language, ""), own) for pair in (one.title, one.symptom, one.fix, one.scope)
        )
        texts = Texts(language, title, why, fix, scope)
    return Entry(rule, texts, one, examples.load(rule.id) if has_example else None)


def _broken(example: Example, file: str) -> list[str]:
    """The lines of a file, without indentation, as the breaking variant of an example has it."""
    path = example.base / file
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    for edit in example.edits:
        if edit.file == file:
            text = replace_once(text, edit.find, edit.breaking)
    for extra in example.extras:
        if (extra.file, extra.kind) == (file, "text") and "fail" in extra.variants:
            text = str(extra.value)
    return [line.strip() for line in text.split("\n")]


def pages_of(pages: Pages) -> dict[str, str]:
    """The list of rules and the page of each, by their paths below docs/; nothing of a catalog is in them."""
    return dict(json.loads(pages.kept.written("rules", pages.language.code, lambda: json.dumps(_made(pages)))))


def _made(pages: Pages) -> dict[str, str]:
    found = entries(pages.language.code)
    families = [(family, list(members)) for family, members in groupby(found, key=lambda entry: entry.rule.family)]
    made = {"rules/index.md": pages.render("rules.md.jinja", families=families)}
    raw = words(pages.language).texts
    for entry in found:
        made[f"rules/{entry.rule.id}.md"] = pages.render(
            "rule.md.jinja", entry=entry, in_words=lambda extra: explain.in_words(extra, raw)
        )
    return made
