"""The shapes in which problems are shown; each is a pure function from problems to a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from market.problem import Problem
from market.reporters import github, jsonreport, sarif, text

Reporter = Callable[[Sequence[Problem], Mapping[str, str]], str]
"""Takes the problems in order and the sources by path (for excerpts)."""

REPORTERS: Mapping[str, Reporter] = {
    "text": text.report,
    "json": jsonreport.report,
    "github": github.report,
    "sarif": sarif.report,
}
