"""Figures that no series can have, and figures that every series has."""

from __future__ import annotations

import math
import random
import shutil
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.catalog import App, Catalog, load
from market.problem import Problem
from market.report import Report
from market.rules import bench_copies, bench_drafts, bench_figures, bench_protocol, examples
from market.source import SourceText
from market.yamldoc import parse

FILE = "apps/demo/bench/2026-05-20-space-invaders.yaml"
TEXT = (examples.FOLDER / "base" / FILE).read_text("utf-8")
DATA: dict[str, Any] = yaml.safe_load(TEXT) | {"date": "2026-05-20"}

RUNS = st.lists(st.floats(1, 400).map(lambda value: round(value, 2)), min_size=1, max_size=20)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    root = tmp_path_factory.mktemp("base") / "catalog"
    shutil.copytree(examples.FOLDER / "base", root)
    return load(root)[0]


def report(**changes: Any) -> Report:
    data = {key: value for key, value in {**DATA, **changes}.items() if value is not None}
    document, problems = parse(SourceText(FILE, yaml.safe_dump(data, sort_keys=False, allow_unicode=True)))
    assert document
    assert not problems
    return Report("2026-05-20-space-invaders", "demo", document)


def found(one: Report, catalog: Catalog) -> list[Problem]:
    (app,) = catalog.apps
    changed = App(**{**{name: getattr(app, name) for name in app.__dataclass_fields__}, "reports": (one,)})

    def everything() -> Iterator[Problem]:
        yield from bench_figures.figures(changed)
        yield from bench_drafts.drafts(changed)
        yield from bench_protocol.dates(changed)

    return list(everything())


def rules(catalog: Catalog, **changes: Any) -> set[str]:
    return {one.rule for one in found(report(**changes), catalog)} - {"bench.protocol"}


def runs(speeds: Sequence[float]) -> list[dict[str, float]]:
    return [{"tokens_per_second": speed} for speed in speeds]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS, st.integers(0, 2), st.booleans())
def test_what_a_series_gives_is_never_complained_of(
    catalog: Catalog, speeds: list[float], decimals: int, sample: bool
) -> None:
    published: dict[str, Any] = {
        "n": len(speeds), "mean": round(statistics.fmean(speeds), decimals), "min": round(min(speeds), decimals),
        "max": round(max(speeds), decimals), "range": round(max(speeds) - min(speeds), decimals),
    }  # fmt: skip
    if len(speeds) > 1:
        published["sd"] = round(statistics.stdev(speeds) if sample else statistics.pstdev(speeds), decimals)
    if not decimals:
        published = {key: int(value) for key, value in published.items()}
    assert rules(catalog, runs=runs(speeds), published=published) <= {"bench.two-groups"}


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS.filter(lambda speeds: len(speeds) > 1), st.integers(0, 2))
def test_the_summary_of_a_series_is_never_complained_of(catalog: Catalog, speeds: list[float], decimals: int) -> None:
    summary: dict[str, Any] = {
        "n": len(speeds), "mean": round(statistics.fmean(speeds), decimals), "min": round(min(speeds), decimals),
        "max": round(max(speeds), decimals), "sd": round(statistics.stdev(speeds), decimals),
    }  # fmt: skip
    if not decimals:
        summary = {key: int(value) for key, value in summary.items()}
    assert rules(catalog, runs=None, summary=summary) == set()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS.filter(lambda speeds: len(speeds) > 1 and max(speeds) - min(speeds) > 1), st.sampled_from([1.6, 0.2]))
def test_a_deviation_outside_its_bounds_is_found(catalog: Catalog, speeds: list[float], factor: float) -> None:
    n, spread = len(speeds), max(speeds) - min(speeds)
    bound = spread / 2 * math.sqrt(n / (n - 1)) if factor > 1 else spread / math.sqrt(2 * (n - 1))
    summary = {"n": n, "mean": statistics.fmean(speeds), "min": min(speeds), "max": max(speeds), "sd": bound * factor}
    assert "bench.deviation" in rules(catalog, runs=None, summary=summary)


def test_published_figures_of_the_write_ups() -> None:
    """243.59, 13.79 and about 4 are what the ten published runs of 24 May 2026 give."""
    speeds = [243.44, 242.52, 242.79, 251.39, 244.69, 241.62, 237.6, 247.18, 243.64, 241.01]
    one = report(runs=runs(speeds), published={"mean": 243.59, "range": 13.79, "sd": 4, "n": 10})
    assert list(bench_figures._claims(one)) == []
    assert len(list(bench_figures._claims(report(runs=runs(speeds), published={"mean": 243.6, "sd": 3.5})))) == 0
    assert len(list(bench_figures._claims(report(runs=runs(speeds), published={"mean": 243.61, "sd": 3.9})))) == 2


@pytest.mark.parametrize(("changes", "rule"), [
    ({"published": {"n": 10}}, "bench.run-count"),
    ({"published": {"mean": 100.4}}, "bench.claim"),
    ({"published": {"min": 102.0, "max": 101.0}}, "bench.claim"),
    ({"published": {"sd": 2.54, "range": 2.54}}, "bench.claim"),
    ({"runs": None, "summary": {"n": 3, "mean": 5.0, "min": 6.0, "max": 7.0}}, "bench.mean"),
    ({"runs": None, "summary": {"n": 2, "mean": 10.0, "min": 1.0, "max": 11.0}}, "bench.mean"),
    ({"runs": None, "summary": {"n": 2, "mean": 6.0, "min": 11.0, "max": 1.0}}, "bench.order"),
    ({"acceptance": {"draft_tokens": 10, "draft_accepted": 11}}, "bench.accepted"),
    ({"vision_check": {"draft_tokens": 61, "draft_accepted": 221}}, "bench.accepted"),
    ({"acceptance": {"draft_tokens": 221, "draft_accepted": 61, "published_percent": 28.6}}, "bench.acceptance"),
    ({"acceptance": {"draft_tokens": 29997, "draft_accepted": 25920}}, "bench.draft-counters"),
    ({"date": "2026-05-21"}, "bench.file-name"),
    ({"app_version": "1.0.1"}, "bench.version"),
])  # fmt: skip
def test_what_cannot_be(changes: dict[str, Any], rule: str, catalog: Catalog) -> None:
    # 2500 tokens a run, three runs: 7500 tokens, fewer than were accepted.
    assert rule in rules(catalog, **changes)


@pytest.mark.parametrize("changes", [
    {"acceptance": {"draft_tokens": 221, "draft_accepted": 61, "published_percent": 27.6}},
    {"acceptance": {"published_percent": 28}},
    {"acceptance": {"draft_tokens": 0, "draft_accepted": 0, "published_percent": 0}},
    {"app_version": "0.9"},
    {"app_version": "main"},
    {"runs": None, "summary": {"n": 1, "mean": 5.0, "min": 5.0, "max": 5.0}},
])  # fmt: skip
def test_what_can_be(changes: dict[str, Any], catalog: Catalog) -> None:
    assert rules(catalog, **changes) == set()


@pytest.mark.parametrize(("arguments", "drafted", "fits"), [
    (["--spec-draft-n-max", "3"], 1638, True),
    (["--spec-draft-n-max", "3"], 1641, True),
    (["--spec-draft-n-max", "3"], 1642, False),
    (["--speculative-config", '{"method":"mtp","num_speculative_tokens":2}'], 1200, False),
    (["--speculative-config", '{"num_speculative_tokens": 4}'], 1700, True),
    ([], 9999, True),
])  # fmt: skip
def test_drafts_against_steps(arguments: list[str], drafted: int, fits: bool, catalog: Catalog) -> None:
    """2000 tokens of which 1454 were drafted make 546 steps, each with at most the set number of drafts."""
    configuration = {**DATA["configuration"], "args": arguments}
    protocol = {**DATA["protocol"], "tokens_per_run": 2000}
    one = {"tokens_per_second": 253.73, "draft_tokens": drafted, "draft_accepted": 1454}
    got = rules(catalog, configuration=configuration, protocol=protocol, runs=[one])
    assert (got == set()) is fits


def test_speed_bounds(catalog: Catalog) -> None:
    """5 GB of weights at 896 GB/s allow 179 tokens/s, times the tokens of a step and the requests at once."""
    (app,) = catalog.apps
    assert bench_protocol.fastest(catalog, app, report()) == pytest.approx(179.2)
    four = {**DATA["protocol"], "concurrency": 4}
    assert bench_protocol.fastest(catalog, app, report(protocol=four)) == pytest.approx(716.8)
    assert bench_protocol.fastest(catalog, app, report(hardware="unknown")) is None


@pytest.mark.parametrize(("speeds", "groups"), [
    ([220.4, 61.2, 218.9, 60.3, 221.7, 59.8], True),
    ([100.0, 101.0, 99.0, 100.5, 99.5, 100.2], False),
    ([220.4, 218.9, 221.7, 219.0, 220.0, 60.0], False),
    ([220.4, 61.2, 218.9], False),
])  # fmt: skip
def test_two_groups(speeds: list[float], groups: bool, catalog: Catalog) -> None:
    assert ("bench.two-groups" in rules(catalog, runs=runs(speeds))) is groups


def copied(catalog: Catalog, *speeds: Sequence[float]) -> list[str]:
    """What is said of reports with these speeds."""
    (app,) = catalog.apps
    made = tuple(replace(report(runs=runs(series)), id=f"2026-05-20-{index}") for index, series in enumerate(speeds))
    changed = replace(catalog, apps=(replace(app, reports=made),))
    return [one.message for one in bench_copies.copies(changed)]


@pytest.mark.parametrize(("other", "caught"), [
    ([100.51, 101.25, 99.72, 100.33, 98.91, 100.07], True),
    ([98.91, 100.07, 100.51, 101.25, 99.72, 100.33], True),
    ([100.51, 101.25, 99.72, 97.11, 98.02, 97.93], True),
    ([100.51, 101.25, 99.73, 97.11, 98.02, 97.93], False),
    ([100.5, 101.2, 99.7, 100.3, 98.9, 100.1], False),
])  # fmt: skip
def test_copies_are_found_also_in_part_and_in_another_order(other: list[float], caught: bool, catalog: Catalog) -> None:
    said = copied(catalog, [100.51, 101.25, 99.72, 100.33, 98.91, 100.07], other)
    assert said == (["the figures are those of 2026-05-20-0 of demo"] if caught else [])


def test_series_do_not_look_like_copies_of_each_other() -> None:
    """Ten runs of two decimals with a spread of 1 %, in 20,000 pairs."""
    chance, base = random.Random(6), report()

    def series() -> Report:
        speeds = [round(chance.gauss(62, 0.6), 2) for _ in range(10)]
        return replace(base, document=replace(base.document, data={**DATA, "runs": runs(speeds)}))

    assert not any(bench_copies._copied(series(), series()) for _ in range(20_000))


def test_a_run_that_stands_there_twice_is_found(catalog: Catalog) -> None:
    timings = [{"prompt_ms": 52.117, "predicted_ms": 8011.304}, {"prompt_ms": 52.117, "predicted_ms": 8102.553}]
    twice = [{"tokens_per_second": 100.0 + at, "server": {**timings[index]}} for at, index in enumerate((0, 1, 0))]
    (app,) = catalog.apps
    one = report(runs=twice)
    (found,) = bench_copies.copies(replace(catalog, apps=(replace(app, reports=(one,)),)))
    assert found.message == "run 3 has the milliseconds of run 1"


@pytest.mark.parametrize(("name", "caught"), [
    ("NVIDIA GeForce RTX 5090 Laptop GPU", False),
    ("NVIDIA GeForce RTX 5090", True),
    ("NVIDIA GeForce RTX 4090", True),
])  # fmt: skip
def test_card_of_the_driver_against_the_machine(name: str, caught: bool, catalog: Catalog) -> None:
    (app,) = catalog.apps
    one = report(environment={"gpu": {"name": name}})
    found = list(bench_copies.copies(replace(catalog, apps=(replace(app, reports=(one,)),))))
    assert [problem.rule for problem in found] == (["bench.other-card"] if caught else [])


def test_the_file_is_the_one_of_the_base() -> None:
    assert Path(FILE).name.startswith(str(DATA["date"]))
