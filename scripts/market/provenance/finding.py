"""What a check of a live market has to say: values, shown together at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found at ``place``, a request or a file. A note does not fail the check."""

    place: str
    message: str
    note: bool = False


def failed(findings: Iterable[Finding]) -> bool:
    """Whether anything among them fails the check."""
    return any(not finding.note for finding in findings)
