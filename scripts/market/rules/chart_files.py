"""Family ``chart``: the chart as a whole: what Helm's linter and its limits say."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator

from market.catalog import App, Catalog
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import is_sound
from market.rules.registry import declare, package_check, problem
from market.templates import source_path

RELEASE_LIMIT = 1024 * 1024
"""Bytes of a Secret, in which Helm keeps a release with all files of its chart."""

LONGEST = 200
"""Characters of a remark that are shown."""

declare("chart.lint", "error", "Helm's linter refuses the chart",
        why="What the linter calls an error fails when the chart is installed.",
        fix="Do what the message says.",
        source="helm lint")  # fmt: skip
declare("chart.lint-warning", "warning", "Helm's linter warns of the chart",
        why="The chart installs today, but relies on something deprecated or against convention.",
        fix="Do what the message says.",
        source="helm lint")  # fmt: skip
declare("chart.subchart", "error", "A chart inside the chart",
        why="Rules and the platform's checks look at this chart alone, and no app of the official catalog has a "
            "charts/ folder: what it brings would be installed unseen.",
        fix="Move its templates into chart/templates/, or depend on another app with `options.dependencies`.",
        source="official catalog beclab/apps")  # fmt: skip
declare("chart.too-large", "error", "A chart that does not fit into a release",
        why="Helm keeps every file of an installed chart in one Secret of at most 1 MiB; the installation fails "
            "with a larger one.",
        fix="Take large files out of chart/; let the app download them.",
        source="Helm, storage driver secret; Kubernetes MaxSecretSize")  # fmt: skip
_MACHINE_PATH = re.compile(r"(?:/[^\s/:\"']+)+/(?=(?:chart\.tgz|helm-lint|market-lint))\S*")


@package_check
def lint(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Helm's linter has nothing to say, where the chart renders to YAML at all."""
    rendering = next(iter(package.renderings.values()), None)
    if rendering is None or not is_sound(rendering):
        return
    for remark in rendering.remarks:
        rule = "chart.lint" if remark.is_error else "chart.lint-warning"
        text = _MACHINE_PATH.sub("the chart", " ".join(remark.text.split()))
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
        yield problem(rule, _remarked(catalog, package.app, remark.path), message=shown)


@package_check
def contents(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """One chart, and small enough."""
    app = package.app
    files = catalog.chart_files(app)
    inner = sorted(path for path in files if path.startswith("charts/"))
    if inner:
        yield problem("chart.subchart", f"{app.folder}/chart/{inner[0]}", message="chart/charts/ is not empty")
    size = _release_size(package)
    if size > RELEASE_LIMIT:
        message = f"a release of it takes about {size} bytes; {RELEASE_LIMIT} fit"
        yield problem("chart.too-large", f"{app.folder}/chart/Chart.yaml", message=message)


def _remarked(catalog: Catalog, app: App, path: str) -> str:
    known = catalog.chart_files(app)
    return source_path(catalog, app, path) if path in known else f"{app.folder}/chart/Chart.yaml"


def _release_size(package: Package) -> int:
    """Bytes of the Secret of an installed release, about: JSON with the files in base64, gzip, base64."""
    data = package.archive.data
    if len(data) * 3 < RELEASE_LIMIT * 2:
        return len(data)
    return len(zlib.compress(base64.b64encode(data), 9)) * 4 // 3
