"""Ranks, the report that speaks for an app, and which app when."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from market.catalog import App, Catalog
from market.configuration import Verdict
from market.site.choices import NEEDS, choices, choose
from market.site.leaderboard import Scale, headline, rank, rows, scales

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


def test_other_machines_and_several_requests_at_once_have_ranks_of_their_own(
    repository: Catalog, make_app: MakeApp, make_report: MakeReport
) -> None:
    app = make_app(
        reports=(
            make_report("here", runs=[50, 51, 52]),
            make_report("slow", runs=[10, 11, 12]),
            make_report("elsewhere", runs=[500, 501, 502], hardware="rtx-4090"),
            make_report("four", runs=[300, 301, 302], protocol={"concurrency": 4}),
            make_report("unstated", runs=[20, 21, 22], protocol={"concurrency": None}),
        )
    )
    found = rows(dataclasses.replace(repository, apps=(app,), shelved=()))
    assert [(row.report.id, row.rank) for row in found] == [
        ("here", 1), ("unstated", 2), ("slow", 3), ("four", 1), ("elsewhere", 1),
    ]  # fmt: skip
    assert [(scale, len(group)) for scale, group in scales(found)] == [
        (Scale("olares-one", 1), 3), (Scale("olares-one", 4), 1), (Scale("rtx-4090", 1), 1),
    ]  # fmt: skip
    own = headline(app)
    assert own is not None
    assert own.report.id == "here", "nothing of another scale speaks for an app"


def test_only_what_was_asked_the_same_is_ranked_together(
    repository: Catalog, make_app: MakeApp, make_report: MakeReport
) -> None:
    app = make_app(
        reports=(
            make_report("unstated", runs=[300, 301, 302], protocol={"prompt": "unstated", "depth_tokens": None}),
            make_report("prose", runs=[200, 201, 202], protocol={"prompt": "prose"}),
            make_report("fast", runs=[100, 101, 102]),
            make_report("deep", runs=[60, 61, 62], protocol={"depth_tokens": 32768}),
            make_report("slow", runs=[50, 51, 52]),
        )
    )
    found = rows(dataclasses.replace(repository, apps=(app,), shelved=()))
    assert [(row.report.id, row.rank) for row in found] == [
        ("unstated", None), ("prose", None), ("fast", 1), ("deep", None), ("slow", 2),
    ]  # fmt: skip
    assert all(row.interval for row in found), "they are drawn all the same"


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
    assert found["vision-context"].app.name == "long"
    assert found["vision-speed"].app.name == "fast"
    assert [app.name for app in found["vision-speed"].level_with] == ["level"]
    assert found["text-speed"].app.name == "text"
    assert found["several-users"].app.name == "fast"
    assert found["dense-context"].app.name == "long"


def test_memory_decides_where_it_is_the_need(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    def sized(name: str, gigabytes: float | None, *speeds: float, **card: Any) -> App:
        parts = [{"name": {"en": "all", "fr": "tout"}, "gb": gigabytes}] if gigabytes else []
        reports = (make_report(runs=list(speeds)),) if speeds else ()
        return make_app(name, reports, vram={"parts": parts}, **card)

    speech = {"name": "Demo", "kind": "speech", "licence": "MIT"}
    apps = (
        sized("large", 20, 100, 101), sized("small", 6, 50, 51), sized("unknown", None, 90, 91),
        sized("unmeasured", 2), sized("voice", 5, model=speech), sized("voice-large", 9, model=speech),
    )  # fmt: skip
    found = {choice.need.id: choice for choice in choices(dataclasses.replace(repository, apps=apps, shelved=()))}
    assert found["smallest"].app.name == "small"
    assert found["smallest"].gigabytes == 6
    assert (found["listening"].app.name, found["listening"].row, found["listening"].others) == ("voice", None, 1)
    assert "music" not in found


def test_a_need_without_app_is_left_out(repository: Catalog) -> None:
    assert all(choose(need, dataclasses.replace(repository, apps=())) is None for need in NEEDS)


def test_every_row_of_the_repository_says_whether_it_ships(repository: Catalog) -> None:
    found = rows(repository)
    assert len(found) == len(list(repository.root.glob("apps/*/bench/*.yaml")))
    assert {row.agreement.verdict for row in found} <= set(Verdict)
