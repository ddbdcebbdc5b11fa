"""The pointer ``current``: the last release that was deployed and seen to work. It moves by compare-and-swap."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from market.canonical import encode
from market.errors import MarketError
from market.provenance import envelope
from market.provenance.statement import Statement
from market.provenance.untrusted import UntrustedError
from market.publish.store import ExistsError, Found, MovedError, Store

KEY = "current"
RELEASES = "releases/"
TYPE = "application/json"
TRIES = 3


class RaceError(MarketError):
    """Another publisher was first; nothing of ours is half-done, and running again is safe."""


@dataclass(frozen=True, slots=True)
class Past:
    """One release that the pointer has stood on."""

    serial: int
    manifest: str


@dataclass(frozen=True, slots=True)
class Current:
    """The pointer as it was read: ``etag`` is what a move must still find. ``released`` is oldest first."""

    etag: str
    released: tuple[Past, ...]
    statement: Statement
    signed: bytes

    @property
    def serial(self) -> int:
        """The serial it stands on."""
        return self.released[-1].serial

    @property
    def manifest(self) -> str:
        """The manifest id it stands on."""
        return self.released[-1].manifest


def release_key(serial: int) -> str:
    """Where the signed statement of a release is."""
    return f"{RELEASES}{serial:08d}.json"


def read(store: Store) -> Current | None:
    """Where the pointer stands, None before the first release.

    The statement's signature is not judged: whoever publishes next replaces it by one of their own.

    Raises:
        MarketError: the pointer or what it names is damaged.
    """
    found = store.read(KEY)
    if found is None:
        return None
    released = _released(found)
    last = released[-1]
    signed = store.read(release_key(last.serial))
    if signed is None:
        raise MarketError(f"the archive has lost the statement of release {last.serial}, which is current")
    try:
        statement = envelope.peek(signed.data)
    except UntrustedError as error:
        raise MarketError(f"the statement of release {last.serial} is damaged: {error}") from error
    if (statement.serial, statement.manifest) != (last.serial, last.manifest):
        raise MarketError(f"the pointer and the statement of release {last.serial} contradict each other")
    return Current(found.etag, released, statement, signed.data)


def is_at(store: Store, current: Current | None, wanted: Past) -> bool:
    """Whether another run of the same publication has moved the pointer to ``wanted`` already.

    Raises:
        RaceError: the pointer moved since ``current`` was read, to something else.
    """
    found = store.read(KEY)
    if (found.etag if found else None) == (current.etag if current else None):
        return False
    if found is not None and _released(found)[-1] == wanted:
        return True
    raise _lost(found)


def move(store: Store, current: Current | None, serial: int, manifest: str) -> None:
    """Move the pointer from where it stood to a release.

    Raises:
        RaceError: somebody else moved it in between.
    """
    data = _encode((*(current.released if current else ()), Past(serial, manifest)))
    for _ in range(TRIES):
        try:
            if current is None:
                store.create(KEY, data, TYPE, {})
            else:
                store.replace(KEY, data, TYPE, current.etag, {})
        except (ExistsError, MovedError):
            found = store.read(KEY)
            if found is not None and found.data == data:
                return  # the reply to an earlier attempt was lost, or another finished the same release
            if (found.etag if found else None) != (current.etag if current else None):
                raise _lost(found) from None
        else:
            return
    raise MarketError("the archive refuses to move the pointer although nobody else moved it; run this again")


def _lost(found: Found | None) -> RaceError:
    if found is None:
        return RaceError("the pointer is gone from the archive; another program interferes")
    last = _released(found)[-1]
    return RaceError(
        f"another publisher was first: release {last.serial} ({last.manifest[:12]}) is current now; run this again"
    )


def _encode(released: Sequence[Past]) -> bytes:
    value = {"serial": released[-1].serial, "released": [[past.serial, past.manifest] for past in released]}
    return encode(value)


def _released(found: Found) -> tuple[Past, ...]:
    try:
        value = json.loads(found.data)
        released = tuple(Past(int(serial), str(manifest)) for serial, manifest in value["released"])
        serials = [past.serial for past in released]
        sound = serials == sorted(set(serials)) and serials[-1] == value["serial"]
    except (ValueError, TypeError, KeyError, IndexError):
        sound = False
    if not sound:
        raise MarketError(f"the object {KEY} in the archive is damaged")
    return released
