"""One streamed reply and the figures that follow from it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from market.bench.sse import Event, events

PERCENTILES = (50, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a streamed chat completion said. Times are seconds since the request was sent.

    ``arrivals`` are the times of chunks that carry text of any kind: answer, reasoning or tool call. A chunk
    holds one decoding step, which under speculation is several tokens, so tokens are never counted by them.
    """

    arrivals: tuple[float, ...]
    ended: float
    text: str = ""
    reasoning: str = ""
    tool_calls: str = ""
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    timings: Mapping[str, Any] | None = None
    metrics: Mapping[str, Any] | None = None
    fingerprint: str | None = None
    model: str | None = None
    done: bool = False
    error: str | None = None
    cpu_seconds: float = 0.0

    @property
    def first(self) -> float | None:
        """Seconds to the first non-empty piece of text; the role chunk that servers send first is none."""
        return self.arrivals[0] if self.arrivals else None

    @property
    def is_whole(self) -> bool:
        """Whether the stream said how it ended; some servers leave [DONE] out, none the finish reason."""
        return self.finish_reason is not None

    @property
    def tokens(self) -> int | None:
        """Generated tokens as the server counts them: ``usage``, or the timings where usage is missing."""
        counted = (self.usage or {}).get("completion_tokens")
        counted = (self.timings or {}).get("predicted_n") if counted is None else counted
        return int(counted) if isinstance(counted, int | float) else None

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the prompt, those from the cache included."""
        stated = (self.usage or {}).get("prompt_tokens")
        if isinstance(stated, int):
            return stated
        timings = self.timings or {}
        return int(timings["prompt_n"]) + int(timings.get("cache_n", 0)) if "prompt_n" in timings else None

    @property
    def cached_tokens(self) -> int | None:
        """Prompt tokens that came from a cache; ``None`` where the server does not say."""
        if "cache_n" in (self.timings or {}):
            return int((self.timings or {})["cache_n"])
        details = (self.usage or {}).get("prompt_tokens_details")
        stated = details.get("cached_tokens") if isinstance(details, Mapping) else None
        return int(stated) if isinstance(stated, int) else None

    @property
    def drafts(self) -> tuple[int, int] | None:
        """Draft tokens and those accepted, as llama.cpp states them with a reply."""
        timings = self.timings or {}
        if "draft_n" not in timings or "draft_n_accepted" not in timings:
            return None
        return int(timings["draft_n"]), int(timings["draft_n_accepted"])

    @property
    def server_speed(self) -> float | None:
        """Decoding speed by the server's clock in tokens/s: (predicted_n - 1) / predicted_ms.

        The first token comes out of the prompt's own pass and starts the clock, in every llama.cpp version.
        Versions before 2026 state predicted_n / predicted_ms; newer ones state what is computed here.
        """
        timings = self.timings or {}
        count, milliseconds = timings.get("predicted_n"), timings.get("predicted_ms")
        if not isinstance(count, int | float) or not isinstance(milliseconds, int | float):
            return None
        return (count - 1) / milliseconds * 1000 if count > 1 and milliseconds > 0 else None

    @property
    def client_speed(self) -> float | None:
        """Decoding speed by the client's clock in tokens/s: (tokens - 1) / (last arrival - first arrival)."""
        tokens = self.tokens
        if tokens is None or tokens < 2 or len(self.arrivals) < 2 or self.arrivals[-1] <= self.arrivals[0]:
            return None
        return (tokens - 1) / (self.arrivals[-1] - self.arrivals[0])

    @property
    def whole_speed(self) -> float | None:
        """Tokens over the whole time of the request, prompt included, in tokens/s."""
        return self.tokens / self.ended if self.tokens and self.ended > 0 else None

    @property
    def steps_ms(self) -> tuple[float, ...]:
        """Milliseconds between one chunk of text and the next."""
        return tuple((b - a) * 1000 for a, b in zip(self.arrivals, self.arrivals[1:], strict=False))

    @property
    def overhead_ms(self) -> float | None:
        """End-to-end milliseconds that the server's own timings do not account for."""
        timings = self.timings or {}
        if "prompt_ms" not in timings or "predicted_ms" not in timings:
            return None
        return self.ended * 1000 - float(timings["prompt_ms"]) - float(timings["predicted_ms"])

    @property
    def digest(self) -> str:
        """SHA-256 of everything generated: equal digests are equal texts."""
        return hashlib.sha256("\0".join((self.text, self.reasoning, self.tool_calls)).encode()).hexdigest()


@dataclass(slots=True)
class _Draft:
    """A reply while its events are read."""

    arrivals: list[float] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=lambda: {"text": [], "reasoning": [], "tool_calls": []})
    said: dict[str, Any] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        data = event.data
        if event.done:
            self.said["done"] = True
        elif event.broken:
            self.said["error"] = f"data that is not JSON: {event.broken[:80]}"
        elif isinstance(data, Mapping):
            self._chunk(event.at, data)

    def _chunk(self, at: float, data: Mapping[str, Any]) -> None:
        if data.get("error"):
            error = data["error"]
            self.said["error"] = str(error.get("message", error) if isinstance(error, Mapping) else error)
        for key, name in (("usage", "usage"), ("timings", "timings"), ("metrics", "metrics")):
            if isinstance(data.get(key), Mapping):
                self.said[name] = dict(data[key])
        for key, name in (("system_fingerprint", "fingerprint"), ("model", "model")):
            if isinstance(data.get(key), str):
                self.said[name] = data[key]
        for choice in data.get("choices") or ():
            self._choice(at, choice)

    def _choice(self, at: float, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta") or {}
        pieces = {
            "text": delta.get("content") or choice.get("text") or "",
            # vLLM renamed the field in 2025; some forks send both with the same text.
            "reasoning": delta.get("reasoning_content") or delta.get("reasoning") or "",
            "tool_calls": "".join(_call(call) for call in delta.get("tool_calls") or ()),
        }
        if any(pieces.values()):
            self.arrivals.append(at)
        for name, piece in pieces.items():
            self.parts[name].append(piece)
        if choice.get("finish_reason"):
            self.said["finish_reason"] = str(choice["finish_reason"])


def assemble(reads: Iterable[tuple[float, bytes]], ended: float, cpu_seconds: float = 0.0) -> Reply:
    """Read a stream into a reply; what is missing or broken is left for the caller to judge."""
    draft = _Draft()
    for event in events(reads):
        draft.take(event)
    draft.said |= {name: "".join(parts) for name, parts in draft.parts.items()}
    return Reply(tuple(draft.arrivals), ended, cpu_seconds=cpu_seconds, **draft.said)


def percentile(values: Sequence[float], percent: float) -> float:
    """The percentile by linear interpolation between the two nearest values (Hyndman and Fan, type 7)."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * percent / 100
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _call(call: Mapping[str, Any]) -> str:
    function = call.get("function") or {}
    return f"{function.get('name') or ''}{function.get('arguments') or ''}"
