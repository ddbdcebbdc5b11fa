"""The authored pages and what lies beside them, below docs/<language>/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from market.problem import Problem
from market.site.language import Language
from market.source import decode, scan


@dataclass(frozen=True, slots=True)
class Authored:
    """One language's pages (Markdown with expressions) and other files, by path below docs/<language>/."""

    folder: str
    pages: Mapping[str, str]
    companions: Mapping[str, bytes]


def exists(root: Path) -> bool:
    """Whether the repository has authored pages at all."""
    return any((root / "docs" / code).is_dir() for code in ("fr", "en"))


def read(root: Path, language: Language) -> tuple[Authored, tuple[Problem, ...]]:
    """Read a language's pages; a file that cannot be read is a problem and is left out."""
    folder = f"docs/{language.code}"
    files, found = scan(root, folder)
    problems = list(found)
    pages: dict[str, str] = {}
    companions: dict[str, bytes] = {}
    for file in files:
        path = file.path.removeprefix(f"{folder}/")
        if not path.endswith(".md"):
            companions[path] = file.data
            continue
        text, found = decode(file)
        problems.extend(found)
        if text is not None:
            pages[path] = text.text
    return Authored(folder, pages, companions), tuple(problems)
