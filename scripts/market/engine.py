"""Engines with their descent, and which of two versions of an engine came first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BUILD = re.compile(r"(?:^|[-:_])b([0-9]{3,6})(?![0-9a-z])")
_NUMBERS = re.compile(r"v?([0-9]+(?:\.[0-9]+)+)(?:[-.]?(rc|a|b|alpha|beta|preview|post)[-.]?([0-9]*))?")
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "preview": 1, "rc": 2, "": 3, "post": 4}


@dataclass(frozen=True, slots=True)
class Release:
    """A version as its engine names it: a build number, a dotted version, a commit. ``date`` is ISO, or empty."""

    text: str
    date: str = ""

    @property
    def build(self) -> int | None:
        """The number of a llama.cpp build, such as 9310 for ``b9310``."""
        match = _BUILD.search(self.text)
        return int(match[1]) if match else None

    @property
    def numbers(self) -> tuple[tuple[int, ...], int, int] | None:
        """A dotted version with its stage, in the order of release; ``None`` where it is none."""
        match = _NUMBERS.match(self.text)
        if not match:
            return None
        # Long digit strings are no versions, and int() is slow on them.
        parts = tuple(int(part[:9]) for part in match[1].split("."))
        while parts and parts[-1] == 0:
            parts = parts[:-1]
        return parts, _STAGES[match[2] or ""], int((match[3] or "0")[:9])

    def compare(self, other: Release) -> int | None:
        """Negative when this came before the other, 0 when they are the same, ``None`` when it cannot be told.

        Build numbers and dotted versions decide; dates decide where at least one side has neither in common.
        """
        if self.text == other.text:
            return 0
        for one, two in ((self.build, other.build), (self.numbers, other.numbers)):
            if one is not None and two is not None:
                return (one > two) - (one < two)  # type: ignore[operator]
        if self.date and other.date and self.date != other.date:
            return 1 if self.date > other.date else -1
        return None


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of data/engines.yaml. ``lineage`` starts with its own id and ends with the first ancestor."""

    id: str
    lineage: tuple[str, ...]
    images: Mapping[str, str]
    dates: Mapping[str, str]

    def release(self, version: str) -> Release:
        """A version of this engine with its date, where that is recorded."""
        return Release(version, self.dates.get(version, ""))

    def is_a(self, *ids: str) -> bool:
        """Whether it is one of these engines or descends from one."""
        return any(id in self.lineage for id in ids)


def engines(data: Mapping[str, Any]) -> dict[str, Engine]:
    """The engines of data/engines.yaml by id; entries of another form are left out."""
    entries = {entry["id"]: entry for entry in _entries(data.get("engines")) if isinstance(entry.get("id"), str)}
    return {
        id: Engine(id, tuple(_lineage(id, entries)), dict(_known(entry, "image")), dict(_known(entry, "date")))
        for id, entry in entries.items()
    }


def _lineage(id: str, entries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    while id in entries and id not in seen:
        seen.add(id)
        yield id
        id = str(entries[id].get("parent"))


def _known(entry: Mapping[str, Any], key: str) -> Iterator[tuple[str, str]]:
    for version in _entries(entry.get("versions")):
        if isinstance(version.get("version"), str) and isinstance(version.get(key), str):
            yield version["version"], version[key]


def _entries(value: Any) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, Sequence) else []
