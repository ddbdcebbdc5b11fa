"""How much faster a build is after one report changed: `python -m benchmarks.rebuild`."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import yaml
from rich.console import Console

from market.catalog import load
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
        full = built(catalog, Path(folder) / "full", work, console)
        report = catalog / "apps/llamacppqwen36a3btextone/bench/2026-05-21-space-invaders-32k.yaml"
        data = yaml.safe_load(report.read_text("utf-8"))
        data["runs"][0]["tokens_per_second"] += 0.07
        report.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
        again = built(catalog, Path(folder) / "again", work, console)
    console.print(f"full {full:.1f} s, after one report changed {again:.1f} s: {full / again:.1f} times faster")
    return 0 if full >= 3 * again else 1


def built(catalog: Path, out: Path, work: Path, console: Console) -> float:
    """Seconds that a build of the site takes."""
    out.mkdir()
    loaded = load(catalog)[0]
    started = time.perf_counter()
    build_site(loaded, out, work, EPOCH, Shown(console))
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
