"""Whether the archive still has everything that a device could ask for, with the bytes that the ledger names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from market.errors import MarketError
from market.ledger import Ledger, Release
from market.provenance import envelope
from market.provenance.keys import Keys
from market.provenance.untrusted import UntrustedError
from market.publish import claim, snapshot
from market.publish.archiving import IDENTITY
from market.publish.content import CHARTS
from market.publish.pointer import Current, Past
from market.publish.store import THREADS, ExistsError, MovedError, Store

Rebuild = Callable[[Iterable[Release]], Mapping[str, bytes]]
"""Charts built again, by ``name@version``; only those whose bytes agree with the ledger."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in the archive that is not as it should be. ``release`` is set when it is a chart of the ledger."""

    key: str
    message: str
    release: Release | None = None
    etag: str | None = None


def key_of(release: Release) -> str:
    """Where a release's chart is archived."""
    return f"{CHARTS}{release.name}-{release.version}.tgz"


def check(store: Store, ledger: Ledger, current: Current | None, keys: Keys) -> tuple[Fault, ...]:
    """Read every chart of the ledger and look at every release; the current one is unpacked whole.

    Charts are read and hashed, since what the archive says of an object is not proof of its bytes.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        charts = pool.map(lambda release: _chart(store, release), ledger.releases.values())
        found = [fault for fault in charts if fault is not None]
        found += _strangers(store, ledger)
        for faults in pool.map(lambda past: _release(store, past, keys), current.released if current else ()):
            found += faults
    if current is not None and not any(fault.key.startswith(snapshot.prefix(current.manifest)) for fault in found):
        found += _unpacked(store, current.manifest)
    return tuple(sorted(set(found), key=lambda fault: fault.key))


def repair(store: Store, faults: Iterable[Fault], rebuild: Rebuild) -> tuple[str, ...]:
    """Put back the charts that can be built again with the ledger's bytes; return their keys.

    A missing chart is created, an altered one is replaced if it is still the one that was found altered.
    """
    broken = {fault.release.key: fault for fault in faults if fault.release is not None}
    rebuilt = rebuild([fault.release for fault in broken.values() if fault.release is not None])
    return tuple(sorted(broken[key].key for key, data in rebuilt.items() if _put_back(store, broken[key], data)))


def _put_back(store: Store, fault: Fault, data: bytes) -> bool:
    release = fault.release
    if release is None or hashlib.sha256(data).hexdigest() != release.sha256:
        return False
    metadata = {IDENTITY: release.sha256}
    try:
        if fault.etag is None:
            store.create(fault.key, data, "application/gzip", metadata)
        else:
            store.replace(fault.key, data, "application/gzip", fault.etag, metadata)
    except (ExistsError, MovedError):
        # An earlier attempt of ours whose reply was lost, or another repair.
        return _chart(store, release) is None
    return True


def _chart(store: Store, release: Release) -> Fault | None:
    key = key_of(release)
    found = store.read(key)
    if found is None:
        return Fault(key, "missing", release)
    sha256 = hashlib.sha256(found.data).hexdigest()
    if sha256 == release.sha256:
        return None
    return Fault(key, f"altered: sha256 {sha256[:12]}, the ledger has {release.sha256[:12]}", release, found.etag)


def _strangers(store: Store, ledger: Ledger) -> list[Fault]:
    known = {key_of(release) for release in ledger.releases.values()}
    return [Fault(key, "not in the ledger of this checkout") for key in store.list(CHARTS) if key not in known]


def _release(store: Store, past: Past, keys: Keys) -> list[Fault]:
    found = []
    try:
        signed, _ = claim.read(store, past.serial)
        statement = envelope.open_(signed, keys)
        if (statement.serial, statement.manifest) != (past.serial, past.manifest):
            found.append(Fault(f"releases/{past.serial:08d}.json", "names another content than the pointer"))
    except (MarketError, UntrustedError) as error:
        found.append(Fault(f"releases/{past.serial:08d}.json", str(error)))
    prefix = snapshot.prefix(past.manifest)
    there = store.list(prefix)
    return found + [Fault(prefix + name, "missing") for name in snapshot.NAMES if prefix + name not in there]


def _unpacked(store: Store, id: str) -> list[Fault]:
    with TemporaryDirectory(prefix="market-archive-") as folder:
        try:
            snapshot.restore(store, id, Path(folder))
        except MarketError as error:
            return [Fault(snapshot.prefix(id), str(error))]
    return []
