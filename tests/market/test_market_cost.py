"""The sums of the page on costs, done again by hand, and its data held against what the market really is."""

from __future__ import annotations

import math

import pytest
import yaml

from market.catalog import Catalog, load
from market.cost import Costs, of
from market.device.details import CHUNK
from market.device.state import MODES
from market.paths import PROJECT

PRICES = {
    "workers": {"plan": 5, "requests": {"included": 10_000_000, "per_million": 0.30},
                "cpu_ms": {"included": 30_000_000, "per_million": 0.02}},
    "r2": {"reads": {"included": 10_000_000, "per_million": 0.36}},
}  # fmt: skip


def row(kind: str, worker: bool, requests: int, size: int) -> dict[str, object]:
    return {"kind": kind, "route": f"/{kind}", "worker": worker, "requests": requests, "bytes": size,
            "gzip_bytes": size // 2}  # fmt: skip


MADE = {
    "load": {
        "hash": {"ours": {"per_second": 8, "cpu_ms": 9}, "inline": {"per_second": 2, "cpu_ms": 0.5}},
        "details": {"ours": {"per_second": 3, "cpu_ms": 0.25}, "inline": {"per_second": 1, "cpu_ms": 2}},
        "chart": {"ours": {"per_second": 3, "cpu_ms": 1}, "inline": {"per_second": 1, "cpu_ms": 4}},
    },
    "syncs": {
        "one": {
            "first": [row("hash", False, 1, 100), row("details", True, 2, 1000), row("chart", True, 20, 5000)],
            "unchanged": [row("hash", False, 1, 100)],
            "bumped": [row("hash", False, 1, 100), row("details", True, 2, 1000), row("chart", True, 1, 250)],
        }
    },
}


@pytest.fixture
def made() -> Costs:
    return Costs(MADE, PRICES)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(PROJECT)[0]


@pytest.fixture(scope="module")
def costs(catalog: Catalog) -> Costs:
    found = of(catalog)
    assert found is not None
    return found


def test_a_day_is_287_quiet_syncs_and_one_change(made: Costs) -> None:
    day = made.day("one")
    assert (day.requests, day.runs, day.charts) == (287 + 4, 3, 1)
    assert (day.bytes, day.gzip_bytes) == (287 * 100 + 1350, 287 * 50 + 675)
    assert day.cpu_ms == pytest.approx(2 * 0.25 + 1)
    inline = made.day("one", "inline")
    assert inline.runs == inline.requests == day.requests
    assert inline.cpu_ms == pytest.approx(288 * 0.5 + 2 * 2 + 4)
    assert made.day("one", changes=0).runs == 0


def test_a_bill_is_plan_and_what_goes_beyond_the_included(made: Costs) -> None:
    small = made.bill("one", 1000)
    assert small.total == 5
    bill = made.bill("one", 1_000_000)
    assert bill.requests == pytest.approx((3 * 30 - 10) * 0.30)
    assert bill.cpu == pytest.approx((1.5 * 30 - 30) * 0.02)
    assert bill.archive == pytest.approx((30 - 10) * 0.36)
    assert bill.total == pytest.approx(5 + 24 + 0.3 + 7.2)
    inline = made.bill("one", 1_000_000, "inline")
    assert inline.total == pytest.approx(5 + (291 * 30 - 10) * 0.30 + (152 * 30 - 30) * 0.02)


def test_the_archive_is_billed_by_whole_millions(made: Costs) -> None:
    assert made.bill("one", 333_334).archive == pytest.approx(0.36)


def test_the_table_of_a_generation_has_every_kind_of_request(made: Costs) -> None:
    asked = made.asked("one")
    assert [(one.kind, one.first, one.unchanged, one.bumped) for one in asked] == [
        ("hash", 1, 1, 1), ("details", 2, 0, 2), ("chart", 20, 0, 1),
    ]  # fmt: skip
    assert (made.runs("hash"), made.runs("details"), made.ratio("details")) == (False, True, 3)


def test_the_measurement_says_what_runs_the_worker_as_the_api_describes_it(costs: Costs) -> None:
    described = yaml.safe_load((PROJECT / "schema/openapi.yaml").read_text("utf-8"))["paths"]
    for mode in MODES:
        for name in ("first", "unchanged", "bumped"):
            for found in costs.rows(mode, name):
                assert found["worker"] == (described[found["route"]]["x-served-by"] != "file"), found


def test_the_measured_requests_are_those_of_the_protocol(costs: Costs) -> None:
    apps = costs.measured["measured"]["apps"]
    batches = math.ceil(apps / CHUNK)
    counted = {
        (mode, name): {found["kind"]: found["requests"] for found in costs.rows(mode, name)}
        for mode in MODES
        for name in ("first", "unchanged", "bumped")
    }
    v1 = {"hash": 1, "info": 1, "details": batches}
    assert counted["genA", "unchanged"] == {"hash": 1}
    assert counted["genB", "unchanged"] == v1
    assert counted["v2", "unchanged"] == {"catalog": 1}
    for mode in ("genA", "genB"):
        assert counted[mode, "first"] == {**v1, "chart": apps}
        assert counted[mode, "bumped"] == {**v1, "chart": 1}


def test_what_was_measured_holds_what_is_promised(costs: Costs) -> None:
    assert costs.measured["workers"]["ours"]["script_bytes"] < 50_000
    assert costs.measured["load"]["details"]["ours"]["cpu_ms"] <= 1
    assert costs.ratio("details") >= 3


def test_files_save_most_where_devices_are_many(costs: Costs) -> None:
    for mode in MODES:
        assert costs.bill(mode, 1_000_000).total < costs.bill(mode, 1_000_000, "inline").total
