"""Nothing a device could ask for is deleted, and what is missing or altered is found and put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.publish import tiny
from tests.publish.servers import Archive
from tests.publish.test_publish_claims import means

from market.catalog import load
from market.errors import MarketError
from market.paths import PROJECT
from market.publish import pointer, rebuilding, retention, snapshot, steps
from market.publish.content import Content
from market.publish.deployment import LocalDeployment

pytestmark = pytest.mark.xdist_group("publish")


@pytest.fixture
def published(archive: Archive, releases: tuple[Content, ...], live: Path) -> Archive:
    """An archive with all three releases."""
    for made in releases:
        steps.publish(made, pointer.read(archive.store()), means(archive, live))
    return archive


def check(archive: Archive, repository: tiny.Repository, live: Path) -> tuple[retention.Fault, ...]:
    store = archive.store()
    ledger = load(repository.root)[0].ledger
    return retention.check(store, ledger, pointer.read(store), means(archive, live).keys)


def test_charts_are_found_missing_or_altered_and_come_back_from_their_commits(
    published: Archive, releases: tuple[Content, ...], repository: tiny.Repository, live: Path
) -> None:
    assert check(published, repository, live) == ()
    client, bucket = published.store()._client, published.bucket.name
    # One chart of the first commit only, one of the newest.
    (old,) = releases[0].charts.keys() - releases[1].charts.keys()
    (new,) = (
        releases[2].charts.keys() - releases[1].charts.keys() - {path for path in releases[2].charts if "a3b" in path}
    )
    client.delete_object(Bucket=bucket, Key=old)
    client.put_object(Bucket=bucket, Key=new, Body=b"altered", Metadata={"sha256": releases[2].charts[new].sha256})
    faults = check(published, repository, live)
    assert {(fault.key, fault.message.partition(":")[0]) for fault in faults} == {(old, "missing"), (new, "altered")}
    repaired = retention.repair(published.store(), faults, lambda broken: rebuilding.rebuild(repository.root, broken))
    assert set(repaired) == {old, new}
    assert check(published, repository, live) == ()


def test_what_no_commit_gives_any_more_is_named_and_left(
    published: Archive, releases: tuple[Content, ...], repository: tiny.Repository, live: Path
) -> None:
    client, bucket = published.store()._client, published.bucket.name
    gone = sorted(releases[0].charts)[0]
    client.delete_object(Bucket=bucket, Key=gone)
    faults = check(published, repository, live)
    assert retention.repair(published.store(), faults, lambda broken: {one.key: b"other" for one in broken}) == ()
    assert [fault.key for fault in check(published, repository, live)] == [gone]


def test_statements_and_snapshots_are_looked_at(
    published: Archive, releases: tuple[Content, ...], repository: tiny.Repository, live: Path
) -> None:
    client, bucket = published.store()._client, published.bucket.name
    site = snapshot.prefix(releases[0].id) + snapshot.SITE
    client.delete_object(Bucket=bucket, Key=site)
    statement = published.store().read("releases/00000002.json")
    assert statement is not None
    flipped = statement.data.replace(b'"sig":"', b'"sig":"0', 1)
    client.put_object(Bucket=bucket, Key="releases/00000002.json", Body=flipped)
    market = snapshot.prefix(releases[2].id) + snapshot.MARKET
    client.put_object(Bucket=bucket, Key=market, Body=b"no archive")
    client.put_object(Bucket=bucket, Key="charts/stranger-1.0.0.tgz", Body=b"x")
    keys = [fault.key for fault in check(published, repository, live)]
    assert keys == sorted(
        ["charts/stranger-1.0.0.tgz", "releases/00000002.json", site, snapshot.prefix(releases[2].id)]
    )


def test_a_damaged_snapshot_is_not_deployed(published: Archive, releases: tuple[Content, ...], tmp_path: Path) -> None:
    client, bucket = published.store()._client, published.bucket.name
    prefix = snapshot.prefix(releases[0].id)
    manifest = published.store().read(prefix + snapshot.MANIFEST)
    assert manifest is not None
    files = json.loads(manifest.data)
    client.put_object(Bucket=bucket, Key=prefix + snapshot.MANIFEST, Body=json.dumps(files).encode())
    with pytest.raises(MarketError, match="one encoding"):
        snapshot.restore(published.store(), releases[0].id, tmp_path)
    client.put_object(Bucket=bucket, Key=prefix + snapshot.MANIFEST, Body=manifest.data)
    other = published.store().read(snapshot.prefix(releases[1].id) + snapshot.MARKET)
    assert other is not None
    client.put_object(Bucket=bucket, Key=prefix + snapshot.MARKET, Body=other.data)
    with pytest.raises(MarketError, match="is not what its manifest says"):
        snapshot.restore(published.store(), releases[0].id, tmp_path)


def test_a_withdrawn_version_stays_in_the_archive(published: Archive, releases: tuple[Content, ...]) -> None:
    kept = published.store().list("charts/")
    assert set(kept) == {path for made in releases for path in made.charts}


def test_no_code_of_ours_can_delete_an_object() -> None:
    for path in sorted((PROJECT / "scripts" / "market").rglob("*.py")):
        text = path.read_text("utf-8")
        for call in ("delete_object", "delete_bucket", "copy_object", "put_bucket", "DeleteObject"):
            assert call not in text, path


def test_a_local_deployment_keeps_only_some(releases: tuple[Content, ...], live: Path) -> None:
    for serial in range(1, 9):
        LocalDeployment(live).put(releases[serial % 2], b"statement", serial)
    assert len([path for path in live.iterdir() if path.name.startswith("0")]) == 5
    assert (live / "current").resolve().name.startswith("00000008-")
