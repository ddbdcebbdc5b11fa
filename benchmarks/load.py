"""Requests as fast as one machine can ask, by wrk where it is installed, else by threads of our own."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlsplit

from benchmarks import cores

CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: a GET, or a POST of each body in turn."""

    path: str
    bodies: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """Replies a second, the time in ms that 99 of 100 replies stay below, and how many replies there were."""

    rate: float
    p99: float
    replies: int


def measure(base: str, request: Request, seconds: int) -> Measured:
    """Ask for some seconds over sixteen connections.

    Raises:
        RuntimeError: a reply was no 200.
    """
    return _wrk(base, request, seconds) if shutil.which("wrk") else _threads(base, request, seconds)


def _wrk(base: str, request: Request, seconds: int) -> Measured:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_lua(request.bodies))
        script.flush()
        done = subprocess.run(
            ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", script.name, base + request.path],
            capture_output=True, text=True, check=True, preexec_fn=cores.client,
        ).stdout  # fmt: skip
    if re.search(r"Non-2xx|Socket errors", done):
        raise RuntimeError(f"not every reply was right: {done}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", done)
    replies = re.search(r"(\d+) requests in", done)
    assert rate and p99 and replies, done
    return Measured(float(rate[1]), float(p99[1]) * {"us": 0.001, "ms": 1, "s": 1000}[p99[2]], int(replies[1]))


def _lua(bodies: Sequence[bytes]) -> str:
    if not bodies:
        return ""
    listed = ",".join(json.dumps(body.decode()) for body in bodies)
    return f"""\
local bodies = {{{listed}}}
local turn = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  turn = turn % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[turn])
end
"""


def _threads(base: str, request: Request, seconds: int) -> Measured:
    times: list[float] = []
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=_ask, args=(base, request, until, times)) for _ in range(CONNECTIONS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if any(took < 0 for took in times):
        raise RuntimeError("not every reply was right")
    p99 = statistics.quantiles(times, n=100)[-1]
    return Measured(len(times) / (time.perf_counter() - started), p99 * 1000, len(times))


def _ask(base: str, request: Request, until: float, times: list[float]) -> None:
    host = urlsplit(base).netloc
    connection = HTTPConnection(host, timeout=30)
    turn = 0
    while (started := time.perf_counter()) < until:
        if request.bodies:
            turn = (turn + 1) % len(request.bodies)
            connection.request("POST", request.path, request.bodies[turn], {"Content-Type": "application/json"})
        else:
            connection.request("GET", request.path)
        reply = connection.getresponse()
        reply.read()
        times.append(time.perf_counter() - started if reply.status == 200 else -1)
    connection.close()
