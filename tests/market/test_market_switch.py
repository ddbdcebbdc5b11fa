"""One build replaces another behind the real runtime, at one moment or by a kill: nobody may see parts of both."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from benchmarks.editions import LONGEST, Edition, edition
from tests.market.switching import Published, Switching, check_kept, is_whole, published, synced

from market import runtime
from market.device.client import HttpTransport
from market.device.details import DETAIL_PATH
from market.device.listing import HASH_PATH, INFO_PATH
from market.device.state import MODES, State
from market.device.transport import Reply
from market.paths import PROJECT

pytestmark = pytest.mark.xdist_group("market-switch")

SYNCS = int(os.environ.get("MARKET_SWITCH_SYNCS", "18"))
KILLS = int(os.environ.get("MARKET_KILLS", "2"))
CLIENTS = 4
VERSION = {"version": "1.12.6"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two editions, what each of them tells devices, their folders and an archive that holds the charts of both."""

    editions: tuple[Edition, Edition]
    told: tuple[Published, Published]
    folders: tuple[Path, Path]
    states: tuple[Path, Path]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    root = tmp_path_factory.mktemp("switch")
    before = edition(11)
    after = before.bumped("demo3one").removed(LONGEST).added("newcomer")
    folders = (before.write(root / "before"), after.write(root / "after"))
    states = (root / "state-before", root / "state-after")
    archive_charts(after.charts, root / "charts", states[0])
    shutil.copytree(*states)
    return Pair((before, after), (published(before), published(after)), folders, states)


def archive_charts(charts: dict[str, bytes], folder: Path, state: Path) -> None:
    """Put charts into a local archive bucket, as publishing does before it deploys."""
    folder.mkdir(exist_ok=True)
    for name, data in charts.items():
        (folder / name).write_bytes(data)
    listed = folder / "list.json"
    listed.write_text(json.dumps([{"key": f"charts/{name}", "file": str(folder / name)} for name in charts]))
    wrangler = PROJECT / "node_modules" / "wrangler" / "bin" / "wrangler.js"
    subprocess.run(
        [runtime.node(), wrangler, "r2", "bulk", "put", "olares-one-market", "--config", PROJECT / "wrangler.toml",
         "--local", "--persist-to", state, "--filename", listed],
        env={**os.environ, **runtime.QUIET}, check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def markets(pair: Pair) -> Iterator[tuple[HttpTransport, HttpTransport]]:
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(runtime.serve(folder, state=state))
            for folder, state in zip(pair.folders, pair.states, strict=True)
        )
        yield HttpTransport(old.url), HttpTransport(new.url)


def test_no_sync_during_a_switch_keeps_a_mixed_snapshot(
    pair: Pair, markets: tuple[HttpTransport, HttpTransport]
) -> None:
    """A version takes over between two requests: a sync before it, one across it, one after it."""
    chance = random.Random(5)
    before, after = pair.told
    known = {mode: synced(markets[0], State(mode)).state for mode in MODES}
    across = 0
    for number in range(SYNCS):
        mode = MODES[number % len(MODES)]
        start = State(mode) if number % 10 == 0 else known[mode]
        cut = chance.randrange(1, 10)
        market = Switching(*markets, newer=lambda asked, cut=cut: asked >= cut)  # type: ignore[misc]
        state = synced(market, start, seed=number).state
        across += market.asked > cut
        for asked, reply in enumerate(market.replies):
            check_reply(reply, (before, after)[asked >= cut])
        check_kept(state, before, after)
        healed = synced(markets[1], state, seed=number).state
        check_kept(healed, before, after)
        assert is_whole(healed, after), (mode, cut)
    assert across


def check_reply(reply: Reply, told: Published) -> None:
    """A whole reply says what its edition says, and nothing of another."""
    assert not reply.fault
    if "/chart?" in reply.url:
        assert reply.status == 200
        assert reply.body == told.charts.get(reply.url.rpartition("fileName=")[2].partition("&")[0], reply.body)
        assert reply.body[:2] == b"\x1f\x8b"
        return
    assert reply.status == 200
    value = json.loads(reply.body)
    if HASH_PATH in reply.url:
        assert value["hash"] == told.hash
    elif INFO_PATH in reply.url:
        assert reply.body == told.info
    elif DETAIL_PATH in reply.url:
        assert value["apps"] == {key: told.details[key] for key in value["apps"]}
        assert not set(value["not_found"]) & told.details.keys()
    elif "/api/v2/catalog" in reply.url:
        assert value["data"]["apps_filter_digest"] == told.hash


@dataclass(slots=True)
class Load:
    """Clients that ask without a pause, and the replies by the life of the server in which they began and ended."""

    base: str
    ids: tuple[str, ...]
    life: int = 0
    over: bool = False
    replies: list[tuple[int, Reply]] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    def ask(self, seed: int) -> None:
        chance = random.Random(seed)
        market = HttpTransport(self.base, seconds=10)
        while not self.over:
            life = self.life
            reply = self._one(market, chance)
            if reply.fault:
                self.lost[reply.fault] += 1
                time.sleep(0.02)
            elif life == self.life:
                self.replies.append((life, reply))

    def _one(self, market: HttpTransport, chance: random.Random) -> Reply:
        kind = chance.randrange(5)
        if kind == 0:
            return market.get(HASH_PATH, VERSION)
        if kind == 1:
            return market.get(INFO_PATH, VERSION)
        if kind == 2:
            return market.get("/api/v1/applications/demo3one/chart", {"fileName": "demo3one-1.0.0.tgz"})
        if kind == 3:
            return market.get("/api/v2/catalog", {"source_id": "device-double"})
        asked = {"app_ids": chance.sample(self.ids, 10), **VERSION}
        return market.post(DETAIL_PATH, json.dumps(asked).encode())


def await_closed(port: int) -> None:
    """The kernel takes a moment to close what a killed process had open."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)


def test_replies_are_whole_when_the_runtime_is_killed_under_load(pair: Pair) -> None:
    """Each life of the runtime serves the other edition and ends by SIGKILL at a random moment."""
    chance = random.Random(20)
    port = runtime.free_port()
    load = Load(f"http://localhost:{port}", tuple(sorted(pair.told[0].details.keys() | pair.told[1].details.keys())))
    clients = [threading.Thread(target=load.ask, args=(seed,), daemon=True) for seed in range(CLIENTS)]
    try:
        for life in range(KILLS):
            with runtime.serve(pair.folders[life % 2], port, pair.states[life % 2]) as running:
                load.life = life
                for client in clients if life == 0 else ():
                    client.start()
                time.sleep(chance.uniform(0.2, 2))
                os.killpg(running.group, signal.SIGKILL)
                load.life = life + 1
            await_closed(port)
    finally:
        load.over = True
        for client in clients:
            client.join(30)
    assert {life for life, _ in load.replies} == set(range(KILLS))
    for life, reply in load.replies:
        check_reply(reply, pair.told[life % 2])
    charts = {hashlib.sha256(reply.body).hexdigest() for _, reply in load.replies if "/chart?" in reply.url}
    assert charts == {hashlib.sha256(pair.told[0].charts["demo3one-1.0.0.tgz"]).hexdigest()}
    kinds = Counter(reply.url.partition("?")[0].rpartition("/")[2] for _, reply in load.replies)
    print(f"{KILLS} kills, {len(load.replies)} whole replies {dict(kinds)}, lost: {dict(load.lost)}")  # noqa: T201
