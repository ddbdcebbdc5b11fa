"""The variables of a shell script and what words expand to (POSIX.1-2024, sections 2.6.2 and 2.6.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from market.shelltoken import Fragment, Kind, Token

Value = str | list[str] | None
"""A variable: a text, an array, or a value that cannot be known."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command. ``line`` counts from 0 in the script; ``unknown`` names what could not be told."""

    text: str
    line: int = 0
    unknown: tuple[str, ...] = ()


class Variables:
    """Variables and positional parameters at one point of a script.

    ``is_certain`` is false inside a branch: what is set there is kept, and named as unknown where it is used.
    """

    def __init__(self, environment: Mapping[str, str | None], positional: tuple[str, ...]) -> None:
        self.positional = positional
        self.is_certain = True
        self._variables: dict[str, Value] = dict(environment)
        self._unsure: set[str] = set()

    def assign(self, values: Mapping[str, Value]) -> None:
        """Set variables."""
        for name, value in values.items():
            if not self.is_certain and self._variables.get(name) != value:
                self._unsure.add(name)
            elif self.is_certain:
                self._unsure.discard(name)
            self._variables[name] = value

    def value(self, name: str) -> Value:
        """The value of a variable."""
        return self._variables.get(name)

    def text(self, name: str) -> str | None:
        """The value as a single text."""
        return plain(self._variables.get(name))

    def joined(self, name: str, fragments: Sequence[Fragment], adds: bool, own: Mapping[str, Value]) -> Value:
        """The value of an assignment; ``None`` once a part of it is unknown."""
        text, unknown = self._one(fragments)
        if unknown:
            return None
        before = own.get(name, self._variables.get(name)) if adds else ""
        return None if before is None and name in self._variables else f"{plain(before) or ''}{text}"

    def _one(self, fragments: Sequence[Fragment]) -> tuple[str, tuple[str, ...]]:
        """Fragments as a single text, without splitting."""
        texts, unknown = [], []
        for part in fragments:
            values, missing = self._values(part)
            texts.append(" ".join(values))
            unknown += missing
        return "".join(texts), tuple(unknown)

    def words(self, token: Token) -> Sequence[Word]:
        """The fields that a token expands to (POSIX 2.6.5)."""
        fields: list[str] = []
        current: str | None = None
        unknown: list[str] = []
        for part in token.fragments:
            values, missing = self._values(part)
            unknown += missing
            if part.kind is Kind.TEXT or part.quoted:
                for index, value in enumerate(values):
                    if index:
                        fields.append(current or "")
                        current = ""
                    current = (current or "") + value
                continue
            text = " ".join(values)
            pieces = text.split()
            if text[:1].isspace() and current is not None:
                fields.append(current)
                current = None
            for index, piece in enumerate(pieces):
                if index:
                    fields.append(current or "")
                    current = ""
                current = (current or "") + piece
            if text[-1:].isspace() and pieces and current is not None:
                fields.append(current)
                current = None
        if current is not None:
            fields.append(current)
        return [Word(text, token.line, tuple(unknown)) for text in fields]

    def _values(self, part: Fragment) -> tuple[list[str], list[str]]:
        """What a fragment expands to, and what in it is unknown."""
        if part.kind is Kind.TEXT:
            return [part.text], []
        if part.kind is Kind.OPAQUE:
            return [part.text], [part.text]
        value, known = self._lookup(part.name)
        if part.operator.endswith("+"):
            return self._alternative(part, bool(value) if ":" in part.operator else value is not None)
        is_missing = known and (value is None or (":" in part.operator and not plain(value)))
        if is_missing and part.operator in ("-", ":-", "=", ":="):
            text, unknown = self._one(part.default)
            if part.operator.endswith("="):
                self.assign({part.name: None if unknown else text})
            return [text], list(unknown)
        if not known or value is None:
            return [part.text], [part.name]
        missing = [part.name] if part.name in self._unsure else []
        if isinstance(value, list):
            return (value if part.is_all else value[:1]), missing
        return [value], missing

    def _alternative(self, part: Fragment, is_set: bool) -> tuple[list[str], list[str]]:
        if not is_set:
            return [""], []
        text, unknown = self._one(part.default)
        return [text], list(unknown)

    def _lookup(self, name: str) -> tuple[Value, bool]:
        """A variable's value, and whether it is known at all: an unset variable is known to be unset."""
        if name in ("@", "*"):
            return list(self.positional[1:]), True
        if name.isdigit():
            index = int(name)
            return (self.positional[index], True) if index < len(self.positional) else ("", True)
        if name in self._variables:
            value = self._variables[name]
            return value, value is not None
        return None, name.replace("_", "a").isalnum()


def plain(value: Value) -> str | None:
    """A value as a single text; the first one of an array."""
    return value[0] if isinstance(value, list) and value else value if isinstance(value, str) else None
