"""The endpoint against a Worker that holds the same catalog in its script, side by side on bare workerd."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import workerd
from benchmarks.editions import edition, write_own
from benchmarks.load import Measured, Request, measure
from benchmarks.workerd import Built, Running

LARGE = 500
SHORT = 2
"""Rounds, and seconds of load, of the tables that `make bench` prints."""
ROUNDS = 5
SECONDS = 3
FILES = frozenset({"hash", "info", "taxonomy", "applications"})
"""What a file answers, on a socket of workerd that runs no script; the peer's script answers everything."""
BATCHES = 50
BATCH = 10
STARTS = 5


@dataclass(frozen=True, slots=True)
class Side:
    """One Worker under load: medians of the rounds. ``cpu_ms`` is what workerd used in all, a request."""

    rate: float
    p99: float
    cpu_ms: float
    replies: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Both Workers for every kind of request, their script sizes in bytes and the seconds until their first reply."""

    apps: int
    ours: Mapping[str, Side]
    peer: Mapping[str, Side]
    script_bytes: tuple[int, int]
    start_seconds: tuple[float, float]

    def ratio(self, kind: str) -> float:
        """Our replies a second over the peer's."""
        return self.ours[kind].rate / self.peer[kind].rate


def compare(dist: Path, folder: Path, rounds: int = ROUNDS, seconds: int = SECONDS) -> Compared:
    """Measure both over a built dist/, in turns, so that what else the machine does meets both."""
    ours, peer = workerd.market(dist, folder / "market"), workerd.inline(dist, folder / "inline")
    requests = kinds(dist)
    starts = (start_seconds(ours), start_seconds(peer))
    measured: dict[str, tuple[list[Side], list[Side]]] = {kind: ([], []) for kind in requests}
    with both(ours, peer) as running:
        for number in range(rounds + 1):
            for kind, request in requests.items():
                for side in (0, 1) if number % 2 else (1, 0):
                    found = one(running[side], kind, request, seconds)
                    if number:  # the first round warms up
                        measured[kind][side].append(found)
    sides = [{kind: middle(found[side]) for kind, found in measured.items()} for side in (0, 1)]
    apps = len(json.loads((dist / "api/v1/appstore/info").read_bytes())["data"]["apps"])
    return Compared(apps, sides[0], sides[1], (ours.script_bytes, peer.script_bytes), starts)


def kinds(dist: Path) -> Mapping[str, Request]:
    """What is asked of both: what devices ask, with ten details at a time (the ids at random)."""
    apps = json.loads((dist / "api/v1/appstore/info").read_bytes())["data"]["apps"]
    chance = random.Random(1)
    ids = [chance.sample(sorted(apps), min(BATCH, len(apps))) for _ in range(BATCHES)]
    bodies = tuple(json.dumps({"app_ids": some, "version": "1.12.6"}).encode() for some in ids)
    app = apps[sorted(apps)[0]]
    query = f"fileName={app['name']}-{app['version']}.tgz&version={app['version']}"
    return {
        "hash": Request("/api/v1/appstore/hash?version=1.12.6"),
        "info": Request("/api/v1/appstore/info?version=1.12.6"),
        "details": Request("/api/v1/applications/info", bodies),
        "chart": Request(f"/api/v1/applications/{app['name']}/chart?{query}"),
        "catalog": Request("/api/v2/catalog?source_id=device-double"),
        "taxonomy": Request("/api/v2/taxonomy?source_id=device-double"),
        "applications": Request("/api/v2/applications?page=1&page_size=100"),
    }


def one(running: Running, kind: str, request: Request, seconds: int) -> Side:
    """Load of one kind on one Worker."""
    base = running.file if kind in FILES else running.worker
    path = request.path.partition("?")[0] if base != running.worker else request.path
    before = workerd.cpu_seconds(running.process)
    found: Measured = measure(base, Request(path, request.bodies), seconds)
    cpu = workerd.cpu_seconds(running.process) - before
    return Side(found.rate, found.p99, cpu * 1000 / found.replies, found.replies)


def middle(found: list[Side]) -> Side:
    """The medians of some rounds."""

    def of(value: Callable[[Side], float]) -> float:
        return statistics.median(map(value, found))

    return Side(
        of(lambda side: side.rate), of(lambda side: side.p99), of(lambda side: side.cpu_ms),
        sum(side.replies for side in found),
    )  # fmt: skip


def start_seconds(built: Built) -> float:
    """Seconds from starting the runtime to its first reply, median."""
    times = []
    for _ in range(STARTS):
        with workerd.run(built) as running:
            times.append(running.start_seconds)
    return statistics.median(times)


@contextmanager
def both(ours: Built, peer: Built) -> Iterator[tuple[Running, Running]]:
    """Both at once; only one is asked at a time."""
    with workerd.run(ours) as first, workerd.run(peer) as second:
        yield first, second


def table(compared: Compared) -> Table:
    """Ratios only: the figures themselves are this machine's."""
    shown = Table(
        f"reply, {compared.apps} apps", "answered by", "replies/s, ours / inline", "p99, ours / inline",
        "processor, ours / inline",
    )  # fmt: skip
    for kind, ours in compared.ours.items():
        peer = compared.peer[kind]
        by = "a file" if kind in FILES else "the Worker"
        p99, cpu = ours.p99 / peer.p99, ours.cpu_ms / peer.cpu_ms
        shown.add_row(kind, by, f"{compared.ratio(kind):.2f}", f"{p99:.2f}", f"{cpu:.2f}")
    (size, inline), (start, slow) = compared.script_bytes, compared.start_seconds
    shown.add_row("script", f"{size} bytes", f"{size / inline:.5f}", "", "")
    shown.add_row("start", "", f"{start / slow:.2f}", "", "")
    return shown


def show(console: Console) -> None:
    """Compare over the repository's catalog and over five hundred apps, and print both tables."""
    for write in (write_own, edition(LARGE).write):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            console.print(table(compare(write(folder / "dist"), folder, SHORT, SHORT)))
