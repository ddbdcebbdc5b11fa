"""The manifest of a release: the digest of every file, in a form that has exactly one encoding."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from market.canonical import encode
from market.errors import MarketError
from market.provenance.untrusted import UntrustedError

MANIFEST = "api/manifest"
RELEASE = "api/release"
OUTSIDE = frozenset({MANIFEST, RELEASE})
"""Files that no manifest lists: itself, and the statement that names it."""
LIMIT = 8 * 1024**2
"""Bytes of an encoded manifest; one of 3,000 files has about 400 KB."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIECE = 1024**2


@dataclass(frozen=True, slots=True)
class Digest:
    """What a file must be: SHA-256 in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


def digest(data: bytes) -> Digest:
    """The digest of some bytes."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))


@dataclass(frozen=True)
class Manifest:
    """The digests of a release's files by their path below dist/, with ``/``."""

    files: Mapping[str, Digest]

    def encode(self) -> bytes:
        """The one encoding: JSON in UTF-8, sorted keys, no space."""
        return self._encoded

    @property
    def id(self) -> str:
        """SHA-256 of the encoding, in hexadecimal: it stands for the whole release."""
        return hashlib.sha256(self._encoded).hexdigest()

    @cached_property
    def _encoded(self) -> bytes:
        files = {path: {"sha256": one.sha256, "size": one.size} for path, one in self.files.items()}
        return encode({"files": files})


def of_folder(folder: Path) -> Manifest:
    """The manifest of a built folder.

    Raises:
        MarketError: something in it is no regular file, or cannot be read.
    """
    return Manifest(MappingProxyType(dict(sorted(_digests(folder)))))


def from_bytes(data: bytes) -> Manifest:
    """Read an encoded manifest; only the one encoding passes.

    Raises:
        UntrustedError: it is not a manifest, or not in its one encoding.
    """
    if len(data) > LIMIT:
        raise UntrustedError(f"the manifest has {len(data)} bytes; {LIMIT} are read")
    try:
        files = json.loads(data)["files"]
        found = Manifest(MappingProxyType({_path(path): _digest(entry) for path, entry in files.items()}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UntrustedError("the manifest is not a list of files with sha256 and size") from error
    if found.encode() != data:
        raise UntrustedError("the manifest is not in its one encoding (sorted keys, no space)")
    return found


def _digests(folder: Path) -> Iterator[tuple[str, Digest]]:
    for directory, folders, names in os.walk(folder, onerror=_unreadable):
        for name in (*folders, *names):
            if Path(directory, name).is_symlink():
                raise MarketError(f"{Path(directory, name).relative_to(folder)} is a symbolic link")
        for name in names:
            path = Path(directory, name)
            relative = path.relative_to(folder).as_posix()
            if not path.is_file():
                raise MarketError(f"{relative} is not a regular file")
            if relative not in OUTSIDE:
                yield relative, _of_file(path)


def _of_file(path: Path) -> Digest:
    hashed, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            hashed.update(piece)
            size += len(piece)
    return Digest(hashed.hexdigest(), size)


def _unreadable(error: OSError) -> None:
    raise MarketError(f"cannot read {error.filename}: {error.strerror}") from error


def _path(path: str) -> str:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or path in OUTSIDE or any(part in ("", ".", "..") for part in parts):
        raise ValueError(path)
    return path


def _digest(entry: Any) -> Digest:
    sha256, size = entry["sha256"], entry["size"]
    if not (isinstance(sha256, str) and _SHA256.fullmatch(sha256) and type(size) is int and size >= 0):
        raise ValueError(entry)
    return Digest(sha256, size)
