"""What an earlier build made, found again by what it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import BytecodeCache, FileSystemBytecodeCache

from market.files import write_atomic
from market.paths import PROJECT
from market.site.compiled import compiled

_PROGRAM = ("scripts/market", "data")


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

    @property
    def templates(self) -> BytecodeCache:
        """Our templates as code."""
        if self.folder is None:
            return compiled()
        folder = self.folder / "templates"
        folder.mkdir(parents=True, exist_ok=True)
        return FileSystemBytecodeCache(str(folder))


@cache
def program() -> bytes:
    """The hash of all code and data of this program, for what depends on nothing of a catalog."""
    hashed = hashlib.sha256()
    for folder in _PROGRAM:
        for path in sorted((PROJECT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                hashed.update(f"\n{path.relative_to(PROJECT).as_posix()}\n".encode() + path.read_bytes())
    return hashed.digest()
