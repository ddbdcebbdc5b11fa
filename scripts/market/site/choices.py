"""Which app when: the answer to a need, picked from the data and never by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from market.catalog import App, Catalog
from market.configuration import Entry, options
from market.site.leaderboard import Row, headline
from market.statistics import welch


class By(Enum):
    """What decides between the apps that answer a need."""

    SPEED = "speed"
    CONTEXT = "context"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Need:
    """A need: which apps answer it, and what decides between them.

    Only apps with a measured speed count, unless ``measured`` is false: speech and music have no tokens/s.
    """

    id: str
    answers: Callable[[App], bool]
    by: By = By.SPEED
    measured: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """The app for a need, with the row that speaks for it and the apps it cannot be told from in speed.

    ``others`` counts the apps that answer the need as well.
    """

    need: Need
    app: App
    row: Row | None
    level_with: tuple[Entry, ...]
    others: int

    @property
    def gigabytes(self) -> float | None:
        """Published GPU memory of the app in decimal gigabytes."""
        return memory(self.app)


def _vision(app: App) -> bool:
    return bool(app.card["capabilities"].get("vision"))


def _audio(app: App) -> bool:
    return _talks(app) and bool(app.card["capabilities"].get("audio"))


def _talks(app: App) -> bool:
    """Whether it is a language model, and not one that makes speech or music."""
    return _kind(app) not in ("speech", "music")


def _text_only(app: App) -> bool:
    return _talks(app) and not _vision(app) and not _audio(app)


def _dense(app: App) -> bool:
    return _kind(app) == "dense"


def _kind(app: App) -> str:
    return str((app.card.get("model") or {}).get("kind"))


def _in(category: str) -> Callable[[App], bool]:
    """Whether the store shows the app under a category."""
    return lambda app: category in (app.manifest_document.get("metadata", "categories", default=None) or ())


def _listens(app: App) -> bool:
    """Whether it turns speech into text: a speech model that the store does not show as one that speaks."""
    return _kind(app) == "speech" and not _in("TTS")(app)


def _several(app: App) -> bool:
    """Whether the server works on more than one request at a time."""
    given = options([str(item) for item in (app.values.get("server") or {}).get("args") or ()])
    slots = given.get("--max-num-seqs") or given.get("--parallel") or "1"
    return slots.isdigit() and int(slots) > 1


NEEDS: Final = (
    Need("vision-context", _vision, By.CONTEXT),
    Need("vision-speed", _vision),
    Need("text-speed", _text_only),
    Need("long-context", _talks, By.CONTEXT),
    Need("smallest", _talks, By.MEMORY),
    Need("coding", _in("Coding")),
    Need("audio", _audio),
    Need("several-users", _several),
    Need("dense-vision", lambda app: _dense(app) and _vision(app)),
    Need("dense-context", _dense, By.CONTEXT),
    Need("speaking", _in("TTS"), By.MEMORY, measured=False),
    Need("listening", _listens, By.MEMORY, measured=False),
    Need("music", _in("Music"), By.MEMORY, measured=False),
)


def choices(catalog: Catalog) -> tuple[Choice, ...]:
    """Answer every need that a listed app answers."""
    found = [choose(need, catalog) for need in NEEDS]
    return tuple(choice for choice in found if choice is not None)


def choose(need: Need, catalog: Catalog) -> Choice | None:
    """Pick the app for a need: the highest mean, the longest context or the least memory, then the mean, then the name.

    An app whose memory was not published is no candidate where memory decides.
    """
    answering = [app for app in catalog.listed if need.answers(app)]
    candidates = [(app, row) for app in answering if (row := headline(app)) or not need.measured]
    if need.by is By.MEMORY:
        candidates = [pair for pair in candidates if memory(pair[0]) is not None]
    if not candidates:
        return None
    candidates.sort(key=lambda pair: (_place(need, pair[0]), -_mean(pair[1]), pair[0].name))
    app, row = candidates[0]
    level = [other.app for _, other in candidates[1:] if row and other and _level(row, other)]
    return Choice(need, app, row, tuple(level) if need.by is By.SPEED else (), len(answering) - 1)


def memory(app: App) -> float | None:
    """Sum of the published parts of the GPU memory in decimal gigabytes."""
    parts = (app.card.get("vram") or {}).get("parts") or ()
    return float(sum(part["gb"] for part in parts)) if parts else None


def _place(need: Need, app: App) -> float:
    if need.by is By.CONTEXT:
        return -float(app.card.get("context_tokens") or 0)
    return (memory(app) or 0.0) if need.by is By.MEMORY else 0.0


def _mean(row: Row | None) -> float:
    return row.statistics.mean if row else 0.0


def _level(a: Row, b: Row) -> bool:
    """Whether the two were tested and no difference was shown; without a spread there is no test."""
    result = welch(a.statistics, b.statistics)
    return result is not None and not result.shown
