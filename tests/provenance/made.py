"""Keys, statements and signed folders for the tests of provenance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner

from market.files import write_tree
from market.provenance import envelope, keys, manifest
from market.provenance.statement import LIFETIME, Statement

ISSUED = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW = datetime(2026, 12, 1, tzinfo=UTC)
COMMIT = "c" * 40


def statement(serial: int = 7, **other: Any) -> Statement:
    whole = Statement(serial, COMMIT, ISSUED, ISSUED + LIFETIME, "a" * 64, "b" * 64, "d" * 64)
    return replace(whole, **other)


def key(signer: CryptoSigner, *, until: date | None = None, revoked: str | None = None) -> keys.Key:
    return keys.Key(signer.public_key.keyid, signer.public_key, date(2026, 11, 1), until, revoked)


def trusting(*signers: CryptoSigner) -> keys.Keys:
    return keys.Keys(tuple(key(signer) for signer in signers))


def keys_yaml(*signers: CryptoSigner) -> str:
    entries = (
        f'  - {{id: "{signer.public_key.keyid}", public: {keys.encoded(signer)}, from: 2026-11-01}}'
        for signer in signers
    )
    return "\n".join(("keys:", *entries, ""))


@dataclass(frozen=True)
class Release:
    """What publishing adds to a built folder."""

    manifest: bytes
    envelope: bytes

    @property
    def files(self) -> Mapping[str, bytes]:
        return {manifest.MANIFEST: self.manifest, manifest.RELEASE: self.envelope}


def release(dist: Path, serial: int, signer: CryptoSigner, issued: datetime = ISSUED) -> Release:
    status = json.loads((dist / "api/status").read_bytes())
    listed = manifest.of_folder(dist)
    made = Statement(serial, status["commit"], issued, issued + LIFETIME, status["hash"], listed.id, status["previous"])
    return Release(listed.encode(), envelope.sign(made, signer))


@contextmanager
def altered(dist: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Other bytes in a folder until the block ends; the runtime reads its files anew for each request."""
    before = {path: (dist / path).read_bytes() for path in files}
    write_tree(dist, dict(files))
    try:
        yield
    finally:
        write_tree(dist, before)


def flipped(data: bytes, at: int) -> bytes:
    """The same bytes with the lowest bit of one of them the other way round."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
