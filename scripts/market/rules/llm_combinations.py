"""Family ``llm``: one rule for each combination that is known to fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from market import combination
from market.catalog import Catalog
from market.combination import Combination
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, View
from market.rules.llm_views import at_pointer, each_serving
from market.rules.registry import declare, package_check
from market.serving import Serving

EVIDENCE = {
    "author": "published by the catalog's author from use on the machine",
    "source-code": "read in the source code",
    "upstream": "reported and answered in the engine's own project",
    "third-party": "reported by another user",
    "computed": "computed from published figures",
}


def _declare(one: Combination) -> None:
    """Register the rule of a combination."""
    why = " ".join(text["en"] for text in (one.symptom, one.scope) if text)
    sources = ", ".join(source["url"] for source in one.sources)
    severity = cast(Literal["error", "warning", "advice"], one.severity)
    declare(one.rule, severity, one.title["en"], why=why, fix=one.fix["en"],
            source=f"{EVIDENCE[one.evidence]}: {sources}")  # fmt: skip


for _one in combination.load():
    if _one.is_checked:
        _declare(_one)


@package_check
def combinations(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """No app runs a combination that is known to fail."""
    yield from each_serving(catalog, package, known)


def known(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The combinations that an app runs."""
    for one in combination.found_in(found):
        yield pointed(one, found)


def pointed(one: Combination, found: Serving) -> Finding:
    """The finding of a combination, at the first thing of its ``at`` that is there."""
    amounts = {name: f"{value:g}" if value % 1 else f"{value:.0f}" for name, value in found.numbers.items()}
    message = one.message.format_map(amounts) if one.message else one.title["en"]
    for pointer in (*one.at, "image"):
        finding = at_pointer(one.rule, found, pointer, message=message)
        if finding is not None:
            return finding
    raise AssertionError("a container has a place for its image")
