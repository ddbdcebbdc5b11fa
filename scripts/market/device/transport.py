"""What the device asks a market with: a small protocol, and the reply as Go hands it to the caller."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import urlencode

from market.device.gunzip import GzipError, gunzip

JSON_TYPE = re.compile(r"(?i)(application|text)/(.*json.*)(;|$)")
"""The content types that resty 2.12 decodes as JSON."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    ``wire`` holds the bytes as they came, ``body`` what Go's caller reads (a ``Content-Encoding: gzip`` is
    undone, ``unzipped`` says so). ``status`` is 0 when no answer came; ``fault`` says why the body could
    not be read to its end. ``redirects`` lists what was followed; ``method`` is the last request's.
    Header names are lower-case.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    wire: bytes = b""
    body: bytes = b""
    unzipped: bool = False
    redirects: tuple[str, ...] = ()
    fault: str = ""

    @property
    def answered(self) -> bool:
        """Whether a status line came at all."""
        return self.status != 0

    @property
    def content_type(self) -> str:
        """The Content-Type header, empty when there is none."""
        return self.headers.get("content-type", "")

    @property
    def is_json(self) -> bool:
        """Whether the device's client decodes the body as JSON."""
        return JSON_TYPE.search(self.content_type) is not None


class Transport(Protocol):
    """A market that can be asked; it answers with a reply whatever happens and never raises."""

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        """GET ``path`` with the query, keys sorted as Go's url.Values.Encode does."""
        ...

    def post(self, path: str, body: bytes) -> Reply:
        """POST a JSON body."""
        ...


def target(path: str, query: Mapping[str, str]) -> str:
    """Return path and query as they stand in a request line."""
    return f"{path}?{urlencode(sorted(query.items()))}" if query else path


def undo_encoding(reply: Reply, cap: int) -> Reply:
    """Undo ``Content-Encoding: gzip`` (in any case; nothing else, not ``x-gzip``) as net/http does."""
    if reply.fault or reply.headers.get("content-encoding", "").lower() != "gzip":
        return replace(reply, body=reply.wire)
    if not reply.wire:
        return replace(reply, unzipped=True)
    try:
        return replace(reply, body=gunzip(reply.wire, cap), unzipped=True)
    except GzipError as error:
        return replace(reply, unzipped=True, fault=f"Content-Encoding is gzip, the body is not: {error}")


@dataclass(slots=True)
class Recorder:
    """A transport that also remembers what was asked, so that a step can show that nothing was."""

    inner: Transport
    requests: list[str] = field(default_factory=list)

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        """Note and pass on a GET."""
        self.requests.append(f"GET {target(path, query)}")
        return self.inner.get(path, query)

    def post(self, path: str, body: bytes) -> Reply:
        """Note and pass on a POST."""
        self.requests.append(f"POST {path}")
        return self.inner.post(path, body)
