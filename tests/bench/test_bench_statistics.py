"""Intervals, tests and alarms: against SciPy, by hand, and by simulation."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from market.bench import alarms
from market.bench.comparison import hedges
from market.bench.reply import percentile
from market.bench.vision import recovery
from market.statistics import summarise, welch

SERIES = 10_000
# Published by the author in May 2026: DFlash drafts that break down for four runs of nine.
FIVE_FAST_FOUR_SLOW = (221.0, 214.0, 218.0, 222.0, 230.0, 103.0, 59.0, 62.0, 62.0)


def _normal(seed: int, count: int, deviation: float = 1.5) -> list[list[float]]:
    chance = random.Random(seed)
    return [[chance.gauss(100, deviation) for _ in range(count)] for _ in range(SERIES)]


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_interval_covers_the_truth(runs: int) -> None:
    covered = 0
    for series in _normal(runs, runs):
        low, high = summarise(series).interval or (0, 0)
        covered += low <= 100 <= high
    assert 0.94 <= covered / SERIES <= 0.96


def test_welch_is_wrong_in_one_of_twenty_equal_pairs() -> None:
    chance = random.Random(5)
    shown = 0
    for _ in range(2000):
        a = summarise([chance.gauss(100, 1) for _ in range(10)])
        b = summarise([chance.gauss(100, 4) for _ in range(5)])
        found = welch(a, b)
        shown += found is not None and found.shown
    assert 0.04 <= shown / 2000 <= 0.06


def _first_alarm(series: list[float], alarm: Callable[[list[float]], alarms.Alarm | None]) -> int | None:
    """The run after which a series is stopped, as the bench looks after each."""
    return next((n for n in range(1, len(series) + 1) if alarm(series[:n])), None)


@pytest.mark.parametrize("runs", [10, 20])
def test_bimodal_alarm_is_quiet_on_normal_series(runs: int) -> None:
    """A spread of 10 % keeps the threshold of 2 % from hiding false alarms."""
    alarmed = sum(_first_alarm(series, alarms.bimodal) is not None for series in _normal(11, runs, 10.0))
    assert alarmed / SERIES < 0.01


def test_drift_alarm_is_quiet_on_normal_series() -> None:
    alarmed = sum(_first_alarm(series, alarms.drifting) is not None for series in _normal(12, 10, 10.0))
    assert alarmed / SERIES < 0.01


def test_bimodal_alarm_finds_the_published_cycle() -> None:
    found = alarms.bimodal(FIVE_FAST_FOUR_SLOW)
    assert found is not None
    assert found.name == "bimodal"
    assert "5 near 221.0 and 4 near 71.5" in found.en
    assert "5 vers 221,0 et 4 vers 71,5" in found.fr
    assert _first_alarm(list(FIVE_FAST_FOUR_SLOW), alarms.bimodal) in (7, 8, 9)


@pytest.mark.parametrize("loss", [0.2, 0.5, 0.73])
def test_bimodal_alarm_finds_five_fast_four_slow(loss: float) -> None:
    chance = random.Random(3)
    found = 0
    for _ in range(500):
        series = [chance.gauss(level, level * 0.012) for level in [220.0] * 5 + [220 * (1 - loss)] * 4]
        found += _first_alarm(series, alarms.bimodal) is not None
    assert found / 500 >= 0.99


def test_bimodal_alarm_finds_turns() -> None:
    """Fast and slow by turns, in no order."""
    assert alarms.bimodal([100, 60.2, 100.5, 60, 59.8, 99.7, 100.2, 60.1]) is not None


def test_drift_alarm_finds_a_card_that_heats_up() -> None:
    chance = random.Random(4)
    series = [chance.gauss(250 - 2.5 * run, 0.8) for run in range(10)]
    found = alarms.drifting(series)
    assert found is not None
    assert found.name == "drift"
    assert "drifts from about" in found.en


def test_small_pattern_is_no_alarm() -> None:
    """Half a percent, however regular, changes no conclusion."""
    assert alarms.of_speeds([100.0, 100.5] * 5) is None
    assert alarms.of_speeds([100 + 0.1 * run for run in range(10)]) is None


@pytest.mark.parametrize(
    ("tokens", "reason", "alarmed"),
    [(2000, "length", False), (2000, "stop", False), (700, "stop", True), (700, None, True), (1999, "length", False)],
)
def test_short_stop(tokens: int, reason: str | None, alarmed: bool) -> None:
    assert (alarms.short_stop(tokens, 2000, reason) is not None) is alarmed


@settings(deadline=None)
@given(st.lists(st.floats(0.001, 1e4), min_size=1, max_size=60), st.floats(0, 100))
def test_percentile_is_scipys(values: list[float], percent: float) -> None:
    assert percentile(values, percent) == pytest.approx(stats.scoreatpercentile(values, percent), rel=1e-9)


def test_effect_is_hedges_g() -> None:
    a, b = [10.0, 12.0, 11.0, 13.0], [9.0, 9.5, 10.5, 10.0, 9.0]
    pooled = ((3 * statistics.variance(a) + 4 * statistics.variance(b)) / 7) ** 0.5
    expected = (statistics.fmean(a) - statistics.fmean(b)) / pooled * (1 - 3 / (4 * 7 - 1))
    assert hedges(summarise(a), summarise(b)) == pytest.approx(expected)
    assert hedges(summarise([1.0]), summarise(b)) is None


def test_speed_that_does_not_come_back_is_seen() -> None:
    before = [243.4, 242.5, 242.8, 251.4, 244.7, 241.6, 237.6, 247.2, 243.6, 241.0]
    assert recovery(before, [242.0, 244.0, 240.5]).recovered
    assert not recovery(before, [117.8, 118.0, 117.5]).recovered
    chance = random.Random(8)
    wrong = 0
    for _ in range(2000):
        runs = [chance.gauss(100, 5) for _ in range(13)]
        wrong += not recovery(runs[:10], runs[10:]).recovered
    assert wrong / 2000 == pytest.approx(0.025, abs=0.012)


def test_limits_are_those_of_a_simulation() -> None:
    """The table's 0.999 quantile, at three sizes, within what 40,000 series can tell."""
    chance = random.Random(2)
    for runs in (8, 10, 15):
        limit = alarms.SPLIT_LIMITS[runs]
        above = sum(
            alarms.split([chance.gauss(0, 1) + 100 for _ in range(runs)]).distance > limit for _ in range(SERIES * 2)
        )
        assert above / (SERIES * 2) < 0.002
