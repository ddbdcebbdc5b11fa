"""Manifests before form 0.12.0 are Helm templates: they are rendered for both kinds of owner.

The platform renders such a manifest twice, as the admin's own installation and as another user's, and both
must be sound. So that a problem in the rendered text can be shown where its author wrote it, each line of
the source ends in a mark that Helm carries through. Marks stand where they cannot change the rendering:
outside actions, and never between an action and white space that it trims.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from types import MappingProxyType
from typing import Final

from market.archive import pack
from market.helm import Job, Rendering
from market.problem import Problem
from market.rules.registry import declare, problem
from market.scenario import ADMIN
from market.source import SourceText
from market.yamldoc import Document, Mark, parse

Render = Callable[[Sequence[Job]], tuple[Rendering, ...]]

OWNERS: Final = {ADMIN: "owner is the admin", "user": "owner is not the admin"}
TEMPLATE: Final = "templates/OlaresManifest.yaml"

declare("olares.manifest-render", "error", "A manifest template that Helm cannot render",
        why="Before form 0.12.0 the platform renders the manifest with Helm, for an admin and for another "
            "user; an app whose manifest does not render cannot be installed.",
        fix="Correct the template. Only `.Values.admin` and `.Values.bfl.username` are given; guard "
            "anything else with `if`, or move to form 0.12.0, which has no templates.",
        source="Olares framework/oac, dualOwnerPipeline")  # fmt: skip

_OPENING: Final = re.compile(r"\{\{")
_INSIDE: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])*'|\}\}", re.S)
_COMMENT: Final = re.compile(r"\{\{(?:- )?/\*.*?\*/(?: -)?\}\}", re.S)
_PLACE: Final = re.compile(r"OlaresManifest\.yaml:(?P<line>\d+)(?::(?P<column>\d+))?\)?:?\s*(?:executing \"[^\"]*\" )?")
_PRIVATE_USE: Final = range(0xE000, 0xF8FF)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one kind of owner gets: the rendered manifest with positions in the source, and problems."""

    owner: str
    document: Document | None
    problems: tuple[Problem, ...]


def has_actions(text: str) -> bool:
    """Whether Helm would change anything in a text."""
    return "{{" in text


def read(sources: Sequence[tuple[str, SourceText]], render: Render) -> tuple[tuple[Reading, ...], ...]:
    """Render and parse manifests, given with their app's name, for each kind of owner.

    Raises:
        MarketError: the Helm engine cannot be started.
    """
    marked = [_Marked.of(source) for _, source in sources]
    jobs = [
        (_chart(one.text), name, {"admin": ADMIN, "bfl": {"username": owner}})
        for (name, _), one in zip(sources, marked, strict=True)
        for owner in OWNERS
    ]
    results = iter(render(jobs))
    return tuple(tuple(one.reading(owner, next(results)) for owner in OWNERS) for one in marked)


def actions(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every template action, strings and comments inside it respected."""
    at = 0
    while opening := _OPENING.search(text, at):
        start = opening.start()
        comment = _COMMENT.match(text, start)
        end = comment.end() if comment else _end_of_action(text, opening.end())
        yield start, end
        at = end


@dataclass(frozen=True, slots=True)
class _Marked:
    """A source with a mark at the end of its lines; ``sign`` encloses a line's number."""

    source: SourceText
    text: str
    sign: str

    @classmethod
    def of(cls, source: SourceText) -> _Marked:
        sign = next(chr(code) for code in _PRIVATE_USE if chr(code) not in source.text)
        spans = list(actions(source.text))
        starts = [start for start, _ in spans]
        pieces, start = [], 0
        for number, line in enumerate(source.text.split("\n"), 1):
            end = start + len(line.rstrip())
            pieces.append(source.text[start:end])
            before = bisect_left(starts, end) - 1
            is_inside = before >= 0 and end < spans[before][1]
            if line.strip() and not is_inside and not source.text.endswith("-}}", start, end):
                pieces.append(f"{sign}{number}{sign}")
            pieces.append(source.text[end : start + len(line)] + "\n")
            start += len(line) + 1
        return cls(source, "".join(pieces)[:-1], sign)

    def reading(self, owner: str, rendering: Rendering) -> Reading:
        if rendering.error:
            return Reading(owner, None, (self._refusal(rendering.error),))
        text = next(text for path, text in rendering.documents.items() if path.endswith(TEMPLATE))
        places = self._unmark(text)
        document, problems = parse(SourceText(self.source.path, "\n".join(places.rendered)))
        moved = tuple(places.problem(one) for one in problems)
        return Reading(owner, places.document(document) if document else None, moved)

    def _unmark(self, text: str) -> _Places:
        """Take the marks out again, noting which line of the source each stretch of the text comes from."""
        found = re.compile(f"{self.sign}([0-9]+){self.sign}")
        rendered: list[str] = []
        stretches: list[tuple[tuple[int, int], ...]] = []
        # A stretch without a mark was made by the action that ends at the next mark.
        following = self.source.text.count("\n") + 1
        for line in reversed(text.split("\n")):
            pieces = found.split(line)
            origins = [int(number) for number in pieces[1::2]] + [following]
            starts = [0, *accumulate(len(piece) for piece in pieces[0:-1:2])]
            rendered.append("".join(pieces[::2]))
            stretches.append(tuple(zip(starts, origins, strict=True)))
            following = origins[0]
        return _Places(self.source, rendered[::-1], stretches[::-1])

    def _refusal(self, error: str) -> Problem:
        match = _PLACE.search(error)
        line, column = (int(match["line"]), int(match["column"] or 0) + 1) if match else (1, 1)
        said = " ".join(error[match.end() :].split()) if match else " ".join(error.split())
        return problem("olares.manifest-render", self.source.path, line, column, message=said[:300])


@dataclass(frozen=True, slots=True)
class _Places:
    """From places in a rendered text to places in its source: where stretches start, and their lines."""

    source: SourceText
    rendered: Sequence[str]
    stretches: Sequence[tuple[tuple[int, int], ...]]

    def place(self, line: int, column: int) -> tuple[int, int]:
        """The same text in the source or, where an action made it, the action."""
        at = min(max(line, 1), len(self.rendered)) - 1
        stretches = self.stretches[at]
        start, number = stretches[max(bisect_right(stretches, column - 1, key=itemgetter(0)) - 1, 0)]
        origin, before = self.source.line(number), self.rendered[at][start : column - 1]
        indent = len(origin) - len(origin.lstrip())
        if origin.startswith(before):
            return number, len(before) + 1
        if origin.startswith(before, indent):
            return number, indent + len(before) + 1
        return number, max(origin.find("{{"), 0) + 1

    def document(self, document: Document) -> Document:
        marks = {path: self._mark(mark) for path, mark in document.marks.items()}
        return replace(document, source=self.source, marks=MappingProxyType(marks))

    def problem(self, one: Problem) -> Problem:
        line, column = self.place(one.line, one.column)
        return replace(one, line=line, column=column)

    def _mark(self, mark: Mark) -> Mark:
        line, column = self.place(mark.line, mark.column)
        if not mark.key_line:
            return replace(mark, line=line, column=column)
        key_line, key_column = self.place(mark.key_line, mark.key_column)
        return replace(mark, line=line, column=column, key_line=key_line, key_column=key_column)


def _end_of_action(text: str, at: int) -> int:
    while match := _INSIDE.search(text, at):
        if match[0] == "}}":
            return match.end()
        at = match.end()
    return len(text)


def _chart(manifest: str) -> bytes:
    files = {
        "Chart.yaml": b"apiVersion: v2\nname: manifest\nversion: 0.0.1\n",
        TEMPLATE: manifest.encode(),
    }
    return pack("manifest", "0.0.1", files).data
