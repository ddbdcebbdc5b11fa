"""Mechanical corrections of a contributor's files, keeping comments and layout.

Only what has exactly one right answer is touched: quotes around texts that YAML would read as numbers, the
version in the manifest, the spelling of locales, the order of top-level keys, line ends, and the final
newline. Each correction is a function from a text to a text that leaves a corrected text alone, so that a
second run changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from market import schema
from market.files import write_atomic
from market.source import SourceText, read_file
from market.yamldoc import Document, parse

DOCUMENTS = (
    ("app.yaml", "app-card"),
    ("chart/Chart.yaml", "chart"),
    ("chart/OlaresManifest.yaml", "manifest"),
    ("chart/values.yaml", "values"),
)
LOCALE = re.compile(r"([A-Za-z]{2})[-_]([A-Za-z]{2})")


@dataclass(frozen=True, slots=True)
class Fixed:
    """One corrected file: its path below the catalog, and what was corrected."""

    path: str
    corrections: tuple[str, ...]


def fix(root: Path) -> tuple[Fixed, ...]:
    """Correct every app below ``root`` and write what changed, each file atomically."""
    folders = sorted(path for path in (root / "apps").iterdir() if path.is_dir() and not path.is_symlink())
    return tuple(found for folder in folders for found in _app(root, f"apps/{folder.name}"))


def _app(root: Path, folder: str) -> Iterator[Fixed]:
    version = _version(root, folder)
    reports = sorted((root / folder / "bench").glob("*.yaml"))
    texts = sorted((root / folder / "chart" / "i18n").glob("*/OlaresManifest.yaml"))
    for path, name in (
        *((f"{folder}/{path}", name) for path, name in DOCUMENTS),
        *((str(path.relative_to(root)), "bench-report") for path in reports),
        *((str(path.relative_to(root)), "i18n") for path in texts),
    ):
        file, problems = read_file(root, path)
        if file is None or problems:
            continue
        try:
            before = file.data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        after, corrections = corrected(before, name, version if name == "manifest" else None)
        if after != before:
            write_atomic(root / path, after.encode())
            yield Fixed(path, corrections)


def corrected(text: str, schema_name: str, version: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Correct one file's text; ``version`` is the one that a manifest must carry."""
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("line ends", lambda value: value.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")),
        ("final newline", lambda value: value.rstrip("\n") + "\n" if value.strip() else value),
        ("quotes", lambda value: _quoted(value, schema_name)),
        ("version", lambda value: _with_version(value, version)),
        ("locales", _spelt_locales),
        ("key order", lambda value: _ordered(value, schema_name)),
    )
    done = []
    for name, step in steps:
        result = step(text)
        if result != text:
            done.append(name)
            text = result
    return text, tuple(done)


def _quoted(text: str, schema_name: str) -> str:
    """Quote plain scalars where the schema wants a text and YAML reads something else."""
    document = _parsed(text)
    if document is None:
        return text
    wrong = [path for path, wanted in schema.type_faults(document, schema_name) if "string" in wanted]
    edits = []
    for path in wrong:
        mark = document.marks[path]
        if mark.plain and mark.raw is not None and mark.raw:
            edits.append((mark.line, mark.column, mark.raw, f'"{mark.raw}"'))
    return _edited(text, edits)


def _with_version(text: str, version: str | None) -> str:
    document = _parsed(text)
    if document is None or version is None:
        return text
    mark = document.marks.get(("metadata", "version"))
    if mark is None or not mark.raw or mark.raw == version:
        return text
    return _edited(text, [(mark.line, mark.column + (0 if mark.plain else 1), mark.raw, version)])


def _spelt_locales(text: str) -> str:
    """Spell locales of ``spec.locale`` as BCP 47 does: language in small, region in capital letters."""
    document = _parsed(text)
    if document is None:
        return text
    edits = []
    for index, value in enumerate(document.get("spec", "locale", default=[]) or []):
        match = LOCALE.fullmatch(value) if isinstance(value, str) else None
        right = f"{match[1].lower()}-{match[2].upper()}" if match else value
        if right != value:
            mark = document.marks["spec", "locale", index]
            edits.append((mark.line, mark.column + (0 if mark.plain else 1), value, right))
    return _edited(text, edits)


def _ordered(text: str, schema_name: str) -> str:
    """Bring top-level keys into the schema's order; a comment moves with the key below it."""
    document = _parsed(text)
    if document is None or not isinstance(document.data, dict) or "\n---" in f"\n{text}"[1:]:
        return text
    order = list(schema.load(schema_name).get("properties", {}))
    keys = list(document.data)
    wanted = sorted(keys, key=lambda key: (order.index(key) if key in order else len(order), keys.index(key)))
    if wanted == keys:
        return text
    lines = text.split("\n")
    starts = [_block_start(lines, document.marks[(key,)].key_line - 1) for key in keys]
    if any(document.marks[(key,)].key_column != 1 for key in keys) or starts != sorted(set(starts)):
        return text
    ends = [*starts[1:], len(lines) - 1]
    blocks = {key: lines[start:end] for key, start, end in zip(keys, starts, ends, strict=True)}
    ordered = [line for key in wanted for line in blocks[key]]
    return "\n".join([*lines[: starts[0]], *ordered, *lines[ends[-1] :]])


def _block_start(lines: list[str], line: int) -> int:
    """The first line of the comment that stands directly above a key, not above the file's first key."""
    start = line
    while start > 0 and lines[start - 1].startswith("#"):
        start -= 1
    return start if start > 0 else line


def _edited(text: str, edits: list[tuple[int, int, str, str]]) -> str:
    lines = text.split("\n")
    for line, column, old, new in sorted(edits, reverse=True):
        found = lines[line - 1]
        if found[column - 1 :].startswith(old):
            lines[line - 1] = found[: column - 1] + new + found[column - 1 + len(old) :]
    return "\n".join(lines)


def _parsed(text: str) -> Document | None:
    document, problems = parse(SourceText("", text))
    return None if problems else document


def _version(root: Path, folder: str) -> str | None:
    file, _ = read_file(root, f"{folder}/chart/Chart.yaml")
    if file is None:
        return None
    document = _parsed(file.data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n"))
    mark = document.marks.get(("version",)) if document else None
    return mark.raw if mark else None
