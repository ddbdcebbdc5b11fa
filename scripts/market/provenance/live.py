"""Asking a live market for many things at once, without a device's manners."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from market.device.client import HttpTransport, normalise
from market.device.transport import Reply, target

CONNECTIONS = 8
TRIES = 3
PAUSE = 0.5
"""Seconds before an address that failed for a moment is asked again."""
BATCH = 10
"""Apps that a device asks for in one request (market backend, hydration)."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: a GET, or a POST when there is a body."""

    path: str
    query: Mapping[str, str] = field(default_factory=lambda: _NOTHING, hash=False)
    body: bytes | None = None

    def __str__(self) -> str:
        return f"{'GET' if self.body is None else 'POST'} {target(self.path, self.query)}"


class Live:
    """A market at an address. Every reply is whole, or says in ``fault`` why it is not."""

    def __init__(self, url: str, pause: Callable[[float], None] = time.sleep) -> None:
        self.base = normalise(url)
        self._pause = pause
        self._local = threading.local()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.base)
        return f"{parts.scheme}://{parts.netloc}".lower()

    def ask(self, ask: Ask) -> Reply:
        """One reply; an address that fails for a moment is asked again."""
        reply = self._once(ask)
        for _ in range(TRIES - 1):
            if reply.answered and not reply.fault and reply.status != 429 and reply.status < 500:
                break
            self._pause(PAUSE)
            reply = self._once(ask)
        return reply

    def all(self, asks: Iterable[Ask]) -> tuple[Reply, ...]:
        """The replies in the order of the requests, over a few connections."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            return tuple(pool.map(self.ask, asks))

    def _once(self, ask: Ask) -> Reply:
        # A session is not made to be shared between threads.
        if not hasattr(self._local, "transport"):
            self._local.transport = HttpTransport(self.base)
        transport: HttpTransport = self._local.transport
        return transport.get(ask.path, ask.query) if ask.body is None else transport.post(ask.path, ask.body)


def fault(reply: Reply, status: int = 200) -> str:
    """Why a reply is not the one that was asked for, empty when it is."""
    if reply.redirects:
        return f"redirected: {'; '.join(reply.redirects)}"
    if not reply.answered or reply.fault:
        return f"no whole reply: {reply.fault or 'no answer'}"
    if reply.status != status:
        return f"status {reply.status} instead of {status}"
    return ""
