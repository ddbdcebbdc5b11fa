"""A rule explained: its reasons, and its example as excerpts of files, for the terminal and for the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from market.paths import PROJECT
from market.rules import examples
from market.rules.examples import Example, Extra, Variant
from market.rules.registry import Rule
from market.site.language import ENGLISH
from market.site.words import words
from market.source import decode, read_file
from market.yamldoc import parse

LINES_SHOWN: Final = 30
# Signs that nobody would see.
_VISIBLE: Final = {code: f"\\x{code:02x}" for code in (*range(32), 0x7F)} | {9: "⇥", 13: "↵", 0xFEFF: "[BOM]"}
_OTHER: Final[Mapping[Variant, Variant]] = {"fail": "pass", "pass": "fail"}
_COLOURS: Final[Mapping[Variant, str]] = {"fail": "red", "pass": "green"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an excerpt; ``differs`` says that the other variant does not have it."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a variant of an example has in a file; without lines the other variant's lines are missing in it."""

    file: str
    lines: tuple[Line, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """One variant of an example: excerpts of files, and what can only be said in words."""

    excerpts: tuple[Excerpt, ...]
    extras: tuple[Extra, ...]


def shown(example: Example, variant: Variant) -> Shown:
    """What one variant of an example has of its own."""
    other = _OTHER[variant]
    others = {extra.file: str(extra.value) for extra in _texts(example) if other in extra.variants}
    found = [
        _excerpt(edit.file, edit.text(variant), edit.text(other))
        for edit in example.edits
        if edit.breaking != edit.sound
    ]
    found += [
        _excerpt(extra.file, str(extra.value), others.get(extra.file, ""))
        for extra in _texts(example)
        if variant in extra.variants
    ]
    rest = tuple(extra for extra in example.extras if extra.kind != "text" and variant in extra.variants)
    return Shown(tuple(found), rest)


def setting(example: Example) -> tuple[Excerpt, ...]:
    """What both variants of an example change in the same way, so that they differ in one thing only."""
    return tuple(
        _excerpt(edit.file, edit.breaking, edit.sound) for edit in example.edits if edit.breaking == edit.sound
    )


def in_words(extra: Extra, texts: Mapping[str, str]) -> str:
    """What is special about a file, in the words of a language."""
    value = extra.value if isinstance(extra.value, Mapping) else {"value": extra.value}
    amounts: dict[str, Any] = {"file": extra.file, **value}
    return texts[f"extra_{extra.kind}"].format(**amounts)


def address(root: Path, rule: str) -> str:
    """The address of a rule's page on the site of the catalog below ``root``, or of this one."""
    for folder in (root, PROJECT):
        file, _ = read_file(folder, "data/market.yaml")
        text = decode(file)[0] if file else None
        document = parse(text)[0] if text else None
        origin = document.get("origin") if document else None
        if isinstance(origin, str):
            return f"{origin}{ENGLISH.root}rules/{rule}/"
    return ""


def explanation(rule: Rule, page: str) -> Iterator[Text]:
    """The lines that explain a rule in a terminal; ``page`` is the address of its page."""
    yield Text(f"{rule.id} ({rule.severity}): {rule.title}", "bold")
    for label, text in (
        ("why", rule.why),
        ("fix", rule.fix),
        ("source", rule.source or "this catalog"),
        ("page", page),
    ):
        yield Text(f"{label:<8}{text}")
    if rule.id in examples.names():
        example = examples.load(rule.id)
        for excerpt in setting(example):
            yield Text()
            yield from _lines_of(excerpt, "both", "default")
        variants: tuple[tuple[Variant, str], ...] = (("fail", "fails"), ("pass", "passes"))
        for variant, label in variants:
            yield Text()
            yield from _variant(example, variant, label)


def _variant(example: Example, variant: Variant, label: str) -> Iterator[Text]:
    found, texts = shown(example, variant), words(ENGLISH).texts
    for excerpt in found.excerpts:
        yield from _lines_of(excerpt, label, _COLOURS[variant])
        label = ""
    for extra in found.extras:
        yield Text(f"{label:<8}{in_words(extra, texts)}")
        label = ""
    if label:
        yield Text(f"{label:<8}{texts['rule_base']}")


def _lines_of(excerpt: Excerpt, label: str, colour: str) -> Iterator[Text]:
    texts = words(ENGLISH).texts
    yield Text(f"{label:<8}{excerpt.file}", "bold")
    if not excerpt.lines:
        yield Text(f"        {texts['rule_nothing']}", "dim")
    for line in excerpt.lines:
        yield Text("      │ ", "dim").append(line.text, colour if line.differs else "default")
    if excerpt.left_out:
        yield Text(f"        {texts['rule_left_out'].format(n=excerpt.left_out)}", "dim")


def _texts(example: Example) -> Iterator[Extra]:
    return (extra for extra in example.extras if extra.kind == "text")


def _excerpt(file: str, own: str, other: str) -> Excerpt:
    """The lines of one text, each marked where the other text lacks it."""
    mine, theirs = _lines(own), _lines(other)
    kept: set[int] = set()
    for start, _, length in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
        kept.update(range(start, start + length))
    lines = tuple(Line(text.translate(_VISIBLE), index not in kept) for index, text in enumerate(mine))
    return Excerpt(file, lines[:LINES_SHOWN], max(0, len(lines) - LINES_SHOWN))


def _lines(text: str) -> list[str]:
    """Lines as editors count them; the other characters that Python splits at are part of a line."""
    return text.removesuffix("\n").split("\n") if text else []
