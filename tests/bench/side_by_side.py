"""The runner, the server's own timings and llama-bench side by side.

    python -m tests.bench.side_by_side [MODEL [TOKENS [THREADS [GPU_LAYERS]]]]

llama-bench and the server take turns in short blocks, so that both see the same machine. Not a test: on a shared
machine two seconds are as different as two programs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from market.bench.endpoint import Endpoint
from market.bench.reply import Reply

from . import llama, tiny_model

BLOCKS, RUNS = 5, 4


def main(model: str = "large", tokens: str = "128", threads: str = "1", layers: str = "0") -> None:
    """Print the three speeds of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.gguf"
        if model == "large":
            tiny_model.write(path, context=4096, shape=tiny_model.LARGE)
        else:
            path = Path(model)
        arguments = ("-c", "4096", "--parallel", "1", "--alias", "m", "--threads", threads, "-ngl", layers)
        with llama.running(path, Path(folder), arguments) as server:
            endpoint = Endpoint(server.url)
            _ask(endpoint, int(tokens))
            replies: list[Reply] = []
            alone: list[float] = []
            for _ in range(BLOCKS):
                alone += _llama_bench(path, tokens, threads, layers)
                replies += [_ask(endpoint, int(tokens)) for _ in range(RUNS)]
            _report(replies, alone)


def _ask(endpoint: Endpoint, tokens: int) -> Reply:
    return endpoint.chat({"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": tokens,
                          "ignore_eos": True, "temperature": 0, "cache_prompt": False, "stream": True,
                          "stream_options": {"include_usage": True}})  # fmt: skip


def _llama_bench(model: Path, tokens: str, threads: str, layers: str) -> list[float]:
    made = subprocess.run([llama.build() / "llama-bench", "-m", model, "-t", threads, "-ngl", layers, "-p", "0",
                           "-n", tokens,
                           "-r", str(RUNS), "-o", "json"], capture_output=True, text=True, check=True)  # fmt: skip
    return [float(speed) for one in json.loads(made.stdout) for speed in one["samples_ts"]]


def _report(replies: Sequence[Reply], alone: Sequence[float]) -> None:
    server = [float((reply.timings or {})["predicted_per_second"]) for reply in replies]
    runner = [reply.server_speed or 0.0 for reply in replies]
    client = [reply.client_speed or 0.0 for reply in replies]
    base = statistics.median(alone)
    for name, speeds in (
        ("server's timings", server),
        ("runner", runner),
        ("client's clock", client),
        ("llama-bench", alone),
    ):
        middle = statistics.median(speeds)
        spread = f"median {middle:8.3f}  max {max(speeds):8.3f}  s {statistics.stdev(speeds):6.3f}"
        against = f"median against llama-bench {middle / base - 1:+.2%}"
        _say(f"{name:<17} n {len(speeds)}  mean {statistics.fmean(speeds):8.3f}  {spread}  {against}")
    worst = max(abs(a / b - 1) for a, b in zip(client, server, strict=True))
    overhead = statistics.median(reply.overhead_ms or 0 for reply in replies)
    processor = statistics.median(reply.cpu_seconds for reply in replies) * 1000
    _say(f"largest difference of a run, client against server: {worst:.3%}")
    _say(f"overhead {overhead:.2f} ms a request, client CPU {processor:.1f} ms a request")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
