"""The options that an engine's server knows, since when, and what they take: data/flags/<engine>.yaml.

The lists come from the engines' own argument parsers, read at a few of their versions. A fork's list adds to
its parent's. What happened between two of these versions is not known, and then nothing is claimed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from market.engine import Release

MANY = -1


class Standing(StrEnum):
    """What an engine's version makes of an option or a value."""

    KNOWN = "known"
    TOO_NEW = "too new"
    GONE = "gone"
    REFUSED = "refused"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Span:
    """When something was there: the first and the last snapshot of ``timeline`` that has it."""

    timeline: tuple[Release, ...] = ()
    since: str = ""
    until: str = ""

    def standing(self, release: Release, is_own: bool) -> Standing:
        """Judge a version. A fork's date says what it cannot have yet, not what it has already dropped."""
        texts = [one.text for one in self.timeline]
        first = texts.index(self.since) if self.since in texts else 0
        if first and not _is_at_least(release, self.timeline[first]):
            before = release.compare(self.timeline[first - 1])
            return Standing.TOO_NEW if before is not None and before <= 0 else Standing.UNSURE
        last = texts.index(self.until) if self.until in texts else len(texts) - 1
        if last + 1 < len(texts) and not _is_at_most(release, self.timeline[last]):
            is_gone = is_own and _is_at_least(release, self.timeline[last + 1])
            return Standing.GONE if is_gone else Standing.UNSURE
        return Standing.KNOWN


@dataclass(frozen=True, slots=True)
class Flag:
    """One option. ``values`` is how many values follow, or ``MANY``; ``owner`` is the engine that has it."""

    names: tuple[str, ...]
    owner: str
    span: Span
    negative: tuple[str, ...] = ()
    values: int = 1
    environment: tuple[str, ...] = ()
    choices: tuple[tuple[str, Span], ...] = ()
    is_list: bool = False
    refused: str = ""
    deprecated: str = ""
    instead: str = ""

    @property
    def name(self) -> str:
        """The spelling that this catalog uses."""
        return self.names[0]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every spelling, those that switch it off included."""
        return self.names + self.negative


@dataclass(frozen=True)
class FlagList:
    """The options of one engine with all that it inherits, by every spelling."""

    engine: str
    is_complete: bool
    timeline: tuple[Release, ...]
    own: frozenset[str]
    flags: Mapping[str, Flag] = field(repr=False)
    uses_equals: bool = False

    def find(self, spelling: str) -> Flag | None:
        """The option of a spelling; underscores count as hyphens, and ``--option.key`` is ``--option``."""
        found = self.flags.get(spelling)
        if found is None and spelling.startswith("--"):
            found = self.flags.get(spelling.replace("_", "-"))
        if found is None and self.uses_equals and "." in spelling:
            found = self.flags.get(spelling.partition(".")[0].replace("_", "-"))
        return found

    def by_variable(self, name: str) -> Flag | None:
        """The option that an environment variable sets."""
        return next((flag for flag in self.flags.values() if name in flag.environment), None)

    def is_own(self, flag: Flag) -> bool:
        """Whether the engine runs the very code whose versions the option's list names."""
        return flag.owner in self.own

    def standing(self, flag: Flag, release: Release) -> Standing:
        """What a version makes of an option."""
        at = _release(flag.span.timeline, flag.refused)
        if at is not None and self.is_own(flag) and _is_at_least(release, at):
            return Standing.REFUSED
        return flag.span.standing(release, self.is_own(flag))

    def is_deprecated(self, flag: Flag, release: Release) -> bool:
        """Whether a version warns about an option."""
        at = _release(flag.span.timeline, flag.deprecated)
        return at is not None and self.is_own(flag) and _is_at_least(release, at)

    def covers(self, release: Release) -> bool:
        """Whether an option that is not in the list is certainly unknown to a version."""
        if not self.is_complete or not self.timeline:
            return False
        return _is_at_least(release, self.timeline[0]) and _is_at_most(release, self.timeline[-1])

    def similar(self, spelling: str) -> str:
        """The option that was probably meant, or an empty text."""
        wanted = spelling.replace("_", "-")
        return next(iter(difflib.get_close_matches(wanted, sorted(self.flags), 1, 0.75)), "")


def _release(timeline: Sequence[Release], text: str) -> Release | None:
    return next((one for one in timeline if one.text == text), None)


def _is_at_least(release: Release, other: Release) -> bool:
    order = release.compare(other)
    return order is not None and order >= 0


def _is_at_most(release: Release, other: Release) -> bool:
    order = release.compare(other)
    return order is not None and order <= 0


def unknown_values(
    flags: FlagList, flag: Flag, values: Iterable[str], release: Release
) -> tuple[tuple[str, bool], ...]:
    """The values that a version does not take, each with whether that is certain.

    A value that is in no list is certainly wrong only where the list is complete for this version.
    """
    known = dict(reversed(flag.choices))
    if not known:
        return ()
    parts = [part for value in values for part in (value.split(",") if flag.is_list else [value])]
    is_sure = flags.covers(release)
    wrong = (Standing.TOO_NEW, Standing.GONE)
    is_own = flags.is_own(flag)
    return tuple(
        (part, part in known or is_sure)
        for part in parts
        if part not in known or known[part].standing(release, is_own) in wrong
    )
