"""What is read and written: YAML, server-sent events, counters, logs, prompts, pictures."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from market.bench import counters, pictures, prompts, serverlog
from market.bench.plan import FULL, depths, turns
from market.bench.reply import assemble
from market.bench.yamltext import dump
from market.catalog import load
from market.paths import PROJECT
from market.source import SourceText
from market.yamldoc import parse

text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
scalars = (
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | text
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)


@settings(deadline=None)
@given(st.dictionaries(text, values, min_size=1, max_size=5))
def test_yaml_reads_back(data: dict[str, Any]) -> None:
    assert yaml.safe_load(dump(data)) == data


@settings(deadline=None)
@given(st.dictionaries(st.from_regex("[a-z_]{1,12}", fullmatch=True), values, min_size=1, max_size=5))
def test_yaml_reads_back_by_the_catalogs_reader(data: dict[str, Any]) -> None:
    document, problems = parse(SourceText("x", dump(data)))
    assert document is not None
    assert not problems
    assert document.data == data


@pytest.mark.parametrize(
    "word", ["yes", "no", "on", "null", "~", "1.0", "0x10", "1e3", "2026-05-24", "12:30", "a: b", "- a", "#", ""]
)
def test_yaml_quotes_what_another_reader_would_take_otherwise(word: str) -> None:
    document, _ = parse(SourceText("x", dump({"key": word})))
    assert document is not None
    assert document.data == {"key": word}


def test_events_survive_any_cut() -> None:
    text = b'data: {"choices":[{"delta":{"content":"h\xc3\xa9"}}]}\r\n\r\n'
    stream = text + b': comment\n\ndata: {"usage":{"completion_tokens":3}}\n\ndata: [DONE]\n\n'
    for cut in range(1, len(stream)):
        reply = assemble([(0.1, stream[:cut]), (0.2, stream[cut:])], 0.2)
        assert (reply.text, reply.tokens, reply.done) == ("hé", 3, True)


def test_first_token_is_the_first_text_not_the_role() -> None:
    reads = [
        (0.1, _data({"choices": [{"delta": {"role": "assistant", "content": None}}]})),
        (0.2, _data({"choices": [{"delta": {"content": ""}}]})),
        (0.5, _data({"choices": [{"delta": {"reasoning_content": "hm"}}]})),
        (0.7, _data({"choices": [{"delta": {"content": "a"}}]})),
        (0.9, _data({"choices": [{"delta": {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}}]})),
        (1.0, _data({"choices": [{"delta": {}, "finish_reason": "tool_calls"}], "usage": {"completion_tokens": 5}})),
    ]
    reply = assemble(reads, 1.0)
    assert reply.first == 0.5
    assert reply.arrivals == (0.5, 0.7, 0.9)
    assert (reply.reasoning, reply.text, reply.tool_calls) == ("hm", "a", "f{}")
    assert reply.client_speed == pytest.approx(4 / 0.4)


@pytest.mark.parametrize("stated", [100 / 10.0 * 1000 / 1000, 99 / 10.0])
def test_speed_is_computed_from_counts_and_milliseconds(stated: float) -> None:
    """Old servers count the first token, new ones do not; the figure is the same."""
    timings = {
        "predicted_n": 100,
        "predicted_ms": 10_000.0,
        "predicted_per_second": stated,
        "prompt_n": 7,
        "cache_n": 3,
    }
    reply = assemble([(0.5, _data({"timings": timings}))], 0.5)
    assert reply.server_speed == pytest.approx(9.9)
    assert (reply.tokens, reply.prompt_tokens, reply.cached_tokens) == (100, 10, 3)


def test_counters_of_both_engines() -> None:
    vllm = """\
# TYPE vllm:spec_decode_num_draft_tokens_total counter
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 29997.0
vllm:spec_decode_num_draft_tokens_total{engine="1",model_name="m"} 3.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 25920.0
vllm:spec_decode_num_draft_tokens_created{engine="0"} 1.7e+09
vllm:time_to_first_token_seconds_bucket{le="0.1"} 5
vllm:kv_cache_usage_perc 0.2
"""
    found = counters.parse(vllm)
    assert dict(found) == {"spec_decode_num_draft_tokens": 30000, "spec_decode_num_accepted_tokens": 25920}
    assert counters.drafts(counters.change({}, found)) == (30000, 25920)
    llama = "llamacpp:tokens_predicted_total 128\nllamacpp:predicted_tokens_seconds NaN\n"
    assert dict(counters.parse(llama)) == {"tokens_predicted": 128}
    assert counters.change({"tokens_predicted": 500}, {"tokens_predicted": 3}) == {}


FILLER = "16dd53d5619eb46d3e385af50c6d0c64d6bb549070624bd0c35ae3e14dfa2e7b"

LOG = """\
build: 6962 (230d1169e) with gcc
slot print_timing: id  0 | task 0 |
prompt eval time =      45.20 ms /    22 tokens (    2.05 ms per token,   486.73 tokens per second)
       eval time =    8213.55 ms /  2000 tokens (    4.11 ms per token,   243.50 tokens per second)
      total time =    8258.75 ms /  2022 tokens
draft acceptance rate = 0.88984 ( 1454 accepted /  1634 generated)
srv swap_mtp_to_: MTP→mmproj swap done in 213 ms
srv swap_mmproj_: mmproj→MTP swap done in 540 ms
I slot print_timing: id 0 | prompt eval time =  10.00 ms /  5 tokens (  2.00 ms per token, 500.00 tokens per second)
I slot print_timing: id 0 |    eval time = 1000.00 ms / 101 tokens ( 10.00 ms per token, 100.00 tokens per second)
I slot print_timing: id 0 | draft acceptance = 0.50000 (   30 accepted /    60 generated), mean len =  2.00
"""


def test_log_of_old_and_new_servers() -> None:
    first, second = serverlog.timings(LOG)
    assert first == serverlog.Timing(45.2, 22, 8213.55, 2000, 1634, 1454)
    assert second == serverlog.Timing(10.0, 5, 1000.0, 101, 60, 30)
    assert second.tokens_per_second == pytest.approx(100)
    assert serverlog.swap(LOG) == serverlog.Swap(213, 540)
    assert serverlog.build(LOG) == "b6962-230d1169e"


def test_pictures_are_what_they_say() -> None:
    for picture, size in ((pictures.small(), 64), (pictures.large(), 1024)):
        width, height, pixels = _decode(picture.png)
        assert (width, height) == (size, size) == (picture.width, picture.height)
        colours = set(pixels)
        assert colours == ({pictures.RED} if size == 64 else {pictures.WHITE, pictures.BLUE})
    assert pixels[256 * 1024 + 256] == pixels[320 * 1024 + 768] == pixels[768 * 1024 + 448] == pictures.BLUE
    assert pixels.count(pictures.BLUE) == pytest.approx(3 * 3.14159 * 150**2, rel=0.01)
    assert hashlib.sha256(pictures.large().png).hexdigest() == pictures.large().sha256


@pytest.mark.parametrize(
    ("answer", "right"),
    [("Red", True), ("The picture is red.", True), ("Redmond", False), ("Blue", False), ("", False)],
)
def test_answer_about_the_small_picture(answer: str, right: bool) -> None:
    assert pictures.small().is_right(answer) is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [("3 blue discs", True), ("There are three discs, all of them blue.", True), ("Blue: three.", True),
     ("13 blue discs", False), ("three red discs", False), ("3", False)],
)  # fmt: skip
def test_answer_about_the_large_picture(answer: str, right: bool) -> None:
    assert pictures.large().is_right(answer) is right


def test_prompts_have_the_hash_that_stands_beside_them() -> None:
    entries = load(PROJECT)[0].prompts
    sendable = [id for id, entry in entries.items() if "text" in entry]
    assert {"space-invaders-html", "code", "prose", "tool-call", "long-context", "image"} <= set(sendable)
    for id in sendable:
        assert prompts.find(entries, id).id == id
    changed: Mapping[str, Mapping[str, Any]] = {"x": {"text": "hello", "sha256": "0" * 64}}
    with pytest.raises(ValueError, match="not the one that stands beside it"):
        prompts.find(changed, "x")
    with pytest.raises(ValueError, match="there is no prompt unstated to send"):
        prompts.find(entries, "unstated")


def test_filler_is_always_the_same_and_does_not_repeat() -> None:
    text = prompts.words(5000)
    assert hashlib.sha256(text.encode()).hexdigest() == FILLER
    found = text.split()
    grams = {tuple(found[at : at + 4]) for at in range(len(found) - 4)}
    assert len(grams) > 0.99 * (len(found) - 4)
    for tokens in (100, 8192, 32000):
        filled = prompts.filler(tokens, lambda text: round(len(text.split()) * 1.31))
        assert tokens * 0.99 <= round(len(filled.split()) * 1.31) <= tokens


def test_depths() -> None:
    assert depths("0,8k,32K, 128k,full,8192") == (0, 8192, 32768, 131072, FULL)
    for wrong in ("", "8kk", "-1", "half"):
        with pytest.raises(ValueError, match="is no depth"):
            depths(wrong)


def test_turns_begin_with_another_configuration_each_round() -> None:
    assert list(turns(3, 2)) == [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1)]
    for place in range(3):
        assert sum(found == place for _, found in turns(9, 3)) == 9


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _decode(png: bytes) -> tuple[int, int, list[tuple[int, int, int]]]:
    """A PNG of one bit a pixel by the letter of the standard, checksums included."""
    stream = io.BytesIO(png)
    assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    while head := stream.read(8):
        length, kind = struct.unpack(">I4s", head)
        chunks[kind] = stream.read(length)
        assert stream.read(4) == struct.pack(">I", zlib.crc32(kind + chunks[kind]))
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (1, 3)
    palette = [tuple(chunks[b"PLTE"][at : at + 3]) for at in range(0, len(chunks[b"PLTE"]), 3)]
    raw, line = zlib.decompress(chunks[b"IDAT"]), width // 8 + 1
    pixels: list[tuple[int, int, int]] = []
    for row in range(height):
        assert raw[row * line] == 0
        bits = "".join(f"{byte:08b}" for byte in raw[row * line + 1 : (row + 1) * line])
        pixels += [(palette[int(bit)][0], palette[int(bit)][1], palette[int(bit)][2]) for bit in bits]
    return width, height, pixels
