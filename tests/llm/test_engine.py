"""Which of two versions of an engine came first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.engine import Release, engines

VERSIONS = st.builds(
    Release,
    st.from_regex(r"(b[0-9]{3,5}|v?[0-9]{1,2}(\.[0-9]{1,2}){1,2}(-rc[0-9])?|[0-9a-f]{7})", fullmatch=True),
    st.sampled_from(["", "2026-05-01", "2026-06-01"]),
)


@pytest.mark.parametrize(("earlier", "later"), [
    ("b9093", "b9310"),
    ("b9310", "server-cuda12-b10156"),
    ("0.1.2", "0.1.3-rc1"),
    ("0.1.3-rc1", "0.1.3-rc3"),
    ("0.1.3-rc3", "0.1.3"),
    ("0.3.2-preview", "0.4.0"),
    ("0.9.2", "0.20.0"),
    ("v0.20.2", "0.21.0"),
    ("0.20.0", "0.20.0-post1"),
])  # fmt: skip
def test_what_came_first(earlier: str, later: str) -> None:
    assert Release(earlier).compare(Release(later)) == -1
    assert Release(later).compare(Release(earlier)) == 1


@pytest.mark.parametrize(("one", "other"), [("b9310", "0.21.0"), ("316e88e", "87c351d2"), ("main", "b9310"), ("", "1")])
def test_what_cannot_be_told(one: str, other: str) -> None:
    assert Release(one).compare(Release(other)) is None


def test_dates_decide_where_names_do_not() -> None:
    assert Release("316e88e", "2026-05-22").compare(Release("87c351d2", "2026-06-04")) == -1
    assert Release("316e88e", "2026-05-22").compare(Release("b9725", "2026-06-19")) == -1
    assert Release("316e88e", "2026-05-22").compare(Release("other", "2026-05-22")) is None
    assert Release("b9310", "2026-01-01").compare(Release("b9093", "2026-05-10")) == 1


@given(VERSIONS, VERSIONS)
def test_the_order_is_the_same_from_both_sides(one: Release, other: Release) -> None:
    order, back = one.compare(other), other.compare(one)
    assert (order is None) == (back is None)
    assert order is None or back is None or (order > 0) == (back < 0)


def test_a_commit_that_looks_like_a_build_is_none() -> None:
    assert Release("316e88e").build is None
    assert Release("b930c1f").build is None
    assert Release("87c351d2").numbers is None


def test_descent() -> None:
    data = {"engines": [
        {"id": "a", "parent": None, "versions": [{"version": "1", "date": "2026-05-01", "image": "x:1"}]},
        {"id": "b", "parent": "a"}, {"id": "c", "parent": "b"}, {"id": "loop", "parent": "loop"}, {"id": 5}, "text",
    ]}  # fmt: skip
    found = engines(data)
    assert found["c"].lineage == ("c", "b", "a")
    assert found["c"].is_a("a")
    assert not found["a"].is_a("c")
    assert found["loop"].lineage == ("loop",)
    assert found["a"].release("1") == Release("1", "2026-05-01")
    assert found["a"].images == {"1": "x:1"}
    assert engines({}) == engines({"engines": "none"}) == {}
