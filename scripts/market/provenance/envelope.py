"""The signature around a statement: a DSSE envelope with one Ed25519 signature.

The envelope is one JSON text with one encoding, so no byte of it can change unnoticed, not even one that
the signature does not cover, such as a space or an unused bit of base64.
"""

from __future__ import annotations

import json

from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import FormatError, VerificationError
from securesystemslib.signer import CryptoSigner

from market.canonical import encode
from market.provenance.keys import Keys
from market.provenance.statement import Statement, from_bytes
from market.provenance.untrusted import UntrustedError

PAYLOAD_TYPE = "application/vnd.in-toto+json"
LIMIT = 64 * 1024
"""Bytes of an envelope; ours have about 1 KB."""


def sign(statement: Statement, signer: CryptoSigner) -> bytes:
    """The envelope of a statement; the same statement and key always give the same bytes (RFC 8032)."""
    envelope = Envelope(statement.encode(), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return encode(envelope.to_dict())


def open_(data: bytes, keys: Keys) -> Statement:
    """The statement in an envelope that a trusted key signed.

    Whether the statement is current is another question: ``statement.must_be_current``.

    Raises:
        UntrustedError: the envelope is damaged, or no key that is trusted for its time signed it.
    """
    envelope, key_id = _read(data)
    key = keys.find(key_id)
    if key is None:
        raise UntrustedError(keys.unknown(key_id))
    if key.revoked is not None:
        raise UntrustedError(f"the statement is signed with key {key.id}, which was revoked: {key.revoked}")
    try:
        envelope.verify([key.public], 1)
    except VerificationError as error:
        raise UntrustedError(
            f"the signature of key {key.id} does not match the statement: one of them was altered"
        ) from error
    statement = from_bytes(envelope.payload)
    if not key.holds_at(statement.issued):
        raise UntrustedError(
            f"the statement was issued on {statement.issued:%Y-%m-%d}; key {key.id} is trusted {key.time}"
        )
    return statement


def peek(data: bytes) -> Statement:
    """The statement in an envelope whose signature nobody checked; for showing it, never for trusting it.

    Raises:
        UntrustedError: there is no statement in it.
    """
    return from_bytes(_read(data)[0].payload)


def _read(data: bytes) -> tuple[Envelope, str]:
    if len(data) > LIMIT:
        raise UntrustedError(f"the signed statement has {len(data)} bytes; {LIMIT} are read")
    try:
        envelope = Envelope.from_dict(json.loads(data))
        canonical = encode(envelope.to_dict()) == data
        (key_id,) = envelope.signatures
    except (ValueError, TypeError, KeyError, AttributeError, FormatError, RecursionError) as error:
        raise UntrustedError("the signed statement is not an envelope with one signature") from error
    if not canonical:
        raise UntrustedError("the signed statement is not in its one encoding: it was altered")
    if envelope.payload_type != PAYLOAD_TYPE:
        raise UntrustedError(f"the envelope holds {envelope.payload_type}, not {PAYLOAD_TYPE}")
    return envelope, key_id
