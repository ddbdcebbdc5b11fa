"""Raising an app's version: every place it stands, and the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from market import ledger as ledgers
from market.archive import Archive
from market.catalog import App, Catalog, load
from market.errors import InputError
from market.files import write_atomic
from market.ledger import Ledger
from market.packaging import archive
from market.yamldoc import Document

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
PARTS = ("major", "minor", "patch")


def next_version(version: str, part: str) -> str:
    """The next version by Semantic Versioning 2.0.0; a pre-release suffix is dropped.

    Raises:
        InputError: the present version is not a semantic one.
    """
    match = _VERSION.match(version)
    if not match:
        raise InputError(f"{version} is not a semantic version; set one in Chart.yaml first")
    numbers = [int(number) for number in match.groups()]
    index = PARTS.index(part)
    numbers[index] += 1
    return ".".join(str(number) for number in numbers[: index + 1] + [0] * (2 - index))


def set_version(app: App, root: Path, version: str) -> None:
    """Write ``version`` into Chart.yaml and the manifest, leaving every other byte as it is."""
    _edit(root, app.chart_document, ("version",), version)
    _edit(root, app.manifest_document, ("metadata", "version"), version)


def record(root: Path, names: Iterable[str], now: datetime, renew: bool = False) -> tuple[Archive, ...]:
    """Record the present version of apps in the ledger.

    An entry that exists with other content is an error unless ``renew`` says that it never left this
    checkout.

    Raises:
        InputError: an app cannot be read, or its version is recorded with other content.
    """
    catalog, _ = load(root)
    ledger = catalog.ledger
    archives = []
    for name in names:
        made = archive(catalog, _app(catalog, name))
        ledger = _with(ledger, made, now, renew)
        archives.append(made)
    ledgers.write(root, ledger)
    return tuple(archives)


def find(root: Path, name: str) -> App:
    """The app to bump.

    Raises:
        InputError: there is no such app, or it cannot be read.
    """
    catalog, _ = load(root)
    return _app(catalog, name)


def _app(catalog: Catalog, name: str) -> App:
    app = catalog.app(name)
    if app is None:
        known = ", ".join(app.name for app in catalog.apps)
        raise InputError(f"there is no readable app {name}; run `market check`. Apps: {known}")
    return app


def _with(ledger: Ledger, made: Archive, now: datetime, renew: bool) -> Ledger:
    known = ledger.find(made.name, made.version)
    if known is None or (renew and known.tar_sha256 != made.tar_sha256):
        return ledger.with_release(made, now)
    if known.tar_sha256 == made.tar_sha256:
        return ledger
    raise InputError(
        f"{known.key} was released on {known.released[:10]} with other content. Run `market bump "
        f"{made.name}` to raise the version, or add --renew if that entry never left this checkout"
    )


def _edit(root: Path, document: Document, path: tuple[str, ...], version: str) -> None:
    mark = document.marks[path]
    lines = document.source.text.split("\n")
    line = lines[mark.line - 1]
    old = mark.raw or ""
    start = mark.column - 1
    written = line[start:]
    quote = written[0] if written[:1] in "\"'" else ""
    end = start + len(old) + 2 * len(quote)
    lines[mark.line - 1] = (
        f'{line[:start]}"{version}"{line[end:]}'
        if not quote
        else (f"{line[:start]}{quote}{version}{quote}{line[end:]}")
    )
    write_atomic(root / document.path, "\n".join(lines).encode())
