"""Combinations that are known to fail, as far as they concern an app or an engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from market import combination
from market.catalog import Catalog
from market.combination import Combination
from market.conditions import Condition, holds
from market.packaging import Package
from market.rules.chart_views import installations
from market.serving import Serving, serving

# Parts of a condition that say what is served, and those among them that fit few apps. The others say how.
IDENTITY: Final = ("engine", "exactly", "version", "image", "model", "files")
TELLING: Final = frozenset({"exactly", "image", "model", "files"})
OF_ENGINES: Final = frozenset({"engine", "runtime"})
_WEIGHT: Final = {"error": 0, "warning": 1, "advice": 2}


@dataclass(frozen=True, slots=True)
class Concern:
    """A combination that concerns an app; ``runs`` says that the app runs it."""

    combination: Combination
    runs: bool


def servings(catalog: Catalog, packages: Iterable[Package]) -> dict[str, Serving]:
    """The server of every app in its first installation, where one can be read."""
    found = {}
    for package in packages:
        view = next(installations(package), None)
        read = serving(catalog, package.app, view.pods, view.objects) if view else None
        if read is not None:
            found[package.app.name] = read
    return found


def concerning(found: Serving) -> tuple[Concern, ...]:
    """What an app runs, then what would fail with its engine, model or options; the worst first."""
    running = {one.id for one in combination.found_in(found)}
    concerns = [
        Concern(one, one.id in running)
        for one in combination.load()
        if one.is_checked and (one.id in running or any(_is_near(condition, found) for condition in one.when))
    ]
    return tuple(sorted(concerns, key=lambda one: (not one.runs, _WEIGHT[one.combination.severity])))


def _is_near(condition: Condition, found: Serving) -> bool:
    """Whether a condition is about what an app serves, whatever its other settings are."""
    if TELLING & condition.keys():
        return holds({key: condition[key] for key in IDENTITY if key in condition}, found)
    return not set(IDENTITY) & condition.keys() and "has" in condition and holds({"has": condition["has"]}, found)


def naming(engines: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[Combination, ...]]:
    """The combinations that name each engine, by its id; those that name none under an empty one."""
    found: dict[str, list[Combination]] = {id: [] for id in ("", *engines)}
    for one in combination.load():
        for id in _named(one, engines) or ("",):
            found.setdefault(id, []).append(one)
    return {id: tuple(sorted(some, key=lambda one: _WEIGHT[one.severity])) for id, some in found.items()}


def _named(one: Combination, engines: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Engines by id: those of its conditions, or else those that its text or its sources speak of."""
    ids = dict.fromkeys(id for condition in one.when for id in _ids(condition))
    if ids:
        return tuple(ids)
    # The symptom of a fault of charts and cards names an engine for an example only.
    text = f"{one.title['en']} {one.symptom['en']}" if one.kind in OF_ENGINES else one.title["en"]
    return tuple(id for id, engine in engines.items() if _speaks_of(text, one, engine))


def _speaks_of(text: str, one: Combination, engine: Mapping[str, Any]) -> bool:
    name, repository = engine["name"], engine["repository"]
    english = re.escape(name if isinstance(name, str) else name["en"])
    is_named = re.search(rf"(?<![\w-]){english}(?![\w-])", text) is not None
    return is_named or any(source["url"].startswith(f"{repository}/") for source in one.sources)


def _ids(condition: Condition) -> Iterator[str]:
    yield from condition.get("engine", ())
    yield from condition.get("exactly", ())
