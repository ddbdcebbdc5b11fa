"""A small Hugging Face Hub on the loopback: it answers as the Hub does and misbehaves on request."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c0ffee" + "0" * 34
RESOLVE = re.compile(r"^/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)$")


@dataclass
class Stored:
    """A file: what the Hub announces of it and what its storage really sends."""

    content: bytes
    size: int | None = None
    sha256: str | None = None
    sent: list[bytes] = field(default_factory=list)
    """Contents for the first downloads, before the right one."""
    cut: list[int] = field(default_factory=list)
    """Bytes after which the first downloads break off."""
    ranges: bool = True
    pause_after: int | None = None
    """Stop sending after so many bytes, with the connection open."""

    @property
    def announced(self) -> dict[str, str]:
        return {
            "X-Linked-Size": str(len(self.content) if self.size is None else self.size),
            "X-Linked-ETag": f'"{self.sha256 or hashlib.sha256(self.content).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
        }


@dataclass(frozen=True)
class Request:
    method: str
    host: str
    path: str
    range: str | None
    authorization: str | None


class Hub(ThreadingHTTPServer):
    """The Hub at 127.0.0.1 and its storage at localhost, which is another host to curl."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, Stored] = {}
        self.requests: list[Request] = []
        self.status: list[int] = []
        """Statuses for the first requests to the Hub itself."""
        self.release = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def seen(self, method: str, place: str) -> list[Request]:
        """Requests by method, at "hub" or at "storage"."""
        host = "127.0.0.1" if place == "hub" else "localhost"
        return [found for found in self.requests if found.method == method and found.host.startswith(host)]


class Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, body: bool) -> None:
        host = self.headers.get("Host", "")
        self.server.requests.append(
            Request(self.command, host, self.path, self.headers.get("Range"), self.headers.get("Authorization"))
        )
        if host.startswith("localhost"):
            self._storage(self.server.files[self.path.removeprefix("/storage/")])
            return
        match = RESOLVE.match(self.path)
        key = f"{match['repo']}/{match['file']}" if match else ""
        status = self.server.status.pop(0) if self.server.status else 302 if key in self.server.files else 404
        self.send_response(status)
        if status == 302:
            for name, value in self.server.files[key].announced.items():
                self.send_header(name, value)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/storage/{key}")
        text = b"Found. Redirecting" if status == 302 else b"no"
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if body:
            self.wfile.write(text)

    def _storage(self, file: Stored) -> None:
        content = file.sent.pop(0) if file.sent else file.content
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(wanted[1]) if wanted and file.ranges else 0
        if start >= len(content) > 0 and wanted:
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self._send(file, content[start:])

    def _send(self, file: Stored, content: bytes) -> None:
        if file.cut:
            self.wfile.write(content[: file.cut.pop(0)])
            self.close_connection = True
        elif file.pause_after is not None:
            self.wfile.write(content[: file.pause_after])
            self.wfile.flush()
            self.server.release.wait(60)
            self.close_connection = True
        else:
            self.wfile.write(content)


@contextmanager
def serving() -> Iterator[Hub]:
    """Run a Hub in this process until the block ends."""
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.release.set()
        hub.shutdown()
        hub.server_close()
        thread.join()
