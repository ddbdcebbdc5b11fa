"""Reading a contributor's files safely.

A pull request is data: nothing that is read here can make the reader leave the folder, follow a link,
block on a device, or take unbounded memory. Every refusal is a problem with a position.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from market.problem import Problem
from market.rules.registry import declare, problem

MIB = 1024 * 1024
TEXT_LIMIT = 256 * 1024
"""Bytes in a YAML file; the largest manifest of the official catalog has about 24 KB."""
FILE_LIMIT = 5 * MIB
"""Bytes in any file: Helm refuses larger ones (pkg/chart/loader/archive, MaxDecompressedFileSize)."""
FILES_LIMIT = 500
DEPTH_LIMIT = 8
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")

declare("layout.symlink", "error", "A symbolic link",
        why="Helm and tar follow links, so a link can pull a file of the build machine into the chart.",
        fix="Replace the link by a copy of the file it points to.")  # fmt: skip
declare("layout.hard-link", "error", "A file with a second name (hard link)",
        why="Its content can be changed under another name after it was checked.",
        fix="Copy the file: `cp file file.new && mv file.new file`.")  # fmt: skip
declare("layout.special-file", "error", "Neither a file nor a folder",
        why="Reading a device, socket or pipe can block the build for ever.",
        fix="Delete it.")  # fmt: skip
declare("layout.file-too-large", "error", "A file over the size limit",
        why="Helm refuses a chart with a file over 5 MiB, and the reader bounds its memory.",
        fix="Make the file smaller, or host it elsewhere and link to it over https.")  # fmt: skip
declare("layout.too-many-files", "error", "Too many files or folders too deep",
        why="An app has some twenty files; the reader bounds its time.",
        fix="Remove what the app does not need.")  # fmt: skip
declare("layout.unreadable", "error", "A file that cannot be read",
        why="Its content cannot be checked, so it cannot be published.",
        fix="Give the file ordinary permissions: `chmod 644 file`.")  # fmt: skip
declare("yaml.encoding", "error", "Not UTF-8",
        why="Devices decode JSON and YAML as UTF-8; other bytes break the whole reply.",
        fix="Save the file as UTF-8.")  # fmt: skip
declare("yaml.control-character", "error", "A control character",
        why="A NUL or control character makes the device's database refuse the whole batch of apps.",
        fix="Delete the character.")  # fmt: skip
declare("yaml.byte-order-mark", "advice", "A byte order mark",
        why="Some YAML readers keep it as part of the first key.",
        fix="Save the file as UTF-8 without BOM.")  # fmt: skip
declare("yaml.carriage-return", "advice", "Windows line endings",
        why="They show up in every later diff.",
        fix="Save the file with LF line endings.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One regular file of an app. ``path`` is relative to the catalog's root, with ``/``."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SourceText:
    """A decoded text file. Positions count from 1, in characters."""

    path: str
    text: str

    def line(self, number: int) -> str:
        """Return line ``number`` without its end, or an empty string past the end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else ""


def scan(root: Path, folder: str) -> tuple[tuple[SourceFile, ...], tuple[Problem, ...]]:
    """Read every regular file below ``root/folder``, sorted by path, and report what is not one."""
    files: list[SourceFile] = []
    problems: list[Problem] = []
    for path, status in _walk(root, folder, 0, problems):
        if len(files) >= FILES_LIMIT:
            problems.append(problem("layout.too-many-files", folder, message=f"more than {FILES_LIMIT} files"))
            break
        data = _read(root / path, path, status, problems)
        if data is not None:
            files.append(SourceFile(path, data))
    return tuple(files), tuple(problems)


def read_file(root: Path, path: str) -> tuple[SourceFile | None, tuple[Problem, ...]]:
    """Read one file below ``root``; a missing file is ``None`` with no problem."""
    problems: list[Problem] = []
    try:
        status = os.lstat(root / path)
    except FileNotFoundError:
        return None, ()
    if not _is_plain(path, status, problems):
        return None, tuple(problems)
    data = _read(root / path, path, status, problems)
    return (None if data is None else SourceFile(path, data)), tuple(problems)


def decode(file: SourceFile) -> tuple[SourceText | None, tuple[Problem, ...]]:
    """Decode a text file: UTF-8 with or without BOM, LF or CRLF, no control characters."""
    if len(file.data) > TEXT_LIMIT:
        message = f"{len(file.data)} bytes; a text file may have {TEXT_LIMIT}"
        return None, (problem("layout.file-too-large", file.path, message=message),)
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _position(file.data[: error.start].decode("utf-8", "replace"))
        message = f"byte 0x{file.data[error.start]:02x} is not UTF-8"
        return None, (problem("yaml.encoding", file.path, line, column, message=message),)
    problems: list[Problem] = []
    if text.startswith("\ufeff"):
        text = text[1:]
        problems.append(problem("yaml.byte-order-mark", file.path, message="the file starts with a BOM"))
    if "\r\n" in text:
        problems.append(problem("yaml.carriage-return", file.path, message="lines end in CR LF"))
        text = text.replace("\r\n", "\n")
    bad = CONTROL.search(text)
    if bad is not None:
        line, column = _position(text[: bad.start()])
        message = f"character U+{ord(bad[0]):04X}"
        problems.append(problem("yaml.control-character", file.path, line, column, message=message))
        return None, tuple(problems)
    return SourceText(file.path, text), tuple(problems)


def _walk(root: Path, folder: str, depth: int, problems: list[Problem]) -> Iterator[tuple[str, os.stat_result]]:
    if depth > DEPTH_LIMIT:
        problems.append(problem("layout.too-many-files", folder, message=f"more than {DEPTH_LIMIT} folders deep"))
        return
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except (PermissionError, FileNotFoundError, NotADirectoryError) as error:
        problems.append(problem("layout.unreadable", folder, message=error.strerror or str(error)))
        return
    for entry in entries:
        path = f"{folder}/{entry.name}"
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(root, path, depth + 1, problems)
        elif _is_plain(path, status, problems):
            yield path, status


def _is_plain(path: str, status: os.stat_result, problems: list[Problem]) -> bool:
    if stat.S_ISLNK(status.st_mode):
        problems.append(problem("layout.symlink", path, message="this is a symbolic link"))
    elif not stat.S_ISREG(status.st_mode):
        problems.append(problem("layout.special-file", path, message="this is not a regular file"))
    elif status.st_nlink > 1:
        problems.append(problem("layout.hard-link", path, message=f"this file has {status.st_nlink} names"))
    else:
        return True
    return False


def _read(full: Path, path: str, status: os.stat_result, problems: list[Problem]) -> bytes | None:
    if status.st_size > FILE_LIMIT:
        message = f"{status.st_size} bytes; a file may have {FILE_LIMIT}"
        problems.append(problem("layout.file-too-large", path, message=message))
        return None
    try:
        # O_NOFOLLOW and O_NONBLOCK: the entry may have been swapped since it was looked at.
        handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        problems.append(problem("layout.unreadable", path, message=error.strerror or str(error)))
        return None
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            problems.append(problem("layout.special-file", path, message="this is not a regular file"))
            return None
        return stream.read(FILE_LIMIT)


def _position(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
