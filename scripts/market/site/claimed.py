"""The page of published claims: each beside its recomputed figure and the verdict that follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from market import claims
from market.claims import Claim, Source, Verdict
from market.problem import Problem
from market.rules.registry import declare
from market.site import expressions, figures, richtext
from market.site.figures import AppFigures, FigureError, ReportFigures
from market.site.language import NO_BREAK
from market.site.pages import Pages
from market.site.placeholder import Unknown
from market.site.words import words
from market.yamldoc import Document

declare("site.claim", "error", "A verdict that the data contradict",
        why="The page of claims corrects others; a verdict of its own that is wrong would be worse than none.",
        fix="State the verdict that follows from the recomputed figure, or correct the expression.")  # fmt: skip

FILE = "data/claims.yaml"
_WORD = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Judged:
    """One claim with its texts in a language, its recomputed figure, and the reports and apps it comes from."""

    claim: Claim
    text: Markup
    note: Markup
    printed: str
    recomputed: str
    reports: tuple[ReportFigures, ...]
    apps: tuple[AppFigures, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """Where something was published, with all that was claimed there."""

    source: Source
    judged: tuple[Judged, ...]


@dataclass(frozen=True)
class Claimed:
    """The claims of one catalog in one language. Reading ``published`` collects the ``problems``."""

    pages: Pages
    document: Document
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """What the names of the file stand for; one that is wrong is a problem, and unknown from then on."""
        return {name: self._named(name, entry) for name, entry in self.document.data["names"].items()}

    @cached_property
    def published(self) -> tuple[Published, ...]:
        """Every source with its claims, in the order of the file."""
        found = claims.claims(self.document.data)
        sources = claims.sources(self.document.data)
        for claim in found:
            if claim.source not in sources:
                self._add(claim, "source", f"there is no source {claim.source}; there are: {', '.join(sources)}")
        judged = [self._judge(claim) for claim in found]
        groups = [
            Published(source, tuple(one for one in judged if one.claim.source == source.id))
            for source in sources.values()
        ]
        return tuple(group for group in groups if group.judged)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many claims have each verdict."""
        judged = [one.claim.verdict for group in self.published for one in group.judged]
        return {verdict: judged.count(verdict) for verdict in Verdict}

    def called(self, one: Judged) -> tuple[tuple[ReportFigures, str], ...]:
        """The reports of a claim, each with a name that no other of them has."""
        language, t = self.pages.language, words(self.pages.language)
        names = [f"{found.app.name}, {language.date(found.date)}" for found in one.reports]
        more: tuple[Callable[[ReportFigures], str], ...] = (
            lambda found: self.pages.say.version(found.report),
            lambda found: f"{language.number(found.context)}{NO_BREAK}{t('tokens')}",
            lambda found: found.report.id,
        )
        for tell in more:
            alike = {name for name in names if names.count(name) > 1}
            told = [tell(found) for found in one.reports]
            names = [
                f"{name}, {own}" if name in alike and len(_of(name, names, told)) > 1 else name
                for name, own in zip(names, told, strict=True)
            ]
        return tuple(zip(one.reports, names, strict=True))

    def _named(self, name: str, entry: Mapping[str, str]) -> ReportFigures | AppFigures | Unknown:
        catalog = self.pages.catalog
        try:
            if "report" in entry:
                return figures.find_report(catalog, entry["app"], entry["report"])
            return AppFigures(figures.find_app(catalog, entry["app"]), self.pages.language)
        except FigureError as error:
            key = "report" if "report" in entry else "app"
            self.problems.append(self.document.problem("site.expression", "names", name, key, message=str(error)))
            return Unknown()

    def _judge(self, claim: Claim) -> Judged:
        value = self._value(claim)
        self._compare(claim, value)
        named = tuple(self._named_in(claim))
        return Judged(
            claim=claim,
            text=self._prose(claim, "claim", claim.text),
            note=self._prose(claim, "note", claim.note or {}),
            printed=self._printed(claim),
            recomputed="" if value is None else self.figure(value, _digits(claim, value), claim),
            reports=tuple(one for one in named if isinstance(one, ReportFigures)),
            apps=tuple(one for one in named if isinstance(one, AppFigures)),
        )

    def _compare(self, claim: Claim, value: float | None) -> None:
        """Hold the stated verdict against the one that follows; what could not be evaluated is reported already."""
        shown = self._shown(claim)
        if claim.compute and (value is None or (claim.test and shown is None)):
            return
        follows = None if value is None else claims.judge(claim, value, shown)
        if contradiction := claims.contradiction(claim, follows):
            figures_of = "" if value is None else f": {claim.printed} was printed, {value:.6g} is recomputed"
            self._add(claim, "verdict", contradiction + figures_of, rule="site.claim")

    def _value(self, claim: Claim) -> float | None:
        """The recomputed figure in the unit of the printed one; ``None`` without one."""
        value = self._evaluate(claim, "compute", claim.compute)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._add(claim, "compute", f"the expression gives {type(value).__name__}, not a number")
            return None
        return claim.in_unit(float(value))

    def _shown(self, claim: Claim) -> bool | None:
        tested = self._evaluate(claim, "test", claim.test)
        if tested is None:
            return None
        if not isinstance(tested, expressions.Tested):
            self._add(
                claim, "test", f"the expression gives {type(tested).__name__}, not a test; write welch(one, other)"
            )
            return None
        return tested.shown

    def _evaluate(self, claim: Claim, key: str, expression: str) -> Any:
        if not expression:
            return None
        try:
            return expressions.evaluate(expression, self.pages, self.names)
        except FigureError as error:
            self._add(claim, key, str(error))
            return None

    def _prose(self, claim: Claim, key: str, pair: Mapping[str, str]) -> Markup:
        code = self.pages.language.code
        if code not in pair:
            return Markup()
        text, problems = expressions.render(pair[code], FILE, self.pages, self.names)
        for problem in problems:
            self._add(claim, key, problem.message, code)
        return richtext.line(text or "")

    def _named_in(self, claim: Claim) -> Iterator[Any]:
        """What the claim's expressions name, each once."""
        words_used = dict.fromkeys(_WORD.findall(f"{claim.compute} {claim.test}"))
        yield from (self.names[name] for name in words_used if name in self.names)

    def _printed(self, claim: Claim) -> str:
        if not claim.printed:
            return ""
        about = f"≈{NO_BREAK}" if claim.printed.startswith("~") else ""
        return about + self.figure(claim.figure, claim.decimals, claim)

    def figure(self, value: float, digits: int, claim: Claim) -> str:
        """A figure with its unit, and with its sign where the printed one has it."""
        language = self.pages.language
        number = language.signed(value, digits) if claim.is_signed else language.number(value, digits)
        if not claim.unit:
            return number
        return str(self.pages.say.words(f"unit_{claim.unit}", n=number))

    def _add(self, claim: Claim, key: str, message: str, *more: str, rule: str = "site.expression") -> None:
        where = ("claims", claim.id, key, *more)
        self.problems.append(self.document.problem(rule, *where, message=f"{claim.id}: {message}"))


def read(pages: Pages) -> Claimed | None:
    """The claims of a catalog, unless its file could not be read."""
    document = pages.catalog.data.get("claims")
    return None if document is None else Claimed(pages, document)


def pages_of(pages: Pages) -> dict[str, str]:
    """The page of claims, by its path below docs/."""
    found = read(pages)
    return {} if found is None else {"claims.md": pages.render("claims.md.jinja", claimed=found)}


def _of(name: str, names: Sequence[str], told: Sequence[str]) -> frozenset[str]:
    """What is told of all that share a name."""
    return frozenset(own for other, own in zip(names, told, strict=True) if other == name)


def _digits(claim: Claim, value: float) -> int:
    """Decimals that show whether a figure is the printed one: as many where it is, more where it is not."""
    if claim.digits is not None:
        return claim.digits
    if abs(value - round(value, claim.decimals)) < 1e-9:
        return claim.decimals
    least = {"tokens/s": 2, "GB": 2}.get(claim.unit, 1)
    return max(claim.decimals + 1, least)
