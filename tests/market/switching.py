"""Two markets of which each request meets one, and what a device may be left with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.editions import Edition

from market.device.entry import read_entry
from market.device.journal import Journal
from market.device.state import State
from market.device.sync import Options, Round, sync
from market.device.transport import Reply, Transport


@dataclass(slots=True)
class Switching:
    """A market that is being replaced: ``newer`` says for the n-th request whether the new one answers it."""

    old: Transport
    new: Transport
    newer: Callable[[int], bool]
    asked: int = 0
    replies: list[Reply] = field(default_factory=list)

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        return self._note(self._next().get(path, query))

    def post(self, path: str, body: bytes) -> Reply:
        return self._note(self._next().post(path, body))

    def _next(self) -> Transport:
        self.asked += 1
        return self.new if self.newer(self.asked - 1) else self.old

    def _note(self, reply: Reply) -> Reply:
        self.replies.append(reply)
        return reply


@dataclass(frozen=True, slots=True)
class Published:
    """What an edition tells devices."""

    hash: str
    info: bytes
    details: Mapping[str, Any]
    charts: Mapping[str, bytes]


def published(edition: Edition) -> Published:
    files = edition.files()
    shards = [json.loads(data) for path, data in files.items() if path.startswith("_market/details/")]
    info = files["api/v1/appstore/info"]
    details = {key: detail for shard in shards for key, detail in shard.items()}
    return Published(json.loads(info)["hash"], info, details, edition.charts)


def synced(market: Transport, state: State, seed: int = 1) -> Round:
    return sync(market, state, Options(seed=seed, pauses=(0.0, 0.0)), Journal(state.mode))


def check_kept(state: State, *editions: Published) -> None:
    """Each row is one that was published, each chart the one of its version, the hash a known one."""
    for key, row in state.rows.items():
        details = [edition.details[key] for edition in editions if key in edition.details]
        assert any(row.entry == read_entry(detail, "$")[0] for detail in details), row.name
    for (name, version), data in state.disk.items():
        assert any(edition.charts.get(f"{name}-{version}.tgz") == data for edition in editions), (name, version)
    assert state.local_hash in {"", *(edition.hash for edition in editions)}


def is_whole(state: State, edition: Published) -> bool:
    """Whether the device has all that is published, in its version and with its chart; it keeps what is gone."""
    rows = {key: state.rows.get(key) for key in edition.details}
    return state.local_hash == edition.hash and all(
        row is not None
        and row.version == edition.details[key]["version"]
        and state.disk.get((row.name, row.version)) == edition.charts[row.file_name]
        for key, row in rows.items()
    )
