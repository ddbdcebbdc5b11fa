"""Claims and leases, renewal, and what is refused before anything leaves the machine."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.publish import publisher, tiny
from tests.publish.publisher import sign
from tests.publish.servers import Archive, at

from market.errors import InputError, MarketError
from market.ledger import Ledger
from market.progress import Silent
from market.provenance.statement import Statement
from market.publish import claim, content, pointer, preparation, rollback, steps
from market.publish.claim import LEASE, MARGIN
from market.publish.content import Content
from market.publish.deployment import LocalDeployment
from market.publish.pointer import RaceError

pytestmark = pytest.mark.xdist_group("publish")
START = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def means(archive: Archive, live: Path, now: datetime = START) -> steps.Means:
    made = publisher.means(publisher.Job(live, archive.bucket, live, ""))
    return replace(made, deployment=LocalDeployment(live), now=lambda: now)


def test_a_claim_that_nobody_finished_is_passed_over_when_its_lease_is_over(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    store = archive.store()
    abandoned = claim.claim(store, releases[0], None, sign, START)
    with pytest.raises(RaceError, match=r"claimed release 1 \(commit [0-9a-f]{12}\) at 12:00:00 UTC"):
        steps.publish(releases[1], None, means(archive, live, START + MINUTE))
    assert pointer.read(store) is None
    outcome = steps.publish(releases[1], None, means(archive, live, START + LEASE + MINUTE))
    assert outcome.serial == 2
    with pytest.raises(RaceError, match="took too long"):
        abandoned.must_last(START + LEASE + MINUTE)


def test_a_rerun_goes_on_with_its_own_claim_while_it_is_fresh(archive: Archive, releases: tuple[Content, ...]) -> None:
    store = archive.store()
    first = claim.claim(store, releases[0], None, sign, START)
    again = claim.claim(store, releases[0], None, sign, START + MINUTE)
    late = claim.claim(store, releases[0], None, sign, START + LEASE - MARGIN + MINUTE)
    assert (first.signed, first.serial, late.serial) == (again.signed, 1, 2)


def test_a_dead_publisher_can_be_passed_over_at_once(archive: Archive, releases: tuple[Content, ...]) -> None:
    store = archive.store()
    claim.claim(store, releases[0], None, sign, START)
    assert claim.claim(store, releases[1], None, sign, START + MINUTE, take_over=True).serial == 2


def test_an_old_claim_is_not_deployed(archive: Archive, releases: tuple[Content, ...]) -> None:
    mine = claim.claim(archive.store(), releases[0], None, sign, START)
    mine.must_last(START + LEASE - MARGIN)
    with pytest.raises(RaceError):
        mine.must_last(START + LEASE - MARGIN + MINUTE)


def test_whoever_read_an_old_pointer_does_not_deploy(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    steps.publish(releases[0], None, means(archive, live))
    stale = pointer.read(archive.store())
    steps.publish(releases[1], stale, means(archive, live))
    with pytest.raises(RaceError, match="another publisher"):
        steps.publish(releases[2], stale, means(archive, live, START + LEASE + MINUTE))
    assert LocalDeployment(live).live() == claim.read(archive.store(), 2)[0]


def test_a_run_that_comes_too_late_for_the_same_release_finds_it_done(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    steps.publish(releases[0], None, means(archive, live))
    # It read the pointer before the other one moved it.
    late = steps.publish(releases[0], None, means(archive, live, START + MINUTE))
    assert (late.serial, late.is_new) == (1, False)


def test_publishing_the_same_again_renews_a_statement_that_will_expire(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    steps.publish(releases[0], None, means(archive, live))
    current = pointer.read(archive.store())
    assert not steps.publish(releases[0], current, means(archive, live, START + timedelta(days=50))).is_new
    renewed = steps.publish(releases[0], current, means(archive, live, START + timedelta(days=70)))
    assert (renewed.is_new, renewed.serial, renewed.charts, renewed.objects) == (True, 2, 0, 0)


def test_what_is_live_but_not_current_is_put_right(archive: Archive, releases: tuple[Content, ...], live: Path) -> None:
    steps.publish(releases[0], None, means(archive, live))
    current = pointer.read(archive.store())
    # A publisher that died between deployment and pointer.
    lost = claim.claim(archive.store(), releases[1], current, sign, START)
    LocalDeployment(live).put(releases[1], lost.signed, lost.serial)
    outcome = steps.publish(releases[0], current, means(archive, live, START + LEASE + MINUTE))
    assert outcome.serial == 3
    assert LocalDeployment(live).live() == claim.read(archive.store(), 3)[0]


def test_a_device_that_sees_other_charts_stops_the_pointer_and_a_rollback_helps_at_once(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    class Broken(LocalDeployment):
        def put(self, content: Content, signed: bytes, serial: int) -> None:
            LocalDeployment.put(self, replace(releases[2], manifest=content.manifest), signed, serial)

    good = means(archive, live)
    steps.publish(releases[0], None, good)
    current = pointer.read(archive.store())
    with pytest.raises(MarketError, match=r"is not the chart that was published.*rollback --take-over"):
        steps.publish(releases[1], current, replace(good, deployment=Broken(live)))
    assert pointer.read(archive.store()) == current
    past = rollback.target(current, None, good)
    assert past.serial == 1
    with pytest.raises(RaceError):
        steps.publish(releases[0], current, good)
    assert steps.publish(releases[0], current, replace(good, take_over=True)).serial == 3


def test_a_chart_that_is_not_the_ledgers_is_refused(releases: tuple[Content, ...]) -> None:
    with pytest.raises(InputError, match="not the bytes that the ledger has"):
        content.must_agree(releases[0], Ledger({}))


def test_changes_without_a_commit_are_not_published(repository: tiny.Repository, tmp_path: Path) -> None:
    copied = tiny.Repository(tmp_path / "copy")
    repository.git("clone", "--quiet", str(repository.root), str(copied.root))
    (copied.root / "releases.json").write_text("{}")
    with pytest.raises(InputError, match="in no commit"):
        copied.prepare(tmp_path / "made")
    with pytest.raises(InputError, match="no Git checkout"):
        preparation.prepare(tmp_path, tmp_path / "made", None, publisher.means(_anywhere(tmp_path)).progress)


def test_publishing_the_same_catalog_again_keeps_what_was_before_it(
    repository: tiny.Repository, releases: tuple[Content, ...], tmp_path: Path
) -> None:
    before, now = releases[1].catalog, releases[2]
    # Of no commit, so that the first guess is the wrong one.
    current = Statement(5, None, START, START + LEASE, now.catalog, now.id, before)
    made = repository.prepare(tmp_path / "made", current)
    assert (made.catalog, made.status["previous"]) == (now.catalog, before)
    preparation.inspect(made, repository.root, current, Silent())
    with pytest.raises(InputError, match="prepare it again"):
        preparation.inspect(made, repository.root, replace(current, catalog=releases[0].catalog), Silent())


def _anywhere(folder: Path) -> publisher.Job:
    return publisher.Job(folder, at("http://127.0.0.1:9"), folder, "")
