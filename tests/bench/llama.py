"""A real llama-server: built once per machine, started per test, stopped whatever happens."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import requests

from market.paths import PROJECT

TOOLS = PROJECT / "build" / "tools" / "llama"
NO_COMPILER = 3
"""Exit status of the build script where cmake or a C++ compiler is missing."""
SMOLLM2 = TOOLS / "smollm2-135m-instruct-q4_1.gguf"


@dataclass(frozen=True)
class Server:
    """A running server. ``log`` grows while it runs."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]


@cache
def build() -> Path:
    """The folder of llama-server, which is built where it is missing (about three minutes, once).

    A machine without a compiler skips; in CI the build must be there. LLAMA_TOOLS names a folder with another
    build, e.g. one for the GPU.
    """
    if other := os.environ.get("LLAMA_TOOLS"):
        return Path(other)
    made = subprocess.run([PROJECT / "scripts" / "build_llama.sh"], capture_output=True, text=True, check=False)
    if made.returncode == NO_COMPILER and not os.environ.get("CI"):
        pytest.skip(made.stderr.strip())
    assert made.returncode == 0, f"llama-server could not be built: {made.stdout}{made.stderr}"
    return TOOLS


def free_port() -> int:
    """A port that is free at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(model: Path, folder: Path, arguments: Sequence[str] = (), port: int | None = None) -> Iterator[Server]:
    """Start llama-server with a model, wait until it answers, and stop it afterwards."""
    chosen = port or free_port()
    url, log = f"http://127.0.0.1:{chosen}", folder / f"server-{chosen}.log"
    command = [str(build() / "llama-server"), "-m", str(model), "--host", "127.0.0.1", "--port", str(chosen),
               "--metrics", "--threads", "1", "--no-webui", *arguments]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait(url, process, log)
        yield Server(url, log, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None, f"llama-server stopped: {log.read_text('utf-8', 'replace')[-2000:]}"
        try:
            if requests.get(f"{url}/health", timeout=2).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.1)
    raise AssertionError("llama-server did not become ready in two minutes")
