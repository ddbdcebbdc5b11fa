"""What an app serves, read from its command line and its card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from market.serving import Serving

Make = Callable[..., Serving]


@pytest.mark.parametrize(("arguments", "engine", "window"), [
    (["-c", "32768"], "llama-cpp", 32768),
    (["-c", "0"], "llama-cpp", None),
    ([], "llama-cpp", None),
    (["-c", "32768", "-np", "4"], "llama-cpp", 8192),
    (["-c", "32768", "-np", "4", "-kvu"], "llama-cpp", 32768),
    (["-c", "196608", "-np", "1", "--spec-type", "dflash"], "buun-llama-cpp", 98304),
    (["-c", "262144", "-np", "1", "--spec-type", "dflash", "--kv-unified"], "beellama-cpp", 262144),
    (["m", "--max-model-len", "88k", "--max-num-seqs", "4"], "vllm", 88000),
])  # fmt: skip
def test_the_window_of_a_request(arguments: list[str], engine: str, window: int | None, make: Make) -> None:
    assert make(arguments, engine=engine).window == window


@pytest.mark.parametrize(("arguments", "engine", "expected"), [
    ([], "llama-cpp", ("f16", "f16")),
    (["-ctk", "q8_0"], "llama-cpp", ("q8_0", "f16")),
    (["-ctk", "q8_0", "-ctv", "turbo4"], "buun-llama-cpp", ("q8_0", "turbo4")),
    (["-ct", "q4_0"], "buun-llama-cpp", ("q4_0", "q4_0")),
    (["-ctk", "$(N)"], "llama-cpp", None),
    (["m"], "vllm", ("auto", "auto")),
    (["m", "--kv-cache-dtype", "fp8"], "vllm", ("fp8", "fp8")),
])  # fmt: skip
def test_the_kv_cache(arguments: list[str], engine: str, expected: tuple[str, str] | None, make: Make) -> None:
    assert make(arguments, engine=engine).kv_cache == expected


@pytest.mark.parametrize(("arguments", "engine", "methods", "tokens"), [
    ([], "llama-cpp", (), None),
    (["--spec-type", "none"], "llama-cpp", (), None),
    (["--spec-type", "draft-mtp,ngram-mod", "--spec-draft-n-max", "3"], "llama-cpp", ("draft-mtp", "ngram-mod"), 3),
    (["-md", "d.gguf"], "llama-cpp", None, None),
    (["--spec-type", "$(N)"], "llama-cpp", None, None),
    (["m"], "vllm", (), None),
    (["m", "-sc", '{"method": "mtp", "num_speculative_tokens": 2}'], "vllm", ("mtp",), 2),
    (["m", "--speculative-config", "not json"], "vllm", None, None),
    (["m", "--speculative-config", "[1]"], "vllm", None, None),
    (["m", "-sc.method", "mtp", "--speculative-config.num_speculative_tokens", "2"], "vllm", ("mtp",), 2),
    (["m", "--speculative-config", '{"model": "d"}'], "vllm", None, None),
])  # fmt: skip
def test_drafting(
    arguments: list[str], engine: str, methods: tuple[str, ...] | None, tokens: int | None, make: Make
) -> None:
    found = make(arguments, engine=engine)
    assert (found.speculation, found.draft_tokens) == (methods, tokens)


@pytest.mark.parametrize(("arguments", "engine", "expected"), [
    ([], "llama-cpp", None),
    (["--reasoning", "off"], "llama-cpp", False),
    (["--reasoning", "auto"], "llama-cpp", None),
    (["--reasoning-budget", "0"], "llama-cpp", False),
    (["--chat-template-kwargs", '{"enable_thinking": false}'], "llama-cpp", False),
    (["--chat-template-kwargs", '{"enable_thinking": "no"}'], "llama-cpp", None),
    (["m", "--default-chat-template-kwargs", '{"enable_thinking": true}'], "vllm", True),
])  # fmt: skip
def test_thinking(arguments: list[str], engine: str, expected: bool | None, make: Make) -> None:
    assert make(arguments, engine=engine).thinking is expected


def test_amounts(make: Make) -> None:
    found = make(["-ub", "1024", "-b", "512"], env={"CUDA_DEVICE_MEMORY_LIMIT_0": "24300m"})
    expected: dict[str, Any] = {"batch": 512, "ubatch": 1024, "effective-ubatch": 512, "memory-limit": 24300,
                                "card-memory": 24463, "context": 32768}  # fmt: skip
    assert {name: found.numbers[name] for name in expected} == expected
    assert "effective-ubatch" not in make(["-ub", "$(N)"]).numbers
