"""Putting objects into the archive once: in parallel, never over other bytes, each looked up again afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from market.errors import MarketError
from market.publish.snapshot import Item
from market.publish.store import THREADS, ExistsError, Store, Stored

IDENTITY = "sha256"
"""Metadata of every object: the SHA-256 that identifies it."""
TRIES = 3


def archive(store: Store, prefix: str, items: Mapping[str, Item]) -> int:
    """Make sure that every item is in the archive under its key, and return how many were not yet.

    One request lists what is there. An object that is there with the same bytes stays untouched.

    Raises:
        MarketError: an object holds other bytes, or did not arrive as it was sent.
    """
    there = store.list(prefix)

    def settle(key: str) -> bool:
        known = there.get(key)
        if known is not None:
            _must_be(store, key, items[key], known)
            return False
        return _created(store, key, items[key])

    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(settle, sorted(items)))


def _created(store: Store, key: str, item: Item) -> bool:
    for _ in range(TRIES):
        try:
            store.create(key, item.data, item.type, {IDENTITY: item.identity})
            created = True
        except ExistsError:
            # Another publisher, or an attempt of ours whose reply was lost.
            created = False
        stored = store.head(key)
        if stored is not None:
            _must_be(store, key, item, stored)
            return created
    raise MarketError(f"the archive neither takes {key} nor has it")


def _must_be(store: Store, key: str, item: Item, stored: Stored) -> None:
    if stored.etag == hashlib.md5(item.data, usedforsecurity=False).hexdigest() and stored.size == len(item.data):
        if not stored.metadata or stored.metadata.get(IDENTITY) == item.identity:
            return
    else:
        known = stored if stored.metadata else store.head(key)
        # The same content may have been compressed by another zlib.
        if known is not None and known.metadata.get(IDENTITY) == item.identity and item.is_packed:
            return
    raise MarketError(
        f"the archive holds other bytes under {key} than this release has; nothing was overwritten. "
        "`market archive check` tells which of the two the ledger means"
    )
