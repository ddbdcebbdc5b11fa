"""Reading data/flags/<engine>.yaml: each fork's list adds to its parent's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from market.engine import Engine, Release
from market.errors import MarketError
from market.flags import MANY, Flag, FlagList, Span
from market.paths import PROJECT
from market.source import decode, read_file
from market.yamldoc import parse

FOLDER = "data/flags"


def flags_of(engine: Engine) -> FlagList | None:
    """The options of an engine, or ``None`` when there is no list for it or an ancestor.

    Raises:
        MarketError: a list cannot be read: this checkout is damaged.
    """
    first = next((id for id in engine.lineage if _read(id) is not None), None)
    return None if first is None else _merged(engine.id, tuple(_chain(first)))


def _chain(first: str | None) -> Iterator[str]:
    """The lists that one adds to, itself first."""
    seen: set[str] = set()
    while first is not None and first not in seen and (data := _read(first)) is not None:
        seen.add(first)
        yield first
        first = data["parent"]


@cache
def _merged(engine: str, chain: tuple[str, ...]) -> FlagList:
    flags: dict[str, Flag] = {}
    own: set[str] = set()
    timeline: tuple[Release, ...] = ()
    for id in reversed(chain):
        data = _read(id) or {}
        spans = tuple(Release(one["version"], str(one.get("date", ""))) for one in data["snapshots"])
        own = {*own, id} if data["complete"] and not data["flags"] else {id}
        timeline = timeline if data["complete"] and not spans else spans
        for entry in data["flags"]:
            _add(flags, _flag(entry, id, spans))
    is_complete = bool((_read(chain[0]) or {}).get("complete")) and engine == chain[0]
    return FlagList(engine, is_complete, timeline, frozenset(own), flags, "vllm" in chain)


def _add(flags: dict[str, Flag], flag: Flag) -> None:
    """Take an option in; it replaces the parent's of the same spelling and keeps the parent's choices."""
    before = [found for name in flag.names if (found := flags.get(name)) is not None]
    if before and flag.choices:
        flag = replace(flag, choices=flag.choices + before[0].choices)
    names = [name for old in before if not old.refused for name in old.names if name not in flag.names]
    flag = replace(flag, names=(*flag.names, *dict.fromkeys(names)))
    flag = replace(flag, environment=flag.environment or (before[0].environment if before else ()))
    for name in flag.spellings:
        flags[name] = flag


def _flag(entry: Mapping[str, Any], owner: str, timeline: tuple[Release, ...]) -> Flag:
    values = entry.get("values", 1)
    return Flag(
        names=tuple(entry["names"]),
        owner=owner,
        span=Span(timeline, entry.get("since", ""), entry.get("until", "")),
        negative=tuple(entry.get("negative", ())),
        values=MANY if values == "many" else values,
        environment=tuple(entry.get("env", ())),
        choices=tuple(_choice(choice, timeline) for choice in entry.get("choices", ())),
        is_list=entry.get("list", False),
        refused=entry.get("refused", ""),
        deprecated=entry.get("deprecated", ""),
        instead=entry.get("instead", ""),
    )


def _choice(choice: Any, timeline: tuple[Release, ...]) -> tuple[str, Span]:
    if isinstance(choice, str):
        return choice, Span()
    return choice["value"], Span(timeline, choice.get("since", ""), choice.get("until", ""))


@cache
def _read(engine: str) -> Mapping[str, Any] | None:
    """The list of one engine as data; the files are our own."""
    path = f"{FOLDER}/{engine}.yaml"
    file, problems = read_file(PROJECT, path)
    if file is None and not problems:
        return None
    text = decode(file)[0] if file else None
    document, more = parse(text) if text else (None, ())
    if document is None or more or not isinstance(document.data, dict):
        raise MarketError(f"{path} cannot be read")
    return document.data


def names() -> tuple[str, ...]:
    """The engines that have a list."""
    return tuple(sorted(path.stem for path in (PROJECT / FOLDER).glob("*.yaml")))
