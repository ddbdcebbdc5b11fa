"""The signed statement of a live market: is it there, is it ours, is it current, and does it hold?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from market.provenance import contents, envelope, manifest, memory
from market.provenance.finding import Finding
from market.provenance.keys import Keys
from market.provenance.live import Ask, Live, fault
from market.provenance.manifest import MANIFEST, RELEASE, Manifest
from market.provenance.statement import RENEWAL, Statement, must_be_current
from market.provenance.untrusted import UntrustedError

STATUS = "api/status"
_RELEASE = f"GET /{RELEASE}"
_MANIFEST = f"GET /{MANIFEST}"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a statement is judged by. ``demanded`` makes its absence a failure."""

    keys: Keys
    now: datetime
    seen: memory.Seen | None = None
    minimum_serial: int = 0
    demanded: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome. ``trusted`` is the statement when a trusted key signed it and it is current."""

    findings: tuple[Finding, ...]
    shown: Statement | None = None
    trusted: Statement | None = None
    manifest: Manifest | None = None


def examine(live: Live, terms: Terms) -> Proof:
    """Fetch statement and manifest, and check them against each other and against everything that is served."""
    reply = live.ask(Ask(f"/{RELEASE}"))
    # Some servers answer what they do not know with a page.
    if reply.status == 404 or (reply.status == 200 and not reply.is_json):
        return Proof((_absent(terms),))
    if problem := fault(reply):
        return Proof((Finding(_RELEASE, problem, note=not terms.demanded),))
    try:
        trusted, shown, notes = _statement(reply.body, terms)
    except UntrustedError as error:
        return Proof((Finding(_RELEASE, str(error), note=not terms.demanded and not _is_statement(reply.body)),))
    try:
        listed = _manifest(live, shown)
    except UntrustedError as error:
        return Proof((*notes, Finding(_MANIFEST, str(error))), shown, trusted)
    findings = (*notes, *_agreement(live, shown), *contents.compare(live, listed))
    return Proof(findings, shown, trusted, listed)


def _is_statement(data: bytes) -> bool:
    try:
        envelope.peek(data)
    except UntrustedError:
        return False
    return True


def _absent(terms: Terms) -> Finding:
    if terms.seen is not None:
        text = f"the signed statement is gone; release {terms.seen.serial} of this market had one"
        return Finding(_RELEASE, text)
    text = "this market publishes no signed statement; nothing shows who published what is served"
    return Finding(_RELEASE, text, note=not terms.demanded)


def _statement(data: bytes, terms: Terms) -> tuple[Statement | None, Statement, tuple[Finding, ...]]:
    """The statement if it can be trusted, the statement as it is shown, and notes on it."""
    if not terms.keys.all and not terms.demanded:
        shown = envelope.peek(data)
        text = "no key is trusted yet, so the signature proves nothing; the digests below only show agreement"
        return None, shown, (Finding(_RELEASE, text, note=True),)
    statement = envelope.open_(data, terms.keys)
    least = max(terms.minimum_serial, terms.seen.serial if terms.seen else 0)
    must_be_current(statement, terms.now, least)
    memory.must_agree(terms.seen, statement)
    left = statement.expires - terms.now
    if left > RENEWAL:
        return statement, statement, ()
    text = f"the statement expires in {left.days} days; `market publish` renews it"
    return statement, statement, (Finding(_RELEASE, text, note=True),)


def _manifest(live: Live, statement: Statement) -> Manifest:
    reply = live.ask(Ask(f"/{MANIFEST}"))
    if problem := fault(reply):
        raise UntrustedError(problem)
    found = manifest.digest(reply.body).sha256
    if found != statement.manifest:
        raise UntrustedError(
            f"the manifest was altered or belongs to another release: its sha256 is {found[:12]}, "
            f"the statement names {statement.manifest[:12]}"
        )
    return manifest.from_bytes(reply.body)


def _agreement(live: Live, statement: Statement) -> tuple[Finding, ...]:
    """Whether the status reply tells the same story as the statement."""
    reply = live.ask(Ask(f"/{STATUS}"))
    status = _object(reply.body)
    if problem := fault(reply):
        return (Finding(f"GET /{STATUS}", problem),)
    # `previous` is left out: after a rollback the files are old, and the statement follows what was live until then.
    told = {"hash": statement.catalog, "commit": statement.commit}
    return tuple(
        Finding(f"GET /{STATUS}", f"{key} is {status.get(key)!r}; the statement says {value!r}")
        for key, value in told.items()
        if status.get(key) != value
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
