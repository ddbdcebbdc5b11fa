"""Catalogs of any size, and what can happen to them: a bump, a removal, an added app.

The apps are copies of one sound app under other names; their charts are real ones. Helm renders none of them, which is
what makes five hundred cheap.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from unittest.mock import patch

from market import build, pictures
from market.bump import next_version
from market.catalog import App, Catalog, load
from market.files import replaced_folder, write_tree
from market.index.replies import replies
from market.ledger import Ledger, Release
from market.packaging import Package, archive
from market.paths import PROJECT
from market.source import SourceText
from market.yamldoc import Document, parse

FIRST = "1.0.0"
LONGEST = "a" * 30
"""The longest name that Olares takes; the shortest has one character."""


@dataclass(frozen=True)
class Edition:
    """A catalog as published once: ``versions`` are the listed apps by name, ``releases`` all so far, in order."""

    versions: Mapping[str, str]
    releases: tuple[tuple[str, str], ...]

    @property
    def charts(self) -> dict[str, bytes]:
        """Every chart released so far, by file name: what the archive holds."""
        return {f"{name}-{version}.tgz": packed(name, version).archive.data for name, version in self.releases}

    def bumped(self, name: str) -> Edition:
        """The next edition, in which an app has a higher version."""
        return self._with(name, next_version(self.versions[name], "minor"))

    def added(self, name: str) -> Edition:
        """The next edition, with one more app."""
        return self._with(name, FIRST)

    def removed(self, name: str) -> Edition:
        """The next edition, with one app less; its releases stay on record."""
        return replace(self, versions={key: value for key, value in self.versions.items() if key != name})

    def files(self) -> dict[str, bytes]:
        """Every file of the index by its path below dist/."""
        return _index(self.catalog(), [packed(name, version) for name, version in sorted(self.versions.items())])

    def write(self, dist: Path) -> Path:
        """Put the edition in place of what is in ``dist``, as a build does."""
        return _write(self.files(), dist)

    def catalog(self) -> Catalog:
        """The catalog in memory."""
        apps = tuple(packed(name, version).app for name, version in sorted(self.versions.items()))
        return replace(_base(), apps=apps, shelved=(), ledger=self._ledger())

    def _with(self, name: str, version: str) -> Edition:
        return Edition({**self.versions, name: version}, (*self.releases, (name, version)))

    def _ledger(self) -> Ledger:
        """One release a minute, so that every one is newer than those before."""
        entries = {}
        for minute, (name, version) in enumerate(self.releases):
            made = packed(name, version).archive
            released = f"2026-12-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z"
            entry = Release(name, version, made.sha256, made.tar_sha256, made.size, released)
            entries[entry.key] = entry
        return Ledger(MappingProxyType(entries))


def edition(count: int) -> Edition:
    """A first edition of ``count`` apps, at least one; their ids spread over all detail files."""
    names = ["a", LONGEST, *(f"demo{number}one" for number in range(2, count))][:count]
    return Edition(dict.fromkeys(names, FIRST), tuple((name, FIRST) for name in names))


def write_own(dist: Path) -> Path:
    """Put the repository's own catalog into ``dist``, without its site."""
    own = _base()
    return _write(_index(own, [Package(app, archive(own, app), {}) for app in own.listed]), dist)


@functools.cache
def packed(name: str, version: str) -> Package:
    """An app of this name and version, with its chart."""
    app = _renamed(_template(), name, version)
    return Package(app, archive(_base(), app), {})


@functools.cache
def _base() -> Catalog:
    return load(PROJECT)[0]


@functools.cache
def _template() -> App:
    return next(app for app in _base().listed if app.archetype == "llama-server")


def _renamed(app: App, name: str, version: str) -> App:
    files = {path: _rewritten(app, path, data, name, version) for path, data in app.files.items()}
    folder = f"apps/{name}"

    def document(path: str) -> Document:
        found, problems = parse(SourceText(f"{folder}/{path}", files[path].decode()))
        if found is None or problems:
            raise ValueError(f"the copy of {path} is not sound: {problems}")
        return found

    return replace(
        app,
        name=name,
        folder=folder,
        files=MappingProxyType(files),
        card_document=document("app.yaml"),
        chart_document=document("chart/Chart.yaml"),
        manifest_document=document("chart/OlaresManifest.yaml"),
        values_document=document("chart/values.yaml"),
        i18n_documents={key: document(f"chart/i18n/{key}/OlaresManifest.yaml") for key in app.i18n_documents},
        reports=(),
    )


def _rewritten(app: App, path: str, data: bytes, name: str, version: str) -> bytes:
    if path.endswith(".png"):
        return data
    text = data.decode().replace(app.name, name)
    if path in ("chart/Chart.yaml", "chart/OlaresManifest.yaml"):
        text = re.sub(rf"(?m)^(\s*version: ['\"]?){re.escape(app.version)}", rf"\g<1>{version}", text, count=1)
    return text.encode()


def _index(catalog: Catalog, packages: Iterable[Package]) -> dict[str, bytes]:
    """The index as a build makes it, but no device asks for store pictures: they are icons here."""
    with patch.object(pictures, "png", lambda app: app.icon):
        return replies(catalog, packages)


def _write(files: dict[str, bytes], dist: Path) -> Path:
    with replaced_folder(dist) as fresh:
        write_tree(fresh, files)
        headers = build.HEADERS.read_text("utf-8").replace("{{script_hashes}}", "")
        (fresh / "_headers").write_text(headers, "utf-8")
    return dist
