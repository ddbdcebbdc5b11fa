"""The inside of a chart archive, read without trusting it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from market.device.deviation import Fault
from market.device.gunzip import GzipError, gunzip

MAX_UNPACKED = 10 * 1024**2
"""Bytes that a chart may hold; the device reads all of them into memory."""
MAX_MEMBERS = 1000
REQUIRED = ("Chart.yaml", "values.yaml", "OlaresManifest.yaml", "templates/")

FAILS = "the device cannot render the chart, so the app cannot be installed"
POISONED = "the device keeps the broken file and never asks for this version again"
UNSAFE = "the device does not guard against it, and other tools refuse the archive"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A chart's files by path, or (``files`` empty) what kept them from being read."""

    files: Mapping[str, bytes]
    faults: tuple[Fault, ...] = ()


def unpack(tgz: bytes, name: str, path: str) -> Unpacked:
    """Read a ``.tgz`` of chart ``name`` into memory; ``path`` names it in the faults."""
    if tgz[:2] != b"\x1f\x8b":
        start = shown_start(tgz)
        return Unpacked({}, (Fault(path, f"not a gzip file, it starts with {start}", FAILS),))
    try:
        tar = gunzip(tgz, MAX_UNPACKED)
    except GzipError as error:
        return Unpacked({}, (Fault(path, str(error), POISONED),))
    files, faults = _walk(tar, path)
    if not faults:
        faults = [*_folder_faults(files, name, path), *_missing_faults(files, name, path)]
    return Unpacked(files, tuple(faults))


def shown_start(data: bytes) -> str:
    """Return the first bytes of a file for a message."""
    return repr(data[:16].decode("ascii", "backslashreplace")) if data else "nothing: it is empty"


def _walk(tar: bytes, path: str) -> tuple[dict[str, bytes], list[Fault]]:
    files: dict[str, bytes] = {}
    faults: list[Fault] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            for count, member in enumerate(archive, start=1):
                if count > MAX_MEMBERS:
                    return files, [Fault(path, f"more than {MAX_MEMBERS} entries", UNSAFE)]
                faults += _member_faults(member, files, path)
                stream = archive.extractfile(member) if member.isreg() else None
                files[member.name + ("/" if member.isdir() else "")] = stream.read() if stream else b""
            rest = tar[archive.offset :]
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        return files, [Fault(path, f"broken tar archive: {error}", FAILS)]
    if rest.strip(b"\0"):
        faults.append(Fault(path, f"unreadable bytes after {len(files)} entries of the tar archive", FAILS))
    return files, faults


def _member_faults(member: tarfile.TarInfo, seen: Mapping[str, bytes], path: str) -> list[Fault]:
    place = f"{path}!{member.name}"
    faults = []
    if member.name.startswith("/") or "\\" in member.name:
        faults.append(Fault(place, "absolute path or backslash in a path", UNSAFE))
    if ".." in PurePosixPath(member.name).parts:
        faults.append(Fault(place, '".." in a path', UNSAFE))
    if member.issym() or member.islnk():
        faults.append(Fault(place, f"link to {member.linkname}", UNSAFE))
    elif not member.isreg() and not member.isdir():
        faults.append(Fault(place, "neither a file nor a folder", UNSAFE))
    if member.name in seen:
        faults.append(Fault(place, "the same path twice", "the device keeps the last one"))
    return faults


def _folder_faults(files: Mapping[str, bytes], name: str, path: str) -> list[Fault]:
    tops = sorted({PurePosixPath(file).parts[0] for file in files if PurePosixPath(file).parts})
    if tops == [name]:
        return []
    found = ", ".join(tops) or "nothing"
    return [Fault(path, f"the single top folder must be {name}, found: {found}", FAILS)]


def _missing_faults(files: Mapping[str, bytes], name: str, path: str) -> list[Fault]:
    missing = (wanted for wanted in REQUIRED if not _has(files, f"{name}/{wanted}"))
    return [Fault(path, f"{name}/{wanted} is missing", FAILS) for wanted in missing]


def _has(files: Mapping[str, bytes], wanted: str) -> bool:
    if wanted.endswith("/"):
        return any(file.startswith(wanted) for file in files)
    return wanted in files
