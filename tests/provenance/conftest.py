"""A small market with a past, in a repository of its own, built and served by the real runtime."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from securesystemslib.signer import CryptoSigner
from tests.provenance.made import release

from market.files import write_tree
from market.paths import PROJECT
from market.provenance import keys
from market.provenance.manifest import of_folder
from market.provenance.rebuild import Rebuilt
from market.runtime import environment, node, serve

PROGRAM = ("scripts", "schema", "theme", "worker", "mkdocs.yml", "mkdocs.en.yml", "pyproject.toml",
           "wrangler.toml", "data/incompatibilities.yaml", "data/flags")  # fmt: skip
EXAMPLE = PROJECT / "scripts/market/rules/examples/base"
PREVIOUS = "e" * 64
OLD = "demo@0.9.0"
OLD_CHART = b"a chart of the past"
PAGE = "---\ntitle: Page\ndescription: A page.\n---\n# Page\n\n## Install\n\nText.\n"


@dataclass(frozen=True)
class Built:
    """A repository and the folder that its only commit gives."""

    repository: Path
    dist: Path


@dataclass(frozen=True)
class Market:
    """A market under test: what was built, the folder that is served, where, and the archive's local state."""

    built: Built
    dist: Path
    url: str
    state: Path
    signer: CryptoSigner

    def archive(self, file: str, data: bytes, scratch: Path) -> None:
        """Put an object into the local archive bucket with the real tool."""
        source = scratch / "object"
        source.write_bytes(data)
        wrangler(
            "r2", "object", "put", f"olares-one-market/charts/{file}", "--local", "--persist-to", str(self.state),
            "--file", str(source),
        )  # fmt: skip

    @property
    def rebuilt(self) -> Rebuilt:
        """The folder as if it had been rebuilt: what is served is altered against it."""
        return Rebuilt(self.built.dist, self.built.repository, of_folder(self.built.dist))


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Commit the example catalog together with the program, and build that commit."""
    folder = tmp_path_factory.mktemp("provenance")
    repository, dist = folder / "repository", folder / "dist"
    _repository(repository)
    command = [
        sys.executable, "-m", "market.cli", "build", "--out", str(dist), "--work", str(folder / "work"),
        "--previous", PREVIOUS,
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(repository / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(repository, dist)


@contextmanager
def served(built: Built, folder: Path) -> Iterator[Market]:
    """Sign a copy of what was built, and serve it together with the chart of the past."""
    dist, state, signer = folder / "served", folder / "state", keys.generate()
    shutil.copytree(built.dist, dist)
    write_tree(dist, dict(release(dist, 7, signer).files))
    with serve(dist, state=state) as running:
        market = Market(built, dist, running.url, state, signer)
        market.archive("demo-0.9.0.tgz", OLD_CHART, folder)
        yield market


@pytest.fixture(scope="package")
def market(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """The market without its hundreds of pages on rules, which every check would fetch again."""
    folder = tmp_path_factory.mktemp("market")
    thin = Built(built.repository, folder / "dist")
    shutil.copytree(built.dist, thin.dist, ignore=shutil.ignore_patterns("rules"))
    with served(thin, folder) as market:
        yield market


def wrangler(*arguments: str) -> None:
    script = PROJECT / "node_modules/wrangler/bin/wrangler.js"
    config = ["--config", str(PROJECT / "wrangler.toml")]
    done = subprocess.run([node(), script, *arguments, *config], env=dict(environment()), cwd=PROJECT,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _repository(target: Path) -> None:
    shutil.copytree(EXAMPLE, target)
    for name in PROGRAM:
        source = PROJECT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, target / name)
    _pages(target)
    ledger = json.loads((target / "releases.json").read_text())
    entry = {"released": "2026-05-01T00:00:00Z", "sha256": sha256(OLD_CHART).hexdigest(), "size": len(OLD_CHART),
             "tar_sha256": "f" * 64}  # fmt: skip
    ledger["releases"] = {OLD: entry, **ledger["releases"]}
    (target / "releases.json").write_text(json.dumps(ledger))
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", target, *identity, *arguments], check=True)


def _pages(target: Path) -> None:
    """Stand-ins for the authored pages, which speak of apps that the example lacks."""
    names = {page.name for page in (PROJECT / "docs").glob("*/*.md")}
    for language in ("fr", "en"):
        for name in sorted(names):
            copy = target / "docs" / language / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(PAGE)
        blog = target / "docs" / language / "blog"
        (blog / "posts").mkdir(parents=True)
        (blog / "index.md").write_text("# Blog\n")
    # The checks follow links to the market's own address; these lead elsewhere.
    for path in (*(target / "data").glob("*.yaml"), *(target / "apps").glob("*/bench/*.yaml")):
        text = path.read_text("utf-8")
        for name in ("catalog", "logs", "posts"):
            text = text.replace(f"https://market.example/{name}", f"https://code.example/{name}")
        path.write_text(text, "utf-8")
