"""Family ``chart``: whether Helm renders the templates, and to YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from market.catalog import Catalog
from market.packaging import Package
from market.problem import Problem
from market.rendered import read
from market.rules.chart_views import is_manifest
from market.rules.registry import declare, package_check, problem
from market.templates import place_of_line, source_path

declare("chart.render", "error", "Helm cannot render the chart",
        why="The installation would fail on every device.",
        fix="Correct the template; `market render NAME` shows what Helm makes of it.",
        source="Olares framework/oac, helm dry run in both owner scenarios")  # fmt: skip
declare("chart.output", "error", "A template renders to something that is not YAML",
        why="Helm accepts it, the cluster does not.",
        fix="Look at the output with `market render NAME`; mind indentation and `---` lines.",
        source="Olares framework/oac, decode of the rendered manifest")  # fmt: skip

declare("chart.checker", "error", "Helm cannot render the chart with the values of the platform's checker",
        why="Before an app is installed, Olares renders it with few values: no environment, no folders but appdata "
            "and data. A chart that does not render then is refused.",
        fix="Guard the value: `{{ (.Values.olaresEnv).NAME | default \"\" }}`, or `{{ with ... }}`.",
        source="Olares framework/oac, helmrender BuildValues")  # fmt: skip

_PLACE = re.compile(r"\(?(?P<path>[\w./-]+\.(?:ya?ml|tpl|txt)):(?P<line>\d+)(?::(?P<column>\d+))?")


@package_check
def renders(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Helm renders the chart in every scenario and for the checker, and the output is YAML."""
    found: dict[Problem, list[str]] = {}
    for scenario, rendering in package.renderings.items():
        for one in _failure(catalog, package, "chart.render", rendering.error):
            found.setdefault(one, []).append(scenario.label)
        for template, text in rendering.documents.items():
            for one in _unreadable(catalog, package, template, text):
                found.setdefault(one, []).append(scenario.label)
    for one, labels in found.items():
        everywhere = len(labels) == len(package.renderings)
        yield one if everywhere else replace(one, message=f"{one.message} ({'; '.join(labels)})")
    if not any(rendering.error for rendering in package.renderings.values()):
        for probe, rendering in package.probes.items():
            yield from _failure(catalog, package, "chart.checker", rendering.error if probe.bare else "")


def _failure(catalog: Catalog, package: Package, rule: str, error: str) -> Iterator[Problem]:
    if error:
        match = _PLACE.search(error)
        path, line, column = f"{package.app.folder}/chart/Chart.yaml", 1, 1
        if match:
            path = source_path(catalog, package.app, match["path"])
            line, column = int(match["line"]), int(match["column"] or 0) + 1
        yield problem(rule, path, line, column, message=_brief(error))


def _unreadable(catalog: Catalog, package: Package, template: str, text: str) -> Iterator[Problem]:
    stream = read(text) if is_manifest(template) else None
    if stream and stream.error:
        at = place_of_line(catalog, package.app, template, text, stream.error_line)
        message = f"rendered line {stream.error_line}: {stream.error}"
        yield problem("chart.output", at.path, at.line, at.column, message=message)


def _brief(error: str) -> str:
    line = " ".join(error.split())
    return line if len(line) <= 300 else f"{line[:297]}..."
