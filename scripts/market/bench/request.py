"""The body of a chat request in an engine's dialect, with the prompt cache defeated where that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from market.bench.endpoint import Engine
from market.bench.prompts import Message

CacheMode = Literal["defeat", "allow"]

# Sampling that OpenAI's API knows; the rest is understood by llama.cpp and vLLM and refused by strict servers.
STANDARD = frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty"})

DEFAULT_SAMPLING: Mapping[str, float] = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.0}
"""What the field's llama.cpp and vLLM series state where they state anything; a greedy run drafts better."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How every request of a bench is asked. ``thinking`` is ``None`` where the server decides."""

    sampling: Mapping[str, float]
    seed: int
    vary_seed: bool = False
    ignore_eos: bool = False
    thinking: bool | None = None
    cache: CacheMode = "defeat"

    def seed_of(self, index: int) -> int:
        """The seed of a run: the same for all, or counted up so that each run is another text."""
        return self.seed + index if self.vary_seed else self.seed


def cache_method(engine: Engine, cache: CacheMode) -> str:
    """How the prompt cache is kept out, as reports name it."""
    if cache == "allow":
        return "allowed"
    return {"llama.cpp": "cache_prompt false", "vLLM": "cache_salt"}.get(engine, "nonce")


def body(
    engine: Engine, model: str, message: Message, tokens: int, asking: Asking, seed: int, salt: str
) -> dict[str, Any]:
    """One request; ``salt`` keeps vLLM's prefix cache apart for this request."""
    known = {key: value for key, value in asking.sampling.items() if engine != "other" or key in STANDARD}
    found: dict[str, Any] = {
        "model": model,
        "messages": list(message.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": tokens,
        "seed": seed,
        **known,
    }
    if message.tools:
        found |= {"tools": list(message.tools), "tool_choice": "auto"}
    if asking.ignore_eos:
        found["ignore_eos"] = True
    if asking.thinking is not None:
        found["chat_template_kwargs"] = {"enable_thinking": asking.thinking}
    match cache_method(engine, asking.cache):
        case "cache_prompt false":
            found["cache_prompt"] = False
        case "cache_salt":
            found["cache_salt"] = salt
    return found
