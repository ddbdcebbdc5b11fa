"""A rule broken at a place: the one shape in which bad input is reported.

Problems are values. Readers and rules return them, nobody raises them, and every one found in a run
reaches the contributor together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a problem matters: only an error stops a build."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule.

    ``path`` is relative to the catalog's root, with ``/``; ``line`` and ``column`` count from 1.
    ``message`` says what is wrong, ``why`` why it matters, ``fix`` what to do about it.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    message: str
    why: str = ""
    fix: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """File order, then line order; ties by rule and text so that a run is reproducible."""
        return (self.path, self.line, self.column, self.rule, self.message)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems sorted by place, each once."""
    return tuple(sorted(set(problems), key=lambda problem: problem.sort_key))


def has_errors(problems: Iterable[Problem]) -> bool:
    """Say whether any problem stops a build."""
    return any(problem.severity is Severity.ERROR for problem in problems)
