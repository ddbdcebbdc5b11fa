"""What the simulated device objects to: values, collected by every step and shown together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

T = TypeVar("T")

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing a device would not accept, or would silently lose, at ``path``.

    ``path`` is a JSON path (``$.data.tags``), a path in a chart (``demo-1.0.0.tgz!demo/Chart.yaml``) or
    the request. ``message`` says what is wrong, ``why`` what a device makes of it.
    """

    path: str
    message: str
    why: str


@dataclass(frozen=True, slots=True)
class Deviation:
    """A fault together with the device generation (``mode``) and the step of the sync that met it."""

    mode: str
    step: str
    path: str
    message: str
    why: str


@dataclass(frozen=True, slots=True)
class Finding(Generic[T]):
    """What a step hands on: its value (``None``: the device gives up here), its faults, a short note."""

    value: T | None
    faults: tuple[Fault, ...] = ()
    note: str = ""


def key_path(path: str, key: str) -> str:
    """Extend a JSON path by an object key: ``$.a`` + ``b`` → ``$.a.b``, quoted where it must be."""
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}"
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{quoted}"]'


def without_repeats(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults in their order, each once."""
    return tuple(dict.fromkeys(faults))


def shown(value: object) -> str:
    """Return a value of a reply as short JSON, for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"


def count(number: int, word: str) -> str:
    """Return a number with its noun: ``1 app``, ``2 apps``."""
    return f"{number} {word}{'s' if number != 1 else ''}"


def named(faults: Iterable[Fault], name: object) -> tuple[Fault, ...]:
    """Put the app's name before the messages of faults whose path knows only its id."""
    label = name if isinstance(name, str) and name else "nameless app"
    return tuple(replace(fault, message=f"{label}: {fault.message}") for fault in faults)
