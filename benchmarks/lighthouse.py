"""Lighthouse on the site as the Worker's runtime serves it, on this machine: `make lighthouse`.

Performance depends on the machine and what else it does, so it is reported and judged here, not in the tests, and
by the median of several runs, as Lighthouse's documentation advises (docs/variability.md).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from market import runtime
from market.paths import PROJECT

PAGES = (
    "/", "/leaderboard/", "/apps/llamacppqwen36a3bone/", "/blog/qwen36-a3b-vision-gpu-swap/", "/en/",
    "/en/leaderboard/", "/en/apps/llamacppqwen36a3bone/", "/en/blog/qwen36-a3b-vision-gpu-swap/",
)  # fmt: skip
WANTED = {"performance": 0.95, "accessibility": 1.0, "best-practices": 1.0, "seo": 1.0}
LIGHTHOUSE = PROJECT / "node_modules" / "lighthouse" / "cli" / "index.js"
CHROMIUM = "/usr/bin/chromium"
RUNS = 5
ATTEMPTS = 3  # now and then Chromium loses the start of a recording (NO_NAVSTART)


def main(dist: Path) -> int:
    """Measure every page; 1 when one falls short."""
    console = Console()
    table = Table("page", *WANTED, "all runs", "KB over the wire", title=f"Lighthouse, mobile, median of {RUNS}")
    short: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        port = runtime.free_port()
        site = at_home(dist, Path(folder) / "dist", f"http://127.0.0.1:{port}")
        with runtime.serve(site, port) as served:
            for path in PAGES:
                reports = [measured(served.url + path, Path(folder) / "report.json") for _ in range(RUNS)]
                reports.sort(key=performance)
                report = reports[RUNS // 2]
                every = " ".join(f"{100 * performance(one):.0f}" for one in reports)
                scores = {name: report["categories"][name]["score"] or 0.0 for name in WANTED}
                size = report["audits"]["total-byte-weight"]["numericValue"] / 1000
                table.add_row(path, *(f"{100 * score:.0f}" for score in scores.values()), every, f"{size:.0f}")
                short += [f"{path} {name}: {lacking(report, name)}" for name in WANTED if scores[name] < WANTED[name]]
    console.print(table)
    for line in short:
        console.print(line, markup=False)
    return 1 if short else 0


def at_home(dist: Path, target: Path, url: str) -> Path:
    """A copy of what was built that names its local address, as Lighthouse compares a page with its canonical link."""
    market = yaml.safe_load((PROJECT / "data" / "market.yaml").read_text("utf-8"))
    shutil.copytree(dist, target)
    for path in target.rglob("*"):
        if path.suffix in (".html", ".xml", ".txt"):
            path.write_text(path.read_text("utf-8").replace(market["origin"], url), "utf-8")
    return target


def measured(url: str, output: Path) -> dict[str, Any]:
    """One report of Lighthouse on an address."""
    command = [
        str(runtime.node()), str(LIGHTHOUSE), url, "--quiet", "--output=json", f"--output-path={output}",
        f"--only-categories={','.join(WANTED)}", "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]  # fmt: skip
    for attempt in range(1, ATTEMPTS + 1):
        done = subprocess.run(
            command, check=False, timeout=300, env=os.environ | {"CHROME_PATH": CHROMIUM}, cwd=output.parent,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode == 0:
            break
        if attempt == ATTEMPTS:
            raise RuntimeError(f"Lighthouse failed on {url}:\n{done.stderr}")
    found: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return found


def performance(report: dict[str, Any]) -> float:
    """The score, 0 to 1; 0 where there is none."""
    return report["categories"]["performance"]["score"] or 0.0


def lacking(report: dict[str, Any], category: str) -> str:
    """The audits of a category that are not perfect, with their values."""
    audits = (report["audits"][entry["id"]] for entry in report["categories"][category]["auditRefs"] if entry["weight"])
    return "; ".join(
        f"{audit['title']} {audit.get('displayValue', '')}".strip() for audit in audits if (audit["score"] or 0) < 0.9
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "dist"))
