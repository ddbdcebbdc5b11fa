"""Statements and envelopes: only the one right text passes, and every refusal says why."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.provenance.made import ISSUED, NOW, key, statement, trusting

from market.provenance import envelope, keys
from market.provenance.keys import Keys
from market.provenance.memory import Seen, must_agree
from market.provenance.statement import Statement, from_bytes, lasting, must_be_current
from market.provenance.untrusted import UntrustedError

SIGNER, OTHER = keys.generate(), keys.generate()
SIGNED = envelope.sign(statement(), SIGNER)
TRUSTED = trusting(SIGNER)


def test_a_signed_statement_is_read_back() -> None:
    assert envelope.open_(SIGNED, TRUSTED) == statement() == envelope.peek(SIGNED)


def test_signing_again_gives_the_same_bytes() -> None:
    assert envelope.sign(statement(), SIGNER) == SIGNED


@given(st.integers(0, len(SIGNED) - 1), st.integers(1, 255))
def test_any_other_byte_anywhere_is_refused(at: int, bits: int) -> None:
    damaged = SIGNED[:at] + bytes([SIGNED[at] ^ bits]) + SIGNED[at + 1 :]
    with pytest.raises(UntrustedError):
        envelope.open_(damaged, TRUSTED)


@pytest.mark.parametrize("bit", range(8))
def test_no_single_flipped_bit_passes(bit: int) -> None:
    for at in range(len(SIGNED)):
        with pytest.raises(UntrustedError):
            envelope.open_(SIGNED[:at] + bytes([SIGNED[at] ^ (1 << bit)]) + SIGNED[at + 1 :], TRUSTED)


@given(st.integers(0, len(SIGNED)), st.binary(min_size=1, max_size=3))
def test_inserted_bytes_are_refused(at: int, more: bytes) -> None:
    with pytest.raises(UntrustedError):
        envelope.open_(SIGNED[:at] + more + SIGNED[at:], TRUSTED)


@given(st.integers(0, len(SIGNED) - 1))
def test_a_part_of_it_is_refused(end: int) -> None:
    with pytest.raises(UntrustedError):
        envelope.open_(SIGNED[:end], TRUSTED)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(
    lambda value: json.dumps({"payload": value, "payloadType": value, "signatures": value}).encode()))  # fmt: skip
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(UntrustedError):
        envelope.open_(data, TRUSTED)


@given(
    st.builds(
        Statement,
        serial=st.integers(1, 10**8),
        commit=st.none() | st.text("0123456789abcdef", min_size=40, max_size=40),
        issued=st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1)).map(  # noqa: DTZ001
            lambda moment: moment.replace(tzinfo=UTC, microsecond=0)
        ),
        expires=st.just(datetime(2101, 1, 1, tzinfo=UTC)),
        catalog=st.text("0123456789abcdef", min_size=64, max_size=64),
        manifest=st.text("0123456789abcdef", min_size=64, max_size=64),
        previous=st.none() | st.text("0123456789abcdef", min_size=64, max_size=64),
    )
)
def test_every_statement_survives_its_encoding(made: Statement) -> None:
    assert from_bytes(made.encode()) == made


@pytest.mark.parametrize(
    "wrong",
    [
        {"serial": 0}, {"serial": True}, {"commit": "HEAD"}, {"catalog": "A" * 64}, {"manifest": ""},
        {"previous": "x"}, {"expires": ISSUED}, {"issued": ISSUED.replace(tzinfo=None)},
        {"issued": ISSUED.astimezone(timezone(timedelta(hours=2)))}, {"issued": ISSUED.replace(microsecond=1)},
    ],
)  # fmt: skip
def test_no_wrong_statement_can_be_signed(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a release statement"):
        envelope.sign(statement(**wrong), SIGNER)


def test_a_lasting_statement_has_whole_seconds_in_utc() -> None:
    here = datetime(2026, 7, 1, 8, 0, 0, 999, tzinfo=timezone(timedelta(hours=2)))
    issued, expires = lasting(here)
    assert issued == datetime(2026, 7, 1, 6, tzinfo=UTC)
    assert expires - issued == timedelta(days=90)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        (Keys(), "no key is trusted yet"),
        (trusting(OTHER), "not among the trusted ones"),
        (Keys((key(SIGNER, revoked="lost with a laptop"),)), "was revoked: lost with a laptop"),
        (Keys((key(SIGNER, until=date(2026, 11, 29)),)), "trusted from 2026-11-01 to 2026-11-29"),
        (Keys((replace(key(SIGNER), since=date(2026, 12, 1)),)), "trusted from 2026-12-01 on"),
        (Keys((replace(key(OTHER), id=SIGNER.public_key.keyid),)), "does not match the statement"),
    ],
)
def test_why_a_signature_is_not_believed(keys: Keys, reason: str) -> None:
    with pytest.raises(UntrustedError, match=reason):
        envelope.open_(SIGNED, keys)


def test_two_keys_are_valid_at_once_while_one_replaces_the_other() -> None:
    both = Keys((key(SIGNER, until=date(2026, 12, 31)), key(OTHER)))
    assert envelope.open_(SIGNED, both) == envelope.open_(envelope.sign(statement(), OTHER), both)


def test_a_second_signature_is_refused() -> None:
    one, two = json.loads(SIGNED), json.loads(envelope.sign(statement(), OTHER))
    one["signatures"] += two["signatures"]
    with pytest.raises(UntrustedError, match="one signature"):
        envelope.open_(json.dumps(one, sort_keys=True, separators=(",", ":")).encode(), trusting(SIGNER, OTHER))


def test_a_signed_text_of_another_kind_is_refused() -> None:
    from securesystemslib.dsse import Envelope  # noqa: PLC0415

    for kind, payload, reason in (
        ("text/plain", statement().encode(), "holds text/plain"),
        (envelope.PAYLOAD_TYPE, b'{"serial":9}', "not a release statement"),
        (envelope.PAYLOAD_TYPE, statement().encode() + b" ", "not in its one encoding"),
    ):
        other = Envelope(payload, kind, {})
        other.sign(SIGNER)
        data = json.dumps(other.to_dict(), sort_keys=True, separators=(",", ":")).encode()
        with pytest.raises(UntrustedError, match=reason):
            envelope.open_(data, TRUSTED)


def test_the_payload_is_an_in_toto_statement() -> None:
    payload = json.loads(base64.b64decode(json.loads(SIGNED)["payload"]))
    assert payload["_type"] == "https://in-toto.io/Statement/v1"
    assert payload["subject"] == [{"name": "api/manifest", "digest": {"sha256": "b" * 64}}]


@pytest.mark.parametrize(
    ("now", "least", "reason"),
    [
        (ISSUED + timedelta(days=90), 0, "expired at 2027-02-28"),
        (ISSUED - timedelta(hours=1), 0, "yet to come"),
        (NOW, 8, "old release was put back"),
    ],
)
def test_when_a_good_statement_is_not_current(now: datetime, least: int, reason: str) -> None:
    must_be_current(statement(), NOW, 7)
    with pytest.raises(UntrustedError, match=reason):
        must_be_current(statement(), now, least)


def test_one_serial_names_one_content() -> None:
    must_agree(None, statement())
    must_agree(Seen(7, "b" * 64), statement())
    must_agree(Seen(6, "0" * 64), statement())
    with pytest.raises(UntrustedError, match="two releases under one number"):
        must_agree(Seen(7, "0" * 64), statement())
