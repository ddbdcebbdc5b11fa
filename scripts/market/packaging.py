"""From app folders to chart archives and their renderings."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from market import scenario as scenarios
from market.archive import Archive, pack
from market.catalog import App, Catalog
from market.helm import Job, Rendering, render_all
from market.scenario import Probe, Scenario

Engine = Callable[[Sequence[Job], Container[int]], tuple[Rendering, ...]]


@dataclass(frozen=True, slots=True)
class Package:
    """An app, its chart archive, and what Helm makes of it in each scenario and in each probe."""

    app: App
    archive: Archive
    renderings: Mapping[Scenario, Rendering]
    probes: Mapping[Probe, Rendering] = field(default_factory=dict)


def archive(catalog: Catalog, app: App) -> Archive:
    """The chart archive of an app as a device downloads it."""
    return pack(app.name, app.version, catalog.chart_files(app))


def package(catalog: Catalog, apps: Iterable[App], engine: Engine = render_all) -> tuple[Package, ...]:
    """Pack apps and render each in all its scenarios and probes; Helm's linter looks at the first one.

    ``engine`` renders; the default one bounds time and memory.

    Raises:
        MarketError: the Helm engine cannot be started.
    """
    chosen = tuple(apps)
    archives = [archive(catalog, app) for app in chosen]
    jobs: list[Job] = []
    linted: set[int] = set()
    for app, made in zip(chosen, archives, strict=True):
        linted.add(len(jobs))
        jobs += _jobs(app, made)
    results = iter(engine(jobs, linted))
    return tuple(
        Package(
            app,
            made,
            {scenario: next(results) for scenario in scenarios.scenarios(app.manifest)},
            {probe: next(results) for probe in scenarios.probes(app.manifest)},
        )
        for app, made in zip(chosen, archives, strict=True)
    )


def _jobs(app: App, made: Archive) -> list[Job]:
    """The renderings of an app: its scenarios, then its probes."""
    manifest = app.manifest
    installed = [(app.name, scenarios.values(manifest, scenario)) for scenario in scenarios.scenarios(manifest)]
    probed = [
        (probe.release or app.name, scenarios.probe_values(manifest, probe)) for probe in scenarios.probes(manifest)
    ]
    return [(made.data, name, values) for name, values in installed + probed]
