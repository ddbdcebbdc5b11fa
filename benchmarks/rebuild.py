"""How much faster a build is after one report changed: `python -m benchmarks.rebuild`.

Each build has a process of its own and checks the catalog first, as for somebody who runs `market build` twice;
what is timed is the site.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import yaml
from rich.console import Console

from market.check import check
from market.paths import PROJECT
from market.progress import Shown
from market.site.build import build_site

EPOCH = 1_780_000_000
COPIED = ("apps", "archetypes", "data", "docs")


def main() -> int:
    """Build the site of the whole catalog in both languages, change one run, build it again; 1 below a factor of 3."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        catalog, work = Path(folder) / "catalog", Path(folder) / "work"
        for name in COPIED:
            shutil.copytree(PROJECT / name, catalog / name)
        shutil.copy(PROJECT / "releases.json", catalog)
        full = alone(catalog, Path(folder) / "full", work)
        report = catalog / "apps/llamacppqwen36a3btextone/bench/2026-05-21-space-invaders-32k.yaml"
        data = yaml.safe_load(report.read_text("utf-8"))
        data["runs"][0]["tokens_per_second"] += 0.07
        report.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
        again = alone(catalog, Path(folder) / "again", work)
    console.print(f"full {full:.1f} s, after one report changed {again:.1f} s: {full / again:.1f} times faster")
    return 0 if full >= 3 * again else 1


def alone(catalog: Path, out: Path, work: Path) -> float:
    """Seconds that a build of the site takes in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(built, catalog, out, work).result()


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
