"""Measure what a sync asks of the market and what replies cost, and write data/endpoint.yaml.

`python -m benchmarks.record`: the site's page on costs is computed from that file.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks import workerd
from benchmarks.editions import write_own
from benchmarks.endpoint import ROUNDS, SECONDS, Compared, Side, compare
from market import schema
from market.device.client import HttpTransport
from market.device.journal import Journal
from market.device.state import MODES, Stamps, State
from market.device.sync import Options, sync
from market.device.transport import Reply, Transport
from market.files import write_atomic
from market.paths import PROJECT
from market.runtime import serve

FILE = "data/endpoint.yaml"
GZIP_LEVEL = 6
OLD = "0.0.1"
KINDS = {
    "/api/v1/appstore/hash": "hash",
    "/api/v1/appstore/info": "info",
    "/api/v1/applications/info": "details",
    "/api/v1/applications/{name}/chart": "chart",
    "/api/v2/applications/{name}/chart": "chart",
    "/api/v2/catalog": "catalog",
    "/api/v2/taxonomy": "taxonomy",
    "/api/v2/applications": "applications",
    "/api/v2/browse/applications": "applications",
}
HEAD = """\
# What a sync asks of the market, and what replies cost. Made by `python -m benchmarks.record`; not to be edited.
"""


@dataclass(slots=True)
class Kept:
    """A market whose replies are kept."""

    market: Transport
    replies: list[Reply] = field(default_factory=list)

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        self.replies.append(self.market.get(path, query))
        return self.replies[-1]

    def post(self, path: str, body: bytes) -> Reply:
        self.replies.append(self.market.post(path, body))
        return self.replies[-1]


def syncs(url: str) -> dict[str, Any]:
    """The requests of a first sync, of one that finds nothing new, and of one that finds one app bumped."""
    options = Options(pauses=(0.0, 0.0))
    found: dict[str, Any] = {}
    for mode in MODES:
        market = HttpTransport(url)
        recorders = [Kept(market) for _ in range(3)]
        first = sync(recorders[0], State(mode), options, Journal(mode))
        sync(recorders[1], first.state, options, Journal(mode))
        sync(recorders[2], outdated(first.state), options, Journal(mode))
        found[mode] = {
            name: rows(recorder.replies)
            for name, recorder in zip(("first", "unchanged", "bumped"), recorders, strict=True)
        }
    return found


def outdated(state: State) -> State:
    """What the device had before one of its apps was bumped."""
    key = min(state.rows)
    rows = {**state.rows, key: replace(state.rows[key], version=OLD)}
    disk = {chart: data for chart, data in state.disk.items() if chart[0] != state.rows[key].name}
    return replace(state, local_hash="before", stamps=Stamps()).with_rows(rows).with_disk(disk)


def rows(replies: list[Reply]) -> list[dict[str, Any]]:
    """The replies by route, in the order of the routes' first request."""
    served = served_by()
    found: dict[str, dict[str, Any]] = {}
    for reply in replies:
        if reply.status != 200 or reply.fault:
            raise RuntimeError(f"{reply.url}: {reply.status} {reply.fault}")
        route = route_of(reply.url)
        row = found.setdefault(route, {"kind": KINDS[route], "route": route, "worker": served[route] != "file",
                                       "requests": 0, "bytes": 0, "gzip_bytes": 0})  # fmt: skip
        size = len(reply.body)
        packed = len(gzip.compress(reply.body, GZIP_LEVEL, mtime=0)) if reply.is_json else size
        row |= {"requests": row["requests"] + 1, "bytes": row["bytes"] + size, "gzip_bytes": row["gzip_bytes"] + packed}
    return list(found.values())


def route_of(url: str) -> str:
    """The path of the API's description that an address belongs to."""
    path = re.sub(r"^https?://[^/]+", "", url).partition("?")[0]
    return re.sub(r"(?<=/applications/)[a-z0-9]+(?=/chart$)", "{name}", path)


def served_by() -> Mapping[str, str]:
    """By path, what answers it: ``file``, ``worker``, or ``either``."""
    described = yaml.safe_load((PROJECT / "schema/openapi.yaml").read_text("utf-8"))
    return {path: item["x-served-by"] for path, item in described["paths"].items()}


def loads(compared: Compared) -> dict[str, Any]:
    """The measured load as data."""

    def side(found: Side) -> dict[str, Any]:
        return {"per_second": round(found.rate, 1), "p99_ms": round(found.p99, 2), "cpu_ms": round(found.cpu_ms, 4),
                "replies": found.replies}  # fmt: skip

    return {kind: {"ours": side(compared.ours[kind]), "inline": side(compared.peer[kind])} for kind in compared.ours}


def conditions(apps: int) -> dict[str, Any]:
    """When, on what and how."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=PROJECT, capture_output=True, text=True,
                            check=True).stdout.strip()  # fmt: skip
    processor = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "commit": commit,
        "apps": apps,
        "workerd": workerd.version(),
        "processor": processor[1] if processor else "unknown",
        "cores": os.cpu_count() or 1,
        "load": round(os.getloadavg()[2], 1),
        "client": "wrk" if shutil.which("wrk") else "threads",
        "rounds": ROUNDS,
        "seconds": SECONDS,
    }


def main() -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        dist = write_own(folder / "dist")
        with serve(dist) as running:
            asked = syncs(running.url)
        compared = compare(dist, folder)
    names = ("ours", "inline")
    data = {
        "measured": conditions(compared.apps),
        "workers": {
            name: {"script_bytes": size, "start_ms": round(start * 1000, 1)}
            for name, size, start in zip(names, compared.script_bytes, compared.start_seconds, strict=True)
        },
        "load": loads(compared),
        "syncs": asked,
    }
    faults = schema.errors(json.loads(json.dumps(data)), "endpoint")
    if faults:
        raise RuntimeError("; ".join(faults))
    text = HEAD + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
    write_atomic(PROJECT / FILE, text.encode())


if __name__ == "__main__":
    main()
