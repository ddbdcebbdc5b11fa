"""Markets of one to five hundred apps behind the real Workers runtime, and what devices make of their changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.editions import LONGEST, Edition, edition

from market.device.client import HttpTransport
from market.device.details import CHUNK
from market.device.journal import Journal
from market.device.state import MODES, State
from market.device.sync import Options, Round, sync
from market.device.transport import Recorder
from market.device.verify import verify
from market.runtime import serve

pytestmark = pytest.mark.xdist_group("market-sizes")

SIZES = (1, 9, 10, 11, 45)
LARGE = 500
LARGE_MODES = os.environ.get("MARKET_LARGE_MODES", "genB").split(",")
"""The generations that sync the large market; all of them take a minute more."""
OPTIONS = Options(pauses=(0.0, 0.0))


def served(size: int, folder: Path) -> Iterator[str]:
    with serve(edition(size).write(folder / "dist")) as running:
        yield running.url


@pytest.fixture(scope="module", params=SIZES, ids="{} apps".format)
def market(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    for url in served(request.param, tmp_path_factory.mktemp("market")):
        yield request.param, url


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from served(LARGE, tmp_path_factory.mktemp("market"))


@pytest.mark.parametrize("mode", MODES)
def test_a_device_finds_every_app_and_nothing_to_object_to(market: tuple[int, str], mode: str) -> None:
    size, url = market
    result = verify(url, (mode,), options=OPTIONS)
    assert result.passed, result.deviations
    assert len(result.apps) == size
    assert all(app.chart_bytes for app in result.apps)


@pytest.mark.parametrize("mode", LARGE_MODES)
def test_five_hundred_apps(large: str, mode: str) -> None:
    done = synced(large, State(mode))
    assert len(done.changed) == len(done.charts) == LARGE


def test_a_device_asks_for_ten_details_at_a_time(market: tuple[int, str]) -> None:
    size, url = market
    recorder = Recorder(HttpTransport(url))
    assert sync(recorder, State("genB"), OPTIONS, Journal("genB")).finished
    posts = [request for request in recorder.requests if request.startswith("POST")]
    assert len(posts) == -(-size // CHUNK)


def chapters() -> tuple[tuple[str, Edition, set[str]], ...]:
    """What happens to a market, and the apps whose rows may change by it."""
    first = edition(11)
    bumped = first.bumped("demo3one")
    removed = bumped.removed("demo4one")
    added = removed.added("newcomer")
    back = added.bumped("a").bumped(LONGEST)
    return (
        ("the first sync", first, set(first.versions)),
        ("one app bumped", bumped, {"demo3one"}),
        ("one app removed", removed, set()),
        ("one app added", added, {"newcomer"}),
        ("two apps bumped", back, {"a", LONGEST}),
    )


def test_exactly_the_rows_change_that_should(tmp_path: Path) -> None:
    states = {mode: State(mode) for mode in MODES}
    for title, current, expected in chapters():
        with serve(current.write(tmp_path / "dist")) as running:
            for mode, before in states.items():
                after = synced(running.url, before)
                assert {after.state.rows[key].name for key in after.changed} == expected, (title, mode)
                assert {chart.file_name for chart in after.charts} == {
                    f"{name}-{current.versions[name]}.tgz" for name in expected
                }, (title, mode)
                check_rows(before, after.state, current, title)
                again = synced(running.url, after.state)
                assert (again.changed, again.charts) == ((), ())
                states[mode] = again.state


def check_rows(before: State, after: State, current: Edition, title: str) -> None:
    """Listed apps have the listed version; a row of an app that is gone stays as it was, as no generation deletes."""
    versions = {row.name: row.version for row in after.rows.values()}
    assert versions.items() >= current.versions.items(), title
    for key, row in after.rows.items():
        if row.name not in current.versions:
            assert row == before.rows[key], title
    assert all(after.disk[row.name, row.version] for row in after.rows.values())
    assert after.local_hash != before.local_hash, title


def synced(url: str, state: State) -> Round:
    journal = Journal(state.mode)
    done = sync(HttpTransport(url), state, replace(OPTIONS, seed=len(state.disk)), journal)
    assert done.finished
    assert not journal.deviations
    return done
