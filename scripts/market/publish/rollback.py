"""Going back: a new release, with a new serial, of the files of an older one."""

from __future__ import annotations

from pathlib import Path

from market.errors import InputError
from market.provenance import envelope
from market.provenance.statement import Statement
from market.provenance.untrusted import UntrustedError
from market.publish import claim, content, history, snapshot
from market.publish.content import Content
from market.publish.pointer import Current, Past
from market.publish.steps import Means


def target(current: Current | None, wanted: str | None, means: Means) -> Past:
    """The release to go back to.

    Raises:
        InputError: there is no such release.
    """
    if current is None:
        raise InputError("nothing was released yet")
    if wanted is not None:
        return history.find(means.store, current, wanted)
    return history.before(current, _live(means))


def restore(past: Past, means: Means, folder: Path) -> Content:
    """Take an old release out of the archive, byte for byte, and look it over.

    Raises:
        UntrustedError: its statement is not to be believed.
        MarketError: it is incomplete or altered, or a device would deviate.
    """
    signed, _ = claim.read(means.store, past.serial)
    statement = envelope.open_(signed, means.keys)
    if (statement.serial, statement.manifest) != (past.serial, past.manifest):
        raise UntrustedError(f"the statement of release {past.serial} names another content")
    restored = snapshot.restore(means.store, past.manifest, folder)
    content.must_be_readable(restored.folder)
    return restored


def _live(means: Means) -> Statement | None:
    signed = means.deployment.live()
    try:
        return envelope.open_(signed, means.keys) if signed is not None else None
    except UntrustedError:
        return None
