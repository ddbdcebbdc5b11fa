"""Reports from other tools' results: llama-bench, `vllm bench serve`, and llama-server's log.

Schemas of these tools drift, so keys are read tolerantly: what is missing is left out, and only what a
report cannot do without is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from market.bench import serverlog
from market.errors import InputError

Data = dict[str, Any]


class ResultError(InputError):
    """The file does not hold what it should; the text says what is missing. Status 1."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The measured part of a report: everything but what the person who imports has to say.

    ``stem`` names it within its file; ``model_file`` is the file that the tool had loaded, if it says.
    """

    form: str
    stem: str
    date: str | None
    protocol: Data
    measured: Data
    args: tuple[str, ...] = ()
    model_file: str | None = None


def guess(text: str) -> str:
    """The format of a result.

    Raises:
        ResultError: it is none of the known ones.
    """
    if "eval time =" in text:
        return "llama-log"
    found = _json(text)
    first = found[0] if isinstance(found, list) and found else found
    if isinstance(first, Mapping) and {"n_gen", "n_prompt"} <= first.keys():
        return "llama-bench"
    if isinstance(first, Mapping) and "output_throughput" in first:
        return "vllm"
    raise ResultError("this is neither llama-bench JSON, nor a result of `vllm bench serve`, nor a llama-server log")


def read(text: str, form: str) -> tuple[Imported, ...]:
    """The reports that a result holds.

    Raises:
        ResultError: it holds none, or lacks what a report needs.
    """
    readers: Mapping[str, Callable[[str], Iterator[Imported]]] = {
        "llama-bench": _llama_bench, "vllm": _vllm, "llama-log": _log,
    }  # fmt: skip
    found = tuple(readers[form](text))
    if not found:
        raise ResultError(f"no generation was measured in this {form} result, only other things")
    return found


def _llama_bench(text: str) -> Iterator[Imported]:
    entries = _json(text)
    tests: list[Mapping[str, Any]] = (
        [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []
    )
    for test in tests:
        if not test.get("n_gen") or test.get("n_prompt"):
            continue
        samples = [float(speed) for speed in test.get("samples_ts") or ()]
        if not samples:
            raise ResultError("the result has no samples_ts: only averages, and a report keeps the runs themselves")
        depth = int(test.get("n_depth") or 0)
        same = [
            one for one in tests if _setting(one) == _setting(test) and one.get("n_prompt") and not one.get("n_gen")
        ]
        measured: Data = {
            "server": _server(test),
            "environment": _environment(test),
            "runs": [{"tokens_per_second": round(speed, 3), "speed_source": "llama-bench", "tokens": int(test["n_gen"])}
                     for speed in samples],
        }  # fmt: skip
        prefill = [{"prompt_tokens": int(one["n_prompt"]), "depth_tokens": int(one.get("n_depth") or 0),
                    "tokens_per_second": [round(float(speed), 3) for speed in one.get("samples_ts") or ()]}
                   for one in same]  # fmt: skip
        if prefill:
            measured["prefill"] = prefill
        warmup = {"en": "one run before each test, not counted (llama-bench's own)",
                  "fr": "une passe avant chaque test, non comptée (celle de llama-bench)"}  # fmt: skip
        yield Imported(
            form="llama-bench", stem=f"llama-bench-tg{test['n_gen']}" + (f"-depth-{depth}" if depth else ""),
            date=str(test.get("test_time") or "")[:10] or None,
            protocol={"prompt": "llama-bench", "tokens_per_run": int(test["n_gen"]), "depth_tokens": depth,
                      "warmup": warmup, "concurrency": 1, "sampling": None},
            measured={key: value for key, value in measured.items() if value},
            args=tuple(_args(test)),
            model_file=str(test.get("model_filename") or "").rpartition("/")[2] or None,
        )  # fmt: skip


def _setting(test: Mapping[str, Any]) -> tuple[Any, ...]:
    """What must be equal for a prompt test to belong to a generation test."""
    keys = (
        "model_filename",
        "n_gpu_layers",
        "n_threads",
        "type_k",
        "type_v",
        "flash_attn",
        "n_depth",
        "n_batch",
        "n_ubatch",
    )
    return tuple(json.dumps(test.get(key)) for key in keys)


def _server(test: Mapping[str, Any]) -> Data:
    commit, number = test.get("build_commit"), test.get("build_number")
    return {"engine": "llama.cpp", **({"build": f"b{number}-{commit}"} if commit else {})}


def _environment(test: Mapping[str, Any]) -> Data:
    found = {"cpu": test.get("cpu_info"), "gpu": {"name": test["gpu_info"]} if test.get("gpu_info") else None,
             "backends": test.get("backends")}  # fmt: skip
    return {key: value for key, value in found.items() if value}


def _args(test: Mapping[str, Any]) -> Iterator[str]:
    """The settings of a llama-bench test as llama-server's options."""
    for key, option in (("n_gpu_layers", "--n-gpu-layers"), ("n_threads", "--threads"), ("n_batch", "--batch-size"),
                        ("n_ubatch", "--ubatch-size"), ("type_k", "--cache-type-k"), ("type_v", "--cache-type-v"),
                        ("n_cpu_moe", "--n-cpu-moe"), ("split_mode", "--split-mode")):  # fmt: skip
        if test.get(key) not in (None, ""):
            yield from (option, str(test[key]))
    flash = test.get("flash_attn")
    if flash is not None:
        # A number since late 2025 (-1 auto), a boolean before.
        yield from (
            "--flash-attn",
            {"-1": "auto", "0": "off", "1": "on", "True": "on", "False": "off"}.get(str(flash), str(flash)),
        )


def _vllm(text: str) -> Iterator[Imported]:
    data = _json(text)
    if not isinstance(data, Mapping):
        raise ResultError("a result of `vllm bench serve` is one JSON object")
    streams = data.get("max_concurrency")
    warmup = {"en": "not stated", "fr": "non précisé"}
    lengths = [int(length) for length in data.get("output_lens") or ()]
    protocol = {"prompt": "vllm-bench", "tokens_per_run": max(lengths) if lengths else None, "depth_tokens": None,
                "warmup": warmup, "concurrency": streams, "sampling": None}  # fmt: skip
    date = str(data.get("date") or "")
    match = re.match(r"(\d{4})(\d\d)(\d\d)", date)
    measured: Data = {"server": {"engine": "vLLM", **({"model": data["model_id"]} if data.get("model_id") else {})}}
    single = streams == 1
    runs = list(_vllm_runs(data)) if single else []
    if runs:
        measured["runs"] = runs
    elif single and data.get("mean_tpot_ms"):
        measured |= _vllm_means(data)
    else:
        measured |= _vllm_total(data)
    yield Imported("vllm bench serve", f"vllm-bench{'' if single else f'-x{streams}' if streams else '-open'}",
                   "-".join(match.groups()) if match else None, protocol, measured)  # fmt: skip


def _vllm_runs(data: Mapping[str, Any]) -> Iterator[Data]:
    """One run a request, from the detailed lists: (tokens - 1) / sum of the gaps."""
    lists = [data.get(key) or () for key in ("output_lens", "itls", "ttfts", "input_lens")]
    errors = data.get("errors") or ()
    for index, (length, gaps) in enumerate(zip(lists[0], lists[1], strict=False)):
        seconds = sum(float(gap) for gap in gaps) if isinstance(gaps, Sequence) else 0.0
        if int(length) < 2 or seconds <= 0 or (index < len(errors) and errors[index]):
            continue
        run: Data = {"tokens_per_second": round((int(length) - 1) / seconds, 3), "speed_source": "vllm-bench",
                     "tokens": int(length)}  # fmt: skip
        if index < len(lists[3]):
            run["prompt_tokens"] = int(lists[3][index])
        if index < len(lists[2]) and float(lists[2][index]) > 0:
            run["time_to_first_token_ms"] = round(float(lists[2][index]) * 1000, 3)
        yield run


def _vllm_means(data: Mapping[str, Any]) -> Data:
    note = {"en": "Saved without --save-detailed: the speed is 1000 / mean time per output token, a harmonic mean of "
                  "the requests' speeds; its spread was not kept.",
            "fr": "Enregistré sans --save-detailed : la vitesse est 1000 / temps moyen par jeton produit, moyenne "
                  "harmonique des vitesses des requêtes ; sa dispersion n’a pas été gardée."}  # fmt: skip
    return {
        "summary": {"n": int(data["completed"]), "mean": round(1000 / float(data["mean_tpot_ms"]), 3)},
        "notes": [note],
    }


def _vllm_total(data: Mapping[str, Any]) -> Data:
    note = {"en": "The speed is that of all requests together, output tokens over the whole duration.",
            "fr": "La vitesse est celle de toutes les requêtes : jetons produits sur la durée totale."}  # fmt: skip
    return {"summary": {"n": 1, "mean": round(float(data["output_throughput"]), 3)}, "notes": [note]}


def _log(text: str) -> Iterator[Imported]:
    runs = []
    for timing in serverlog.timings(text):
        if timing.tokens_per_second is None:
            continue
        run: Data = {"tokens_per_second": round(timing.tokens_per_second, 3), "speed_source": "server",
                     "tokens": timing.predicted_n, "prompt_tokens": timing.prompt_n}  # fmt: skip
        if timing.drafted:
            run |= {"draft_tokens": timing.drafted, "draft_accepted": timing.accepted}
        run["server"] = {"prompt_n": timing.prompt_n, "prompt_ms": timing.prompt_ms,
                         "predicted_n": timing.predicted_n, "predicted_ms": timing.predicted_ms}  # fmt: skip
        runs.append(run)
    if not runs:
        return
    lengths = {run["tokens"] for run in runs}
    build = serverlog.build(text)
    length = lengths.pop() if len(lengths) == 1 else None
    protocol = {"prompt": "unstated", "tokens_per_run": length, "depth_tokens": None,
                "warmup": {"en": "not stated", "fr": "non précisé"}, "concurrency": None, "sampling": None}  # fmt: skip
    measured = {"server": {"engine": "llama.cpp", **({"build": build} if build else {})}, "runs": runs}
    yield Imported("llama-log", "llama-log", None, protocol, measured)


def _json(text: str) -> Any:
    """JSON, or JSON lines as a list."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        raise ResultError("this is neither JSON nor a llama-server log") from None


def load(path: Path) -> str:
    """The text of a result file.

    Raises:
        ResultError: it cannot be read.
    """
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None
