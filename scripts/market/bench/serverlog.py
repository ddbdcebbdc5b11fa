"""What a llama-server writes into its log: the timings of each request, draft counts, swaps of the image encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_PROMPT = re.compile(r"prompt eval time =\s*([\d.]+) ms /\s*(\d+) tokens")
_EVAL = re.compile(r"(?<!prompt )\beval time =\s*([\d.]+) ms /\s*(\d+) (?:tokens|runs)")
_DRAFTS = re.compile(r"draft acceptance(?: rate)?\s*=\s*[\d.]+ \(\s*(\d+) accepted /\s*(\d+) generated\)")
_SWAP_IN = re.compile(r"MTP\s*(?:→|->)\s*mmproj swap done in ([\d.]+) ms")
_SWAP_OUT = re.compile(r"mmproj\s*(?:→|->)\s*MTP swap done in ([\d.]+) ms")
_BUILD = re.compile(r"^build(?:_info)?:\s*(?:b?(\d+)[ -]\(?([0-9a-f]{7,40})\)?)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Timing:
    """One request of the log. Times are milliseconds; draft counts are ``None`` where nothing was drafted."""

    prompt_ms: float
    prompt_n: int
    predicted_ms: float
    predicted_n: int
    drafted: int | None = None
    accepted: int | None = None

    @property
    def tokens_per_second(self) -> float | None:
        """Decoding speed, (predicted_n - 1) / predicted_ms, as for a measured run."""
        if self.predicted_n < 2 or self.predicted_ms <= 0:
            return None
        return (self.predicted_n - 1) / self.predicted_ms * 1000


@dataclass(frozen=True, slots=True)
class Swap:
    """Milliseconds that the image encoder took onto the GPU and off it; ``None`` where the log is silent."""

    swap_in_ms: float | None
    swap_out_ms: float | None


class Tail:
    """The end of a log file that is still being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._from = path.stat().st_size

    def fresh(self) -> str:
        """What was written since this was last asked."""
        with self.path.open("rb") as stream:
            stream.seek(self._from)
            data = stream.read()
        self._from += len(data)
        return data.decode("utf-8", "replace")


def timings(log: str) -> Iterator[Timing]:
    """The requests of a log, in order."""
    prompt: tuple[float, int] | None = None
    found: Timing | None = None
    for line in log.splitlines():
        if match := _PROMPT.search(line):
            if found:
                yield found
            prompt, found = (float(match[1]), int(match[2])), None
        elif prompt and (match := _EVAL.search(line)):
            found = Timing(*prompt, float(match[1]), int(match[2]))
        elif found and (match := _DRAFTS.search(line)):
            found = replace(found, accepted=int(match[1]), drafted=int(match[2]))
    if found:
        yield found


def swap(log: str) -> Swap:
    """The last swap in and out."""
    into, out = _SWAP_IN.findall(log), _SWAP_OUT.findall(log)
    return Swap(float(into[-1]) if into else None, float(out[-1]) if out else None)


def build(log: str) -> str | None:
    """The build that wrote the log, as `b<number>-<commit>`."""
    found = _BUILD.search(log)
    return f"b{found[1]}-{found[2]}" if found else None
