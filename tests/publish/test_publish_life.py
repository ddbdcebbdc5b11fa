"""First publish, nothing to do, one app, back again: against two real S3 servers, one of them the Worker's own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from tests.publish import publisher
from tests.publish.publisher import Job
from tests.publish.servers import Archive, wrangler

from market.device.verify import verify
from market.errors import MarketError
from market.publish import archiving, content, history, pointer, rollback, snapshot, steps
from market.publish.content import Content
from market.publish.deployment import ASSETS, CURRENT, LocalDeployment
from market.publish.tally import Tally

pytestmark = pytest.mark.xdist_group("publish")
CALLS = {"GetObject", "HeadObject", "ListObjectsV2", "PutObject"}


@pytest.fixture(scope="module")
def worker(releases: tuple[Content, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """The Workers runtime with the second release among its assets."""
    with wrangler(releases[1].folder, tmp_path_factory.mktemp("wrangler")) as served:
        yield served


@pytest.fixture(params=["seaweed", "wrangler"])
def bucket(request: pytest.FixtureRequest) -> Archive:
    found: Archive = request.getfixturevalue("archive" if request.param == "seaweed" else "worker")
    return found


def test_a_life(bucket: Archive, releases: tuple[Content, ...], live: Path, tmp_path: Path) -> None:
    def publish(made: Content) -> tuple[steps.Outcome, Tally]:
        tally = Tally()
        job = Job(publisher.folder_of(made), bucket.bucket, live, "")
        means = publisher.means(job, tally)
        where = steps.Means(means.store, LocalDeployment(live), means.sign, means.keys, means.now, means.progress)
        outcome = steps.publish(content.read(job.content), pointer.read(where.store), where)
        assert set(tally.counts) <= CALLS
        return outcome, tally

    first, second = releases[:2]
    outcome, _ = publish(first)
    assert (outcome.serial, outcome.is_new, outcome.charts, outcome.objects) == (1, True, 3, 5)
    outcome, tally = publish(first)
    assert (outcome.serial, outcome.is_new, outcome.charts) == (1, False, 0)
    assert tally.total <= 5
    outcome, _ = publish(second)
    assert (outcome.serial, outcome.is_new, outcome.charts) == (2, True, 1)

    means = publisher.means(Job(publisher.folder_of(first), bucket.bucket, live, ""))
    back = steps.Means(means.store, LocalDeployment(live), means.sign, means.keys, means.now, means.progress)
    current = pointer.read(back.store)
    past = rollback.target(current, None, back)
    restored = rollback.restore(past, back, tmp_path)
    outcome = steps.publish(restored, current, back)
    assert (past.serial, outcome.serial, outcome.charts, outcome.objects) == (1, 3, 0, 0)
    for path in first.manifest.files:
        assert (live / CURRENT / ASSETS / path).read_bytes() == (first.folder / path).read_bytes()

    now = pointer.read(back.store)
    assert now is not None
    newest, before, oldest = history.releases(back.store, now, 10)
    assert [one.statement.serial for one in (newest, before, oldest)] == [3, 2, 1]
    assert [one.is_current for one in (newest, before, oldest)] == [True, False, False]
    (name,) = before.difference.changed
    assert before.difference.changed[name] == tuple(reversed(newest.difference.changed[name]))
    assert set(oldest.difference.added) == {app.partition("-")[0].removeprefix("charts/") for app in first.charts}
    assert history.find(back.store, now, "2").manifest == second.id
    assert history.find(back.store, now, second.catalog[:10]).manifest == second.id


def test_what_was_put_there_by_s3_is_what_devices_get_from_the_worker(
    worker: Archive, releases: tuple[Content, ...]
) -> None:
    first, second = releases[:2]
    items = {
        path: snapshot.plain((made.folder / path).read_bytes(), "application/gzip")
        for made in (first, second)
        for path in made.charts
    }
    archiving.archive(worker.store(), content.CHARTS, items)
    assert worker.url is not None
    seen = verify(worker.url)
    assert seen.deviations == ()
    assert {app.chart_sha256 for app in seen.apps} == {one.sha256 for one in second.charts.values()}
    (old,) = first.charts.keys() - second.charts.keys()
    file = old.removeprefix(content.CHARTS)
    name, _, version = file.removesuffix(".tgz").partition("-")
    reply = requests.get(
        f"{worker.url}/api/v1/applications/{name}/chart", {"fileName": file, "version": version}, timeout=60
    )
    assert reply.status_code == 200
    assert hashlib.sha256(reply.content).hexdigest() == first.charts[old].sha256


def test_bytes_under_a_version_are_never_replaced(bucket: Archive, releases: tuple[Content, ...], live: Path) -> None:
    store = bucket.store()
    key = "charts/other-1.0.0.tgz"
    item = snapshot.plain(b"first", "application/gzip")
    assert archiving.archive(store, content.CHARTS, {key: item}) == 1
    assert archiving.archive(store, content.CHARTS, {key: item}) == 0
    with pytest.raises(MarketError, match="other bytes under charts/other"):
        archiving.archive(store, content.CHARTS, {key: snapshot.plain(b"other", "application/gzip")})
    found = store.read(key)
    assert found is not None
    assert found.data == b"first"
    head = store.head(key)
    assert head is not None
    assert head.metadata["sha256"] == hashlib.sha256(b"first").hexdigest()


def test_a_wrong_secret_is_one_sentence(bucket: Archive) -> None:
    wrong = replace(bucket.bucket, secret="not-the-secret-at-all")
    with pytest.raises(MarketError, match="refuses what R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY hold") as caught:
        Archive(wrong).store().read("current")
    assert "not-the-secret" not in str(caught.value)
    assert "not-the-secret" not in repr(wrong)
