"""Keys: the publisher's private one from the environment, and the public ones that data/keys.yaml trusts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from securesystemslib.signer import CryptoSigner, SSlibKey

from market import schema
from market.errors import InputError, MarketError
from market.source import decode, read_file
from market.yamldoc import parse

FILE = "data/keys.yaml"
VARIABLE = "MARKET_SIGNING_KEY"
"""The environment variable that holds the publisher's private key, in PEM (PKCS 8)."""


@dataclass(frozen=True, slots=True)
class Key:
    """A public key that is trusted for statements issued from ``since`` to ``until``, both days included."""

    id: str
    public: SSlibKey
    since: date
    until: date | None = None
    revoked: str | None = None

    def holds_at(self, moment: datetime) -> bool:
        """Whether a statement issued then is within the key's time."""
        return self.since <= moment.date() and (self.until is None or moment.date() <= self.until)

    @property
    def time(self) -> str:
        """The key's time in words."""
        return f"from {self.since}" + (f" to {self.until}" if self.until else " on")


@dataclass(frozen=True, slots=True)
class Keys:
    """All keys that were ever trusted, the revoked ones with their reason."""

    all: tuple[Key, ...] = ()

    def find(self, id: str) -> Key | None:
        """The key with this id."""
        return next((key for key in self.all if key.id == id), None)

    def unknown(self, id: str) -> str:
        """Why a statement of a key that is not among these is not believed."""
        shown = id if id.isascii() and id.isalnum() and len(id) <= 64 else "with no proper id"
        if not self.all:
            return f"the statement is signed with key {shown}, and no key is trusted yet ({FILE} lists none)"
        return f"the statement is signed with key {shown}, which is not among the trusted ones"


def signer(environment: Mapping[str, str]) -> CryptoSigner:
    """The publisher's signer, from ``MARKET_SIGNING_KEY``. What the variable holds is never shown.

    Raises:
        MarketError: the variable is not set, or does not hold an Ed25519 private key in PEM.
    """
    text = environment.get(VARIABLE, "")
    if not text.strip():
        raise MarketError(f"{VARIABLE} is not set; it holds the private key, in PEM, that signs releases")
    try:
        # GitHub keeps a secret's line ends, other stores turn them into the two characters \n.
        private = load_pem_private_key(text.replace("\\n", "\n").strip().encode() + b"\n", None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise MarketError(f"{VARIABLE} does not hold a private key in PEM without a passphrase") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise MarketError(f"{VARIABLE} holds a key of another kind; `market keys new` makes an Ed25519 key")
    return _signer(private)


def generate() -> CryptoSigner:
    """A new signer with a fresh key from the operating system's random numbers."""
    return _signer(Ed25519PrivateKey.generate())


def encoded(signer: CryptoSigner) -> str:
    """The public key of a signer as data/keys.yaml holds it: 32 bytes in base64."""
    return base64.b64encode(bytes.fromhex(signer.public_key.keyval["public"])).decode()


def trusted(root: Path, path: str = FILE) -> Keys:
    """The keys that a catalog trusts; a catalog without the file trusts none.

    Raises:
        InputError: the file cannot be read as a list of keys.
    """
    file, problems = read_file(root, path)
    if file is None and not problems:
        return Keys()
    text, more = decode(file) if file else (None, ())
    document, faults = parse(text) if text else (None, ())
    found = [*problems, *more, *faults, *(schema.validate(document, "keys") if document else ())]
    if document is None or found:
        reasons = "; ".join(f"{one.path}:{one.line}: {one.message}" for one in found)
        raise InputError(f"the trusted keys cannot be read: {reasons or path}")
    return from_data(document.data)


def from_data(data: Any) -> Keys:
    """The keys in the data of a keys.yaml that its schema accepts.

    Raises:
        InputError: an id is not that of its key, or stands twice.
    """
    keys = tuple(_key(entry) for entry in data["keys"])
    ids = [key.id for key in keys]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise InputError(f"{FILE} lists key {twice[0]} twice")
    return Keys(keys)


def _key(entry: Mapping[str, Any]) -> Key:
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(entry["public"], validate=True))
    except ValueError as error:
        raise InputError(f"{FILE}: key {entry['id']} is not a public Ed25519 key (32 bytes in base64)") from error
    if entry["id"] != _id(public):
        raise InputError(f"{FILE}: key {entry['id']} should have the id {_id(public)}, which follows from the key")
    until = entry.get("until")
    return Key(
        entry["id"],
        SSlibKey.from_crypto(public, entry["id"]),
        date.fromisoformat(entry["from"]),
        date.fromisoformat(until) if until else None,
        entry.get("revoked"),
    )


def _signer(private: Ed25519PrivateKey) -> CryptoSigner:
    public = private.public_key()
    return CryptoSigner(private, SSlibKey.from_crypto(public, _id(public)))


def _id(public: Ed25519PublicKey) -> str:
    """The first 16 hexadecimal digits of the key's SHA-256: short, and nobody can choose it freely."""
    return hashlib.sha256(public.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]
