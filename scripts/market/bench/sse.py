"""Server-sent events (WHATWG HTML, section 9.2), read as bytes with the time of each arrival."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One event. ``at`` is in seconds since the request was sent, ``data`` its JSON or ``None`` for [DONE].

    ``broken`` is the text of data that is not JSON.
    """

    at: float
    data: Any = None
    done: bool = False
    broken: str = ""


def events(reads: Iterable[tuple[float, bytes]]) -> Iterator[Event]:
    """Split what was read into events; each has the time of the read that completed it.

    An event that the stream's end cut off is not returned, as the standard wants.
    """
    rest = b""
    for at, data in reads:
        *blocks, rest = (rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        for block in blocks:
            event = _event(at, block)
            if event:
                yield event


def _event(at: float, block: bytes) -> Event | None:
    lines = block.decode("utf-8", "replace").split("\n")
    # llama.cpp wrote in-stream errors under a field name of its own until 2025.
    for name in ("data", "error"):
        parts = [line.removeprefix(f"{name}:").lstrip() for line in lines if line.startswith(f"{name}:")]
        if parts:
            text = "\n".join(parts)
            if text == "[DONE]":
                return Event(at, done=True)
            try:
                value = json.loads(text)
            except ValueError:
                return Event(at, broken=text)
            return Event(at, {"error": value} if name == "error" else value)
    return None
