"""Argument vectors as options."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market import options
from market.argv import Argument, Origin
from market.engine import Engine
from market.flaglists import flags_of
from market.flags import FlagList
from market.options import Options

LLAMA = flags_of(Engine("llama-cpp", ("llama-cpp",), {}, {}))
VLLM = flags_of(Engine("vllm", ("vllm",), {}, {}))
assert LLAMA
assert VLLM


def read(flags: FlagList | None, words: Sequence[str], env: dict[str, str | None] | None = None) -> Options:
    assert flags is not None
    vector = [Argument(word, Origin(("args", at)), ("N",) if "$" in word else ()) for at, word in enumerate(words)]
    return options.read(vector, flags, env)


WORDS = st.sampled_from([
    "-c", "--jinja", "--no-mmap", "--ctx-size", "1", "-1", "-", "--", "--x", "a=b", "--a=b", "",
    "--spec-draft-replace", "--served-model-name", "é",
])  # fmt: skip


@given(st.lists(WORDS, max_size=12))
def test_every_argument_is_an_option_a_value_or_left_over(words: list[str]) -> None:
    for flags in (LLAMA, VLLM):
        found = read(flags, words)
        joined = sum(1 for one in found.all if one.spelled != words[int(one.origin.path[1])])
        assert sum(1 + len(one.values) for one in found.all) - joined + len(found.rest) == len(words)


def test_short_and_long_spellings_are_one_option() -> None:
    found = read(LLAMA, ["-c", "4096", "-ngl", "99", "-md", "d.gguf", "-fa", "on", "--ctx_size", "8192"])
    assert [one.name for one in found.all] == [
        "--ctx-size", "--n-gpu-layers", "--spec-draft-model", "--flash-attn", "--ctx-size",
    ]  # fmt: skip
    assert found.number("--ctx-size") == 8192


def test_switches_and_their_opposites() -> None:
    found = read(LLAMA, ["--jinja", "--no-mmap", "--no-mmproj-offload"])
    assert found.has("--jinja")
    assert not found.has("--mmap")
    assert not found.has("--mmproj-offload")
    assert not found.has("--metrics")


def test_values_that_look_like_options() -> None:
    found = read(LLAMA, ["--n-predict", "-1", "--parallel", "--flash-attn", "on"])
    assert found.value("--n-predict") == "-1"
    parallel = found.last("--parallel")
    assert parallel is not None
    assert parallel.is_short
    assert found.value("--flash-attn") == "on"


def test_options_of_python() -> None:
    found = read(VLLM, [
        "org/model", "--max-model-len=128k", "--served-model-name", "a", "b", "--no-enable-prefix-caching",
        "--speculative-config.method", "mtp", "--enable_auto_tool_choice",
    ])  # fmt: skip
    assert [one.text for one in found.rest] == ["org/model"]
    assert found.number("--max-model-len") == 128_000
    served = found.last("--served-model-name")
    assert served is not None
    assert served.values == ("a", "b")
    assert not found.has("--enable-prefix-caching")
    assert found.value("--speculative-config.method") == "mtp"
    assert found.has("--enable-auto-tool-choice")


def test_variables_count_less_than_arguments() -> None:
    env: dict[str, str | None] = {
        "LLAMA_ARG_CTX_SIZE": "1",
        "LLAMA_ARG_MLOCK": "0",
        "LLAMA_ARG_PORT": None,
        "HOME": "/",
    }
    found = read(LLAMA, ["--ctx-size", "2"], env)
    assert found.number("--ctx-size") == 2
    assert not found.has("--mlock")
    assert found.value("--port") is None
    assert [one.variable for one in found.all] == ["LLAMA_ARG_CTX_SIZE", "LLAMA_ARG_MLOCK", "LLAMA_ARG_PORT", ""]


def test_what_cannot_be_told_has_no_value() -> None:
    found = read(LLAMA, ["--ctx-size", "$N"])
    assert found.value("--ctx-size") is None
    assert found.number("--ctx-size") is None


@pytest.mark.parametrize(("text", "expected"), [
    ("4096", 4096), ("0.92", 0.92), ("-1", -1), ("88k", 88_000), ("88K", 90_112), ("1M", 1_048_576), ("1m", 1_000_000),
    ("auto", None), ("", None), ("k", None), ("1e5", None), ("٣", None), ("nan", None), ("1" * 30, None),
])  # fmt: skip
def test_numbers(text: str, expected: float | None) -> None:
    assert options.number(text) == expected
