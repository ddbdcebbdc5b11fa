"""What `market bench` measures beside llama-bench and the server's own timings, and what its client costs.

    python -m benchmarks.client [--model FILE] [--tokens 128] [--threads 1] [--layers 0] [--blocks 5] [--runs 4]

Without ``--model``: a model of random weights as large as a small real one, whose vocabulary of 285 tokens leaves
next to no time for sampling. ``--model smollm2`` is SmolLM2 135M with its 49,152 tokens. llama-bench and the server
take turns in short blocks, so that both see the same machine.

llama-bench feeds random tokens: it neither samples, nor turns tokens into text, nor writes JSON. The server does all
three for every token and its timings hold them. So the server is asked for the most likely token only
(temperature 0), which is the least sampling it can do; what then remains between the two is the server's work, and
weighs the more the faster the model is. Another build of llama.cpp, e.g. for a GPU: LLAMA_TOOLS=FOLDER.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.bench import llama, tiny_model

from market.bench.endpoint import Endpoint
from market.bench.reply import Reply


@dataclass(frozen=True)
class Settings:
    """What is measured, and how often."""

    model: Path
    tokens: int
    threads: int
    layers: int
    blocks: int
    runs: int


@dataclass(frozen=True)
class Measured:
    """The replies of the server and the speeds of llama-bench in tokens/s, block by block."""

    replies: Sequence[Sequence[Reply]]
    alone: Sequence[Sequence[float]]

    @property
    def all_replies(self) -> Sequence[Reply]:
        return [reply for block in self.replies for reply in block]

    @property
    def speeds(self) -> Mapping[str, Sequence[Sequence[float]]]:
        """Tokens/s of each way to measure, block by block."""
        return {
            "llama-bench": self.alone,
            "server's own timings": [[_stated(reply) for reply in block] for block in self.replies],
            "market bench": [[reply.server_speed or 0.0 for reply in block] for block in self.replies],
            "client's clock": [[reply.client_speed or 0.0 for reply in block] for block in self.replies],
        }


def main() -> None:
    """Measure and print."""
    settings, folder = _settings(), tempfile.TemporaryDirectory()
    with folder as work:
        report(measure(settings, Path(work)), Console(width=110, highlight=False))


def measure(settings: Settings, work: Path) -> Measured:
    """Take turns between llama-bench and a server with the same model, threads and layers."""
    model = settings.model
    if not model.name:
        model = work / "large.gguf"
        tiny_model.write(model, context=4096, shape=tiny_model.LARGE)
    arguments = ("-c", "4096", "--parallel", "1", "--alias", "m", "--threads", str(settings.threads),
                 "-ngl", str(settings.layers))  # fmt: skip
    replies, alone = [], []
    with llama.running(model, work, arguments) as server:
        endpoint = Endpoint(server.url)
        _ask(endpoint, settings.tokens)
        for _ in range(settings.blocks):
            alone.append(_llama_bench(model, settings))
            replies.append([_ask(endpoint, settings.tokens) for _ in range(settings.runs)])
        endpoint.close()
    return Measured(replies, alone)


def report(measured: Measured, console: Console) -> None:
    """Print all side by side, and what the client costs."""
    table = Table(box=None, pad_edge=False)
    table.add_column("tokens/s by")
    for name in ("n", "median", "min", "max", "s", "against llama-bench"):
        table.add_column(name, justify="right")
    for name, blocks in measured.speeds.items():
        speeds = [speed for block in blocks for speed in block]
        figures = (statistics.median(speeds), min(speeds), max(speeds), statistics.stdev(speeds))
        table.add_row(name, str(len(speeds)), *(f"{figure:.2f}" for figure in figures), _against(measured, blocks))
    console.print(table)
    replies = measured.all_replies
    own = [abs((reply.server_speed or 0.0) / _stated(reply) - 1) for reply in replies]
    clock = [(reply.client_speed or 0.0) / _stated(reply) for reply in replies]
    overhead = statistics.median(reply.overhead_ms or 0.0 for reply in replies)
    processor = statistics.median(reply.cpu_seconds for reply in replies) * 1000
    pieces = statistics.median(len(reply.arrivals) for reply in replies)
    console.print(f"market bench / server, largest difference of a run: {max(own):.4%}")
    console.print(f"client's clock / server: median {statistics.median(clock):.4f}, "
                  f"from {min(clock):.4f} to {max(clock):.4f}")  # fmt: skip
    console.print(f"a request: {overhead:.1f} ms that the server does not account for, {processor:.1f} ms of the "
                  f"client's processor ({processor / pieces * 1000:.0f} µs a piece)")  # fmt: skip


def _against(measured: Measured, blocks: Sequence[Sequence[float]]) -> str:
    """The median over the blocks of a block's median against llama-bench's in the same block."""
    pairs = zip(blocks, measured.alone, strict=True)
    ratio = statistics.median(statistics.median(block) / statistics.median(alone) for block, alone in pairs)
    return f"{ratio - 1:+.2%}"


def _stated(reply: Reply) -> float:
    return float((reply.timings or {})["predicted_per_second"])


def _ask(endpoint: Endpoint, tokens: int) -> Reply:
    return endpoint.chat({"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": tokens,
                          "ignore_eos": True, "temperature": 0, "cache_prompt": False, "stream": True,
                          "stream_options": {"include_usage": True}})  # fmt: skip


def _llama_bench(model: Path, settings: Settings) -> list[float]:
    counts = {"-t": settings.threads, "-ngl": settings.layers, "-p": 0, "-n": settings.tokens, "-r": settings.runs}
    options = [text for option, count in counts.items() for text in (option, str(count))]
    command = [str(llama.build() / "llama-bench"), "-m", str(model), "-o", "json", *options]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(speed) for one in json.loads(made.stdout) for speed in one["samples_ts"]]


def _settings() -> Settings:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.client")
    parser.add_argument("--model", type=Path, default=Path(), help="a GGUF file, or smollm2")
    for name, number in (("tokens", 128), ("threads", 1), ("layers", 0), ("blocks", 5), ("runs", 4)):
        parser.add_argument(f"--{name}", type=int, default=number)
    given = parser.parse_args()
    if str(given.model) == "smollm2":
        llama.build()
        given.model = llama.SMOLLM2
    return Settings(**vars(given))


if __name__ == "__main__":
    main()
