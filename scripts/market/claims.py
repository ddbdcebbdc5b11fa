"""Published claims: what was claimed, where, with which figure, and what the data make of it.

The claims are data (data/claims.yaml). A claim with an expression is recomputed on every build, and its
verdict must be the one that follows from the recomputed figure; the others are judged by hand, in a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

PERCENT: Final = "percent"
_EXACT: Final = 1e-9


class Verdict(StrEnum):
    """What the data make of a claim."""

    HOLDS = "holds"
    ROUNDS = "rounds"
    NOT_SHOWN = "not-shown"
    WRONG = "wrong"
    SUPERSEDED = "superseded"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class Source:
    """Where claims were published; ``page`` is the page of this site that tells it anew, below its root."""

    id: str
    title: Mapping[str, str]
    url: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. ``printed`` is its figure as printed, or empty; ``compute`` and ``test`` are expressions."""

    id: str
    text: Mapping[str, str]
    source: str
    verdict: Verdict
    printed: str = ""
    unit: str = ""
    compute: str = ""
    test: str = ""
    tolerance: float | None = None
    digits: int | None = None
    is_from_print: bool = False
    note: Mapping[str, str] | None = None

    @property
    def figure(self) -> float:
        """The printed figure as a number, in its unit."""
        return float(self.printed.removeprefix("~"))

    @property
    def decimals(self) -> int:
        """How many decimals were printed."""
        return len(self.printed.partition(".")[2])

    @property
    def is_signed(self) -> bool:
        """Whether the figure was printed with its sign."""
        return self.printed.removeprefix("~")[:1] in ("+", "-")

    @property
    def is_approximate(self) -> bool:
        """Whether the figure was printed as approximate, or is known to be cut off."""
        return self.printed.startswith("~") or self.tolerance is not None

    @property
    def margin(self) -> float:
        """By how much the recomputed figure may differ: half of the last printed digit, unless told otherwise."""
        return 0.5 * 10**-self.decimals if self.tolerance is None else self.tolerance

    def in_unit(self, value: float) -> float:
        """A computed value in the unit of the printed figure: fractions become per cent."""
        return value * 100 if self.unit == PERCENT else value


def sources(data: Mapping[str, Any]) -> Mapping[str, Source]:
    """The sources of data/claims.yaml by id, in their order."""
    return {
        id: Source(id, entry["title"], entry.get("url", ""), entry.get("page", ""))
        for id, entry in data["sources"].items()
    }


def claims(data: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of data/claims.yaml, which has passed its schema, in their order."""
    return tuple(_claim(id, entry) for id, entry in data["claims"].items())


def _claim(id: str, entry: Mapping[str, Any]) -> Claim:
    return Claim(
        id=id,
        text=entry["claim"],
        source=entry["source"],
        verdict=Verdict(entry["verdict"]),
        printed=entry.get("printed", ""),
        unit=entry.get("unit", ""),
        compute=entry.get("compute", ""),
        test=entry.get("test", ""),
        tolerance=entry.get("tolerance"),
        digits=entry.get("digits"),
        is_from_print=entry.get("basis") == "printed",
        note=entry.get("note"),
    )


def judge(claim: Claim, value: float, shown: bool | None = None) -> Verdict:
    """The verdict that follows from a recomputed figure, in the unit of the printed one.

    ``shown`` is what Welch's test says of the difference that the figure claims, if it claims one.
    """
    off = abs(value - claim.figure)
    if off > claim.margin + _EXACT:
        return Verdict.WRONG
    if shown is False:
        return Verdict.NOT_SHOWN
    return Verdict.ROUNDS if claim.is_approximate and off > _EXACT else Verdict.HOLDS


def contradiction(claim: Claim, follows: Verdict | None) -> str:
    """Why the stated verdict cannot stand beside the one that ``follows`` from the data, or an empty text."""
    if follows is None:
        needs_figure = claim.verdict in (Verdict.HOLDS, Verdict.ROUNDS, Verdict.NOT_SHOWN)
        return f"nothing is computed that could show that it {claim.verdict}" if needs_figure else ""
    # What was right on its day and no longer is has a figure that agrees.
    agrees = follows in (Verdict.HOLDS, Verdict.ROUNDS)
    if claim.verdict is follows or (claim.verdict is Verdict.SUPERSEDED and agrees):
        return ""
    return f"the verdict is {claim.verdict}, the recomputed figure gives {follows}"
