"""How much faster a build is after one report changed: `python -m benchmarks.rebuild`.

Each build has a process of its own and checks the catalog first, as for somebody who runs `market build` twice;
what is timed is the site. Two reports are changed: one that most write-ups cite, and one that none does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import yaml
from rich.console import Console

from market.check import check
from market.paths import PROJECT
from market.progress import Shown
from market.site.build import build_site

EPOCH = 1_780_000_000
COPIED = ("apps", "archetypes", "data", "docs")
ROUNDS = 5
REPORTS = {
    "a report that write-ups cite": "apps/llamacppqwen36a3btextone/bench/2026-05-21-space-invaders-32k.yaml",
    "another report": "apps/gemma426ba4bone/bench/2026-05-07-single-run-64k.yaml",
}


def main() -> int:
    """Build the site of the whole catalog in both languages, change one run, build it again; 1 below a factor of 3."""
    console = Console()
    ratios: dict[str, list[float]] = {what: [] for what in REPORTS}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for copied in COPIED:
                shutil.copytree(PROJECT / copied, folder / "catalog" / copied)
            shutil.copy(PROJECT / "releases.json", folder / "catalog")
            full = alone(folder, "full")
            for what, report in REPORTS.items():
                change(folder / "catalog" / report)
                again = alone(folder, what)
                ratios[what].append(full / again)
                console.print(f"full {full:.1f} s, after {what} changed {again:.1f} s: {full / again:.1f} times faster")
    medians = {what: median(found) for what, found in ratios.items()}
    for what, ratio in medians.items():
        console.print(f"median after {what} changed: {ratio:.1f} times faster")
    return 0 if min(medians.values()) >= 3 else 1


def change(report: Path) -> None:
    """Make one run of a report a little faster."""
    data = yaml.safe_load(report.read_text("utf-8"))
    data["runs"][0]["tokens_per_second"] += 0.07
    report.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")


def alone(folder: Path, name: str) -> float:
    """Seconds that a build of the site takes in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(built, folder / "catalog", folder / name, folder / "work").result()


def built(catalog: Path, out: Path, work: Path) -> float:
    """Seconds that a build of the site takes."""
    out.mkdir()
    progress = Shown(Console())
    checked = check(catalog, progress)
    started = time.perf_counter()
    build_site(checked.catalog, out, work, EPOCH, progress, checked.packages)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
