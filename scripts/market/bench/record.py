"""A run as it stands in a report: rounded figures with their units in their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from market.bench import counters
from market.bench.reply import PERCENTILES, Reply, percentile

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Beside:
    """What was observed beside a run: when it began (UTC), the seed, counters before and after, the GPU."""

    started_at: str
    seed: int
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)
    gpu: Mapping[str, Any] | None = None


def single(reply: Reply, beside: Beside) -> Record:
    """The record of a run of one stream. The speed is the server's where it states its timings.

    Raises:
        ValueError: the reply gives no speed (fewer than two tokens or pieces of text).
    """
    speed = reply.server_speed or reply.client_speed
    if speed is None or reply.tokens is None or reply.first is None:
        raise ValueError("fewer than two tokens arrived apart, so there is no speed to compute")
    return _without_none({
        "tokens_per_second": round(speed, 3),
        "speed_source": "server" if reply.server_speed else "client",
        **_counts(reply),
        **_drafts(reply, beside),
        "started_at": beside.started_at,
        "seed": beside.seed,
        "server": _server(reply),
        "client": _client(reply),
        "steps_ms": _steps(reply),
        "counters": _counted(beside),
        "gpu": dict(beside.gpu) if beside.gpu else None,
        "fingerprint": reply.fingerprint,
        "output_sha256": reply.digest,
    })  # fmt: skip


def together(replies: Sequence[Reply], wall_seconds: float, beside: Beside) -> Record:
    """The record of streams sent at once: all their tokens over the time from the first request to the last
    token, with each stream's own figures beside.

    Raises:
        ValueError: no stream has a count of tokens.
    """
    tokens = sum(reply.tokens or 0 for reply in replies)
    if not tokens or wall_seconds <= 0:
        raise ValueError("no tokens arrived, so there is no speed to compute")
    firsts = [reply.first * 1000 for reply in replies if reply.first is not None]
    speeds = [reply.client_speed for reply in replies if reply.client_speed]
    first = replies[0]
    return _without_none({
        "tokens_per_second": round(tokens / wall_seconds, 3),
        "speed_source": "all streams",
        "tokens": tokens,
        "time_to_first_token_ms": round(fmean(firsts), 3) if firsts else None,
        "finish_reason": first.finish_reason,
        **_drafts(first, beside, pooled=replies),
        "started_at": beside.started_at,
        "seed": beside.seed,
        "wall_ms": round(wall_seconds * 1000, 3),
        "stream_tokens_per_second": round(fmean(speeds), 3) if speeds else None,
        "streams": [_without_none({**_counts(reply), "client": _client(reply)}) for reply in replies],
        "counters": _counted(beside),
        "gpu": dict(beside.gpu) if beside.gpu else None,
        "fingerprint": first.fingerprint,
    })  # fmt: skip


def partial(reply: Reply | None) -> Record:
    """What can be kept of a reply that broke off."""
    if reply is None or not reply.arrivals:
        return {}
    return _without_none({
        **_counts(reply),
        "pieces": len(reply.arrivals),
        "received_ms": round(reply.arrivals[-1] * 1000, 3),
        "server": _server(reply),
    })  # fmt: skip


def _counts(reply: Reply) -> Record:
    return {
        "tokens": reply.tokens,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "cached_tokens": reply.cached_tokens,
        "time_to_first_token_ms": round(reply.first * 1000, 3) if reply.first is not None else None,
    }


def _drafts(reply: Reply, beside: Beside, pooled: Sequence[Reply] = ()) -> Record:
    """Draft counters: those of the reply, or what the engine counted during the run (vLLM)."""
    own = [found for one in (pooled or (reply,)) if (found := one.drafts)]
    found = (sum(d for d, _ in own), sum(a for _, a in own)) if own else None
    found = found or counters.drafts(counters.change(beside.before, beside.after))
    return {"draft_tokens": found[0], "draft_accepted": found[1]} if found else {}


def _server(reply: Reply) -> Record | None:
    """The server's own timings as it stated them, and vLLM's metrics of the request."""
    kept = ("cache_n", "prompt_n", "prompt_ms", "predicted_n", "predicted_ms", "predicted_per_second")
    timings = reply.timings or {}
    found: Record = {key: _round(timings[key]) for key in kept if key in timings}
    found |= {key: _round(value) for key, value in (reply.metrics or {}).items() if isinstance(value, int | float)}
    if found.get("prompt_n") and found.get("prompt_ms"):
        found["prompt_tokens_per_second"] = round(found["prompt_n"] / found["prompt_ms"] * 1000, 3)
    return found or None


def _client(reply: Reply) -> Record:
    return _without_none({
        "tokens_per_second": _round(reply.client_speed),
        "end_to_end_tokens_per_second": _round(reply.whole_speed),
        "end_to_end_ms": round(reply.ended * 1000, 3),
        "overhead_ms": _round(reply.overhead_ms),
        "cpu_ms": round(reply.cpu_seconds * 1000, 3),
        "chunks": len(reply.arrivals),
    })  # fmt: skip


def _steps(reply: Reply) -> Record | None:
    steps = reply.steps_ms
    if not steps:
        return None
    return {f"p{percent}": round(percentile(steps, percent), 3) for percent in PERCENTILES} | {
        "max": round(max(steps), 3)
    }


def _round(value: float | None) -> float | int | None:
    return value if value is None or isinstance(value, int) else round(value, 3)


def whole(values: Mapping[str, float]) -> Record:
    """Counters with whole numbers as such."""
    return {name: int(value) if value == int(value) else round(value, 6) for name, value in values.items()}


def _counted(beside: Beside) -> Record | None:
    """What moved while the run went on."""
    moved = counters.change(beside.before, beside.after)
    return whole({name: value for name, value in moved.items() if value}) or None


def _without_none(record: Record) -> Record:
    return {key: value for key, value in record.items() if value is not None}
