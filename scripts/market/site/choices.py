"""Which app when: the answer to a need, picked from the data and never by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from market.catalog import App, Catalog
from market.configuration import Entry, options
from market.site.leaderboard import Row, headline
from market.statistics import welch


@dataclass(frozen=True, slots=True)
class Need:
    """A need: which apps answer it, and whether context or speed decides between them."""

    id: str
    answers: Callable[[App], bool]
    by_context: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The app for a need, with the row that speaks for it and the apps it cannot be told from in speed."""

    need: Need
    row: Row
    level_with: tuple[Entry, ...]


def _vision(app: App) -> bool:
    return bool(app.card["capabilities"].get("vision"))


def _audio(app: App) -> bool:
    return bool(app.card["capabilities"].get("audio"))


def _text_only(app: App) -> bool:
    return not _vision(app) and not _audio(app)


def _dense(app: App) -> bool:
    return (app.card.get("model") or {}).get("kind") == "dense"


def _several(app: App) -> bool:
    """Whether the server works on more than one request at a time."""
    given = options([str(item) for item in (app.values.get("server") or {}).get("args") or ()])
    slots = given.get("--max-num-seqs") or given.get("--parallel") or "1"
    return slots.isdigit() and int(slots) > 1


NEEDS: Final = (
    Need("vision-context", _vision, by_context=True),
    Need("vision-speed", _vision),
    Need("text-speed", _text_only),
    Need("audio", _audio),
    Need("several-users", _several),
    Need("dense-vision", lambda app: _dense(app) and _vision(app)),
    Need("dense-context", _dense, by_context=True),
)


def choices(catalog: Catalog) -> tuple[Choice, ...]:
    """Answer every need for which a listed app was measured."""
    found = [choose(need, catalog) for need in NEEDS]
    return tuple(choice for choice in found if choice is not None)


def choose(need: Need, catalog: Catalog) -> Choice | None:
    """Pick the app for a need: the longest context or the highest mean, ties by name."""
    candidates = [row for app in catalog.listed if need.answers(app) and (row := headline(app))]
    if not candidates:
        return None
    candidates.sort(key=lambda row: (-row.statistics.mean, row.app.name))
    if need.by_context:
        candidates.sort(key=lambda row: -(row.app.card.get("context_tokens") or 0))
        return Choice(need, candidates[0], ())
    best = candidates[0]
    return Choice(need, best, tuple(row.app for row in candidates[1:] if _level(best, row)))


def _level(a: Row, b: Row) -> bool:
    """Whether the two were tested and no difference was shown; without a spread there is no test."""
    result = welch(a.statistics, b.statistics)
    return result is not None and not result.shown
