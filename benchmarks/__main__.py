"""Run every comparison and print a table: `make bench`."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import helm_python
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks import endpoint
from market.archive import pack
from market.catalog import Catalog, load
from market.files import write_tree
from market.paths import PROJECT
from market.source import SourceText
from market.yamldoc import parse

ROUNDS = 30

Work = Callable[[], object]


def compare(ours: Work, peer: Work) -> tuple[float, float]:
    """Median and spread (quartiles' distance) of our time over the peer's, alternating which goes first."""
    ratios = []
    for number in range(ROUNDS):
        order = (ours, peer) if number % 2 else (peer, ours)
        times = {}
        for work in order:
            started = time.perf_counter()
            work()
            times[work] = time.perf_counter() - started
        ratios.append(times[ours] / times[peer])
    low, _, high = statistics.quantiles(ratios, n=4)
    return statistics.median(ratios), high - low


def reading(catalog: Catalog) -> tuple[Work, Work]:
    """Every document of the catalog: data with positions and refusals, against PyYAML's C loader."""
    texts = [SourceText(path, text) for path, text in catalog.sources.items()]
    return (
        lambda: [parse(text) for text in texts],
        lambda: [yaml.load(text.text, Loader=yaml.CSafeLoader) for text in texts],
    )


def packing(catalog: Catalog, folder: Path) -> tuple[Work, Work]:
    """Every chart into its archive, against Helm's own packager on the same files."""
    charts = {app: catalog.chart_files(app) for app in catalog.apps}
    for app, files in charts.items():
        write_tree(folder / app.name, files)
    return (
        lambda: [pack(app.name, app.version, files) for app, files in charts.items()],
        lambda: [helm_python.package(folder / app.name, destination=folder) for app in charts],
    )


def main() -> None:
    """Measure and print."""
    catalog, _ = load(PROJECT)
    table = Table("what", "peer", "our time / the peer's", "quartiles apart")
    with tempfile.TemporaryDirectory() as folder:
        for what, peer, (ours, theirs) in (
            ("reading YAML with positions", "PyYAML CSafeLoader", reading(catalog)),
            ("packing charts", "helm package (SDK)", packing(catalog, Path(folder))),
        ):
            ratio, spread = compare(ours, theirs)
            table.add_row(what, peer, f"{ratio:.2f}", f"{spread:.2f}")
    Console().print(table)
    endpoint.show(Console())


if __name__ == "__main__":
    main()
