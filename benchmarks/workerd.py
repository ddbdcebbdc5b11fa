"""Bare workerd, without wrangler's proxy in front: the Worker as it is deployed, and the peer that is all script."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import cores
from market.errors import MarketError
from market.paths import PROJECT
from market.runtime import environment, free_port, node

INLINE = Path(__file__).with_name("inline_worker")
READY_SECONDS = 60
MARKET_CONFIG = """\
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "market", worker = .market),
    (name = "files", disk = (path = "{files}", writable = false)),
    (name = "archive", worker = .archive),
  ],
  sockets = [
    (name = "worker", address = "127.0.0.1:{worker}", http = (), service = "market"),
    (name = "file", address = "127.0.0.1:{file}", http = (), service = "files"),
  ],
);
const market :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")],
  compatibilityDate = "{date}",
  bindings = [(name = "ASSETS", service = "files"), (name = "ARCHIVE", r2Bucket = "archive")],
);
const archive :Workerd.Worker = (
  serviceWorkerScript = "addEventListener('fetch', (event) => event.respondWith(new Response(null, {{status: 404}})));",
  compatibilityDate = "{date}",
);
"""
INLINE_CONFIG = """\
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "inline", worker = .inline)],
  sockets = [(name = "worker", address = "127.0.0.1:{worker}", http = (), service = "inline")],
);
const inline :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")],
  compatibilityDate = "{date}",
);
"""


@dataclass(frozen=True, slots=True)
class Built:
    """A Worker ready to run: its folder with index.js, and that script's size in bytes. ``files``: what it serves."""

    folder: Path
    script_bytes: int
    config: str
    files: Path | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """Where requests go that run the Worker, and those that a file answers; seconds until the first answer."""

    worker: str
    file: str
    process: int
    start_seconds: float


def market(dist: Path, folder: Path) -> Built:
    """Our Worker, bundled as `wrangler deploy` does, over a built dist/."""
    _bundle(PROJECT / "wrangler.toml", folder, "--assets", str(dist))
    return Built(folder, _size(folder), MARKET_CONFIG, dist)


def inline(dist: Path, folder: Path) -> Built:
    """The peer with the same catalog in its script."""
    source = folder / "source"
    source.mkdir(parents=True)
    shutil.copy(INLINE / "index.js", source)
    for name, value in _inlined(dist).items():
        (source / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    configuration = source / "wrangler.toml"
    configuration.write_text(f'name = "inline"\nmain = "index.js"\ncompatibility_date = "{_date()}"\n', "utf-8")
    _bundle(configuration, folder)
    return Built(folder, _size(folder), INLINE_CONFIG)


@contextmanager
def run(built: Built) -> Iterator[Running]:
    """Start workerd on free ports and stop it afterwards."""
    worker, file = free_port(), free_port()
    config = built.folder / "config.capnp"
    config.write_text(built.config.format(worker=worker, file=file, files=built.files, date=_date()), "utf-8")
    started = time.perf_counter()
    process = subprocess.Popen(
        [_workerd(), "serve", config],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=cores.server,  # noqa: PLW1509 - no other thread runs here
    )
    try:
        _await(process, worker)
        seconds = time.perf_counter() - started
        files = f"http://127.0.0.1:{file if built.files else worker}"
        yield Running(f"http://127.0.0.1:{worker}", files, process.pid, seconds)
    finally:
        process.kill()
        process.wait()


def cpu_seconds(process: int) -> float:
    """User and system time that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def version() -> str:
    """The version of workerd."""
    done = subprocess.run([_workerd(), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.strip().removeprefix("workerd ")


def _inlined(dist: Path) -> Mapping[str, object]:
    def read(path: str) -> object:
        return json.loads((dist / path).read_bytes())

    details: dict[str, object] = {}
    for shard in sorted((dist / "_market" / "details").iterdir()):
        details |= json.loads(shard.read_bytes())
    v2 = ("taxonomy", "applications", "browse/applications")
    return {
        "head": read("api/v1/appstore/hash"),
        "info": read("api/v1/appstore/info"),
        "details": details,
        "v2": {
            "/api/v2/catalog": read("_market/catalog.json"),
            **{f"/api/v2/{path}": read(f"api/v2/{path}") for path in v2},
        },
        "charts": {path.name: _base64(path) for path in sorted((dist / "charts").iterdir())},
        "icons": {path.stem: _base64(path) for path in sorted((dist / "icons").iterdir())},
    }


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _bundle(configuration: Path, folder: Path, *arguments: str) -> None:
    wrangler = PROJECT / "node_modules" / "wrangler" / "bin" / "wrangler.js"
    done = subprocess.run(
        [node(), wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", configuration, *arguments],
        env=environment(), cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise MarketError(f"wrangler cannot bundle the Worker: {done.stderr[-500:]}")


def _size(folder: Path) -> int:
    return (folder / "index.js").stat().st_size


def _date() -> str:
    found = re.search(r'^compatibility_date = "(.+)"$', (PROJECT / "wrangler.toml").read_text("utf-8"), re.M)
    assert found
    return found[1]


def _workerd() -> Path:
    """The runtime that wrangler runs."""
    found = sorted((PROJECT / "node_modules").glob("@cloudflare/workerd-*/bin/workerd"))
    if not found:
        raise MarketError("workerd is not installed; run `make node`")
    return found[0]


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait for an answer to one whole request."""
    request = b"GET /api/v2/none HTTP/1.1\r\nHost: market.test\r\nConnection: close\r\n\r\n"
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with socket.create_connection(("127.0.0.1", port), 30) as connection:
                connection.sendall(request)
                if connection.recv(64).startswith(b"HTTP/1.1 "):
                    return
        except OSError:
            pass
        time.sleep(0.002)
    raise MarketError("workerd did not answer")
