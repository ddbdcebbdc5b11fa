"""What an app really serves: its server's options in one rendering, read together with its card."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from market import argv, options, vram
from market.argv import CommandLine
from market.catalog import App, Catalog
from market.engine import Engine, Release, engines
from market.flaglists import flags_of
from market.flags import FlagList
from market.objects import KubeObject, mapping, text
from market.options import Option, Options
from market.workloads import Container, Pod

CONTEXT = ("--ctx-size", "--max-model-len")
LLAMA_BATCH, LLAMA_UBATCH = 2048, 512
"""Defaults of llama-server, all builds of data/flags/llama-cpp.yaml."""
_VLLM_DRAFTS = frozenset(("--speculative-config", "--spec-method", "--spec-model", "--spec-tokens"))
MEMORY_LIMIT = "CUDA_DEVICE_MEMORY_LIMIT_0"


@dataclass(frozen=True)
class Serving:
    """The server of an app as one rendering starts it."""

    app: App
    engine: Engine
    hardware: Mapping[str, Any]
    pod: Pod
    container: Container
    line: CommandLine
    flags: FlagList
    options: Options

    @property
    def is_vllm(self) -> bool:
        """Whether vLLM serves, else llama-server or a fork of it."""
        return self.engine.is_a("vllm")

    @property
    def card(self) -> Mapping[str, Any]:
        """The app card."""
        return self.app.card

    @property
    def release(self) -> Release:
        """The version of the engine that the card names."""
        return self.engine.release(text(mapping(self.card.get("engine")).get("version")))

    @property
    def image(self) -> str:
        """The server's image."""
        return self.container.image

    @property
    def models(self) -> Sequence[Mapping[str, Any]]:
        """The model files of values.yaml."""
        return vram.models_of(self.app.values)

    @property
    def environment(self) -> Mapping[str, str | None]:
        """The server's variables."""
        return self.line.environment

    @cached_property
    def context(self) -> int | None:
        """The window that the command line sets, in tokens; ``None`` where the server chooses it."""
        found = self.options.number(*CONTEXT)
        return int(found) if found is not None and found > 0 else None

    @cached_property
    def window(self) -> int | None:
        """The window of one request: llama-server splits its own among sequences unless they share one cache.

        The DFlash of buun-llama-cpp and of the early BeeLlama holds a sequence more than there are requests.
        """
        if self.context is None or self.is_vllm or self.options.has("--kv-unified"):
            return self.context
        sequences = int(self.options.number("--parallel") or 1)
        if self.engine.is_a("buun-llama-cpp") and "dflash" in (self.speculation or ()):
            sequences += 1
        return self.context // sequences if sequences > 1 else self.context

    @cached_property
    def kv_cache(self) -> tuple[str, str] | None:
        """Types of the keys and of the values; ``None`` where they cannot be told."""
        if self.is_vllm:
            both = self._value("--kv-cache-dtype", "auto")
            return None if both is None else (both, both)
        both = self._value("--cache-type", "f16")
        found = tuple(self._value(name, both) for name in ("--cache-type-k", "--cache-type-v"))
        return (found[0], found[1]) if found[0] and found[1] else None

    @cached_property
    def speculation(self) -> tuple[str, ...] | None:
        """The methods of speculative decoding; empty for none, ``None`` where they cannot be told."""
        if self.is_vllm:
            if self._is_unsure("--speculative-config", "--spec-method"):
                return None
            method = self.options.value("--spec-method") or self.speculative_config.get("method")
            is_set = any(one.name.partition(".")[0] in _VLLM_DRAFTS for one in self.options.all)
            return (method,) if isinstance(method, str) else None if is_set else ()
        if self._is_unsure("--spec-type"):
            return None
        methods = tuple(one for one in (self.options.value("--spec-type") or "").split(",") if one not in ("", "none"))
        # A drafter without --spec-type: the server takes the method from the drafter itself.
        return methods or (None if self.options.has("--spec-draft-model", "--spec-draft-hf") else ())

    @cached_property
    def draft_tokens(self) -> int | None:
        """Draft tokens a step that the command line sets."""
        if self.is_vllm:
            found = self.options.number("--spec-tokens")
            stated = self.speculative_config.get("num_speculative_tokens")
            value = found if found is not None else stated
        elif (block := self.options.number("--draft-block-size")) is not None:
            # AtomicBot's fork counts the token that it drafts from.
            value = block - 1
        else:
            value = self.options.number("--spec-draft-n-max")
        return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    @cached_property
    def speculative_config(self) -> Mapping[str, Any]:
        """vLLM's --speculative-config, the dotted form included."""
        found: dict[str, Any] = dict(self.json_value("--speculative-config"))
        for option in self.options.all:
            head, dot, key = option.name.partition(".")
            if head == "--speculative-config" and dot and option.values:
                number = options.number(option.value)
                found[key] = option.value if number is None else number
        return found

    @cached_property
    def thinking(self) -> bool | None:
        """Whether the server is set to think, or not to; ``None`` where it is left to model and request."""
        if self.is_vllm:
            choice = self.json_value("--default-chat-template-kwargs").get("enable_thinking")
            return choice if isinstance(choice, bool) else None
        state = self.options.value("--reasoning")
        if state in ("on", "off"):
            return state == "on"
        if self.options.number("--reasoning-budget") == 0:
            return False
        choice = self.json_value("--chat-template-kwargs").get("enable_thinking")
        return choice if isinstance(choice, bool) else None

    @cached_property
    def numbers(self) -> Mapping[str, float]:
        """The amounts that combinations compare, as far as they are known."""
        return {name: value for name, value in self._numbers() if value is not None}

    def json_value(self, name: str) -> Mapping[str, Any]:
        """The value of an option that takes JSON, or nothing when it is none."""
        try:
            found = json.loads(self.options.value(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return mapping(found)

    def option(self, *names: str) -> Option | None:
        """The option that counts among these names."""
        return self.options.last(*names)

    def _numbers(self) -> Iterator[tuple[str, float | None]]:
        context = self.context
        if context is None and self.options.last(*CONTEXT) is None:
            stated = self.card.get("context_tokens")
            context = stated if isinstance(stated, int) else None
        yield "context", context
        yield "draft-tokens", self.draft_tokens
        yield "memory-limit", vram.limit_mebibytes(self.environment.get(MEMORY_LIMIT) or "")
        yield "card-memory", vram.card_mebibytes(self.hardware)
        yield "startup-seconds", _startup(self.container)
        yield "parallel", self.options.number("--parallel", "--max-num-seqs")
        if self.is_vllm:
            yield "batched-tokens", self.options.number("--max-num-batched-tokens")
            return
        batch, ubatch = self._amount("--batch-size", LLAMA_BATCH), self._amount("--ubatch-size", LLAMA_UBATCH)
        yield "batch", batch
        yield "ubatch", ubatch
        yield "effective-ubatch", None if batch is None or ubatch is None else min(batch, ubatch)

    def _amount(self, name: str, default: float) -> float | None:
        return default if self.options.last(name) is None else self.options.number(name)

    def _value(self, name: str, default: str | None) -> str | None:
        found = self.options.last(name)
        return default if found is None else self.options.value(name)

    def _is_unsure(self, *names: str) -> bool:
        found = self.options.last(*names)
        return found is not None and found.is_unsure


def _startup(container: Container) -> float | None:
    """Seconds that the startup probe gives the server; Kubernetes' defaults where it says nothing."""
    probe = mapping(container.get("startupProbe"))
    period, failures = probe.get("periodSeconds", 10), probe.get("failureThreshold", 3)
    is_number = all(isinstance(one, int) and not isinstance(one, bool) for one in (period, failures))
    return float(period * failures) if probe and is_number else None


def command_lines(pods: Sequence[Pod], found: Sequence[KubeObject]) -> tuple[tuple[Pod, Container, CommandLine], ...]:
    """The command line of every container of a rendering, init containers left aside."""
    resources = [one.data for one in found if one.kind in ("ConfigMap", "Secret")]
    return tuple(
        (pod, container, argv.command_line(container.data, resources)) for pod in pods for container in pod.containers
    )


def serving(catalog: Catalog, app: App, pods: Sequence[Pod], found: Sequence[KubeObject]) -> Serving | None:
    """The server of an app in one rendering; ``None`` where no option list fits its engine or none is found."""
    engine = engine_of(catalog, app)
    flags = flags_of(engine) if engine else None
    if engine is None or flags is None:
        return None
    kind = "vllm" if engine.is_a("vllm") else "llama-server"
    candidates = [one for one in command_lines(pods, found) if one[2].is_found]
    named = [one for one in candidates if one[2].server == kind]
    guessed = [one for one in candidates if one[2].server == "" and one[2].words]
    chosen = (named or guessed)[:1]
    for pod, container, line in chosen:
        read = options.read(line.arguments, flags, line.environment)
        return Serving(app, engine, _hardware(catalog, app), pod, container, line, flags, read)
    return None


def engine_of(catalog: Catalog, app: App) -> Engine | None:
    """The engine that the card names."""
    document = catalog.data.get("engines")
    id = mapping(app.card.get("engine")).get("id")
    return engines(mapping(document.data)).get(id) if document and isinstance(id, str) else None


def _hardware(catalog: Catalog, app: App) -> Mapping[str, Any]:
    document = catalog.data.get("hardware")
    entries = mapping(document.data).get("hardware") if document else None
    wanted = app.card.get("hardware")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("id") == wanted:
            return entry
    return {}
