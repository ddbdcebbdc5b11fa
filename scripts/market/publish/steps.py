"""The steps of publishing, in the one order in which a device can never ask for something that is not there.

Charts are archived before anything names them. The snapshot is archived before the release is claimed, the
claim made before the deployment, and the pointer moves only when a device was seen to work. Everything up to
the claim only adds objects that are named after their content, so a run that was cut off is simply run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from market.progress import Progress
from market.provenance import envelope
from market.provenance.keys import Keys
from market.provenance.statement import RENEWAL
from market.provenance.untrusted import UntrustedError
from market.publish import archiving, pointer, snapshot
from market.publish.claim import Sign, claim
from market.publish.content import CHARTS, Content
from market.publish.deployment import Deployment, must_be_live, must_serve
from market.publish.pointer import Current
from market.publish.store import Store


@dataclass(frozen=True, slots=True)
class Means:
    """What publishing works with; tests put their own clock and deployment here."""

    store: Store
    deployment: Deployment
    sign: Sign
    keys: Keys
    now: Callable[[], datetime]
    progress: Progress
    take_over: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The release that is current now, and whether this run made it so."""

    serial: int
    manifest: str
    is_new: bool
    charts: int = 0
    objects: int = 0


def publish(content: Content, current: Current | None, means: Means) -> Outcome:
    """Make a content the release that devices get; do nothing when it is already.

    Raises:
        RaceError: another publisher was first.
        MarketError: a step failed; running the same again goes on from there.
    """
    if current is not None and stands(content, current, means):
        charts = archive_charts(content, means)
        return Outcome(current.serial, current.manifest, False, charts)
    return release(content, current, means)


def stands(content: Content, current: Current, means: Means) -> bool:
    """Whether this content is current, live, and its statement neither about to expire nor out of trust."""
    if content.id != current.manifest or current.statement.expires - means.now() < RENEWAL:
        return False
    try:
        envelope.open_(current.signed, means.keys)
    except UntrustedError:
        return False
    return means.deployment.live() == current.signed


def release(content: Content, current: Current | None, means: Means) -> Outcome:
    """Archive, claim, deploy, look and point."""
    charts = archive_charts(content, means)
    with means.progress.step("archive the release"):
        objects = archiving.archive(means.store, snapshot.prefix(content.id), snapshot.items(content))
    with means.progress.step("claim the next release"):
        claimed = claim(means.store, content, current, means.sign, means.now(), means.take_over)
        envelope.open_(claimed.signed, means.keys)
        if pointer.is_at(means.store, current, pointer.Past(claimed.serial, content.id)):
            return Outcome(claimed.serial, content.id, False, charts, objects)
    with means.progress.step(f"deploy release {claimed.serial}"):
        claimed.must_last(means.now())
        means.deployment.put(content, claimed.signed, claimed.serial)
    with means.progress.step("act as a device"):
        must_be_live(means.deployment, claimed.signed)
        must_serve(means.deployment, content)
    with means.progress.step("move the pointer"):
        pointer.move(means.store, current, claimed.serial, content.id)
    return Outcome(claimed.serial, content.id, True, charts, objects)


def archive_charts(content: Content, means: Means) -> int:
    """Archive every chart that is not there yet, and return how many those were."""
    with means.progress.step(f"archive {len(content.charts)} charts"):
        items = {
            path: snapshot.plain((content.folder / path).read_bytes(), "application/gzip") for path in content.charts
        }
        return archiving.archive(means.store, CHARTS, items)
