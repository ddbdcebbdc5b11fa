"""The claim of a serial: a signed statement that only one publisher can write, and that says what it is about to do.

A claim is a lease. Whoever holds it may start to deploy while more than ``MARGIN`` of it is left, and a
deployment takes less than that; so once a claim is older than ``LEASE`` its publisher is dead or will give
up, and the next serial may be claimed over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from market.errors import MarketError
from market.provenance import envelope
from market.provenance.statement import Statement, lasting
from market.provenance.untrusted import UntrustedError
from market.publish.content import Content
from market.publish.pointer import RELEASES, TYPE, Current, RaceError, release_key
from market.publish.store import ExistsError, Store

LEASE = timedelta(minutes=15)
MARGIN = timedelta(minutes=7)
"""A deployment is stopped when it takes this long."""
TRIES = 3

Sign = Callable[[Statement], bytes]


@dataclass(frozen=True, slots=True)
class Claim:
    """A serial that is this publisher's to release, and the signed statement that says so."""

    serial: int
    signed: bytes
    issued: datetime

    def must_last(self, now: datetime) -> None:
        """Raise RaceError when too little of the lease is left to deploy in."""
        if now - self.issued > LEASE - MARGIN:
            raise RaceError(
                f"this run took too long: release {self.serial} was claimed at {self.issued:%H:%M:%S} UTC and "
                "others may pass over it now; run this again"
            )


def claim(
    store: Store, content: Content, current: Current | None, sign: Sign, now: datetime, take_over: bool = False
) -> Claim:
    """Claim the next serial for a content, or go on with a claim that an earlier run left behind.

    ``take_over`` passes over another publisher's claim although its lease has not run out.

    Raises:
        RaceError: another publisher has claimed the next release.
    """
    newest = _newest(store, current.serial if current else 0)
    if newest is not None:
        signed, statement = read(store, newest)
        if _is_same(statement, content, current):
            if _is_fresh(statement, now):
                return Claim(newest, signed, statement.issued)
        elif not take_over:
            _must_be_over(statement, now)
    serial = (newest or (current.serial if current else 0)) + 1
    return _write(store, serial, content, current, sign, now)


def previous_of(catalog: str, current: Statement | None) -> str | None:
    """The catalog hash that devices saw before this catalog; publishing the same catalog again does not change it."""
    if current is None:
        return None
    return current.previous if catalog == current.catalog else current.catalog


def _newest(store: Store, serial: int) -> int | None:
    """The highest serial above this one that is claimed."""
    keys = store.list(RELEASES, after=release_key(serial))
    return max((int(key.removeprefix(RELEASES).removesuffix(".json")) for key in keys), default=None)


def _is_same(statement: Statement, content: Content, current: Current | None) -> bool:
    """Whether a claim is for the same content after the same release: an earlier run of the same command."""
    before = previous_of(content.catalog, current.statement if current else None)
    return (statement.manifest, statement.previous) == (content.id, before)


def _is_fresh(statement: Statement, now: datetime) -> bool:
    return now - statement.issued <= LEASE - MARGIN


def read(store: Store, serial: int) -> tuple[bytes, Statement]:
    """The signed statement of a serial, unjudged.

    Raises:
        MarketError: it is missing or damaged.
    """
    found = store.read(release_key(serial))
    if found is None:
        raise MarketError(f"the archive has no statement of release {serial}")
    try:
        return found.data, envelope.peek(found.data)
    except UntrustedError as error:
        raise MarketError(f"the statement of release {serial} is damaged: {error}") from error


def _must_be_over(statement: Statement, now: datetime) -> None:
    end = statement.issued + LEASE
    if now <= end:
        commit = f" (commit {statement.commit[:12]})" if statement.commit else ""
        raise RaceError(
            f"another publisher claimed release {statement.serial}{commit} at {statement.issued:%H:%M:%S} UTC; run "
            f"this again when it is done, or after {end:%H:%M:%S} UTC, or with --take-over when it is known to be dead"
        )


def _write(store: Store, serial: int, content: Content, current: Current | None, sign: Sign, now: datetime) -> Claim:
    issued, expires = lasting(now)
    before = previous_of(content.catalog, current.statement if current else None)
    signed = sign(Statement(serial, content.commit, issued, expires, content.catalog, content.id, before))
    for _ in range(TRIES):
        try:
            store.create(release_key(serial), signed, TYPE, {})
        except ExistsError:
            if store.read(release_key(serial)) is None:
                continue
            found, statement = read(store, serial)
            if not (found == signed or (_is_same(statement, content, current) and _is_fresh(statement, now))):
                raise RaceError(
                    f"another publisher claimed release {serial} at the same moment; run this again when it is done"
                ) from None
            return Claim(serial, found, statement.issued)
        return Claim(serial, signed, issued)
    raise MarketError(f"the archive neither takes the statement of release {serial} nor has one")
