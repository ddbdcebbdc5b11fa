"""The combinations that are known to fail: the data, and what matches."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import pytest

from market import combination, conditions
from market.combination import Combination
from market.rules import bench, chart, layout, llm, olares, registry
from market.serving import Serving

Make = Callable[..., Serving]

ALL = combination.load()
CHECKED = [one for one in ALL if one.is_checked]
BY_ID = {one.id: one for one in ALL}

assert all((bench.THEMES, chart.THEMES, llm.THEMES, olares.THEMES, layout.RESERVED))


def matched(served: Any) -> set[str]:
    return {one.id for one in combination.found_in(served)}


def test_there_is_no_combination_twice_and_none_lost() -> None:
    assert len(BY_ID) == len(ALL) >= 65


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_every_text_is_there_in_both_languages(one: Combination) -> None:
    for text in filter(None, (one.title, one.symptom, one.fix, one.scope, one.reason)):
        assert text["en"] != text["fr"]
        assert all(value == value.strip() for value in text.values())
        assert "  " not in text["en"] + text["fr"]
        assert "'" not in text["fr"].replace("'target_layers'", "")


@pytest.mark.parametrize("one", CHECKED, ids=lambda one: one.id)
def test_a_checked_combination_is_a_rule(one: Combination) -> None:
    rule = registry.find(one.rule)
    assert rule is not None
    assert (rule.severity, rule.title, rule.fix) == (one.severity, one.title["en"], one.fix["en"])
    assert one.sources[0]["url"] in rule.source


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_references_lead_somewhere(one: Combination) -> None:
    assert not one.superseded_by or BY_ID[one.superseded_by].is_checked
    for rule in one.rules:
        assert registry.find(rule), rule
    assert one.is_checked or one.rules or one.reason


@pytest.mark.parametrize("one", CHECKED, ids=lambda one: one.id)
def test_a_message_uses_amounts_that_every_match_knows(one: Combination) -> None:
    used = {name for _, name, _, _ in string.Formatter().parse(one.message) if name}
    for condition in one.when:
        numbers = condition.get("numbers", {})
        bounds = {bound for tests in numbers.values() for bound in tests.values() if isinstance(bound, str)}
        known = set(numbers) | bounds
        known |= {"context"} if "context" in used else set()
        assert used <= known


@pytest.mark.parametrize("one", CHECKED, ids=lambda one: one.id)
def test_conditions_ask_only_what_can_be_answered(one: Combination, make: Make) -> None:
    amounts = {
        "context", "draft-tokens", "memory-limit", "card-memory", "startup-seconds", "parallel", "batched-tokens",
        "batch", "ubatch", "effective-ubatch",
    }  # fmt: skip
    served = make()
    for condition in (*one.when, *one.unless):
        numbers = condition.get("numbers", {})
        named = {bound for tests in numbers.values() for bound in tests.values() if isinstance(bound, str)}
        assert set(numbers) | named <= amounts
        assert conditions.holds(condition, served) in (True, False)
        for name in (*condition.get("has", ()), *condition.get("lacks", ()), *condition.get("disabled", ())):
            assert name.startswith("--")


GEMMA = {"model": {"family": "Gemma 4", "name": "Gemma 4 26B-A4B", "kind": "mixture-of-experts", "licence": "x"}}
A3B = {"model": {"family": "Qwen3.6", "name": "Qwen3.6 35B-A3B", "kind": "mixture-of-experts", "licence": "x",
                 "quantisation": "UD-Q3_K_XL"}}  # fmt: skip
BIG = ["-b", "2048", "-ub", "2048"]
MTP = ["--spec-type", "draft-mtp", "--spec-draft-n-max", "3"]
LIMIT = {"CUDA_DEVICE_MEMORY_LIMIT_0": "24300m"}


@pytest.mark.parametrize(("arguments", "options", "found"), [
    (["--mmproj", "m", *BIG, *MTP], {"card": A3B, "engine": "buun-llama-cpp", "version": "316e88e"}, "mtp-mmproj-24gb"),
    (["--mmproj", "m", *BIG, *MTP, "--no-mmproj-offload"], {"card": A3B}, ""),
    (["--mmproj", "m", *BIG, "--mmproj-gpu-swap", *MTP], {"card": A3B}, "flag-gpu-swap-engine"),
    (["--mmproj", "m", *BIG, "--mmproj-gpu-swap", *MTP],
     {"card": A3B, "engine": "buun-llama-cpp", "version": "87c351d28"}, "gpu-swap-lost-mtp"),
    (["--mmproj", "m", *BIG, "--mmproj-gpu-swap", *MTP],
     {"card": A3B, "engine": "buun-llama-cpp", "version": "87c351"}, ""),
    (["--mmproj", "m", "-b", "512", "-ub", "2048"], {"card": GEMMA}, "mmproj-ubatch ubatch-gt-batch"),
    (["--mmproj", "m", "-b", "2048", "-ub", "1120"], {"card": GEMMA}, ""),
    (["--mmproj", "m", "-b", "2048", "-ub", "1119"], {"card": GEMMA}, "mmproj-ubatch"),
    (["--mmproj", "m", "-ub", "$(N)"], {"card": GEMMA}, ""),
    (["--mlock"], {"version": "b9310"}, "mlock-host"),
    (["--mlock"], {"version": "b11046"}, "mlock-newer"),
    (["--spec-type", "dflash"], {"version": "b10156"}, "dflash-flag-name"),
    (["--spec-type", "dflash"], {"engine": "beellama-cpp", "version": "0.2.0"}, ""),
    (["--spec-type", "mtp"], {"version": "b10156"}, "mtp-flag-name"),
    (["--special"], {"card": GEMMA}, "special-gemma"),
    (["--special"], {}, ""),
])  # fmt: skip
def test_llama_cpp(arguments: list[str], options: dict[str, Any], found: str, make: Make) -> None:
    assert matched(make(arguments, env=LIMIT, **options)) == set(found.split())


@pytest.mark.parametrize(("arguments", "options", "found"), [
    (["m", "--attention-backend", "FLASH_ATTN"], {"card": GEMMA}, "vllm-gemma-attn"),
    (["m", "--attention-backend=triton_attn"], {"card": GEMMA}, ""),
    (["m", "--max-model-len", "256k"], {"card": GEMMA}, "vllm-gemma-256k"),
    (["m", "--max-model-len", "128k"], {"card": GEMMA}, ""),
    (["m", "--no-enable-chunked-prefill", "--max-num-batched-tokens", "8192", "--max-model-len", "16384"], {},
     "vllm-chunked-prefill"),
    (["m", "--kv-cache-dtype", "turboquant_3bit_nc", "--speculative-config.method", "mtp"], {},
     "vllm-turboquant-4bitnc-mtp"),
    (["m", "--prefix-caching-hash-algo", "xxhash"], {}, ""),
    (["m", "--prefix-caching-hash-algo", "xxhash"], {"engine": "vllm-genesis", "version": "0.20.0"}, "vllm-xxhash"),
])  # fmt: skip
def test_vllm(arguments: list[str], options: dict[str, Any], found: str, make: Make) -> None:
    options = {"engine": "vllm", "version": "0.21.0", "init": [{"name": "fetch"}], **options}
    assert matched(make(arguments, env=LIMIT, **options)) == set(found.split())


@pytest.mark.parametrize(("env", "arguments", "found"), [
    ({}, MTP, "hami-zero"),
    ({}, [], ""),
    ({"CUDA_DEVICE_MEMORY_LIMIT_0": "0m"}, MTP, "hami-zero"),
    ({"CUDA_DEVICE_MEMORY_LIMIT_0": "24463m"}, MTP, ""),
    ({"CUDA_DEVICE_MEMORY_LIMIT_0": "24464m"}, [], "hami-above-physical"),
    ({"CUDA_DEVICE_MEMORY_LIMIT_0": "30000m"}, MTP, "hami-above-physical"),
    ({"HF_ENDPOINT": ""}, [], "hf-endpoint-empty"),
])  # fmt: skip
def test_variables(env: dict[str, str], arguments: list[str], found: str, make: Make) -> None:
    assert matched(make(arguments, env=env)) == set(found.split())


def test_volumes_of_the_host(make: Make) -> None:
    old = {"name": "m", "hostPath": {"path": "/olares/share/ai/model/llms", "type": "Directory"}}
    assert matched(make(volumes=[old])) == {"hostpath-perms", "hostpath-type"}
    assert matched(make(volumes=[old], init=[{"name": "chmod"}])) == {"hostpath-type"}


@pytest.mark.parametrize(("version", "found"), [
    ("b9725", True), ("b9310", False), ("b10156", False), ("b9600", False),
])  # fmt: skip
def test_a_build_without_a_date_is_placed_by_the_snapshots(version: str, found: bool, make: Make) -> None:
    card = {"model": {"family": "Gemma 4", "name": "Gemma 4 E4B", "kind": "dense", "licence": "x"}}
    served = make([*MTP, "-fa", "on"], version=version, card=card, env=LIMIT)
    assert ("gemma4-mtp-fattn" in matched(served)) is found
