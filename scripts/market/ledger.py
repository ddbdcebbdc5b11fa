"""The ledger: which name and version was released when, with which bytes. Nothing is erased from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from market.archive import Archive
from market.files import write_atomic

FILE = "releases.json"


@dataclass(frozen=True, slots=True)
class Release:
    """One published version of one app. ``released`` is RFC 3339 in UTC; sizes are in bytes."""

    name: str
    version: str
    sha256: str
    tar_sha256: str
    size: int
    released: str
    withdrawn: str | None = None

    @property
    def key(self) -> str:
        """``name@version``."""
        return f"{self.name}@{self.version}"

    @property
    def moment(self) -> datetime:
        """When it was released."""
        return datetime.fromisoformat(self.released)

    @property
    def milliseconds(self) -> int:
        """``released`` as Unix milliseconds."""
        return int(self.moment.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All releases, by ``name@version``."""

    releases: Mapping[str, Release]

    def find(self, name: str, version: str) -> Release | None:
        """The release of this name and version."""
        return self.releases.get(f"{name}@{version}")

    def history(self, name: str) -> tuple[Release, ...]:
        """Every release of an app, newest first."""
        own = (release for release in self.releases.values() if release.name == name)
        return tuple(sorted(own, key=lambda release: (release.moment, release.version), reverse=True))

    @property
    def latest(self) -> Release | None:
        """The newest release of all."""
        everything = self.releases.values()
        return max(everything, key=lambda release: (release.moment, release.key), default=None)

    def with_release(self, archive: Archive, now: datetime) -> Ledger:
        """Return a ledger that also holds this archive, released at ``now`` (to the second, UTC)."""
        stamp = now.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
        entry = Release(archive.name, archive.version, archive.sha256, archive.tar_sha256, archive.size, released=stamp)
        return Ledger(MappingProxyType({**self.releases, entry.key: entry}))


EMPTY = Ledger(MappingProxyType({}))


def from_json(data: Mapping[str, Any]) -> Ledger:
    """Build a ledger from data that the ledger's schema has accepted."""
    releases = {}
    for key, entry in data["releases"].items():
        name, _, version = key.partition("@")
        releases[key] = Release(name=name, version=version, **entry)
    return Ledger(MappingProxyType(releases))


def to_json(ledger: Ledger) -> bytes:
    """The ledger as its file: one entry a line, sorted, so that a diff shows exactly what was added."""
    lines = []
    for key in sorted(ledger.releases):
        release = ledger.releases[key]
        entry: dict[str, Any] = {
            "released": release.released,
            "sha256": release.sha256,
            "size": release.size,
            "tar_sha256": release.tar_sha256,
        }
        if release.withdrawn is not None:
            entry["withdrawn"] = release.withdrawn
        lines.append(f"    {json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}")
    body = ",\n".join(lines)
    return f'{{\n  "releases": {{\n{body}\n  }}\n}}\n'.encode() if lines else b'{\n  "releases": {}\n}\n'


def write(root: Path, ledger: Ledger) -> None:
    """Put the ledger in place of the old one."""
    write_atomic(root / FILE, to_json(ledger))
