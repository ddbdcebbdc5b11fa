"""A release as four archived objects and its manifest, from which exactly the same files come back.

Archives are gzip of a USTAR without times and owners. Their compressed bytes may differ between builds of
zlib, so what identifies them is the SHA-256 of the tar, kept as metadata; each file is checked against the
manifest when it is taken out again.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from market.errors import MarketError
from market.files import write_tree
from market.provenance.manifest import Manifest, digest, from_bytes
from market.provenance.untrusted import UntrustedError
from market.publish.content import CONFIGURATION, FILES, WORKER, Content
from market.publish.store import Store

PREFIX = "snapshots/"
MANIFEST = "manifest.json"
MARKET = "market.tgz"
SITE = "site.tgz"
NAMES = (MANIFEST, MARKET, SITE, WORKER, CONFIGURATION)
LIMIT = 512 * 1024**2
"""Bytes that an archive may unpack to."""
_OF_MARKET = ("api/", "_market/", "charts/", "icons/", "pictures/")
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Item:
    """Bytes to archive; ``identity`` is the SHA-256 of what they mean: themselves, or the tar inside."""

    data: bytes
    type: str
    identity: str
    is_packed: bool = False


def prefix(id: str) -> str:
    """Where the objects of a manifest id are."""
    return f"{PREFIX}{id}/"


def items(content: Content) -> dict[str, Item]:
    """The objects of a release by their key.

    Raises:
        MarketError: a file is not what the manifest says.
    """
    market = [path for path in content.manifest.files if path.startswith(_OF_MARKET)]
    site = [path for path in content.manifest.files if not path.startswith(_OF_MARKET)]
    found = {
        MANIFEST: plain(content.manifest.encode(), "application/json"),
        MARKET: _packed(content, market),
        SITE: _packed(content, site),
        WORKER: plain(content.worker, "text/javascript"),
        CONFIGURATION: plain(content.configuration, "application/json"),
    }
    return {prefix(content.id) + name: item for name, item in found.items()}


def plain(data: bytes, type: str) -> Item:
    """An object that is its own bytes."""
    return Item(data, type, hashlib.sha256(data).hexdigest())


def manifest(store: Store, id: str) -> Manifest:
    """The archived manifest with this id.

    Raises:
        MarketError: it is missing, or not the one that the id stands for.
    """
    found = store.read(prefix(id) + MANIFEST)
    if found is None:
        raise MarketError(f"the archive has no snapshot {id[:12]}")
    try:
        read = from_bytes(found.data)
    except UntrustedError as error:
        raise MarketError(f"snapshot {id[:12]}: {error}") from error
    if read.id != id:
        raise MarketError(f"the manifest of snapshot {id[:12]} was altered")
    return read


def restore(store: Store, id: str, folder: Path) -> Content:
    """Take a release out of the archive, byte for byte, into a new folder below ``folder``.

    Raises:
        MarketError: an object is missing, or a file is not what the manifest says.
    """
    listed = manifest(store, id)
    files = {**_unpacked(store, id, MARKET), **_unpacked(store, id, SITE)}
    wrong = sorted(
        {path for path in listed.files.keys() | files.keys() if path not in listed.files or path not in files}
        | {path for path, data in files.items() if path in listed.files and digest(data) != listed.files[path]}
    )
    if wrong:
        raise MarketError(f"snapshot {id[:12]} is damaged: {', '.join(wrong[:5])} is not what its manifest says")
    write_tree(folder / FILES, files)
    return Content(folder / FILES, listed, _object(store, id, WORKER), _object(store, id, CONFIGURATION))


def _packed(content: Content, paths: Iterable[str]) -> Item:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT, encoding="utf-8") as tar:
        for path in sorted(paths):
            data = (content.folder / path).read_bytes()
            if digest(data) != content.manifest.files[path]:
                raise MarketError(f"{path} changed while it was being published; run this again")
            member = tarfile.TarInfo(path)
            member.size = len(data)
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(data))
    data = buffer.getvalue()
    return Item(gzip.compress(data, _LEVEL, mtime=0), "application/gzip", hashlib.sha256(data).hexdigest(), True)


def _unpacked(store: Store, id: str, name: str) -> dict[str, bytes]:
    data = _object(store, id, name)
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            tar = stream.read(LIMIT + 1)
        if len(tar) > LIMIT:
            raise MarketError(f"{name} of snapshot {id[:12]} unpacks to more than {LIMIT} bytes")
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            return {member.name: _bytes(archive, member) for member in archive}
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise MarketError(f"{name} of snapshot {id[:12]} cannot be unpacked: {error}") from error


def _bytes(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member) if member.isreg() else None
    if stream is None:
        raise tarfile.TarError(f"{member.name} is no regular file")
    return stream.read()


def _object(store: Store, id: str, name: str) -> bytes:
    found = store.read(prefix(id) + name)
    if found is None:
        raise MarketError(f"snapshot {id[:12]} has no {name} in the archive")
    return found.data
