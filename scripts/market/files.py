"""Writing output so that it is never seen half-written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_MODE = 0o644
FOLDER_MODE = 0o755


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, whatever the umask."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), FILE_MODE)
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_tree(folder: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder that nobody reads yet; paths use ``/``."""
    for path in sorted(files):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(files[path])


def link(source: Path | str, target: Path | str) -> None:
    """Give a file that nobody writes to again a second place; where the disk has no links, a copy."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def below(folder: Path) -> dict[str, Path]:
    """Every file below a folder by its path there, which uses ``/``, in the order of the paths."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    }


@contextmanager
def replaced_folder(out: Path) -> Iterator[Path]:
    """Yield a new folder beside ``out`` that takes its place if, and only if, the block succeeds.

    On any exception, Ctrl-C included, the new folder is deleted and ``out`` is as it was.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}.new-"))
    try:
        yield fresh
        _normalise(fresh)
        _exchange(fresh, out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _exchange(fresh: Path, out: Path) -> None:
    if not out.exists():
        fresh.rename(out)
    else:
        old = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}.old-"))
        out.rename(old / out.name)
        try:
            fresh.rename(out)
        except BaseException:
            (old / out.name).rename(out)
            raise
        finally:
            shutil.rmtree(old, ignore_errors=True)
    _sync_folder(out.parent)


def _normalise(folder: Path) -> None:
    """Give every file and folder the same modes, and have the disk hold them before they are shown."""
    for directory, _, names in os.walk(folder):
        Path(directory).chmod(FOLDER_MODE)
        for name in names:
            path = Path(directory, name)
            path.chmod(FILE_MODE)
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
