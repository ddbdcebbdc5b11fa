"""Waivers: a rule set aside for one app, with a reason and a last day. They are data and are checked too.

The day a waiver ends is compared with the newest date in the repository's own ledger, not with a clock,
so that the same commit is judged the same way on every machine and day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from market import ledger as ledgers
from market import schema
from market.problem import Problem
from market.rules.registry import declare, find
from market.source import decode, read_file
from market.yamldoc import Document, parse

FILE = "waivers.yaml"

declare("waiver.stale", "warning", "A waiver that waives nothing",
        why="Left in place, it would hide the next problem of its rule.",
        fix="Delete it from waivers.yaml.")  # fmt: skip
declare("waiver.expired", "error", "A waiver past its last day",
        why="It was granted for a time; the problem it hid is still there.",
        fix="Correct the app, or argue for a new date in waivers.yaml.")  # fmt: skip
declare("waiver.unknown-rule", "error", "A waiver of a rule that does not exist",
        why="It hides nothing, and somebody thinks it does.",
        fix="Correct the rule's id; `market explain` lists them.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waiver:
    """One waiver; ``until`` is an ISO date, its last day."""

    rule: str
    app: str
    until: str
    reason: str
    index: int


def apply(root: Path, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Drop waived problems and add those of the waivers themselves."""
    everything = tuple(problems)
    document, found = _read(root)
    if document is None or found:
        return (*everything, *found)
    granted = [Waiver(**entry, index=index) for index, entry in enumerate(document.data["waivers"])]
    today = _newest_date(root)
    valid = [waiver for waiver in granted if not today or waiver.until >= today]
    kept = tuple(one for one in everything if not any(_covers(waiver, one) for waiver in valid))
    return (*kept, *_own_problems(document, granted, valid, everything, today))


def _read(root: Path) -> tuple[Document | None, tuple[Problem, ...]]:
    file, problems = read_file(root, FILE)
    if file is None:
        return None, problems
    text, problems = decode(file)
    if text is None:
        return None, problems
    document, more = parse(text)
    if document is None:
        return None, (*problems, *more)
    return document, (*problems, *more, *schema.validate(document, "waivers"))


def _covers(waiver: Waiver, one: Problem) -> bool:
    return one.rule == waiver.rule and one.path.startswith(f"apps/{waiver.app}/")


def _own_problems(
    document: Document, granted: list[Waiver], valid: list[Waiver], problems: tuple[Problem, ...], today: str
) -> Iterator[Problem]:
    for waiver in granted:
        at = ("waivers", waiver.index)
        if find(waiver.rule) is None:
            yield document.problem("waiver.unknown-rule", *at, "rule", message=f"no rule {waiver.rule}")
        elif waiver not in valid:
            message = f"ended on {waiver.until}; the newest release is of {today}"
            yield document.problem("waiver.expired", *at, "until", message=message)
        elif not any(_covers(waiver, one) for one in problems):
            message = f"{waiver.app} does not break {waiver.rule}"
            yield document.problem("waiver.stale", *at, message=message)


def _newest_date(root: Path) -> str:
    """The newest release date in the ledger's text; the ledger itself is judged elsewhere."""
    file, _ = read_file(root, ledgers.FILE)
    text = decode(file)[0] if file else None
    document = parse(text)[0] if text else None
    releases = document.get("releases", default={}) if document else {}
    dates = [entry.get("released", "") for entry in releases.values() if isinstance(entry, dict)]
    return max((date[:10] for date in dates if isinstance(date, str)), default="")
