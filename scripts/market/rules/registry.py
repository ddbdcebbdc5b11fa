"""The register of rules: what each checks, how much it matters, why, and where it comes from.

A rule is declared once, beside the code that finds it. Reports, `market explain` and the rule pages of
the site are made from this register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from market.problem import Problem, Severity

if TYPE_CHECKING:
    from market.catalog import App, Catalog
    from market.packaging import Package

SeverityName = Literal["error", "warning", "advice"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``id`` is ``family.name`` and never changes; ``source`` says who demands it."""

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    source: str

    @property
    def family(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]


AppCheck = Callable[["App"], Iterator[Problem]]
CatalogCheck = Callable[["Catalog"], Iterator[Problem]]
PackageCheck = Callable[["Catalog", "Package"], Iterator[Problem]]

_RULES: dict[str, Rule] = {}
_APP_CHECKS: list[AppCheck] = []
_CATALOG_CHECKS: list[CatalogCheck] = []
_PACKAGE_CHECKS: list[PackageCheck] = []


def declare(id: str, severity: SeverityName, title: str, *, why: str, fix: str, source: str = "") -> None:
    """Register a rule.

    Raises:
        ValueError: the id is taken; a bug of ours, found at import.
    """
    if id in _RULES:
        raise ValueError(f"rule {id} is declared twice")
    _RULES[id] = Rule(id, Severity(severity), title, why, fix, source)


def problem(
    id: str, path: str, line: int = 1, column: int = 1, *, message: str, fix: str = "", why: str = ""
) -> Problem:
    """Make a problem of a declared rule; ``fix`` and ``why`` default to the rule's own."""
    rule = _RULES[id]
    return Problem(id, rule.severity, path, line, column, message, why or rule.why, fix or rule.fix)


def app_check(check: AppCheck) -> AppCheck:
    """Register a function that checks one app by itself."""
    _APP_CHECKS.append(check)
    return check


def catalog_check(check: CatalogCheck) -> CatalogCheck:
    """Register a function that checks the catalog as a whole."""
    _CATALOG_CHECKS.append(check)
    return check


def package_check(check: PackageCheck) -> PackageCheck:
    """Register a function that checks one packaged and rendered app."""
    _PACKAGE_CHECKS.append(check)
    return check


def rules() -> tuple[Rule, ...]:
    """Return every declared rule, sorted by id."""
    return tuple(_RULES[id] for id in sorted(_RULES))


def find(id: str) -> Rule | None:
    """Return the rule with this id."""
    return _RULES.get(id)


def run(catalog: Catalog, packages: Iterable[Package]) -> Iterator[Problem]:
    """Run every registered check over the catalog and its packaged apps."""
    for app in catalog.apps:
        for check in _APP_CHECKS:
            yield from check(app)
    for catalog_wide in _CATALOG_CHECKS:
        yield from catalog_wide(catalog)
    for package in packages:
        for packaged in _PACKAGE_CHECKS:
            yield from packaged(catalog, package)
