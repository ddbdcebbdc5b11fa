"""Family ``site``: authored pages say only what the catalog says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from market.catalog import Catalog
from market.problem import Problem
from market.rules.registry import catalog_check, declare, problem
from market.site import authored, claimed, expressions
from market.site.language import LANGUAGES, Language
from market.site.pages import Pages

declare("site.typed-figure", "error", "A measured figure typed by hand",
        why="A typed figure stays when the report behind it is corrected.",
        fix='Write an expression, e.g. `{{ fmt(report("app", "id").mean, 2) }}`.')  # fmt: skip
declare("site.twin", "error", "A page that lacks its twin in the other language",
        why="The language switch leads to the same address in the other language.",
        fix="Add the page under the same path.")  # fmt: skip

_EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
_NUMBER = re.compile(r"(?<![\w.,])\d+[.,]\d+(?![\w]|[.,]\d)")


@catalog_check
def authored_pages(catalog: Catalog) -> Iterator[Problem]:
    """Every authored page can be filled in, types no figure by hand and has its twin."""
    if not catalog.sound or not authored.exists(catalog.root):
        return
    for language in LANGUAGES:
        pages = Pages(catalog, language)
        known = measured(pages)
        own, problems = authored.read(catalog.root, language)
        yield from problems
        for path, text in own.pages.items():
            shown = f"{own.folder}/{path}"
            yield from expressions.render(text, shown, pages)[1]
            yield from typed_figures(text, shown, known)
    yield from twins(catalog.root)


@catalog_check
def published_claims(catalog: Catalog) -> Iterator[Problem]:
    """Every claim can be recomputed, has the verdict that follows, and types no figure by hand."""
    if not catalog.sound:
        return
    reported = set()
    for language in LANGUAGES:
        pages = Pages(catalog, language)
        found = claimed.read(pages)
        if found is None:
            continue
        assert found.published is not None  # reading them collects the problems
        fresh = [one for one in (*found.problems, *_typed(found, pages)) if one not in reported]
        reported.update(fresh)
        yield from fresh


def _typed(found: claimed.Claimed, pages: Pages) -> Iterator[Problem]:
    """Figures typed by hand in the texts of claims."""
    known, code = measured(pages), pages.language.code
    for id, entry in found.document.data["claims"].items():
        for key in ("claim", "note"):
            text = (entry.get(key) or {}).get(code, "")
            for typed in typed_figures(text, claimed.FILE, known):
                yield found.document.problem(typed.rule, "claims", id, key, code, message=typed.message)


def typed_figures(text: str, path: str, known: dict[str, str]) -> Iterator[Problem]:
    """Find decimal numbers in a page that equal a measured figure."""
    bare = _EXPRESSION.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _NUMBER.finditer(bare):
        source = known.get(match[0].replace(",", "."))
        if source is not None:
            before = bare[: match.start()]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            message = f"{match[0]} is a figure of {source}"
            yield problem("site.typed-figure", path, line, column, message=message)


def twins(root: Path) -> Iterator[Problem]:
    """Find pages that only one language has."""
    paths = {language: set(authored.read(root, language)[0].pages) for language in LANGUAGES}
    for language in LANGUAGES:
        for other in LANGUAGES:
            for path in sorted(paths[other] - paths[language]):
                yield _lonely(language, path)


def _lonely(language: Language, path: str) -> Problem:
    return problem("site.twin", f"docs/{language.code}/{path}", message=f"{path} is missing in this language")


def measured(pages: Pages) -> dict[str, str]:
    """Every figure that a page must not spell out, as digits, with where it comes from."""
    found: dict[str, str] = {}
    for row in pages.rows:
        s, source = row.statistics, f"{row.app.name} {row.report.id}"
        for value in (s.mean, s.minimum, s.maximum, s.median, *row.report.speeds):
            if value is None:
                continue
            for digits in (1, 2, 3):
                text = f"{value:.{digits}f}"
                if text[-1] != "0":
                    found.setdefault(text, source)
    return found
