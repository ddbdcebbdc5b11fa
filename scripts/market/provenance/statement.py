"""What a publisher signs: an in-toto statement that a manifest is release number so-and-so.

The statement binds the manifest's digest to a commit, a serial number and an expiry. The serial keeps
somebody who holds the address from bringing an old, validly signed release back; the expiry bounds how
long they can hide that there is a newer one (The Update Framework, "rollback" and "freeze" attacks).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from market.canonical import encode
from market.provenance.manifest import MANIFEST
from market.provenance.untrusted import UntrustedError

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://github.com/aamsellem/olares-one-market/release/v1"
LIFETIME = timedelta(days=90)
"""How long a statement holds. Publishing renews it, so this is the longest that the market may lie untouched
and the longest that an old release can be passed off as the newest: a season, not a year."""
RENEWAL = timedelta(days=30)
"""With less than this left, checks warn, and publishing the same content issues a new statement."""
SKEW = timedelta(minutes=10)
"""How far ahead the publisher's clock may be."""

_HEX = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"
_FIELDS = frozenset({"serial", "commit", "issued", "expires", "catalog", "previous"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One release as its publisher vouches for it.

    ``serial`` counts releases from 1. ``commit`` is the Git commit it was built from, None outside a
    checkout. ``issued`` and ``expires`` are in UTC, whole seconds. ``catalog`` and ``previous`` are the
    catalog hashes that devices see now and saw before; ``manifest`` is the id of the manifest.
    """

    serial: int
    commit: str | None
    issued: datetime
    expires: datetime
    catalog: str
    manifest: str
    previous: str | None = None

    def encode(self) -> bytes:
        """The one encoding: JSON in UTF-8, sorted keys, no space.

        Raises:
            ValueError: a value is not what its field holds, for example a time outside UTC.
        """
        _must_hold(self)
        value = {
            "_type": TYPE,
            "subject": [{"name": MANIFEST, "digest": {"sha256": self.manifest}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "serial": self.serial,
                "commit": self.commit,
                "issued": self.issued.strftime(_MOMENT),
                "expires": self.expires.strftime(_MOMENT),
                "catalog": self.catalog,
                "previous": self.previous,
            },
        }
        return encode(value)


def lasting(issued: datetime) -> tuple[datetime, datetime]:
    """Issue and expiry of a statement made now: whole seconds in UTC."""
    start = issued.astimezone(UTC).replace(microsecond=0)
    return start, start + LIFETIME


def from_bytes(data: bytes) -> Statement:
    """Read an encoded statement; only the one encoding passes.

    Raises:
        UntrustedError: it is not a release statement, or not in its one encoding.
    """
    try:
        statement = _read(json.loads(data))
        canonical = statement.encode() == data
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise UntrustedError("the signed payload is not a release statement") from error
    if not canonical:
        raise UntrustedError("the signed payload is not in its one encoding")
    return statement


def must_be_current(statement: Statement, now: datetime, minimum_serial: int = 0) -> None:
    """Refuse a statement out of its time, and one older than what was seen before.

    Raises:
        UntrustedError: it has expired, comes from the future, or its serial is lower than the minimum.
    """
    if statement.issued > now + SKEW:
        raise UntrustedError(f"the statement was issued at {_text(statement.issued)}, which is yet to come")
    if statement.expires <= now:
        raise UntrustedError(
            f"the statement expired at {_text(statement.expires)}: either nothing was published since, "
            "or somebody keeps newer releases from you; publishing again renews it"
        )
    if statement.serial < minimum_serial:
        raise UntrustedError(
            f"release {statement.serial} is served, but it must be {minimum_serial} at least: "
            "an old release was put back without a new statement"
        )


def _read(value: Any) -> Statement:
    predicate = value["predicate"]
    (subject,) = value["subject"]
    statement = Statement(
        serial=predicate["serial"],
        commit=predicate["commit"],
        issued=_moment(predicate["issued"]),
        expires=_moment(predicate["expires"]),
        catalog=predicate["catalog"],
        manifest=subject["digest"]["sha256"],
        previous=predicate["previous"],
    )
    if frozenset(predicate) != _FIELDS:
        raise ValueError("unknown fields")
    return statement


def _must_hold(statement: Statement) -> None:
    sound = (
        type(statement.serial) is int
        and statement.serial >= 1
        and (statement.commit is None or _COMMIT.fullmatch(statement.commit))
        and _is_moment(statement.issued)
        and _is_moment(statement.expires)
        and statement.issued < statement.expires
        and _HEX.fullmatch(statement.catalog)
        and _HEX.fullmatch(statement.manifest)
        and (statement.previous is None or _HEX.fullmatch(statement.previous))
    )
    if not sound:
        raise ValueError(f"not a release statement: {statement}")


def _is_moment(moment: datetime) -> bool:
    return moment.utcoffset() == timedelta(0) and moment.microsecond == 0


def _moment(text: str) -> datetime:
    return datetime.strptime(text, _MOMENT).replace(tzinfo=UTC)


def _text(moment: datetime) -> str:
    return moment.strftime(_MOMENT)
