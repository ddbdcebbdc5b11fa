"""A correct market passes in every mode, over HTTP and from a folder; the device asks what a device asks."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from market.device.client import USER_AGENT, normalise
from market.device.folder import SHARDS, shard_of
from market.device.sync import Options
from market.device.verify import UnreachableError, run, verify, verify_folder

if TYPE_CHECKING:
    from tests.device.conftest import Answer, Request, Serve, SmallMarket

NO_PAUSES = Options(pauses=(0.0, 0.0))


@pytest.mark.parametrize("mode", ["genA", "genB", "v2"])
def test_correct_market_passes(mode: str, big_market: SmallMarket, serve: Serve) -> None:
    result = verify(serve(big_market), (mode,), options=NO_PAUSES)
    assert result.deviations == ()
    assert result.passed
    assert result.exit_code == 0
    assert [app.name for app in result.apps] == big_market.names
    app = result.apps[0]
    assert (app.title, app.version, app.categories) == ("App appa", "1.0.0", ("LLM Chat",))
    assert app.chart_bytes == len(big_market.charts["appa-1.0.0.tgz"])
    assert len(app.chart_sha256) == 64


def test_requests_are_the_devices(big_market: SmallMarket, serve: Serve) -> None:
    verify(serve(big_market), ("genB",), options=NO_PAUSES)
    for request in big_market.log:
        names = {name.lower() for name in request.headers}
        assert request.headers["User-Agent"] == USER_AGENT
        assert request.headers["Accept-Encoding"] == "gzip"
        assert not names & {"accept", "cookie", "authorization", "if-none-match", "if-modified-since"}
    posts = [json.loads(request.body) for request in big_market.log if request.method == "POST"]
    assert [len(post["app_ids"]) for post in posts] == [10, 2, 10, 2]
    assert {post["version"] for post in posts} == {"1.12.6"}
    assert posts[0]["app_ids"] != sorted(posts[0]["app_ids"])
    assert posts[0]["app_ids"] != posts[2]["app_ids"]
    charts = [request for request in big_market.log if request.path.endswith("/chart")]
    assert {"fileName": "appa-1.0.0.tgz", "version": "1.0.0"} in [chart.query for chart in charts]


def test_detail_order_is_a_function_of_the_seed(big_market: SmallMarket, serve: Serve) -> None:
    url = serve(big_market)
    orders = []
    for seed in (1, 1, 2):
        big_market.log.clear()
        verify(url, ("genA",), options=Options(seed=seed, pauses=(0.0, 0.0)))
        orders.append([request.body for request in big_market.log if request.method == "POST"])
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize(
    ("mode", "second"),
    [
        ("genA", {"/api/v1/appstore/hash": 1}),
        (
            "genB",
            {"/api/v1/appstore/hash": 1, "/api/v1/appstore/info": 1, "/api/v1/applications/info": 1},
        ),
        ("v2", {"/api/v2/catalog": 1}),
    ],
)
def test_second_sync_asks_no_more_than_needed(
    mode: str, second: dict[str, int], small_market: SmallMarket, serve: Serve
) -> None:
    verify(serve(small_market), (mode,), options=NO_PAUSES)
    paths = [request.path for request in small_market.log]
    first_chart = next(at for at, path in enumerate(paths) if path.endswith("/chart"))
    after = paths[first_chart + 2 : -2]
    assert Counter(after) == Counter(second)
    assert all(path.endswith("/chart") for path in paths[-2:])


def test_v2_falls_back_to_the_v1_chart(small_market: SmallMarket, serve: Serve) -> None:
    def missing(request: Request, answer: Answer) -> Answer:
        return replace(answer, status=404, body=b"{}")

    small_market.spoil(small_market.chart_path(protocol="v2"), missing)
    assert verify(serve(small_market), ("v2",), options=NO_PAUSES).passed


def test_path_prefix_and_slash(small_market: SmallMarket, serve: Serve) -> None:
    assert verify(serve(small_market) + "/", ("genA",), options=NO_PAUSES).passed
    assert normalise("market.example/one/") == "https://market.example/one"
    assert normalise(" HTTP://market.example") == "HTTP://market.example"


def write_folder(market: SmallMarket, folder: Path) -> None:
    """Lay the market out as a build does."""
    envelopes = {
        "api/v2/taxonomy": market.taxonomy,
        "api/v2/applications": market.applications,
        "api/v2/browse/applications": market.applications,
        "_market/catalog.json": {**market.catalog, "source_id": "configured"},
    }
    files: dict[str, object] = {name: {"code": 0, "msg": "success", "data": data} for name, data in envelopes.items()}
    files["api/v1/appstore/info"] = market.info
    files["api/v1/appstore/hash"] = {key: market.info[key] for key in ("hash", "last_updated", "version")}
    shards: dict[int, dict[str, object]] = {shard: {} for shard in range(SHARDS)}
    for key, detail in market.details.items():
        shards[shard_of(key)][key] = detail
    files |= {f"_market/details/{shard}.json": content for shard, content in shards.items()}
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    (folder / "charts").mkdir()
    for name, data in market.charts.items():
        (folder / "charts" / name).write_bytes(data)


def test_folder_passes_as_the_live_market_does(big_market: SmallMarket, serve: Serve, tmp_path: Path) -> None:
    write_folder(big_market, tmp_path)
    offline = verify_folder(tmp_path)
    assert offline.deviations == ()
    assert offline.passed
    assert offline.apps == verify(serve(big_market), options=NO_PAUSES).apps


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("api/v1/appstore/info", b"{", "not JSON"),
        ("api/v1/appstore/hash", None, "status 404"),
        ("_market/catalog.json", b"[]", "expected object"),
        ("_market/details/{shard}.json", b"{}", "the detail reply lacks it"),
        ("_market/details/{shard}.json", b"[1]", "a detail shard cannot be read"),
        ("_market/details/{shard}.json", None, "a detail shard cannot be read"),
        ("charts/appone-1.0.0.tgz", b"", "not a gzip file"),
        ("charts/appone-1.0.0.tgz", None, "status 404"),
    ],
)
def test_folder_faults(
    file: str, content: bytes | None, message: str, small_market: SmallMarket, tmp_path: Path
) -> None:
    write_folder(small_market, tmp_path)
    path = tmp_path / file.format(shard=shard_of(small_market.detail()["id"]))
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    result = verify_folder(tmp_path)
    assert not result.passed
    assert any(message in deviation.message for deviation in result.deviations)


def test_folder_never_leaves_the_folder(small_market: SmallMarket, tmp_path: Path) -> None:
    inside = tmp_path / "dist"
    inside.mkdir()
    write_folder(small_market, inside)
    (tmp_path / "outside.tgz").write_bytes(small_market.charts["appone-1.0.0.tgz"])
    (inside / "charts" / "appone-1.0.0.tgz").unlink()
    (inside / "charts" / "appone-1.0.0.tgz").symlink_to(tmp_path / "outside.tgz")
    result = verify_folder(inside, ("genB",))
    assert any("status 404" in deviation.message for deviation in result.deviations)


def test_unknown_mode(small_market: SmallMarket, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown mode genC; the modes are genA, genB, v2"):
        verify_folder(tmp_path, ("genC",))


def shown(width: int = 200, *, terminal: bool = False) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, force_terminal=terminal, width=width, color_system=None), stream


def closed_port(serve: Serve, market: SmallMarket) -> str:
    return serve(market).rsplit(":", 1)[0] + ":1"


def test_unreachable_market_is_an_environment_fault(small_market: SmallMarket, serve: Serve) -> None:
    url = closed_port(serve, small_market)
    with pytest.raises(UnreachableError, match="cannot be reached: the connection was refused"):
        verify(url)
    console, stream = shown()
    assert run(url, ("genB",), "1.12.6", False, console) == 2
    assert stream.getvalue() == f"market: {url} cannot be reached: the connection was refused\n"
    console, stream = shown()
    assert run(url, ("genB",), "1.12.6", True, console) == 2
    assert "cannot be reached" in json.loads(stream.getvalue())["unreachable"]


@pytest.mark.parametrize(
    "url", ["http://", "http://[", "ftp://market.example", "http://a b/", "http://127.0.0.1:99999"]
)
def test_senseless_addresses_are_no_traceback(url: str) -> None:
    console, stream = shown()
    assert run(url, ("genB",), "1.12.6", False, console) == 2
    assert stream.getvalue().count("\n") == 1


def test_plain_report(small_market: SmallMarket, serve: Serve) -> None:
    console, stream = shown(40)
    url = serve(small_market)
    assert run(url, ("genA", "v2"), "1.12.6", False, console) == 0
    lines = stream.getvalue().splitlines()
    assert lines[0] == f"{url} as a device on Olares 1.12.6 sees it"
    assert any(line.startswith("appone  App appone  1.0.0  LLM Chat") for line in lines)
    assert "ok    genA  second sync  1 request" in lines
    assert lines[-1] == "passed: 2 apps in genA, v2, no deviation"
    assert "\x1b" not in stream.getvalue()


def test_terminal_report_shows_marks_and_no_control_characters(small_market: SmallMarket, serve: Serve) -> None:
    small_market.info["data"]["latest"] = ["evil\x1b[2J[red]app"]
    console, stream = shown(terminal=True)
    assert run(serve(small_market), ("genA", "genB"), "1.12.6", False, console) == 1
    text = stream.getvalue()
    assert "✓" in text
    assert "✗ genA, genB store" in text
    assert "evil\N{REPLACEMENT CHARACTER}[2J[red]app" in text
    assert "failed: 1 deviation, 2 steps of 16 not passed" in text


def test_json_report(small_market: SmallMarket, serve: Serve) -> None:
    small_market.detail()["title"] = {"en-US": "x"}
    console, stream = shown(40)
    assert run(serve(small_market), ("genB",), "1.12.6", True, console) == 1
    document = json.loads(stream.getvalue())
    assert document["passed"] is False
    assert document["apps"][0]["name"] == "appone"
    assert document["deviations"][0]["step"] == "rows"
    assert {step["name"] for step in document["steps"]} >= {"hash", "second sync", "same bytes"}
