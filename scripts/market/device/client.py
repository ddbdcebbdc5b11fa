"""The device's HTTP client: what resty 2.12 on Go's net/http sends, follows and undoes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from market.device.transport import Reply, target, undo_encoding

USER_AGENT = "go-resty/2.12.0 (https://github.com/go-resty/resty)"
MAX_REQUESTS = 10
"""Go gives up instead of sending the eleventh request of a chain of redirects."""
MAX_BYTES = 32 * 1024**2
"""Bytes read of one reply; a device has no such limit, a check must have one."""
SECONDS = 30.0
"""Time for one reply, connecting included; what the device gives a detail request and a chart."""

_PIECE = 64 * 1024
_DROPS_BODY = frozenset({301, 302, 303})
_KEEPS_BODY = frozenset({307, 308})
_FAULTS = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    HTTPException,
    OSError,
    ValueError,
)


def normalise(url: str) -> str:
    """Return a market's address as the device stores it: scheme added, one trailing slash dropped."""
    url = url.strip()
    if not url.lower().startswith(("http://", "https://", "ftp://", "file://")):
        url = f"https://{url}"
    return url.removesuffix("/")


def session_of_device() -> requests.Session:
    """Return a session that adds nothing of its own: Go's headers only, no cookie kept, no .netrc read."""
    session = requests.Session()
    session.headers.clear()
    session.headers.update({"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"})
    session.auth = _no_credentials
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return session


def _no_credentials(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


@dataclass(frozen=True, slots=True)
class HttpTransport:
    """A live market. Certificates are verified; cookies, credentials and conditions are never sent."""

    base: str
    seconds: float = SECONDS
    max_bytes: int = MAX_BYTES
    clock: Callable[[], float] = time.monotonic
    session: requests.Session = field(default_factory=session_of_device)

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        """GET with up to nine redirects followed."""
        return self._follow("GET", self.base + target(path, query), None)

    def post(self, path: str, body: bytes) -> Reply:
        """POST; a 301, 302 or 303 turns it into a GET without body, as in Go."""
        return self._follow("POST", self.base + path, body)

    def _follow(self, method: str, url: str, body: bytes | None) -> Reply:
        redirects: tuple[str, ...] = ()
        deadline = self.clock() + self.seconds
        while True:
            reply = self._one(method, url, body, redirects, deadline)
            location = reply.headers.get("location", "")
            if reply.status not in _DROPS_BODY | _KEEPS_BODY or not location:
                return reply
            if reply.status in _DROPS_BODY:
                method, body = "GET", None
            redirects = (*redirects, f"{reply.status} to {location}")
            if len(redirects) >= MAX_REQUESTS:
                return Reply(method, url, 0, redirects=redirects, fault="stopped after 10 redirects")
            url = urljoin(url, location)

    def _one(self, method: str, url: str, body: bytes | None, redirects: tuple[str, ...], deadline: float) -> Reply:
        try:
            scheme = urlsplit(url).scheme
            if scheme not in ("http", "https"):
                return Reply(method, url, 0, redirects=redirects, fault=f'unsupported scheme "{scheme}"')
            with self._send(method, url, body, deadline) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                wire, fault = self._read(response, deadline)
        except _FAULTS as error:
            return Reply(method, url, 0, redirects=redirects, fault=self._reason(error))
        reply = Reply(method, url, response.status_code, headers, wire, redirects=redirects, fault=fault)
        return undo_encoding(reply, self.max_bytes)

    def _send(self, method: str, url: str, body: bytes | None, deadline: float) -> requests.Response:
        left = max(deadline - self.clock(), 0.001)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        return self.session.request(
            method, url, data=body, headers=headers, timeout=left, allow_redirects=False, stream=True
        )

    def _read(self, response: requests.Response, deadline: float) -> tuple[bytes, str]:
        pieces: list[bytes] = []
        size = 0
        try:
            for piece in response.raw.stream(_PIECE, decode_content=False):
                pieces.append(piece)
                size += len(piece)
                if size > self.max_bytes:
                    return b"".join(pieces), f"the reply is larger than {self.max_bytes} bytes"
                if self.clock() > deadline:
                    return b"".join(pieces), f"the reply took longer than {self.seconds:g} s"
        except _FAULTS as error:
            return b"".join(pieces), self._reason(error)
        return b"".join(pieces), ""

    def _reason(self, error: BaseException) -> str:
        """Say in a few words why no reply, or no whole reply, came."""
        text = f"{type(error).__name__} {error}"
        for mark, reason in _REASONS:
            if mark in text:
                return reason.format(seconds=self.seconds)
        return " ".join(str(error).split())[:200] or type(error).__name__


_REASONS = (
    ("CERTIFICATE_VERIFY_FAILED", "its TLS certificate is not trusted"),
    ("SSLError", "the TLS handshake failed"),
    ("NameResolutionError", "the host name does not resolve"),
    ("Connection refused", "the connection was refused"),
    ("IncompleteRead", "the reply ended before the length it announced"),
    ("InvalidChunkLength", "the reply ended before its last chunk"),
    ("timed out", "no reply within {seconds:g} s"),
    ("Connection reset", "the connection was reset"),
    ("RemoteDisconnected", "the connection was closed without a reply"),
)
