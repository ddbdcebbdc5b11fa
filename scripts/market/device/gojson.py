"""JSON text as Go's scanner reads it, with what the decoder needs and Python's reader drops.

Duplicate keys, the spelling of numbers and the fact that a string was written with escapes are kept,
because Go's decoder looks at all three.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

MAX_DEPTH = 200
"""Levels of nesting that are read. Go stops at 10 000; no market reply needs ten."""

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_EXACT = re.compile(r"-?[0-9]{1,15}")
"""Whole numbers that a float64 holds exactly."""
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class EscapedText(str):
    """A string that was written with at least one backslash; time.Time refuses such text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was spelled."""

    text: str


@dataclass(frozen=True, slots=True)
class Members:
    """An object: its keys and values in the order of the text, duplicates included."""

    pairs: tuple[tuple[str, Node], ...]


Node: TypeAlias = "bool | str | Number | Members | tuple[Node, ...] | None"


class JsonError(ValueError):
    """The text is not one JSON value; ``offset`` counts characters from 0."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def parse(data: bytes) -> Node:
    """Parse one JSON value; invalid UTF-8 in strings becomes U+FFFD, as Go has it.

    Raises:
        JsonError: Go's scanner would refuse the text too (or it is nested deeper than ``MAX_DEPTH``).
    """
    text = data.decode("utf-8", errors="replace")
    if text.startswith("\ufeff"):
        raise JsonError("the reply starts with a byte order mark", 0)
    node, end = _value(text, _skip(text, 0), 0)
    end = _skip(text, end)
    if end < len(text):
        raise JsonError(f"{text[end]!r} after the end of the JSON value", end)
    return node


def kind_of(node: Node) -> str:
    """Name a node's JSON type the way Go's error messages do."""
    if node is None:
        return "null"
    if isinstance(node, bool):
        return "bool"
    if isinstance(node, str):
        return "string"
    if isinstance(node, Number):
        return "number"
    return "object" if isinstance(node, Members) else "array"


def plain(node: Node) -> object:
    """Return a node as Go's ``any`` holds it: the last of duplicate keys wins, numbers are numbers."""
    if isinstance(node, Members):
        return {key: plain(value) for key, value in node.pairs}
    if isinstance(node, tuple):
        return [plain(value) for value in node]
    if isinstance(node, Number):
        return int(node.text) if _EXACT.fullmatch(node.text) else float(node.text)
    return str(node) if isinstance(node, str) else node


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > MAX_DEPTH:
        raise JsonError(f"values are nested deeper than {MAX_DEPTH} levels", at)
    start = text[at : at + 1]
    if start == "{":
        return _object(text, at + 1, depth)
    if start == "[":
        return _array(text, at + 1, depth)
    if start == '"':
        return _string(text, at)
    return _word_or_number(text, at)


def _object(text: str, at: int, depth: int) -> tuple[Members, int]:
    pairs: list[tuple[str, Node]] = []
    at = _skip(text, at)
    if text[at : at + 1] == "}":
        return Members(()), at + 1
    while True:
        key, at = _string(text, _skip(text, at))
        at = _expect(text, _skip(text, at), ":")
        value, at = _value(text, _skip(text, at), depth + 1)
        pairs.append((str(key), value))
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return Members(tuple(pairs)), at + 1
        at = _expect(text, at, ",")


def _array(text: str, at: int, depth: int) -> tuple[tuple[Node, ...], int]:
    items: list[Node] = []
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return (), at + 1
    while True:
        value, at = _value(text, _skip(text, at), depth + 1)
        items.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return tuple(items), at + 1
        at = _expect(text, at, ",")


def _string(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise _unexpected(text, at, "a string")
    raw = match[1]
    if "\\" not in raw:
        return raw, match.end()
    value = _ESCAPE.sub(_unescape, raw)
    if _SURROGATE.search(value):
        value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return EscapedText(value), match.end()


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _SHORT.get(match[2], match[2])


def _word_or_number(text: str, at: int) -> tuple[Node, int]:
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    match = _NUMBER.match(text, at)
    if match is None:
        raise _unexpected(text, at, "a value")
    return Number(match[0]), match.end()


def _expect(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise _unexpected(text, at, f"{mark!r}")
    return at + 1


def _unexpected(text: str, at: int, wanted: str) -> JsonError:
    if at >= len(text):
        return JsonError(f"the text ends where {wanted} is due", at)
    return JsonError(f"{text[at]!r} where {wanted} is due", at)
