"""The bench command as a person runs it: its own process, in a folder that is a small catalog."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from market.bench import commands

CONFIGURATION = """\
hardware: olares-one
measured_by: tester
configurations:
  - app: demo
    app_version: "1.0.0"
    complete: false
    image: docker.io/example/server:1
    context_tokens: {context}
    args: []
    models: [{{role: target, repo: example/tiny, file: {file}}}]
"""

# The group is put under the `market` command by itself: it must work before and after it is part of it.
PROGRAM = """
import sys
from market.bench.commands import bench
from market.cli import main
main.commands.setdefault("bench", bench)
sys.argv[0] = "market"
main()
"""


@dataclass(frozen=True)
class Result:
    """What a command said and left."""

    status: int
    out: str
    err: str
    reports: Mapping[str, dict[str, Any]]

    @property
    def report(self) -> dict[str, Any]:
        """The only report."""
        (only,) = self.reports.values()
        return only


def configure(folder: Path, context: int | None = None, file: str = "tiny.gguf") -> Path:
    """A --config file for a server that is no app of the catalog."""
    path = folder / "bench.yaml"
    path.write_text(CONFIGURATION.format(context="null" if context is None else context, file=file))
    return path


def start(arguments: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start `market bench ...` in a folder."""
    return subprocess.Popen([sys.executable, "-c", PROGRAM, "bench", *arguments], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)  # fmt: skip


def finish(process: subprocess.Popen[str], folder: Path, timeout: float = 180) -> Result:
    """Wait for a command."""
    out, err = process.communicate(timeout=timeout)
    reports = {path.name: yaml.safe_load(path.read_text()) for path in sorted(folder.glob("reports/*.yaml"))}
    return Result(process.returncode, out, err, reports)


def bench(arguments: list[str], folder: Path) -> Result:
    """Run `market bench ...` to its end, in this process; its servers are real all the same."""
    typed, sys.argv = sys.argv, ["market", "bench", *arguments]
    try:
        found = CliRunner().invoke(commands.bench, arguments, obj=folder)
    finally:
        sys.argv = typed
    assert found.exception is None or isinstance(found.exception, SystemExit), found.output
    reports = {path.name: yaml.safe_load(path.read_text()) for path in sorted(folder.glob("reports/*.yaml"))}
    return Result(found.exit_code, found.stdout, found.stderr, reports)


def run(url: str, folder: Path, *more: str) -> Result:
    """Run `market bench run` against a server, with reports in ``folder/reports``."""
    config = folder / "bench.yaml"
    if not config.exists():
        configure(folder)
    return bench(["run", "--url", url, "--config", str(config), "--out", str(folder / "reports"), "--no-gpu",
                  "--date", "2026-05-24", *more], folder)  # fmt: skip
