"""The text that Helm renders, read as the platform reads it.

Rendered YAML is not a contributor's file: anchors, merge keys and several documents in one text are
legal in it, and plain scalars mean what sigs.k8s.io/yaml (YAML 1.1, go-yaml v2) takes them for: ``yes`` is
true and ``0444`` is 292. Building from events bounds depth and size before anything unfolds, and every
value keeps its line, so that a problem found in an object can be shown where it stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import yaml

TEXT_LIMIT = 4 * 1024 * 1024
"""Characters of one rendered template; etcd refuses objects over 1.5 MiB, Helm releases over 1 MiB."""
DEPTH_LIMIT = 100
NODE_LIMIT = 200_000
"""Values of one text, with every alias counted as what it unfolds to."""

Path = tuple[str | int, ...]

_TRUE = frozenset(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"))
_FALSE = frozenset(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"))
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?(?:0x[0-9a-fA-F]+|0b[01]+|0o[0-7]+|0[0-7]+|0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = frozenset((".nan", ".NaN", ".NAN"))


@dataclass(frozen=True, slots=True)
class Item:
    """One document of a text: its data in JSON types, and the line of each value (of its key) by path."""

    data: Any
    lines: Mapping[Path, int] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Stream:
    """A rendered text. ``error`` says why it could not be read past ``error_line``, or is empty."""

    items: tuple[Item, ...]
    duplicates: tuple[tuple[int, str], ...] = ()
    error: str = ""
    error_line: int = 1


@lru_cache(maxsize=128)
def read(text: str) -> Stream:
    """Read a rendered text. The same template renders alike in most scenarios, so results are kept."""
    if len(text) > TEXT_LIMIT:
        return Stream((), (), f"over {TEXT_LIMIT // 1024**2} MiB of text")
    builder = _Builder()
    error, line = "", 1
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        error, line = str(fault.problem or fault.context or fault), mark.line + 1 if mark else 1
    except yaml.YAMLError as fault:
        error = str(fault).partition("\n")[0]
    except _RefusedError as fault:
        error, line = str(fault), builder.line
    return Stream(tuple(builder.items), tuple(builder.duplicates), error, line)


def scalar(text: str) -> Any:
    """The value of a plain scalar in the platform's reading."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    plain = text.replace("_", "") if text[0] in "-+0123456789" else text
    if _INTEGER.fullmatch(plain):
        return _integer(plain)
    if _FLOAT.fullmatch(plain):
        return float(plain)
    if match := _INFINITY.fullmatch(text):
        return -math.inf if match[1] == "-" else math.inf
    return math.nan if text in _NAN else text


def _integer(text: str) -> int | float:
    if len(text) > 30:
        return float(text)
    digits = text.lstrip("+-")
    is_octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    value = int(digits, 8 if is_octal else 0)
    return -value if text[0] == "-" else value


class _RefusedError(Exception):
    """The text unfolds to more than the limits, or cannot be unfolded."""


@dataclass(slots=True)
class _Open:
    """A container whose end has not been seen."""

    container: Any
    path: Path
    anchor: str | None
    nodes_before: int
    key: str | None = None
    is_merged: bool = False


class _Builder:
    """Builds documents from events; iterative, so depth cannot exhaust the stack."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.duplicates: list[tuple[int, str]] = []
        self.line = 1
        self._stack: list[_Open] = []
        self._lines: dict[Path, int] = {}
        self._root: Any = None
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0

    def take(self, event: yaml.Event) -> None:
        if event.start_mark is not None:
            self.line = event.start_mark.line + 1
        match event:
            case yaml.DocumentStartEvent():
                self._root, self._lines, self._anchors = None, {}, {}
            case yaml.DocumentEndEvent():
                self.items.append(Item(self._root, MappingProxyType(self._lines)))
            case yaml.AliasEvent():
                if event.anchor not in self._anchors:
                    raise _RefusedError(f"unknown anchor {event.anchor}, or one that contains itself")
                value, weight = self._anchors[event.anchor]
                self._count(weight)
                self._place(value, text="")
            case yaml.ScalarEvent():
                self._count(1)
                value = _value(event)
                if event.anchor:
                    self._anchors[event.anchor] = (value, 1)
                self._place(value, text=event.value)
                if event.value == "<<" and event.implicit[0] and self._stack and self._stack[-1].key == "<<":
                    self._stack[-1].is_merged = True
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()

    def _count(self, weight: int) -> None:
        self._nodes += weight
        if self._nodes > NODE_LIMIT or len(self._stack) > DEPTH_LIMIT:
            limit = f"{DEPTH_LIMIT} levels" if len(self._stack) > DEPTH_LIMIT else f"{NODE_LIMIT} values"
            raise _RefusedError(f"more than {limit}")

    def _open(self, container: Any, anchor: str | None) -> None:
        before = self._nodes
        self._count(1)
        path = self._place(container, text="")
        self._stack.append(_Open(container, path, anchor, before))

    def _close(self) -> None:
        done = self._stack.pop()
        for merged in _mappings(done.container.pop("<<")) if done.is_merged else ():
            for key, value in merged.items():
                done.container.setdefault(key, value)
        if done.anchor:
            self._anchors[done.anchor] = (done.container, self._nodes - done.nodes_before)

    def _place(self, value: Any, text: str) -> Path:
        if not self._stack:
            self._root = value
            self._lines[()] = self.line
            return ()
        top = self._stack[-1]
        if isinstance(top.container, list):
            path = (*top.path, len(top.container))
            top.container.append(value)
            self._lines[path] = self.line
        elif top.key is None:
            top.key = _key(value, text)
            path = (*top.path, top.key)
            self._lines[path] = self.line
            if top.key in top.container:
                self.duplicates.append((self.line, top.key))
        else:
            key, top.key = top.key, None
            path = (*top.path, key)
            top.container[key] = value
        return path


def _value(event: yaml.ScalarEvent) -> Any:
    tag = (event.tag or "").rpartition(":")[2]
    if tag in ("int", "float", "bool", "null") or (event.implicit[0] and event.style in (None, "")):
        return scalar(event.value)
    return event.value


def _key(value: Any, text: str) -> str:
    """A key as JSON has it: a text. A container has no such form; it stands under a text that says so."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return "?"
    return value if isinstance(value, str) else text or str(value)


def _mappings(value: Any) -> list[dict[str, Any]]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, dict)]
