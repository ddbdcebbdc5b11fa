"""What an earlier build made, found again by what it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from jinja2 import BytecodeCache, FileSystemBytecodeCache

from market.files import write_atomic
from market.paths import PROJECT
from market.site.compiled import compiled

_PROGRAM: Final = ("scripts/market", "data")
_TOOLS: Final = ("Jinja2", "Markdown", "nh3")


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of such things; without one everything is made anew."""

    folder: Path | None = None

    def get(self, kind: str, made_from: bytes, make: Callable[[], bytes]) -> bytes:
        """What was made from the same bytes before, or else now. ``kind`` names the part of the folder."""
        if self.folder is None:
            return make()
        file = self.folder / kind / hashlib.sha256(made_from).hexdigest()
        try:
            return file.read_bytes()
        except FileNotFoundError:
            made = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, made)
        return made

    def written(self, kind: str, of: str, make: Callable[[], str]) -> str:
        """A text that this program, as it is, wrote of another one before, or writes now."""
        return self.get(kind, _program() + of.encode(), lambda: make().encode()).decode()

    @property
    def templates(self) -> BytecodeCache:
        """Our templates as code."""
        if self.folder is None:
            return compiled()
        folder = self.folder / "templates"
        folder.mkdir(parents=True, exist_ok=True)
        return FileSystemBytecodeCache(str(folder))


@cache
def _program() -> bytes:
    """The hash of all code and data of this program, and of the tools that it writes with."""
    hashed = hashlib.sha256(" ".join(f"{tool} {version(tool)}" for tool in _TOOLS).encode())
    for folder in _PROGRAM:
        for path in sorted((PROJECT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                hashed.update(f"\n{path.relative_to(PROJECT).as_posix()}\n".encode() + path.read_bytes())
    return hashed.digest()
