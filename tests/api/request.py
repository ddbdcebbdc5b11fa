"""Requests sent exactly as they are written, and the replies as they came."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

SECONDS = 60
"""How long one reply may take, sending included; a loaded machine is given its time."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply; ``headers`` have lower-case names, and values of the same name are joined."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def type(self) -> str:
        """The content type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def content(self) -> bytes:
        """The body, unzipped when it is zipped; a ValueError when it cannot be."""
        if self.headers.get("content-encoding") != "gzip" or not self.body:
            return self.body
        try:
            return gzip.decompress(self.body)
        except (EOFError, OSError) as error:
            raise ValueError(error) from error

    def json(self) -> Any:
        """The content as JSON; a ValueError when it is none, or not UTF-8."""
        return json.loads(self.content.decode("utf-8"))


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. Nothing of it is corrected on its way."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    chunked: bool = False

    def encode(self, host: str) -> bytes:
        """The bytes on the wire. A body has its length unless it is sent in chunks."""
        headers = {"Host": host, "Connection": "close", **self.headers}
        body = self.body or b""
        if self.chunked:
            headers["Transfer-Encoding"] = "chunked"
            body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in _pieces(body)) + b"0\r\n\r\n"
        elif self.body is not None:
            headers.setdefault("Content-Length", str(len(body)))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@dataclass(frozen=True, slots=True)
class Target:
    """A market to ask."""

    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Target:
        """The market at an address."""
        parts = urlsplit(url)
        assert parts.port is not None
        return cls("127.0.0.1", parts.port)

    def ask(self, asked: Asked, seconds: float = SECONDS) -> Reply:
        """Send a request on a connection of its own.

        Raises:
            TimeoutError: no whole reply came in time.
            OSError, http.client.HTTPException: the connection ended without a whole reply.
        """
        with socket.create_connection((self.host, self.port), timeout=seconds) as connection:
            connection.sendall(asked.encode(f"localhost:{self.port}"))
            response = http.client.HTTPResponse(connection, method=asked.method)
            response.begin()
            body = response.read()
        names = {name.lower() for name, _ in response.getheaders()}
        return Reply(response.status, {name: response.headers[name] for name in names}, body)

    def get(self, path: str, **headers: str) -> Reply:
        """GET a path; underscores in the names of headers are hyphens."""
        return self.ask(Asked("GET", path, {name.replace("_", "-"): value for name, value in headers.items()}))


def _pieces(body: bytes, size: int = 16_384) -> list[bytes]:
    stream = io.BytesIO(body)
    return list(iter(lambda: stream.read(size), b""))
