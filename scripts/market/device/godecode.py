"""Decoding as Go's ``encoding/json`` does it into declared types.

A type is declared as data (``Struct``, ``MapOf``, ``SliceOf``, ``Kind``), the decoder walks type and text
together. Where Go stops at the first fault of a reply, this reports them all. It never raises for bad
input. Its verdicts were compared with those of Go 1.26 on generated texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from market.device.deviation import Fault, key_path
from market.device.gojson import EscapedText, JsonError, Members, Node, Number, kind_of, parse, plain
from market.device.gotime import is_go_time

WHY = "Go's decoder refuses the whole reply, so the device drops the source until the next cycle"

_INT = re.compile(r"-?[0-9]+")
_INT64 = range(-(2**63), 2**63)


class Kind(Enum):
    """Go's scalar types, and ``any``."""

    STRING = "string"
    INT = "int"
    BOOL = "bool"
    TIME = "time.Time"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class MapOf:
    """``map[string]V``."""

    value: GoType


@dataclass(frozen=True, slots=True)
class SliceOf:
    """``[]V``."""

    item: GoType


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct: JSON names of its fields, in order, with their types."""

    fields: Mapping[str, GoType]


GoType: TypeAlias = "Kind | MapOf | SliceOf | Struct"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The value Go would hold, zero values filled in, and every fault that makes Go refuse the text."""

    value: Any
    faults: tuple[Fault, ...]


def decode(data: bytes, kind: GoType, why: str = WHY) -> Decoded:
    """Decode a reply's bytes into a declared type.

    A struct becomes a dict with every declared field, a map a dict, a slice a list, a time its text.
    """
    try:
        node = parse(data)
    except JsonError as error:
        return Decoded(zero(kind), (Fault("$", f"not JSON at character {error.offset}: {error}", why),))
    walk = _Walk([])
    value = walk.into(kind, node, zero(kind), "$")
    return Decoded(value, tuple(Fault(path, message, why) for path, message in walk.wrong))


def zero(kind: GoType) -> Any:
    """Return Go's zero value of a type (maps and slices empty, times empty text)."""
    if isinstance(kind, Struct):
        return {name: zero(field) for name, field in kind.fields.items()}
    if isinstance(kind, MapOf):
        return {}
    if isinstance(kind, SliceOf):
        return []
    return {Kind.STRING: "", Kind.INT: 0, Kind.BOOL: False, Kind.TIME: "", Kind.ANY: None}[kind]


def fold(name: str) -> str:
    """Fold a key as Go does to match struct fields: case, and the two letters that fold to ASCII."""
    simple = name.replace("\u017f", "s").replace("\u212a", "k")
    return "".join(letter.upper() if letter.isascii() else letter for letter in simple)


@dataclass(frozen=True, slots=True)
class _Walk:
    """One walk over type and text; ``wrong`` collects (path, message)."""

    wrong: list[tuple[str, str]]

    def into(self, kind: GoType, node: Node, old: Any, path: str) -> Any:
        """Decode a node over the value that is there already, as Go does for a duplicate key."""
        if node is None:
            return old if isinstance(kind, Struct) or kind in _SCALARS else zero(kind)
        if isinstance(kind, Struct):
            return self._struct(kind, node, old, path)
        if isinstance(kind, MapOf):
            return self._map(kind, node, old, path)
        if isinstance(kind, SliceOf):
            return self._slice(kind, node, old, path)
        return self._scalar(kind, node, old, path)

    def _struct(self, kind: Struct, node: Node, old: Any, path: str) -> Any:
        if not isinstance(node, Members):
            return self._mismatch("object", node, old, path)
        folded: dict[str, str] = {}
        for name in kind.fields:
            folded.setdefault(fold(name), name)
        value = dict(old)
        for key, child in node.pairs:
            name = key if key in kind.fields else folded.get(fold(key), "")
            if name:
                value[name] = self.into(kind.fields[name], child, value[name], key_path(path, key))
        return value

    def _map(self, kind: MapOf, node: Node, old: Any, path: str) -> Any:
        if not isinstance(node, Members):
            return self._mismatch("object (a Go map)", node, old, path)
        value = dict(old)
        for key, child in node.pairs:
            value[key] = self.into(kind.value, child, zero(kind.value), key_path(path, key))
        return value

    def _slice(self, kind: SliceOf, node: Node, old: Any, path: str) -> Any:
        if not isinstance(node, tuple):
            return self._mismatch("array", node, old, path)
        before = [*old, *(zero(kind.item) for _ in node[len(old) :])]
        pairs = enumerate(zip(node, before, strict=False))
        return [self.into(kind.item, child, there, f"{path}[{index}]") for index, (child, there) in pairs]

    def _scalar(self, kind: Kind, node: Node, old: Any, path: str) -> Any:
        if kind is Kind.ANY:
            self._check_any(node, path)
            return plain(node)
        if kind is Kind.TIME:
            return self._time(node, old, path)
        if kind is Kind.INT:
            return self._int(node, old, path)
        wanted = bool if kind is Kind.BOOL else str
        if not isinstance(node, wanted):
            return self._mismatch(kind.value, node, old, path)
        return str(node) if isinstance(node, str) else node

    def _int(self, node: Node, old: Any, path: str) -> Any:
        if not isinstance(node, Number):
            return self._mismatch("int", node, old, path)
        if not _INT.fullmatch(node.text) or len(node.text) > 20 or int(node.text) not in _INT64:
            self.wrong.append((path, f"expected a whole number (Go int), found {_shown(node)}"))
            return old
        return int(node.text)

    def _time(self, node: Node, old: Any, path: str) -> Any:
        if not isinstance(node, str):
            return self._mismatch("RFC 3339 time", node, old, path)
        if isinstance(node, EscapedText) or not is_go_time(node):
            how = " written with a backslash escape" if isinstance(node, EscapedText) else ""
            self.wrong.append((path, f"expected an RFC 3339 time with a zone, found {_shown(node)}{how}"))
            return old
        return str(node)

    def _check_any(self, node: Node, path: str) -> None:
        if isinstance(node, Number) and float(node.text) in _INFINITE:
            self.wrong.append((path, f"number {_shown(node)} does not fit a float64"))
        elif isinstance(node, Members):
            for key, child in node.pairs:
                self._check_any(child, key_path(path, key))
        elif isinstance(node, tuple):
            for index, child in enumerate(node):
                self._check_any(child, f"{path}[{index}]")

    def _mismatch(self, wanted: str, node: Node, old: Any, path: str) -> Any:
        self.wrong.append((path, f"expected {wanted}, found {_shown(node)}"))
        return old


_SCALARS = (Kind.STRING, Kind.INT, Kind.BOOL, Kind.TIME)
_INFINITE = (float("inf"), float("-inf"))


def _shown(node: Node) -> str:
    kind = kind_of(node)
    if isinstance(node, Members | tuple):
        return f"{kind} {'{…}' if isinstance(node, Members) else '[…]'}" if _size(node) else f"empty {kind}"
    text = node.text if isinstance(node, Number) else str(node)
    text = text if len(text) <= 40 else text[:39] + "…"
    return f'{kind} "{text}"' if isinstance(node, str) else f"{kind} {text.lower()}"


def _size(node: Members | tuple[Node, ...]) -> int:
    return len(node.pairs if isinstance(node, Members) else node)
