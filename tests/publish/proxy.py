"""A real HTTP proxy in front of an S3 server that spoils replies: errors, refusals, delays, cuts."""

from __future__ import annotations

import contextlib
import http.client
import random
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.publish.edge import served

FAULTS = ("error", "error-after", "refused", "slow", "cut", "dropped")
_SENT_ANEW = frozenset({"connection", "content-length", "transfer-encoding", "date", "server"})


class Weather:
    """Which faults happen how often; ``rate`` is the share of requests that are spoilt."""

    def __init__(self, seed: int) -> None:
        self.rate = 0.0
        self.counts: Counter[str] = Counter()
        self._random = random.Random(seed)

    def next(self) -> str | None:
        fault = self._random.choice(FAULTS) if self._random.random() < self.rate else None
        if fault:
            self.counts[fault] += 1
        return fault


@contextlib.contextmanager
def proxy(endpoint: str, weather: Weather) -> Iterator[str]:
    """Yield an endpoint that leads to ``endpoint``."""
    upstream = urlsplit(endpoint)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def handle_expect_100(self) -> bool:
            go_on = super().handle_expect_100()
            self.wfile.flush()
            return go_on

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            fault = weather.next()
            if fault == "slow":
                time.sleep(0.3)
            if fault == "error":
                self._answer(503, b"<Error><Code>SlowDown</Code></Error>")
            elif fault == "refused":
                self._answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            elif fault == "dropped":
                self.close_connection = True
            else:
                status, headers, data = self._ask(body)
                if fault == "error-after":
                    self._answer(500, b"<Error><Code>InternalError</Code></Error>")
                elif fault == "cut":
                    self._reply(status, headers, data, cut=True)
                else:
                    self._reply(status, headers, data)

        do_GET = do_PUT = do_HEAD = _pass  # noqa: N815

        def _ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
            connection = http.client.HTTPConnection(upstream.hostname or "", upstream.port, timeout=60)
            try:
                # The client signed its Host header, which is this proxy's.
                headers = {name: value for name, value in self.headers.items() if name.lower() != "expect"}
                connection.request(self.command, upstream.path + self.path, body, headers)
                reply = connection.getresponse()
                return reply.status, reply.getheaders(), reply.read()
            finally:
                connection.close()

        def _answer(self, status: int, data: bytes) -> None:
            self._reply(status, [("Content-Type", "application/xml")], b"" if self.command == "HEAD" else data)

        def _reply(self, status: int, headers: list[tuple[str, str]], data: bytes, cut: bool = False) -> None:
            length = {name.lower(): value for name, value in headers}.get("content-length", str(len(data)))
            if cut and not data:
                self.close_connection = True
                return
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in _SENT_ANEW:
                    self.send_header(name, value)
            self.send_header("Content-Length", length if self.command == "HEAD" else str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data[: len(data) // 2] if cut else data)
            self.close_connection = self.close_connection or cut

        def log_message(self, format: str, *args: object) -> None:
            pass

    with served(Handler) as url:
        yield url
