"""Putting an example of a rule on disk, and judging the result as `market check` would."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from market import helm
from market import ledger as ledgers
from market.catalog import load
from market.errors import MarketError
from market.packaging import archive
from market.problem import Problem
from market.progress import Silent
from market.rules.examples import Example, Form, Variant

RELEASED = datetime(2026, 5, 24, tzinfo=UTC)
"""When the example's apps were released, as far as their ledger is concerned."""


def write(example: Example, variant: Variant, folder: Path) -> None:
    """Copy the example's base to a folder that does not exist yet, and apply one variant.

    Raises:
        MarketError: an edit does not fit the base; a bug of ours.
    """
    shutil.copytree(example.base, folder)
    for edit in example.edits:
        path = folder / edit.file
        text = path.read_bytes().decode("utf-8")
        try:
            changed = replace_once(text, edit.find, edit.text(variant))
        except ValueError as error:
            raise MarketError(f"example {example.rule}: {edit.file}: {error}") from error
        path.write_bytes(changed.encode("utf-8"))
    for extra in example.extras:
        if variant in extra.variants:
            _KINDS[extra.kind](folder, extra.file, extra.value)
    if example.form == "catalog" and not example.keeps_ledger:
        _record(folder)


def judge(root: Path, form: Form) -> tuple[Problem, ...]:
    """Every problem of an example on disk. Helm runs in this process: the examples are our own."""
    # The checks list every family, and families are what this package holds: imported late, no circle.
    from market import check, foreign  # noqa: PLC0415

    if form == "platform":
        return foreign.check(root, helm.render_here).problems
    return check.check(root, Silent(), helm.render_here).problems


def replace_once(text: str, find: str, new: str) -> str:
    """Replace the one place where ``find`` stands.

    A snippet of whole lines (it ends with a line break) fits wherever its lines stand with one common
    indentation, which the new lines get too; any other snippet is looked for as it is.

    Raises:
        ValueError: it stands nowhere, or in several places.
    """
    if not find.endswith("\n"):
        if text.count(find) != 1:
            raise ValueError(f"{find!r} stands there {text.count(find)} times")
        return text.replace(find, new)
    lines, wanted = text.splitlines(keepends=True), find.splitlines(keepends=True)
    places = [(at, indent) for at in range(len(lines)) if (indent := _fits(lines[at:], wanted)) is not None]
    if len(places) != 1:
        raise ValueError(f"{find!r} stands there {len(places)} times")
    (at, indent) = places[0]
    fresh = [indent + line if line.strip() else line for line in new.splitlines(keepends=True)]
    return "".join([*lines[:at], *fresh, *lines[at + len(wanted) :]])


def _fits(lines: list[str], wanted: list[str]) -> str | None:
    """The indentation with which ``wanted`` stands at the start of ``lines``, if it does."""
    first = lines[0]
    indent = first[: len(first) - len(first.lstrip(" "))]
    own = wanted[0][: len(wanted[0]) - len(wanted[0].lstrip(" "))]
    if not indent.endswith(own) or len(lines) < len(wanted):
        return None
    indent = indent[: len(indent) - len(own)]
    expected = [indent + line if line.strip() else line for line in wanted]
    return indent if lines[: len(wanted)] == expected else None


def _record(root: Path) -> None:
    """Let the ledger hold the charts as the example has them, so that `release.*` has nothing to say."""
    catalog, _ = load(root)
    ledger = catalog.ledger
    for app in catalog.listed:
        if isinstance(app.chart.get("version"), str):
            ledger = ledger.with_release(archive(catalog, app), RELEASED)
    ledgers.write(root, ledger)


def _write(folder: Path, file: str, data: bytes) -> None:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _copies(folder: Path, file: str, count: Any) -> None:
    for number in range(int(count)):
        _write(folder, file.replace("#", str(number)), b"")


def _copy(folder: Path, file: str, source: Any) -> None:
    shutil.copytree(folder / str(source), folder / file)


def _repeat(folder: Path, file: str, value: Any) -> None:
    _write(folder, file, (value["text"] * value["times"]).encode())


def _delete(folder: Path, file: str, _: Any) -> None:
    path = folder / file
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _hard_link(folder: Path, file: str, target: Any) -> None:
    (folder / file).hardlink_to(folder / str(target))


def _symbolic_link(folder: Path, file: str, target: Any) -> None:
    path = folder / file
    path.unlink(missing_ok=True)
    path.symlink_to(str(target))


_KINDS: dict[str, Callable[[Path, str, Any], None]] = {
    "text": lambda folder, file, text: _write(folder, file, str(text).encode()),
    "base64": lambda folder, file, text: _write(folder, file, base64.b64decode(str(text))),
    "repeat": _repeat,
    "noise": lambda folder, file, count: _write(folder, file, hashlib.shake_256(b"noise").digest(int(count))),
    "copies": _copies,
    "copy": _copy,
    "delete": _delete,
    "symlink": _symbolic_link,
    "hardlink": _hard_link,
    "fifo": lambda folder, file, _: os.mkfifo(folder / file),
}
"""What can be said of a file. ``noise`` is N bytes that cannot be compressed. ``copies`` makes N empty files
and puts their numbers in place of ``#``; ``copy`` copies a folder of the base."""
