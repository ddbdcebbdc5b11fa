"""The plan of a bench: which prompts at which depths, in which order over the configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from market.bench.prompts import Prompt
from market.bench.request import Asking

FULL = -1
RESERVE = 512
"""Tokens kept free at full depth for the prompt, its template and a tokeniser's surprises."""

_FACTORS = {"k": 1024, "m": 1024 * 1024}


@dataclass(frozen=True, slots=True)
class Settings:
    """How every series of a bench is measured."""

    runs: int
    warmups: int
    tokens: int | None
    concurrency: int
    asking: Asking
    keep_going: bool
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    """One prompt at one depth. ``depth`` counts the tokens before the prompt; ``FULL`` fills the window."""

    prompt: Prompt
    depth: int

    def tokens(self, settings: Settings) -> int:
        """Tokens that a run generates at most."""
        return settings.tokens or self.prompt.tokens

    def depth_in(self, window: int | None, settings: Settings) -> int:
        """The depth in tokens for a server with this window.

        Raises:
            ValueError: the window is unknown or too small.
        """
        wanted = self.tokens(settings) + RESERVE
        if self.depth == FULL:
            if window is None:
                raise ValueError(
                    "full depth needs the server's window, which it does not state; give the depth in tokens"
                )
            if window <= wanted:
                raise ValueError(f"a window of {window} tokens leaves no depth beside {wanted} for the run")
            return window - wanted
        total = max(self.depth, self.prompt.filler_tokens) + wanted
        if window is not None and self.depth and total > window:
            raise ValueError(f"depth {self.depth} with {wanted} tokens for the run does not fit the window of {window}")
        return max(self.depth, self.prompt.filler_tokens)

    @property
    def label(self) -> str:
        """The cell in a file name."""
        depth = "full" if self.depth == FULL else short(self.depth)
        return self.prompt.id if self.depth == 0 else f"{self.prompt.id}-depth-{depth}"


def depths(text: str) -> tuple[int, ...]:
    """Read `0,8k,32k,full`; k is 1024.

    Raises:
        ValueError: something else stands there.
    """
    found = []
    for part in text.lower().replace(" ", "").split(","):
        if part == "full":
            found.append(FULL)
            continue
        factor = _FACTORS.get(part[-1:], 1)
        digits = part[:-1] if part[-1:] in _FACTORS else part
        if not digits.isdecimal():
            raise ValueError(f"{part!r} is no depth; write tokens such as 8192 or 8k, or full")
        found.append(int(digits) * factor)
    return tuple(dict.fromkeys(found))


def short(tokens: int) -> str:
    """Tokens as a short text: 8k for 8192, 8000 for 8000."""
    return f"{tokens // 1024}k" if tokens and tokens % 1024 == 0 else str(tokens)


def cells(prompts: Sequence[Prompt], depth_list: Sequence[int]) -> tuple[Cell, ...]:
    """Every prompt at every depth."""
    return tuple(Cell(prompt, depth) for prompt in prompts for depth in depth_list)


def turns(runs: int, configurations: int) -> Iterator[tuple[int, int]]:
    """Run and configuration, interleaved; the one that begins changes with every round, so that none always
    comes first or always follows the same other.
    """
    for run in range(runs):
        for place in range(configurations):
            yield run, (run + place) % configurations


def protocol(cell: Cell, depth: int, settings: Settings, cache: str, request_sha256: str,
             vision_loaded: bool | None) -> dict[str, Any]:  # fmt: skip
    """The protocol part of a report."""
    asking = settings.asking
    found: dict[str, Any] = {
        "prompt": cell.prompt.id,
        "prompt_sha256": cell.prompt.sha256,
        "request_sha256": request_sha256,
        "tokens_per_run": cell.tokens(settings),
        "depth_tokens": depth,
        "warmup": _warmup(settings.warmups),
        "warmup_runs": settings.warmups,
        "concurrency": settings.concurrency,
        "sampling": dict(asking.sampling),
        "seed": asking.seed,
        "seed_varies": asking.vary_seed,
        "ignore_eos": asking.ignore_eos,
        "prompt_cache": cache,
    }
    if asking.thinking is not None:
        found["thinking"] = asking.thinking
    if vision_loaded is not None:
        found["vision_loaded"] = vision_loaded
    return found


def _warmup(count: int) -> Mapping[str, str]:
    if count == 0:
        return {"en": "none", "fr": "aucune"}
    return {
        "en": f"{count} run{'s' if count > 1 else ''} of the same request, kept in the report and not counted",
        "fr": f"{count} passe{'s' if count > 1 else ''} de la même requête, gardée{'s' if count > 1 else ''} dans "
        "le relevé et non comptée" + ("s" if count > 1 else ""),
    }
