"""The releases of the past: what the archive tells of each."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from market.errors import InputError
from market.provenance.manifest import Manifest
from market.provenance.statement import Statement
from market.publish import claim, snapshot
from market.publish.difference import Difference, between
from market.publish.pointer import Current, Past
from market.publish.store import THREADS, Store

_HASH = re.compile(r"[0-9a-f]{6,64}")


@dataclass(frozen=True, slots=True)
class Released:
    """A release with what it changed. The statement is told, not trusted."""

    statement: Statement
    difference: Difference
    is_current: bool


def releases(store: Store, current: Current, limit: int) -> tuple[Released, ...]:
    """The last releases, newest first."""
    shown = current.released[-limit:]
    before = current.released[-limit - 1 : -limit] if len(current.released) > limit else ()
    chain = (*before, *shown)
    with ThreadPoolExecutor(THREADS) as pool:
        statements = list(pool.map(lambda past: claim.read(store, past.serial)[1], shown))
        ids = sorted({past.manifest for past in chain})
        manifests = dict(zip(ids, pool.map(lambda id: snapshot.manifest(store, id), ids), strict=True))
    earlier: list[Manifest | None] = [manifests[past.manifest] for past in chain[:-1]]
    if not before:
        earlier.insert(0, None)
    found = [
        Released(statement, between(old, manifests[past.manifest]), past.serial == current.serial)
        for statement, past, old in zip(statements, shown, earlier, strict=True)
    ]
    return tuple(reversed(found))


def find(store: Store, current: Current, wanted: str) -> Past:
    """The release with this serial, or the newest whose catalog hash or manifest id starts like this.

    Raises:
        InputError: there is none, or several differ.
    """
    if wanted.isdecimal() and len(wanted) < 9:
        for past in current.released:
            if past.serial == int(wanted):
                return past
    if not _HASH.fullmatch(wanted):
        raise InputError(f"there is no release {wanted}; `market releases` lists them")
    with ThreadPoolExecutor(THREADS) as pool:
        statements = pool.map(lambda past: claim.read(store, past.serial)[1], current.released)
    matching = [
        past
        for past, statement in zip(current.released, statements, strict=True)
        if past.manifest.startswith(wanted) or statement.catalog.startswith(wanted)
    ]
    if not matching:
        raise InputError(f"there is no release {wanted}; `market releases` lists them")
    return matching[-1]


def before(current: Current, live: Statement | None) -> Past:
    """The release to go back to: what is current when something newer is live, else the one before it.

    Raises:
        InputError: there is none.
    """
    if live is not None and live.serial > current.serial:
        return current.released[-1]
    for past in reversed(current.released[:-1]):
        if past.manifest != current.manifest:
            return past
    raise InputError("there is no release before the current one")
