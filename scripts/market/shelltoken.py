"""The pieces of a shell script: words with their quotes taken apart, and operators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")


class Kind(StrEnum):
    """What a token or a fragment is."""

    WORD = "word"
    OPERATOR = "operator"
    TEXT = "text"
    PARAMETER = "parameter"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a word. ``text`` is the literal text, or an expansion as written.

    A parameter has its ``name``, the ``operator`` of ``${NAME:-default}`` and the fragments of its default;
    ``is_all`` says that it stands for all values of an array. ``OPAQUE`` is what only running could tell.
    """

    kind: Kind
    text: str
    quoted: bool = False
    name: str = ""
    operator: str = ""
    default: tuple[Fragment, ...] = ()
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A word or an operator; ``line`` counts from 0, ``is_spaced`` says that blanks follow."""

    kind: Kind
    line: int
    operator: str = ""
    fragments: tuple[Fragment, ...] = ()
    is_spaced: bool = False

    @property
    def plain(self) -> str:
        """The word when it is literal and unquoted, else an empty text."""
        if len(self.fragments) == 1 and self.fragments[0].kind is Kind.TEXT and not self.fragments[0].quoted:
            return self.fragments[0].text
        return ""

    @property
    def assignment(self) -> tuple[str, bool, tuple[Fragment, ...]] | None:
        """Name, whether it appends (``+=``), and value, if the word is an assignment."""
        if not self.fragments or self.fragments[0].kind is not Kind.TEXT or self.fragments[0].quoted:
            return None
        first = self.fragments[0]
        match = _ASSIGNMENT.match(first.text)
        if match is None:
            return None
        rest = Fragment(Kind.TEXT, first.text[match.end() :])
        return match[1], bool(match[2]), (rest, *self.fragments[1:])
