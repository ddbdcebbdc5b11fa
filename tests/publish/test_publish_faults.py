"""Publishers that are killed, and an archive that fails at random: devices notice nothing and a rerun completes.

MARKET_PUBLISH_RUNS sets the number of runs (default 8), MARKET_PUBLISH_PAIRS that of the pairs (default 2).
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.publish import publisher
from tests.publish.device import Poller
from tests.publish.edge import edge
from tests.publish.proxy import Weather, proxy
from tests.publish.publisher import DONE, FAILED, KILLED, LOST, Job, Kill
from tests.publish.servers import Archive

from market.publish import pointer
from market.publish.content import Content
from market.publish.deployment import LocalDeployment

pytestmark = pytest.mark.xdist_group("publish")
RUNS = int(os.environ.get("MARKET_PUBLISH_RUNS", "8"))
PAIRS = int(os.environ.get("MARKET_PUBLISH_PAIRS", "2"))
SEED = int(os.environ.get("MARKET_PUBLISH_SEED", "1"))
ROUND = 8
"""Runs on one archive; then all begins with the first publish again."""
PLACES = {"send": 30, "reply": 30, "begin": 6, "end": 6, "switch": 1, "switched": 1}
"""How many events of each kind a run has, about: one is chosen, and all kinds are as likely."""


def test_killed_publishers_and_a_failing_archive(
    archive: Archive, releases: tuple[Content, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, weather, counts = random.Random(SEED), Weather(SEED), Counter[str]()
    with proxy(archive.bucket.endpoint, weather) as endpoint:
        for start in range(0, RUNS, ROUND):
            _clear(archive)
            live = tmp_path / f"live{start}"
            with edge(live, archive) as url:
                device = Poller(url, releases)
                device.start()
                job = Job(Path(), replace(archive.bucket, endpoint=endpoint), live, url)
                for run in range(min(ROUND, RUNS - start)):
                    counts[_run(job, run, archive, releases, chance, weather)] += 1
                device.stop()
            counts += Counter({"polls of the device": device.polls, "charts it got": device.charts})
            assert device.faults == []
            assert device.polls > 0
    with capsys.disabled():
        sys.stdout.write(f"\n{RUNS} runs: {dict(sorted(counts.items()))}; spoilt: {dict(weather.counts)}\n")


def _run(
    job: Job, run: int, archive: Archive, releases: tuple[Content, ...], chance: random.Random, weather: Weather
) -> str:
    """Publish another release than the current one, killed or not, and then again; return how the first try ended."""
    before = pointer.read(archive.store())
    made = chance.choice([one for one in releases if before is None or one.id != before.manifest])
    kill = _kill(chance)
    job = replace(job, content=publisher.folder_of(made), kill=kill)
    weather.rate = chance.choice([0.0, 0.15, 0.4])
    end = publisher.run(job)
    assert end in (DONE, FAILED, KILLED), (run, end)
    weather.rate = 0.0
    assert publisher.run(replace(job, kill=None)) == DONE, (run, kill)
    current = pointer.read(archive.store())
    assert current is not None
    assert (current.manifest, len(current.released)) == (made.id, run + 1)
    assert LocalDeployment(job.live).live() == current.signed
    return {DONE: "done", FAILED: "failed"}.get(end, f"killed at {kill.event if kill else None}")


def _clear(archive: Archive) -> None:
    client = archive.store()._client
    for key in archive.store().list(""):
        client.delete_object(Bucket=archive.bucket.name, Key=key)


def _kill(chance: random.Random) -> Kill | None:
    if chance.random() < 0.3:
        return None
    event = chance.choice(publisher.EVENTS)
    return Kill(event, chance.randint(1, PLACES[event]))


def test_of_two_publishers_at_once_one_wins_and_the_other_is_told(
    archive: Archive, releases: tuple[Content, ...], live: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, lost = archive.store(), 0
    with edge(live, archive) as url:
        first = Job(publisher.folder_of(releases[0]), archive.bucket, live, url, said=tmp_path / "0")
        assert publisher.run(first) == DONE
        device = Poller(url, releases)
        device.start()
        for pair in range(PAIRS):
            before = pointer.read(store)
            assert before is not None
            others = [content for content in releases if content.id != before.manifest]
            jobs = [
                replace(first, content=publisher.folder_of(content), said=tmp_path / f"{number}")
                for number, content in enumerate(others)
            ]
            barrier = publisher.CONTEXT.Barrier(2)
            started = [publisher.start(job, barrier) for job in jobs]
            for process in started:
                process.join(120)
            codes = [process.exitcode for process in started]
            assert sorted(map(str, codes)) == [str(DONE), str(LOST)], (pair, codes)
            winner = codes.index(DONE)
            loser = jobs[1 - winner]
            assert loser.said is not None
            assert "another publisher" in loser.said.read_text()
            after = pointer.read(store)
            assert after is not None
            assert after.manifest == others[winner].id
            assert after.released[:-1] == before.released
            # The one that lost can be run again, and nothing of either is lost.
            assert publisher.run(loser) == DONE
            last = pointer.read(store)
            assert last is not None
            assert last.released[:-1] == after.released
            assert last.manifest == others[1 - winner].id
            lost += 1
        device.stop()
    with capsys.disabled():
        sys.stdout.write(f"\n{PAIRS} pairs, {lost} publishers told; the device polled {device.polls} times\n")
    assert device.faults == []


def test_two_publishers_of_the_same_release_both_end_well(
    archive: Archive, releases: tuple[Content, ...], live: Path
) -> None:
    with edge(live, archive) as url:
        job = Job(publisher.folder_of(releases[0]), archive.bucket, live, url)
        barrier = publisher.CONTEXT.Barrier(2)
        started = [publisher.start(job, barrier) for _ in range(2)]
        for process in started:
            process.join(120)
        assert [process.exitcode for process in started] == [DONE, DONE]
    current = pointer.read(archive.store())
    assert current is not None
    assert current.released == (pointer.Past(1, releases[0].id),)
