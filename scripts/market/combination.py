"""Combinations of engine, version, model, options and machine that are known to fail.

They are data (data/incompatibilities.yaml). A combination says when it applies in parts that must all hold; a
part whose answer is not known does not hold, so that nothing is claimed on a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from market import schema
from market.conditions import Condition, holds
from market.errors import MarketError
from market.paths import PROJECT
from market.serving import Serving
from market.source import decode, read_file
from market.yamldoc import parse

FILE = "data/incompatibilities.yaml"


@dataclass(frozen=True, slots=True)
class Combination:
    """One entry of the data. ``rules`` are the other rules that find it; ``is_checked`` that ``when`` does."""

    id: str
    severity: str
    kind: str
    title: Mapping[str, str]
    symptom: Mapping[str, str]
    fix: Mapping[str, str]
    evidence: str
    sources: tuple[Mapping[str, str], ...]
    scope: Mapping[str, str] = field(default_factory=dict)
    reason: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    superseded_by: str = ""
    is_checked: bool = False
    rules: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    at: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The id of its rule."""
        return f"llm.{self.id}"

    def matches(self, serving: Serving) -> bool:
        """Whether an app runs this combination."""
        return any(holds(one, serving) for one in self.when) and not any(holds(one, serving) for one in self.unless)


@cache
def load() -> tuple[Combination, ...]:
    """All combinations, in the order of the file.

    Raises:
        MarketError: the file cannot be read or is not as its schema says: this checkout is damaged.
    """
    file, problems = read_file(PROJECT, FILE)
    text = decode(file)[0] if file else None
    document, more = parse(text) if text else (None, ())
    faults = (*problems, *more, *(schema.validate(document, "incompatibilities") if document else ()))
    if document is None or faults:
        found = "; ".join(f"{one.line}: {one.message}" for one in faults[:3])
        raise MarketError(f"{FILE} cannot be used: {found or 'it is missing'}")
    return tuple(_combination(entry) for entry in document.data["combinations"])


def _combination(entry: Mapping[str, Any]) -> Combination:
    check = entry["check"]
    texts = {key: entry[key] for key in ("id", "severity", "kind", "title", "symptom", "fix", "evidence")}
    return Combination(
        **texts,
        sources=tuple(entry["sources"]),
        scope=entry.get("scope", {}),
        reason=entry.get("reason", {}),
        message=entry.get("message", ""),
        superseded_by=entry.get("superseded_by", ""),
        is_checked=check == "match",
        rules=tuple(check["rules"]) if isinstance(check, dict) else (),
        when=tuple(entry.get("when", ())),
        unless=tuple(entry.get("unless", ())),
        at=tuple(entry.get("at", ())),
    )


def found_in(serving: Serving) -> tuple[Combination, ...]:
    """The combinations that an app runs, without those that a more exact one replaces."""
    matched = {one.id: one for one in load() if one.is_checked and one.matches(serving)}
    return tuple(one for one in matched.values() if one.superseded_by not in matched)


def options_named(combination: Combination) -> Iterator[str]:
    """The options that a combination is about: other rules need not complain of them too."""
    yield from (pointer for pointer in combination.at if pointer.startswith("--"))
    for condition in combination.when:
        yield from condition.get("has", ())
        yield from condition.get("options", {})
