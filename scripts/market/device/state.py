"""What a device remembers between two syncs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

MODES = ("genA", "genB", "v2")
"""genA: market 0.6.22, in memory. genB: the PostgreSQL generation. v2: Olares 1.12.7 and later."""


@dataclass(frozen=True, slots=True)
class Row:
    """One app in the device's catalog; ``entry`` is the detail after the device's field mapping."""

    id: str
    name: str
    version: str
    entry: Mapping[str, Any]

    @property
    def file_name(self) -> str:
        """The chart's file name."""
        return f"{self.name}-{self.version}.tgz"

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of the catalog entry."""
        return tuple(self.entry.get("categories", ()))


@dataclass(frozen=True, slots=True)
class Stamps:
    """What the v2 catalog says of the state of a source; times in milliseconds."""

    digest: str = ""
    taxonomy: int = 0
    apps: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """Hash, stamps and rows of the last sync, and the charts on disk by (name, version)."""

    mode: str
    local_hash: str = ""
    stamps: Stamps = Stamps()
    rows: Mapping[str, Row] = field(default_factory=lambda: MappingProxyType({}))
    disk: Mapping[tuple[str, str], bytes] = field(default_factory=lambda: MappingProxyType({}))

    def with_rows(self, rows: Mapping[str, Row]) -> State:
        """Return the state with other rows."""
        return replace(self, rows=MappingProxyType(dict(rows)))

    def with_disk(self, disk: Mapping[tuple[str, str], bytes]) -> State:
        """Return the state with other charts on disk."""
        return replace(self, disk=MappingProxyType(dict(disk)))
