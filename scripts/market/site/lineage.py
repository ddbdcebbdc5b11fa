"""The page of the engines: who was forked from whom, what each adds, and which apps run on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from market.combination import Combination
from market.configuration import Entry
from market.site import combinations, drawing
from market.site.drawing import Branch
from market.site.pages import Pages
from market.site.words import words

Engines = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Member:
    """An engine with its depth below the first ancestor, its apps and the combinations that name it."""

    engine: Mapping[str, Any]
    depth: int
    apps: tuple[Entry, ...]
    combinations: tuple[Combination, ...]

    @property
    def id(self) -> str:
        """The engine's id."""
        return str(self.engine["id"])


def pages_of(pages: Pages) -> dict[str, str]:
    """The page of engines, by its path below docs/."""
    families = lineages(pages)
    related = [family for family in families if len(family) > 1]
    alone = [family for family in families if len(family) == 1]
    picture = drawing.lineage([_branches(pages, family) for family in related], _label(pages, related))
    return {
        "engines.md": pages.render(
            "engines.md.jinja",
            members=[member for family in (*related, *alone) for member in family],
            engines=pages.catalog.engines,
            picture=picture,
            anywhere=combinations.naming(pages.catalog.engines)[""],
        )
    }


def lineages(pages: Pages) -> tuple[tuple[Member, ...], ...]:
    """Every family of engines: the first ancestor, then each descendant below its parent."""
    engines = pages.catalog.engines
    named = combinations.naming(engines)
    entries: tuple[Entry, ...] = (*pages.catalog.apps, *pages.catalog.shelved)

    def member(id: str, depth: int) -> Member:
        apps = tuple(app for app in entries if app.card["engine"]["id"] == id)
        return Member(engines[id], depth, apps, named.get(id, ()))

    roots = [id for id, engine in engines.items() if engine["parent"] not in engines]
    return tuple(tuple(member(id, depth) for id, depth in _below(root, engines, 0)) for root in roots)


def _below(id: str, engines: Engines, depth: int) -> Iterator[tuple[str, int]]:
    yield id, depth
    for child, engine in engines.items():
        if engine["parent"] == id:
            yield from _below(child, engines, depth + 1)


def _branches(pages: Pages, family: Sequence[Member]) -> tuple[Branch, ...]:
    t = words(pages.language)

    def remark(count: int) -> str:
        return "" if not count else str(t("engine_app") if count == 1 else t("engine_apps", n=count))

    return tuple(Branch(t.pick(member.engine["name"]), member.depth, remark(len(member.apps))) for member in family)


def _label(pages: Pages, families: Sequence[Sequence[Member]]) -> str:
    """The drawing in words: each fork with the project that it was taken from."""
    t, engines = words(pages.language), pages.catalog.engines
    forks = [
        str(
            t(
                "engine_descends",
                child=t.pick(member.engine["name"]),
                parent=t.pick(engines[member.engine["parent"]]["name"]),
            )
        )
        for family in families
        for member in family
        if member.depth
    ]
    return str(t("engines_label")) + str(t("separator")) + "; ".join(forks) + "."
