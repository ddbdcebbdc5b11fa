"""Where two replies differ first: a JSON path, or an offset in bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from market.device.deviation import key_path, shown

_ABSENT = object()
_CONTEXT = 8


def of_bytes(live: bytes, here: bytes) -> str:
    """What tells the served bytes from those that were expected; empty when they are the same."""
    if live == here:
        return ""
    values = _parsed(live), _parsed(here)
    if _ABSENT not in values:
        return of_values(*values) or f"the same JSON in other bytes, {_offset(live, here)}"
    return f"{_offset(live, here)}; {_size(live)} instead of {_size(here)}"


def of_values(live: Any, here: Any) -> str:
    """The first JSON path at which two values differ, and both values there; empty when they are the same."""
    found = next(_differences(live, here, "$"), None)
    if found is None:
        return ""
    path, one, other = found
    return f"{path} is {_text(one)} instead of {_text(other)}"


def _differences(live: Any, here: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if type(live) is not type(here):
        yield path, live, here
    elif isinstance(live, dict):
        for key in sorted({*live, *here}):
            yield from _differences(live.get(key, _ABSENT), here.get(key, _ABSENT), key_path(path, key))
    elif isinstance(live, list):
        for index in range(max(len(live), len(here))):
            one, other = (items[index] if index < len(items) else _ABSENT for items in (live, here))
            yield from _differences(one, other, f"{path}[{index}]")
    elif live != here:
        yield path, live, here


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return _ABSENT


def _text(value: Any) -> str:
    return "absent" if value is _ABSENT else shown(value)


def _offset(live: bytes, here: bytes) -> str:
    pairs = zip(live, here, strict=False)
    at = next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(live), len(here)))
    one, other = (data[at : at + _CONTEXT].hex(" ") or "the end" for data in (live, here))
    return f"from byte {at}: {one} instead of {other}"


def _size(data: bytes) -> str:
    return f"{len(data)} bytes (sha256 {hashlib.sha256(data).hexdigest()[:12]})"
