"""Against a real llama-server: the runner's figures are the server's own."""

from __future__ import annotations

import io
import json
import re
import signal
import statistics
import subprocess
import time
from pathlib import Path

import pytest
import requests
from benchmarks import client
from rich.console import Console

from market import schema
from market.bench import serverlog
from market.bench.series import read

from . import command, llama, tiny_model
from .llama import Server

pytestmark = [pytest.mark.llama, pytest.mark.xdist_group("llama")]

CONTEXT = 4096


def _run(server: Server, folder: Path, *more: str) -> command.Result:
    command.configure(folder, CONTEXT)
    return command.run(server.url, folder, "--ignore-eos", *more)


def test_full_report_within_one_percent_of_the_servers_timings(server: Server, tmp_path: Path) -> None:
    found = _run(server, tmp_path, "-n", "20", "--warmup", "1", "--tokens", "1000", "--keep-going")
    assert found.status == 0, found.err
    path = next(tmp_path.glob("reports/*.yaml"))
    assert not schema.errors(read(path), "bench-report")
    runs = found.report["runs"]
    assert len(runs) == 20
    logged = list(serverlog.timings(server.log.read_text("utf-8", "replace")))[-20:]
    for run, timing in zip(runs, logged, strict=True):
        assert run["tokens_per_second"] == pytest.approx(run["server"]["predicted_per_second"], rel=0.01)
        assert run["tokens_per_second"] == pytest.approx(timing.tokens_per_second, rel=0.01)
        assert run["tokens"] == timing.predicted_n == 1000
        assert run["cached_tokens"] == 0
        assert run["finish_reason"] == "length"
        assert run["counters"]["tokens_predicted"] == 1000
    # The client's clock adds the way through HTTP; the median of the runs leaves out those that had to wait for it.
    ratios = [run["client"]["tokens_per_second"] / run["tokens_per_second"] for run in runs]
    assert statistics.median(ratios) == pytest.approx(1, rel=0.03)
    assert len({run["output_sha256"] for run in runs}) == 1
    assert found.report["server"]["build"].startswith("b")
    assert found.report["server"]["model_file"] == "tiny.gguf"
    assert found.report["server"]["context_tokens"] == CONTEXT


def test_side_by_side_with_llama_bench(tiny: Path, tmp_path: Path) -> None:
    """The comparison as it is run and printed; how near the speeds are is for a quiet machine to say."""
    settings = client.Settings(model=tiny, tokens=400, threads=1, layers=0, blocks=2, runs=3)
    measured = client.measure(settings, tmp_path)
    for reply in measured.all_replies:
        assert reply.server_speed == pytest.approx((reply.timings or {})["predicted_per_second"], rel=0.01)
        assert reply.tokens == 400
    assert [len(block) for block in measured.alone] == [3, 3]
    written = io.StringIO()
    client.report(measured, Console(file=written, width=110))
    for name in ("llama-bench", "server's own timings", "market bench", "client's clock", "client's clock / server"):
        assert name in written.getvalue()


def test_prompt_cache_is_what_the_option_says(server: Server, tmp_path: Path) -> None:
    allowed = _run(
        server, tmp_path, "-n", "2", "--warmup", "1", "--tokens", "50", "--prompt-cache", "allow", "--name", "a"
    )
    assert allowed.report["runs"][1]["cached_tokens"] > 0
    assert allowed.report["protocol"]["prompt_cache"] == "allowed"
    both = _run(server, tmp_path, "-n", "2", "--warmup", "1", "--tokens", "50", "--name", "b")
    defeated = both.reports["2026-05-24-b.yaml"]
    assert [run["cached_tokens"] for run in defeated["runs"]] == [0, 0]


def test_depth_sweep_fills_the_window(server: Server, tmp_path: Path) -> None:
    found = _run(server, tmp_path, "-n", "1", "--warmup", "0", "--tokens", "60", "--depth", "0,1k,full")
    assert found.status == 0, found.err
    measured = {
        report["protocol"]["depth_tokens"]: report["runs"][0]["prompt_tokens"] for report in found.reports.values()
    }
    full = CONTEXT - 60 - 512
    assert sorted(measured) == [0, 1024, full]
    own = measured[0]
    assert measured[1024] - own == pytest.approx(1024, rel=0.03)
    assert measured[full] - own == pytest.approx(full, rel=0.03)
    assert all(report["runs"][0]["cached_tokens"] == 0 for report in found.reports.values())


def test_acceptance_is_the_servers(tiny: Path, tmp_path: Path) -> None:
    """A draft model: the report's counters are those of the replies, of /metrics and of the log."""
    arguments = ("-c", str(CONTEXT), "--parallel", "1", "--alias", "tiny", "--spec-draft-model", str(tiny),
                 "--spec-type", "draft-simple", "--spec-draft-n-max", "3")  # fmt: skip
    with llama.running(tiny, tmp_path, arguments) as server:
        found = _run(server, tmp_path, "-n", "5", "--warmup", "1", "--tokens", "400", "--keep-going")
        counted = _counters(server.url)
        log = server.log.read_text("utf-8", "replace")
    assert found.status == 0, found.err
    runs, warmups = found.report["runs"], found.report["warmups"]
    everything = [*warmups, *runs]
    drafted = sum(run["draft_tokens"] for run in everything)
    accepted = sum(run["draft_accepted"] for run in everything)
    assert drafted > accepted > 0
    assert counted["spec_decode_num_draft_tokens_total"] == drafted
    assert counted["spec_decode_num_accepted_tokens_total"] == accepted
    timings = list(serverlog.timings(log))
    assert [(one.drafted, one.accepted) for one in timings] == [
        (run["draft_tokens"], run["draft_accepted"]) for run in everything
    ]
    for run in runs:
        assert run["counters"]["spec_decode_num_draft_tokens"] == run["draft_tokens"]
        assert run["client"]["chunks"] <= run["tokens"]


def test_killed_bench_keeps_its_runs_and_goes_on(server: Server, tmp_path: Path) -> None:
    config = command.configure(tmp_path, CONTEXT)
    arguments = ["run", "--url", server.url, "--config", str(config), "--out", str(tmp_path / "reports"), "--no-gpu",
                 "--date", "2026-05-24", "--ignore-eos", "-n", "6", "--warmup", "0", "--tokens", "1500",
                 "--keep-going"]  # fmt: skip
    process = command.start(arguments, tmp_path)
    path = tmp_path / "reports" / "2026-05-24-space-invaders-html.yaml"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (path.exists() and len(read(path)["runs"]) >= 2):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    kept = read(path)
    assert 2 <= len(kept["runs"]) < 6
    assert not schema.errors(kept, "bench-report")
    assert [entry.name for entry in path.parent.iterdir() if entry.name.endswith(".yaml")] == [path.name]
    found = command.bench([*arguments, "--resume"], tmp_path)
    assert found.status == 0, found.err
    assert found.report["runs"][: len(kept["runs"])] == kept["runs"]
    assert len(found.report["runs"]) == 6
    assert f"going on after {len(kept['runs'])} finished runs" in found.out


def test_interrupt_is_one_sentence(server: Server, tmp_path: Path) -> None:
    config = command.configure(tmp_path, CONTEXT)
    process = command.start(["run", "--url", server.url, "--config", str(config), "--out", str(tmp_path / "reports"),
                             "--ignore-eos", "-n", "50", "--warmup", "0", "--tokens", "1500",
                             "--keep-going"], tmp_path)  # fmt: skip
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list(tmp_path.glob("reports/*.yaml")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    found = command.finish(process, tmp_path)
    assert found.status == 130
    assert "market: stopped" in found.err
    assert "finished runs are kept; go on with: market bench run" in found.err
    assert "Traceback" not in found.err


def test_other_model_than_configured_is_refused(server: Server, tmp_path: Path) -> None:
    command.configure(tmp_path, CONTEXT, "other.gguf")
    found = command.run(server.url, tmp_path)
    assert found.status == 1
    assert "has loaded tiny.gguf, but the configuration says other.gguf" in found.err


def test_other_window_than_configured_is_refused(server: Server, tmp_path: Path) -> None:
    command.configure(tmp_path, 262144)
    found = command.run(server.url, tmp_path)
    assert found.status == 1
    assert "gives a request 4096 tokens of context, but the configuration says 262144" in found.err


def test_pictures_without_an_encoder_are_refused_clearly(server: Server, tmp_path: Path) -> None:
    found = _run(server, tmp_path, "-n", "3", "--warmup", "1", "--tokens", "400", "--vision", "--keep-going")
    assert found.status == 1
    assert found.report["vision_check"]["correct"] is False
    assert "image input is not supported" in found.report["vision_check"]["error"]
    assert len(found.report["after_vision"]["tokens_per_second"]) == 3
    assert not schema.errors(read(next(tmp_path.glob("reports/*.yaml"))), "bench-report")


def test_pictures_reach_a_real_encoder(tiny: Path, tmp_path: Path) -> None:
    """An encoder of random weights sees both pictures; its answers are letters, so the check must fail."""
    encoder = tmp_path / "mmproj.gguf"
    tiny_model.write_encoder(encoder)
    arguments = ("-c", str(CONTEXT), "--parallel", "1", "--alias", "tiny", "--mmproj", str(encoder))
    with llama.running(tiny, tmp_path, arguments) as server:
        found = _run(server, tmp_path, "-n", "6", "--warmup", "1", "--tokens", "400", "--vision", "--keep-going")
    assert found.status == 1
    assert found.report["protocol"]["vision_loaded"] is True
    for key in ("vision_check", "vision_large"):
        check = found.report[key]
        assert "error" not in check
        assert check["correct"] is False
        assert re.fullmatch("[a-z ]+", check["answer"])
        assert check["prompt_tokens"] > 4
    assert len(found.report["after_vision"]["tokens_per_second"]) == 3
    assert not schema.errors(read(next(tmp_path.glob("reports/*.yaml"))), "bench-report")


def test_streams_at_once(tiny: Path, tmp_path: Path) -> None:
    arguments = ("-c", str(2 * CONTEXT), "--parallel", "2", "--no-kv-unified", "--alias", "tiny")
    with llama.running(tiny, tmp_path, arguments) as server:
        found = _run(
            server, tmp_path, "-n", "2", "--warmup", "1", "--tokens", "300", "--concurrency", "2", "--keep-going"
        )
    assert found.status == 0, found.err
    for run in found.report["runs"]:
        assert [stream["tokens"] for stream in run["streams"]] == [300, 300]
        assert run["tokens_per_second"] == pytest.approx(600 / run["wall_ms"] * 1000, rel=0.001)
        assert run["counters"]["tokens_predicted"] == 600


def test_import_of_llama_bench(tiny: Path, tmp_path: Path) -> None:
    made = subprocess.run([llama.build() / "llama-bench", "-m", tiny, "-t", "1", "-r", "4", "-p", "32", "-n", "64",
                           "-d", "0,128",
                           "-o", "json"], capture_output=True, text=True, check=True)  # fmt: skip
    (tmp_path / "bench.json").write_text(made.stdout)
    stated = [one for one in json.loads(made.stdout) if one["n_gen"]]
    config = command.configure(tmp_path)
    found = command.bench(
        ["import", str(tmp_path / "bench.json"), "--config", str(config), "--out", str(tmp_path / "reports")], tmp_path
    )
    assert found.status == 0, found.err
    assert len(found.reports) == 2
    for report, one in zip(
        sorted(found.reports.values(), key=lambda report: report["protocol"]["depth_tokens"]), stated, strict=True
    ):
        speeds = [run["tokens_per_second"] for run in report["runs"]]
        assert statistics.fmean(speeds) == pytest.approx(one["avg_ts"], rel=1e-4)
        assert statistics.stdev(speeds) == pytest.approx(one["stddev_ts"], rel=1e-2)
        assert report["protocol"]["depth_tokens"] == one["n_depth"]
        assert report["prefill"][0]["prompt_tokens"] == 32
        assert not schema.errors(report | {"date": str(report["date"])}, "bench-report")


def test_import_of_the_servers_log_gives_the_runs_again(server: Server, tmp_path: Path) -> None:
    measured = _run(server, tmp_path, "-n", "3", "--warmup", "1", "--tokens", "200", "--keep-going")
    (tmp_path / "reports" / "2026-05-24-space-invaders-html.yaml").unlink()
    found = command.bench(["import", str(server.log), "--config", str(tmp_path / "bench.yaml"),
                           "--out", str(tmp_path / "reports"),
                           "--date", "2026-05-24", "--skip", "1",
                           "--prompt", "space-invaders-html"], tmp_path)  # fmt: skip
    assert found.status == 0, found.err
    assert [run["tokens_per_second"] for run in found.report["runs"]] == pytest.approx(
        [run["tokens_per_second"] for run in measured.report["runs"]], rel=1e-3
    )
    assert len(found.report["warmups"]) == 1


def _counters(url: str) -> dict[str, float]:
    page = requests.get(f"{url}/metrics", timeout=10).text
    return {
        line.split()[0].partition(":")[2]: float(line.split()[1])
        for line in page.splitlines()
        if line.startswith("llamacpp:")
    }
