"""YAML with positions: a strict reader that knows where every value stands.

It walks PyYAML's event stream instead of its loader, so that depth and size are bounded before anything
is built, aliases, tags and duplicate keys are refused where they stand, and each value keeps its line and
column. Plain scalars mean what the platform's reader (sigs.k8s.io/yaml, YAML 1.1) takes them for, except
dates, which stay text as in JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import yaml

from market.problem import Problem
from market.rules.registry import declare, problem
from market.source import SourceText

DEPTH_LIMIT = 40
NODE_LIMIT = 20_000

Path = tuple[str | int, ...]

declare("yaml.syntax", "error", "Not YAML",
        why="Nothing in the file can be read.",
        fix="Correct the syntax here; indent with spaces, quote texts that hold `: ` or `#`.")  # fmt: skip
declare("yaml.tab", "error", "A tab as indentation",
        why="YAML forbids tabs in indentation; readers disagree on what they mean.",
        fix="Indent with spaces.")  # fmt: skip
declare("yaml.duplicate-key", "error", "The same key twice",
        why="Readers silently keep one of the two values, and not all keep the same one.",
        fix="Keep one of them.")  # fmt: skip
declare("yaml.alias", "error", "An anchor, alias or merge key",
        why="A few hundred bytes of aliases unfold into gigabytes, and a diff no longer shows what changed.",
        fix="Write the value out where it is used.")  # fmt: skip
declare("yaml.tag", "error", "An explicit tag",
        why="Tags such as `!!python/object` ask the reader to build objects; data needs none.",
        fix="Delete the tag and quote the value if it must be a text.")  # fmt: skip
declare("yaml.key", "error", "A key that is not a text",
        why="JSON, and so the market index, knows only texts as keys.",
        fix="Quote the key.")  # fmt: skip
declare("yaml.too-deep", "error", "Nested too deep or too large",
        why="The reader bounds its time and memory; no app needs as much.",
        fix="Make the structure flatter or smaller.")  # fmt: skip
declare("yaml.documents", "error", "Not exactly one document",
        why="Only the first document would be read.",
        fix="Keep one document a file and remove other `---` lines.")  # fmt: skip
declare("yaml.number", "error", "A number that JSON cannot carry",
        why="Infinity and NaN have no JSON form; the index would not be readable.",
        fix="Write an ordinary number, or quote the text.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value stands (1-based), where its key stands, and how it was written."""

    line: int
    column: int
    key_line: int = 0
    key_column: int = 0
    raw: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file: its data (JSON types only) and the mark of every value by its path."""

    path: str
    source: SourceText
    data: Any
    marks: Mapping[Path, Mark] = field(repr=False)

    def place(self, path: Path, key: bool = False) -> tuple[int, int]:
        """Line and column of the value (or its key) at ``path``, or of its nearest parent."""
        for end in range(len(path), -1, -1):
            mark = self.marks.get(path[:end])
            if mark is not None:
                if key and mark.key_line:
                    return mark.key_line, mark.key_column
                return mark.line, mark.column
        return 1, 1

    def get(self, *path: str | int, default: Any = None) -> Any:
        """The value at ``path``, or ``default`` when any step is missing or of another kind."""
        return value_at(self.data, path, default)

    def problem(self, rule: str, *path: str | int, message: str, fix: str = "", key: bool = False) -> Problem:
        """A problem of ``rule`` at the place of ``path`` in this file."""
        line, column = self.place(path, key)
        return problem(rule, self.path, line, column, message=message, fix=fix)


def value_at(data: Any, path: Path, default: Any = None) -> Any:
    """The value at ``path`` inside ``data``, or ``default`` when any step is missing or of another kind."""
    for step in path:
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return default
    return data


def parse(source: SourceText) -> tuple[Document | None, tuple[Problem, ...]]:
    """Parse one document. Returns it, unless it cannot be read, and every problem found."""
    builder = _Builder(source.path)
    try:
        for event in yaml.parse(source.text, Loader=yaml.CSafeLoader):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        return None, (*builder.problems, _syntax(source, error))
    except yaml.reader.ReaderError as error:
        found = problem("yaml.control-character", source.path, message=f"character {error.character!r}")
        return None, (*builder.problems, found)
    if builder.refused:
        return None, tuple(builder.problems)
    if builder.documents != 1:
        found = problem("yaml.documents", source.path, message=f"{builder.documents} documents in the file")
        return None, (*builder.problems, found)
    document = Document(source.path, source, builder.root, MappingProxyType(builder.marks))
    return document, tuple(builder.problems)


class _Scalars(yaml.SafeLoader):
    """PyYAML's own resolver and constructors for plain scalars, without a stream."""

    def __init__(self) -> None:
        super().__init__("")

    def value(self, text: str) -> Any:
        tag = self.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
        kind = tag.rpartition(":")[2]
        if kind not in ("bool", "int", "float", "null"):
            return text
        try:
            return self.construct_object(yaml.ScalarNode(tag, text))
        except (ValueError, OverflowError):
            return text


class _Builder:
    """Builds data from events, one container at a time; iterative, so depth cannot exhaust the stack."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.marks: dict[Path, Mark] = {}
        self.root: Any = None
        self.documents = 0
        self.refused = False
        self._stack: list[_Open] = []
        self._nodes = 0
        self._scalars = _Scalars()

    def take(self, event: yaml.Event) -> bool:
        """Take one event; false once reading on makes no sense."""
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                return self.documents <= 1 or self._end_of_first()
            case yaml.AliasEvent():
                self._report("yaml.alias", event, f"alias *{event.anchor}")
                self._place(event, None)
            case yaml.ScalarEvent():
                self._node(event)
                self._place(event, self._scalar(event))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._node(event)
                container: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                path = self._place(event, container)
                self._stack.append(_Open(container, path))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._stack.pop()
        return not self._too_large(event)

    def _end_of_first(self) -> bool:
        return False

    def _too_large(self, event: yaml.Event) -> bool:
        self._nodes += 1
        if len(self._stack) <= DEPTH_LIMIT and self._nodes <= NODE_LIMIT:
            return False
        deep = len(self._stack) > DEPTH_LIMIT
        limit = f"more than {DEPTH_LIMIT} levels" if deep else f"more than {NODE_LIMIT} values"
        self._report("yaml.too-deep", event, limit)
        self.refused = True
        return True

    def _node(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            self._report("yaml.alias", event, f"anchor &{event.anchor}")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._report("yaml.tag", event, f"tag {tag}")

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        if not event.implicit[0]:
            return event.value
        value = self._scalars.value(event.value)
        if isinstance(value, float) and not math.isfinite(value):
            self._report("yaml.number", event, f"{event.value} is not a JSON number")
            return event.value
        return value

    def _place(self, event: yaml.Event, value: Any) -> Path:
        line, column = _start(event)
        raw = event.value if isinstance(event, yaml.ScalarEvent) else None
        plain = isinstance(event, yaml.ScalarEvent) and bool(event.implicit[0])
        if not self._stack:
            self.root = value
            self.marks[()] = Mark(line, column, raw=raw, plain=plain)
            return ()
        top = self._stack[-1]
        if isinstance(top.container, list):
            path = (*top.path, len(top.container))
            top.container.append(value)
            self.marks[path] = Mark(line, column, raw=raw, plain=plain)
            return path
        if not top.has_key:
            return self._key(event, value, top, line, column)
        key, top.has_key = top.key, False
        path = (*top.path, key)
        top.container[key] = value
        self.marks[path] = Mark(line, column, top.key_line, top.key_column, raw, plain)
        return path

    def _key(self, event: yaml.Event, value: Any, top: _Open, line: int, column: int) -> Path:
        key = event.value if isinstance(event, yaml.ScalarEvent) else f"?{line}:{column}"
        if isinstance(event, yaml.ScalarEvent) and key == "<<":
            self._report("yaml.alias", event, "merge key <<")
        elif not isinstance(value, str):
            self._report("yaml.key", event, f"key {key} is not a text")
        if key in top.container:
            first = self.marks[(*top.path, key)]
            self._report("yaml.duplicate-key", event, f"key {key!r} stands already on line {first.key_line}")
        top.key, top.key_line, top.key_column, top.has_key = key, line, column, True
        return (*top.path, key, "key")

    def _report(self, rule: str, event: yaml.Event, message: str) -> None:
        self.problems.append(problem(rule, self.path, *_start(event), message=message))


@dataclass(slots=True)
class _Open:
    """A container whose end has not been seen."""

    container: Any
    path: Path
    has_key: bool = False
    key: str = ""
    key_line: int = 0
    key_column: int = 0


def _start(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _syntax(source: SourceText, error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    text = source.line(line)
    indentation = text[: len(text) - len(text.lstrip())]
    if "\t" in indentation:
        at = indentation.index("\t") + 1
        return problem("yaml.tab", source.path, line, at, message="the line is indented with a tab")
    message = " ".join(part for part in (error.context, error.problem) if part)
    return problem("yaml.syntax", source.path, line, column, message=message)


def walk(document: Document) -> Iterator[tuple[Path, Any, Mark]]:
    """Every value of a document with its path and mark, in file order."""
    for path, mark in document.marks.items():
        yield path, document.get(*path), mark
