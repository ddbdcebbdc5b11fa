"""vLLM's reply shapes from a real HTTP server: what is injected comes out, and alarms stop the bench."""

from __future__ import annotations

import json
import statistics
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from market import schema
from market.bench.endpoint import Endpoint, base_of
from market.bench.series import read

from . import command
from .replay import MODEL, Script, replaying

FAST: dict[str, Any] = {"first": 0.01, "step": 0.001}


@pytest.mark.parametrize("per_step", [1, 4])
def test_speed_and_first_token_are_those_injected(per_step: int, tmp_path: Path) -> None:
    """With speculation a chunk holds several tokens: the count comes from usage, the time from arrivals.

    Each run is held against the moments at which its pieces really left: on a busy machine they leave late.
    """
    script = Script(first=0.15, step=0.03, steps=40, tokens_per_step=per_step, drafted=180, accepted=150)
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, "-n", "5", "--warmup", "1", "--tokens", str(40 * per_step),
                            "--keep-going")  # fmt: skip
    assert found.status == 0, found.err
    runs = found.report["runs"]
    # 40 steps are 39 gaps, and the first token is what the others are counted from.
    sent = script.sent[-len(runs) :]
    speeds = [(40 * per_step - 1) / (last - first) for first, last in sent]
    ratios = [run["tokens_per_second"] / speed for run, speed in zip(runs, speeds, strict=True)]
    assert statistics.median(ratios) == pytest.approx(1, rel=0.03)
    late = [run["time_to_first_token_ms"] - first * 1000 for run, (first, _) in zip(runs, sent, strict=True)]
    assert statistics.median(late) == pytest.approx(0, abs=40)
    for run, (first, last) in zip(runs, sent, strict=True):
        assert first >= 0.15
        assert last - first >= 39 * 0.03 - 0.01
        assert run["steps_ms"]["p50"] >= 25
        assert run["speed_source"] == "client"
        assert run["tokens"] == 40 * per_step
        assert run["client"]["chunks"] == 40
        assert (run["draft_tokens"], run["draft_accepted"]) == (180, 150)
    assert not schema.errors(read(next(tmp_path.glob("reports/*.yaml"))), "bench-report")
    assert "the server states no timings, so the speed is the client's" in found.out


def test_request_defeats_the_prefix_cache_and_fixes_seed_and_sampling(tmp_path: Path) -> None:
    script = Script(**FAST)
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, "-n", "2", "--warmup", "0", "--tokens", "20", "--seed", "7")
    assert found.status == 0
    first, second = script.requests
    assert first["cache_salt"] != second["cache_salt"]
    first_rest = {key: first[key] for key in first if key != "cache_salt"}
    assert first_rest == {key: second[key] for key in second if key != "cache_salt"}
    assert first["seed"] == 7
    assert (first["temperature"], first["top_p"], first["top_k"], first["min_p"]) == (0.6, 0.95, 20, 0.0)
    assert first["stream_options"] == {"include_usage": True}
    assert found.report["protocol"]["prompt_cache"] == "cache_salt"


def test_cache_that_was_used_all_the_same_is_reported(tmp_path: Path) -> None:
    with replaying(Script(**FAST, cached_tokens=32)) as server:
        found = command.run(server.url, tmp_path, "-n", "2", "--warmup", "0", "--tokens", "20")
    assert "the prompt cache was used all the same in 2 runs (up to 32 tokens)" in found.out


def test_short_answer_stops_the_series(tmp_path: Path) -> None:
    with replaying(Script(**FAST, finish="stop")) as server:
        found = command.run(server.url, tmp_path, "-n", "5", "--warmup", "0", "--tokens", "400")
    assert found.status == 1
    assert "The model stopped by itself after 20 of 400 tokens (stop)." in found.out
    assert len(found.report["runs"]) == 1
    assert [one["reason"] for one in found.report["bench"]["alarms"]] == ["short-stop"]
    assert found.report["bench"]["finished"] is False


def test_two_speeds_stop_the_series(tmp_path: Path) -> None:
    """Five fast runs, then slow ones, as of a draft model that breaks down."""
    with replaying(Script(**FAST, steps=12, slow_from=6, stated=True)) as server:
        found = command.run(server.url, tmp_path, "-n", "10", "--warmup", "0", "--tokens", "12")
    assert found.status == 1
    assert [one["reason"] for one in found.report["bench"]["alarms"]] == ["bimodal"]
    assert len(found.report["runs"]) == 7
    assert "A mean of the two describes neither." in found.out


def test_keep_going_notes_and_measures_on(tmp_path: Path) -> None:
    with replaying(Script(**FAST, steps=12, slow_from=6, stated=True)) as server:
        found = command.run(server.url, tmp_path, "-n", "10", "--warmup", "0", "--tokens", "12", "--keep-going")
    assert found.status == 0
    assert len(found.report["runs"]) == 10
    assert "bimodal" in [one["reason"] for one in found.report["bench"]["alarms"]]


def test_new_build_of_the_server_stops_the_series(tmp_path: Path) -> None:
    script = Script(first=0.02, step=0.02, steps=10)
    with replaying(script) as server:
        threading.Thread(target=_upgrade, args=(script,), daemon=True).start()
        found = command.run(server.url, tmp_path, "-n", "10", "--warmup", "0", "--tokens", "10")
    assert found.status == 1
    assert "The server changed from 0.11.0 to 0.12.0 during the series" in found.out
    assert len(found.report["runs"]) == 3


def _upgrade(script: Script) -> None:
    while len(script.requests) < 3:
        time.sleep(0.002)
    script.version = "0.12.0"


def test_streams_at_once_are_added_up(tmp_path: Path) -> None:
    with replaying(Script(first=0.1, step=0.02, steps=40)) as server:
        found = command.run(server.url, tmp_path, "-n", "2", "--warmup", "0", "--tokens", "40", "--concurrency", "4")
    assert found.status == 0, found.err
    run = found.report["runs"][0]
    assert len(run["streams"]) == 4
    assert run["tokens"] == 160
    assert run["tokens_per_second"] == pytest.approx(160 / (0.1 + 39 * 0.02), rel=0.2)
    assert run["stream_tokens_per_second"] == pytest.approx(50, rel=0.15)
    assert found.report["protocol"]["concurrency"] == 4


def test_depth_is_filled_by_the_servers_own_count(tmp_path: Path) -> None:
    script = Script(**FAST)
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, "-n", "1", "--warmup", "0", "--tokens", "20", "--depth", "0,2k,full")
    assert found.status == 0, found.err
    depths = [report["protocol"]["depth_tokens"] for report in found.reports.values()]
    assert sorted(depths) == [0, 2048, 32768 - 20 - 512]
    sizes = sorted(len(one["messages"][0]["content"].split()) for one in script.requests)
    assert sizes[1] == pytest.approx(2048, rel=0.01)
    assert sizes[2] == pytest.approx(32236, rel=0.01)
    assert all(one["messages"][0]["content"].endswith("Write a Space Invaders HTML game") for one in script.requests)


def test_depth_beyond_the_window_is_refused(tmp_path: Path) -> None:
    with replaying(Script(**FAST)) as server:
        found = command.run(server.url, tmp_path, "--depth", "64k", "--tokens", "20")
    assert found.status == 1
    assert "depth 65536 with 532 tokens for the run does not fit the window of 32768" in found.err


def test_configurations_take_turns(tmp_path: Path) -> None:
    first, second = Script(**FAST), Script(**FAST)
    order: list[str] = []
    with replaying(first) as a, replaying(second) as b:
        entry = "app: demo, image: x, args: [], models: [], complete: false, context_tokens: null"
        (tmp_path / "bench.yaml").write_text(
            f"configurations:\n  - {{name: a, url: '{a.url}', {entry}}}\n  - {{name: b, url: '{b.url}', {entry}}}\n"
        )
        found = command.bench(["run", "--config", str(tmp_path / "bench.yaml"), "--out", str(tmp_path / "reports"),
                               "-n", "4", "--warmup", "0", "--tokens", "20",
                               "--date", "2026-05-24"], tmp_path)  # fmt: skip
    assert found.status == 0, found.err
    started = [(run["started_at"], name) for name, report in found.reports.items() for run in report["runs"]]
    assert len(started) == 8
    lines = [line for line in found.out.splitlines() if " run " in line and "tokens/s" in line]
    order = [line.split()[0][-1] for line in lines]
    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert found.reports["2026-05-24-space-invaders-html-a.yaml"]["bench"]["interleaved_with"] == ["b"]


def test_resume_goes_on_where_it_stopped(tmp_path: Path) -> None:
    script = Script(**FAST, fault="broken", at_request=4)
    arguments = ("-n", "5", "--warmup", "1", "--tokens", "20")
    with replaying(script) as server:
        assert command.run(server.url, tmp_path, *arguments).status == 2
        before = next(tmp_path.glob("reports/*.yaml")).read_bytes()
        script.fault = ""
        refused = command.run(server.url, tmp_path, *arguments)
        assert refused.status == 1
        assert "is already there; go on with it with --resume" in refused.err
        assert next(tmp_path.glob("reports/*.yaml")).read_bytes() == before
        other = command.run(server.url, tmp_path, *arguments, "--resume", "--seed", "2")
        assert other.status == 1
        assert "is another series: `protocol.seed` was 1 and would be 2" in other.err
        found = command.run(server.url, tmp_path, *arguments, "--resume")
    assert found.status == 0, found.err
    assert len(found.report["runs"]) == 5
    assert found.report["bench"] | {"command": ""} == {
        "tool": found.report["bench"]["tool"], "command": "", "planned_runs": 5, "finished": True, "resumed": 1,
    }  # fmt: skip
    assert "faults" not in found.report


def test_per_request_metrics_are_kept(tmp_path: Path) -> None:
    """vLLM with --enable-per-request-metrics."""
    from market.bench.reply import assemble  # noqa: PLC0415

    usage = {"prompt_tokens": 42, "completion_tokens": 128, "total_tokens": 170}
    metrics = {"time_to_first_token_ms": 85.2, "generation_time_ms": 1240.5, "queue_time_ms": 12.3, "mean_itl_ms": 9.1,
               "tokens_per_second": 103.2}  # fmt: skip
    data = f"data: {json.dumps({'choices': [], 'usage': usage, 'metrics': metrics})}\n\n".encode()
    reply = assemble([(0.5, data)], 0.5)
    assert reply.metrics == metrics
    assert reply.tokens == 128


def test_client_costs_little(tmp_path: Path) -> None:
    """Processor time of the client for a stream of 2,000 chunks, parsed after the stream has ended."""
    script = Script(first=0.01, step=0.0005, steps=2000)
    with replaying(script) as server:
        endpoint = Endpoint(server.url)
        body = {"model": MODEL, "messages": [], "max_tokens": 2000}
        replies = [endpoint.chat(body) for _ in range(3)]
        endpoint.close()
    assert all(len(reply.arrivals) == 2000 for reply in replies)
    per_chunk = statistics.median(reply.cpu_seconds for reply in replies) / 2000
    assert per_chunk < 0.0005


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/models", "/v1/chat/completions"])
def test_any_part_of_the_address_will_do(ending: str) -> None:
    assert base_of(f"http://10.0.0.5:8080{ending}") == "http://10.0.0.5:8080"
    assert base_of(f"https://ai.example.org/llm{ending}") == "https://ai.example.org/llm"


@pytest.mark.parametrize("url", ["ftp://x", "localhost:8080", "http://", "http://me:secret@host"])
def test_address_that_will_not_do(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        base_of(url)
