"""An app's page for programs, its versions, the commands that measure again, and explained arguments."""

from __future__ import annotations

import dataclasses
import json
import shlex
from typing import TYPE_CHECKING

import pytest

from market import schema
from market.catalog import Catalog, load
from market.cli import main
from market.configuration import Entry, changes, measured, pairs, shipped
from market.engine import engines
from market.ledger import Ledger, Release
from market.paths import PROJECT
from market.site import history, record, reproduction
from market.site.explanations import explain
from market.site.language import LANGUAGES
from market.site.leaderboard import rows
from market.site.pages import Pages

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport


@pytest.fixture(scope="module")
def whole() -> Catalog:
    """The whole catalog of this repository."""
    return load(PROJECT)[0]


def test_every_record_passes_its_schema(whole: Catalog) -> None:
    board = rows(whole)
    entries: tuple[Entry, ...] = (*whole.apps, *whole.shelved)
    for app in entries:
        data = json.loads(record.of(app, board, whole))
        assert schema.errors(data, "app-page") == (), app.name
        assert [one["id"] for one in data["reports"]] == sorted((report.id for report in app.reports), reverse=True)


def test_the_record_is_written_once_and_linked_from_both_languages(french: Pages, english: Pages) -> None:
    path = "apps/llamacppqwen36a3bone/app.json"
    both = french.all(), english.all()
    assert [path in pages for pages in both] == [True, False]
    for pages in both:
        assert f'href="/{path}"' in pages["apps/llamacppqwen36a3bone.md"]


def test_a_record_tells_the_figures_of_the_page(french: Pages, repository: Catalog) -> None:
    app = repository.app("llamacppqwen36a3bone")
    assert app is not None
    data = json.loads(french.all()["apps/llamacppqwen36a3bone/app.json"])
    own = {report.id: report for report in app.reports}
    for one in data["reports"]:
        statistics = own[one["id"]].statistics
        assert one["statistics"]["mean"] == pytest.approx(statistics.mean, rel=1e-11)
        assert one["report"]["runs"] == own[one["id"]].data["runs"]
        anchor = one["page"].partition("#")[2]
        assert f"{{ #{anchor} }}" in french.app(app), "the permalink is on the page"
    assert data["shipped"]["server"]["args"] == app.values["server"]["args"]


def test_versions_say_what_changed(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    first = make_report(
        "2026-01-01-first", runs=[1.0, 2.0], app_version="1.0.9",
        configuration={"complete": True, "args": ["-c", "4096", "--old", "1", "-ub", "512"]},
    )  # fmt: skip
    second = make_report(
        "2026-02-01-second", runs=[1.0, 2.0], app_version="1.0.10", date="2026-02-01",
        configuration={
            "image": "docker.io/example/server:2", "args": ["--ubatch-size", "1024"], "context_tokens": 8192,
        },
    )  # fmt: skip
    app = make_app(reports=(first, second), args=["--ubatch-size", "1024", "--new", "x"], context_tokens=8192)
    released = Release("demo", app.version, "a" * 64, "b" * 64, 1234, "2026-03-01T00:00:00Z")
    catalog = dataclasses.replace(repository, apps=(app,), ledger=Ledger({released.key: released}))
    current, middle, oldest = history.editions(app, catalog)
    assert (current.version, middle.version, oldest.version) == (app.version, "1.0.10", "1.0.9")
    assert (current.is_current, current.release, current.since) == (True, released, "1.0.10")
    assert oldest.changes is None
    assert middle.since == "1.0.9"
    assert {(one.kind, one.subject, one.measured, one.shipped) for one in middle.changes or ()} == {
        ("image", "image", "docker.io/example/server:1", "docker.io/example/server:2"),
        ("context", "context", "4096", "8192"),
        ("argument", "--ubatch-size", "512", "1024"),
    }, "what an incomplete report leaves out did not change"
    assert {(one.kind, one.shipped) for one in current.changes or ()} == {("image", "docker.io/example/server:1")}
    assert (current.date, middle.date) == ("2026-03-01", "2026-02-01")


def test_two_complete_setups_show_every_difference(make_app: MakeApp, make_report: MakeReport) -> None:
    report = make_report(runs=[1.0], configuration={"complete": True, "args": ["--gone", "1", "--same", "2"]})
    app = make_app(args=["--same", "2", "--new"], reports=(report,))
    found = {(one.subject, one.measured, one.shipped) for one in changes(measured(report), shipped(app))}
    assert found == {("--gone", "1", None), ("--new", None, "")}
    assert changes(shipped(app), shipped(app)) == ()


def test_a_version_that_is_none_has_no_place(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    app = make_app(reports=(make_report(runs=[1.0], app_version="not stated"),))
    assert [one.version for one in history.editions(app, repository)] == [app.version]


def test_every_command_is_one_that_the_tool_takes(whole: Catalog) -> None:
    """Each is parsed by the command line itself; nothing listens at the address, so status 2 is where it ends."""
    commands = {
        found
        for app in whole.apps
        for report in (*app.reports, None)
        if (found := reproduction.command(app, report, whole.prompts))
    }
    assert len(commands) > 40
    for command in sorted(commands):
        words = shlex.split(command)
        assert words[:3] == ["market", "bench", "run"]
        context = main.get_command(None, "bench").get_command(None, "run").make_context("run", words[3:])  # type: ignore[union-attr, arg-type]
        assert context.params["app"] in {app.name for app in whole.apps}


def test_a_command_states_the_protocol(make_app: MakeApp, make_report: MakeReport) -> None:
    report = make_report(
        runs=[1.0, 2.0, 3.0],
        protocol={"depth_tokens": 0, "concurrency": 2, "sampling": {"temperature": 0.6}, "thinking": False, "seed": 7,
                  "seed_varies": True, "warmup_runs": 1},
    )  # fmt: skip
    app, prompts = make_app(reports=(report,)), {"space-invaders-html": {"text": "Write"}}
    assert reproduction.command(app, report, prompts) == (
        "market bench run --url http://127.0.0.1:8000 --app demo --prompt space-invaders-html --runs 3 --warmup 1 "
        "--tokens 100 --depth 0 --concurrency 2 --seed 7 --sampling temperature=0.6 --thinking off --vary-seed"
    )
    assert reproduction.command(app, report, {}) is None, "its prompt was not published"
    assert reproduction.command(make_app(status="withdrawn"), None, prompts) is None
    own = make_report(runs=[1.0], bench={"command": "market bench run --url http://x"})
    assert reproduction.command(app, own, {}) == "market bench run --url http://x"


def test_every_argument_that_ships_is_explained(whole: Catalog) -> None:
    known = engines({"engines": list(whole.engines.values())})
    for language in LANGUAGES:
        missing = [
            (app.name, name)
            for app in whole.apps
            for server in [app.values.get("server") or {}]
            for name in [*dict(pairs([str(one) for one in server.get("args") or ()])), *(server.get("env") or {})]
            if not explain(name, app, whole, known, language).meaning
        ]
        assert missing == []


def test_an_option_of_a_fork_says_whose_it_is(whole: Catalog) -> None:
    app = whole.app("llamacppqwen36a3bone")
    assert app is not None
    known = engines({"engines": list(whole.engines.values())})
    options = ("--mmproj-gpu-swap", "--cache-type-k")
    found = {name: explain(name, app, whole, known, LANGUAGES[1]).engine for name in options}
    assert found == {"--mmproj-gpu-swap": "buun-llama-cpp", "--cache-type-k": None}
