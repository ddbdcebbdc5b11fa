"""Statistics against SciPy and by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from market.statistics import Summary, from_published, summarise, t_quantile, t_tail, welch

speeds = st.lists(st.floats(0.1, 10_000), min_size=2, max_size=40)


@given(st.floats(0.51, 0.9999), st.floats(1, 1000))
def test_quantile_is_scipys(probability: float, degrees: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-9, abs=1e-9)


@given(st.floats(0, 60), st.floats(1, 1000))
def test_tail_is_scipys(t: float, degrees: float) -> None:
    assert t_tail(t, degrees) == pytest.approx(stats.t.sf(t, degrees), rel=1e-8, abs=1e-14)


@given(speeds)
def test_interval_is_scipys(values: list[float]) -> None:
    found = summarise(values)
    assert found.interval is not None
    error = stats.sem(values)
    expected = (found.mean, found.mean) if error == 0 else stats.t.interval(0.95, len(values) - 1, found.mean, error)
    assert found.interval == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(speeds, speeds)
def test_welch_is_scipys(a: list[float], b: list[float]) -> None:
    found = welch(summarise(a), summarise(b))
    if found is None:
        assert max(a) - min(a) == max(b) - min(b) == 0 or math.isclose(max(a), min(a))
        return
    expected = stats.ttest_ind(a, b, equal_var=False)
    if math.isfinite(expected.statistic) and abs(expected.statistic) < 1e6:
        assert found.t == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-5, abs=1e-12)


def test_one_run_has_no_spread() -> None:
    found = summarise([5.0])
    assert (found.n, found.mean, found.deviation, found.interval) == (1, 5.0, None, None)


def test_no_run_is_refused() -> None:
    with pytest.raises(ValueError, match="no run"):
        summarise([])


def test_published_range_gives_an_estimate_that_is_marked() -> None:
    found = from_published(10, 106.43, 93.29, 116.67)
    assert found.estimated
    assert found.deviation == pytest.approx((116.67 - 93.29) / 3.078)
    assert not from_published(10, 106.43, 93.29, 116.67, 7.0).estimated
    assert from_published(10, 106.43).half_width is None


def test_series_without_spread_cannot_be_compared() -> None:
    flat = Summary(5, 100.0, deviation=0.0)
    assert welch(flat, flat) is None
    assert welch(Summary(1, 100.0), flat) is None
