"""Comparing, listing and importing reports, and what is drawn and sampled beside them."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scipy import stats

from market import schema
from market.bench import gpu
from market.bench.gpu import Card
from market.bench.imports import ResultError, guess
from market.bench.imports import read as read_result
from market.bench.picture import dots, spark
from market.catalog import load
from market.paths import PROJECT

from . import command

VISION = "llamacppqwen36a3bone/2026-05-24-space-invaders-262k"
LATER = "llamacppqwen36a3bone/2026-06-05-space-invaders-262k"
TEXT_32K = "llamacppqwen36a3btextone/2026-05-21-space-invaders-32k"


def _speeds(name: str) -> list[float]:
    app, _, id = name.partition("/")
    found = load(PROJECT)[0].app(app)
    report = found.report(id) if found else None
    assert report is not None
    return list(report.speeds)


def test_comparison_without_a_difference_says_so() -> None:
    """A later version, published as 1 % slower by three runs."""
    found = command.bench(["compare", VISION, LATER], PROJECT)
    expected = stats.ttest_ind(_speeds(VISION), _speeds(LATER), equal_var=False)
    low, high = expected.confidence_interval(0.95)
    assert found.status == 0
    assert f"t = {expected.statistic:.3f}, {expected.df:.1f} degrees of freedom, p = {expected.pvalue:.4f}" in found.out
    assert f"95 % interval of the difference  {low:+.2f} to {high:+.2f} tokens/s" in found.out
    assert "No difference shown" in found.out
    assert "They may still differ; the data allow anything from" in found.out


def test_comparison_with_a_difference_says_how_large_and_what_is_not_alike() -> None:
    found = command.bench(["compare", TEXT_32K, VISION], PROJECT)
    difference = statistics.fmean(_speeds(TEXT_32K)) / statistics.fmean(_speeds(VISION)) - 1
    assert f"A is faster than B by {difference * 100:.1f} %: p " in found.out
    assert "effect (Hedges' g)" in found.out
    assert "large" in found.out
    assert "not alike: the length of a run: 2000 / 2500" in found.out


def test_comparison_with_an_unknown_report_lists_the_known() -> None:
    found = command.bench(["compare", VISION, "nothing/here"], PROJECT)
    assert found.status == 1
    assert "there is no report nothing/here; name a file, or one of:" in found.err
    assert VISION in found.err


def test_history_compares_with_the_last_report_of_the_same_kind() -> None:
    found = command.bench(["history", "llamacppqwen36a3bone"], PROJECT)
    assert found.status == 0
    lines = found.out.splitlines()
    assert lines[0].startswith(
        "2026-05-24-space-invaders-262k  version 2.0.0, olares-one, 243.59 ± 2.65 tokens/s (n = 10)"
    )
    assert any("against 2026-05-24-space-invaders-262k" in line for line in lines)


def test_history_of_an_unknown_app() -> None:
    found = command.bench(["history", "nothing"], PROJECT)
    assert (found.status, "there is no readable app nothing" in found.err) == (1, True)


DETAILED = {
    "date": "20260524-101112", "backend": "openai-chat", "model_id": "qwen3.6-27b", "num_prompts": 3,
    "max_concurrency": 1,
    "completed": 3, "duration": 6.2, "total_input_tokens": 126, "total_output_tokens": 303, "output_throughput": 48.9,
    "input_lens": [42, 42, 42], "output_lens": [101, 101, 101], "ttfts": [0.05, 0.06, 0.05],
    "itls": [[0.02] * 100, [0.0198] * 100, [0.0202] * 100], "errors": ["", "", ""], "generated_texts": ["a", "b", "c"],
    "mean_ttft_ms": 53.3, "mean_tpot_ms": 20.0, "p99_itl_ms": 20.2,
}  # fmt: skip


def _import(data: Any, folder: Path, *more: str) -> command.Result:
    (folder / "result.json").write_text(data if isinstance(data, str) else json.dumps(data))
    config = command.configure(folder)
    return command.bench(
        ["import", str(folder / "result.json"), "--config", str(config), "--out", str(folder / "reports"), *more],
        folder,
    )


def test_import_of_a_detailed_vllm_result(tmp_path: Path) -> None:
    found = _import(DETAILED, tmp_path)
    assert found.status == 0, found.err
    assert str(found.report["date"]) == "2026-05-24"
    assert [run["tokens_per_second"] for run in found.report["runs"]] == pytest.approx([50, 50.505, 49.505], rel=1e-4)
    assert [run["time_to_first_token_ms"] for run in found.report["runs"]] == [50, 60, 50]
    assert not schema.errors(found.report | {"date": "2026-05-24"}, "bench-report")


def test_import_of_vllm_averages_says_what_they_are(tmp_path: Path) -> None:
    short = {key: value for key, value in DETAILED.items() if key not in ("itls", "output_lens", "ttfts", "input_lens")}
    found = _import(short, tmp_path)
    assert found.report["summary"] == {"n": 3, "mean": 50.0}
    assert "harmonic mean" in found.report["notes"][0]["en"]
    assert not schema.errors(found.report | {"date": "2026-05-24"}, "bench-report")


def test_import_of_many_streams_is_one_speed(tmp_path: Path) -> None:
    found = _import(DETAILED | {"max_concurrency": 8}, tmp_path)
    assert found.report["summary"] == {"n": 1, "mean": 48.9}
    assert found.report["protocol"]["concurrency"] == 8


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", "neither JSON nor a llama-server log"),
        ("{}", "neither llama-bench JSON, nor a result of `vllm bench serve`, nor a llama-server log"),
        ('[{"n_prompt": 512, "n_gen": 0, "samples_ts": [1]}]', "no generation was measured in this llama-bench result"),
        ('[{"n_prompt": 0, "n_gen": 128, "avg_ts": 50}]', "the result has no samples_ts"),
    ],
)
def test_import_of_something_else_is_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    found = _import(text, tmp_path)
    assert (found.status, found.reports) == (1, {})
    assert sentence in found.err


def test_import_never_overwrites(tmp_path: Path) -> None:
    assert _import(DETAILED, tmp_path).status == 0
    again = _import(DETAILED, tmp_path)
    assert again.status == 1
    assert "is already there; choose another --name" in again.err


def test_json_lines_of_llama_bench_are_read() -> None:
    line = json.dumps(
        {"n_prompt": 0, "n_gen": 64, "n_depth": 512, "samples_ts": [10.0, 11.0], "test_time": "2026-05-24T10:00:00Z"}
    )
    text = f"{line}\n{line}\n"
    assert guess(text) == "llama-bench"
    assert [one.protocol["depth_tokens"] for one in read_result(text, "llama-bench")] == [512, 512]
    with pytest.raises(ResultError):
        read_result("[]", "llama-bench")


def test_config_faults_are_told_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "bench.yaml"
    path.write_text("configurations:\n  - app: demo\n    modle: x\n    context_tokens: lots\n")
    found = command.bench(["run", "--url", "http://127.0.0.1:9", "--config", str(path)], tmp_path)
    assert found.status == 1
    assert "bench.yaml:3:5" in found.err
    assert "Did you mean `model`?" in found.err
    assert "bench.yaml:4:21" in found.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say what to measure: --url URL --app NAME, or --config FILE"),
        (["--url", "localhost:8080", "--app", "llamacppqwen36a3bone"], "is not an http:// or https:// address"),
        (["--url", "http://127.0.0.1:9", "--app", "nothing"], "there is no readable app nothing"),
        (
            ["--url", "http://127.0.0.1:9", "--app", "llamacppqwen36a3bone", "--prompt", "x"],
            "there is no prompt x to send",
        ),
        (["--url", "http://127.0.0.1:9", "--app", "llamacppqwen36a3bone", "--depth", "x"], "'x' is no depth"),
        (["--url", "http://127.0.0.1:9", "--app", "llamacppqwen36a3bone", "--sampling", "x"], "write KEY=NUMBER"),
        (["--url", "http://127.0.0.1:9", "--app", "llamacppqwen36a3bone", "--hardware", "gtx-970"], "role: community"),
        (
            ["--url", "http://127.0.0.1:9", "--app", "llamacppqwen36a3bone", "--source", "http://x"],
            "is not an https address",
        ),
    ],
)
def test_options_at_fault_are_one_sentence(arguments: list[str], sentence: str) -> None:
    found = command.bench(["run", *arguments], PROJECT)
    assert found.status == 1
    assert sentence in found.err


def test_picture_has_a_dot_for_every_run() -> None:
    lines = dots({"a": [100.0, 100.0, 110.0], "b": [90.0, 95.0]}, width=40)
    assert lines[1].count("●") == 1
    assert "2" in lines[1]
    assert lines[3].count("●") == 2
    assert lines[0].count("┼") == 1
    assert lines[-1].endswith("tokens/s")
    assert dots({}) == ()
    assert spark([1, 2, 3]) == "▁▅█" or spark([1, 2, 3]) == "▁▄█"
    assert len(spark([5, 5, 5])) == 3


class Library(SimpleNamespace):
    """The calls of NVIDIA's management library that are used, with one that this card does not offer."""

    NVML_CLOCK_SM, NVML_TEMPERATURE_GPU = 1, 0
    nvmlClocksThrottleReasonGpuIdle, nvmlClocksThrottleReasonApplicationsClocksSetting = 1, 2  # noqa: N815
    power = 150_000

    def __getattr__(self, name: str) -> Any:
        answers: dict[str, Any] = {
            "nvmlDeviceGetHandleByIndex": lambda index: index,
            "nvmlDeviceGetName": lambda handle: b"Test card",
            "nvmlSystemGetDriverVersion": lambda: "590.44.01",
            "nvmlSystemGetCudaDriverVersion": lambda: 13010,
            "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=24463 * 2**20, used=20000 * 2**20),
            "nvmlDeviceGetEnforcedPowerLimit": lambda handle: 175_000,
            "nvmlDeviceGetPowerUsage": self._power,
            "nvmlDeviceGetClockInfo": lambda handle, kind: 2400,
            "nvmlDeviceGetUtilizationRates": lambda handle: SimpleNamespace(gpu=97),
            "nvmlDeviceGetCurrentClocksThrottleReasons": lambda handle: 4 | 1,
        }
        if name in answers:
            return answers[name]
        raise AttributeError(name)

    def _power(self, handle: int) -> int:
        self.power += 1000
        return self.power


def test_driver_without_its_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "version"
    monkeypatch.setattr(gpu, "LIBRARY", "no_such_library")
    assert gpu.missing(driver) is None
    driver.write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module")
    assert "pip install '.[gpu]'" in (gpu.missing(driver) or "")
    assert gpu.find() is None
    monkeypatch.setattr(gpu, "LIBRARY", "json")
    assert gpu.missing(driver) is None


def test_gpu_is_sampled_beside_a_run_and_what_it_does_not_say_is_left_out() -> None:
    card = Card(Library(), 0)
    assert card.describe() == {"name": "Test card", "driver": "590.44.01", "cuda": "13.1", "vram_mib": 24463,
                               "vram_idle_mib": 20000, "power_limit_w": 175.0}  # fmt: skip
    with card.watched(0.01) as samples:
        time.sleep(0.1)
    found = samples.record()
    assert found is not None
    assert found["samples"] >= 3
    assert found["vram_peak_mib"] == 20000
    assert found["power_mean_w"] == pytest.approx(151 + (found["samples"] - 1) / 2, abs=0.1)
    assert found["throttled_samples"] == found["samples"]
    assert "temperature_max_c" not in found


def test_memory_that_the_driver_keeps_for_itself_is_not_used() -> None:
    """As on a real card (an H200): the first version of the query counted 615 MiB more than nvidia-smi."""

    def memory(handle: int, version: int = 1) -> SimpleNamespace:
        return SimpleNamespace(total=24463 * 2**20, used=(20615 if version == 1 else 20000) * 2**20)

    library = Library(nvmlMemory_v2=2, nvmlDeviceGetMemoryInfo=memory)
    assert Card(library, 0).describe()["vram_idle_mib"] == 20000
    assert Card(library, 0).look().vram_mib == 20000
