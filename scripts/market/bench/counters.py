"""Engine counters from a Prometheus page (text exposition format 0.0.4), before and after a run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

_SAMPLE = re.compile(r"^(?P<prefix>llamacpp|vllm):(?P<name>\w+?)(?:_total)?(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)")

# The counters that a report keeps, named as both engines name them without prefix and `_total`.
KEPT = (
    "prompt_tokens", "prompt_tokens_cached", "prompt_seconds", "tokens_predicted", "tokens_predicted_seconds",
    "generation_tokens", "prefix_cache_queries", "prefix_cache_hits", "spec_decode_num_drafts",
    "spec_decode_num_draft_tokens", "spec_decode_num_accepted_tokens", "num_preemptions",
)  # fmt: skip

DRAFTED, ACCEPTED = "spec_decode_num_draft_tokens", "spec_decode_num_accepted_tokens"


def parse(page: str) -> Mapping[str, float]:
    """The kept counters of a page; label sets of one counter (one per engine process) are added up."""
    found: dict[str, float] = {}
    for line in page.splitlines():
        match = _SAMPLE.match(line)
        if not match or match["name"] not in KEPT:
            continue
        try:
            value = float(match["value"])
        except ValueError:
            continue
        if math.isfinite(value):
            found[match["name"]] = found.get(match["name"], 0.0) + value
    return MappingProxyType({name: found[name] for name in KEPT if name in found})


def change(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """What was counted in between. A counter that went down was reset by a restart and is left out."""
    changes = {name: after[name] - before.get(name, 0.0) for name in after}
    return {name: value for name, value in changes.items() if value >= 0}


def drafts(changes: Mapping[str, float]) -> tuple[int, int] | None:
    """Draft tokens and accepted ones that were counted, or ``None`` when nothing was drafted."""
    drafted = changes.get(DRAFTED, 0.0)
    return (round(drafted), round(changes.get(ACCEPTED, 0.0))) if drafted > 0 else None
