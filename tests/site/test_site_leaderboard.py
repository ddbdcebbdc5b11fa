"""Ranks, the report that speaks for an app, and which app when."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from market.catalog import App, Catalog
from market.configuration import Verdict
from market.site.choices import NEEDS, choices, choose
from market.site.leaderboard import headline, rank, rows

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport


@pytest.mark.parametrize(
    ("intervals", "ranks"),
    [
        ([(9, 11), (6, 8), (3, 5)], [1, 2, 3]),
        ([(9, 11), (8, 10), (3, 5)], [1, 1, 3]),
        # The second overlaps both neighbours, which do not overlap each other.
        ([(9, 11), (7, 9.5), (6, 8)], [1, 1, 2]),
        ([(9, 11), None, (3, 5)], [1, None, 2]),
        # A wide interval below a narrow one may rank better than its mean.
        ([(9, 11), (7, 8), (2, 12)], [1, 2, 1]),
        ([(9, 11), (9, 11)], [1, 1]),
    ],
)
def test_rank(intervals: list[tuple[float, float] | None], ranks: list[int | None]) -> None:
    assert [rank(own, intervals) for own in intervals] == ranks


def test_rows_share_ranks_and_summaries_have_none(
    repository: Catalog, make_app: MakeApp, make_report: MakeReport
) -> None:
    app = make_app(
        reports=(
            make_report("a", runs=[100, 101, 102]),
            make_report("b", runs=[99, 101, 103]),
            make_report("c", runs=[50, 51, 52]),
            make_report("d", summary={"n": 10, "mean": 200, "min": 190, "max": 210}),
        )
    )
    found = rows(dataclasses.replace(repository, apps=(app,), shelved=()))
    assert [(row.report.id, row.rank, row.shared) for row in found] == [
        ("d", None, False), ("a", 1, True), ("b", 1, True), ("c", 3, False),
    ]  # fmt: skip
    assert found[0].interval is None
    assert found[0].statistics.half_width is not None, "an estimate exists, and is not shown"


def test_one_run_has_neither_interval_nor_rank(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    app = make_app(reports=(make_report(runs=[100.0]),))
    (row,) = rows(dataclasses.replace(repository, apps=(app,), shelved=()))
    assert (row.interval, row.rank) == (None, None)


def test_headline_is_what_ships_then_raw_then_newest(make_app: MakeApp, make_report: MakeReport) -> None:
    other = {"image": "docker.io/example/server:0"}
    reports = (
        make_report("differs-fast", runs=[300, 301], date="2026-03-01", configuration=other),
        make_report("summary", summary={"n": 5, "mean": 120}, date="2026-03-01"),
        make_report("raw-old", runs=[100, 101], date="2026-01-01"),
        make_report("raw-new", runs=[90, 91], date="2026-02-01"),
    )
    found = headline(make_app(reports=reports))
    assert found is not None
    assert found.report.id == "raw-new"
    assert headline(make_app()) is None


def test_choices_come_from_the_data(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    vision = {"text": True, "vision": True, "audio": False, "tools": True, "thinking": False}

    def seen(name: str, context: int, *speeds: float, **card: Any) -> App:
        report = make_report(runs=list(speeds), configuration={"context_tokens": context})
        return make_app(name, (report,), context_tokens=context, **card)

    apps = (
        seen("long", 200_000, 99, 100, 101, capabilities=vision),
        seen("fast", 1000, 199, 200, 201, capabilities=vision, args=["--max-num-seqs", "4"]),
        seen("level", 1000, 190, 200, 209, capabilities=vision),
        seen("once", 1000, 198, capabilities=vision),
        seen("text", 500, 400, 401, 402),
        seen("gone", 900_000, 900, 901, 902, capabilities=vision, status="withdrawn"),
    )
    catalog = dataclasses.replace(repository, apps=apps, shelved=())
    found = {choice.need.id: choice for choice in choices(catalog)}
    assert found["vision-context"].row.app.name == "long"
    assert found["vision-speed"].row.app.name == "fast"
    assert [app.name for app in found["vision-speed"].level_with] == ["level"]
    assert found["text-speed"].row.app.name == "text"
    assert found["several-users"].row.app.name == "fast"
    assert found["dense-context"].row.app.name == "long"


def test_a_need_without_app_is_left_out(repository: Catalog) -> None:
    assert all(choose(need, dataclasses.replace(repository, apps=())) is None for need in NEEDS)


def test_every_row_of_the_repository_says_whether_it_ships(repository: Catalog) -> None:
    found = rows(repository)
    assert len(found) == len(list(repository.root.glob("apps/*/bench/*.yaml")))
    assert {row.agreement.verdict for row in found} <= set(Verdict)
