"""Everything that is wrong with a catalog, in one run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from market import foreign, helm, waivers
from market.catalog import Catalog, load
from market.packaging import Engine, Package, package
from market.problem import Problem, has_errors, in_order
from market.progress import Progress
from market.rules import bench, chart, layout, llm, olares, registry, release
from market.site import rules as site

FAMILIES = (layout, olares, chart, llm, bench, release, site)
"""Importing a family registers its rules; the tuple keeps the imports and names the order of reading."""


@dataclass(frozen=True)
class Checked:
    """A catalog with its packaged apps and every problem, in file order."""

    catalog: Catalog = field(repr=False)
    packages: tuple[Package, ...] = field(repr=False)
    problems: tuple[Problem, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing stops a build."""
        return not has_errors(self.problems)


def check(root: Path, progress: Progress, engine: Engine = helm.render_all) -> Checked:
    """Read, render and check the catalog below ``root``; ``engine`` renders the charts.

    Raises:
        MarketError: the environment is at fault, never the catalog.
    """
    with progress.step("read the catalog"):
        catalog, problems = load(root)
    with progress.step(f"render {len(catalog.apps)} charts with Helm"):
        packages = package(catalog, (app for app in catalog.apps if _can_package(app.name, problems)), engine)
    with progress.step("apply the rules"):
        found = _causes([*problems, *registry.run(catalog, packages)])
        remaining = waivers.apply(catalog.root, found)
    return Checked(catalog, packages, in_order(remaining))


def check_foreign(root: Path, progress: Progress) -> foreign.Judged:
    """Check a folder of Olares apps that is no catalog of ours (see `market.foreign`)."""
    with progress.step("check a folder of Olares apps"):
        return foreign.check(root)


def _causes(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Leave out what a rendered object says again of a value that its own file's schema refused."""
    refused = {(one.path, one.line, one.column) for one in problems if one.rule.startswith("schema.")}
    return tuple(
        one for one in problems if not (one.rule.startswith("chart.") and (one.path, one.line, one.column) in refused)
    )


def _can_package(name: str, problems: Iterable[Problem]) -> bool:
    """Whether an app's chart can be handed to Helm: no file of it was refused by the reader."""
    chart = f"apps/{name}/chart/"
    return not any(
        found.path.startswith(chart) and found.rule.startswith(("layout.", "yaml.")) and has_errors([found])
        for found in problems
    )
