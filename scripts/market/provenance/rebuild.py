"""What a market should serve, made again from Git: from the checkout as it lies there, or from any commit."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from market import git, origin
from market.build import build
from market.errors import InputError, MarketError
from market.progress import Progress
from market.provenance.manifest import Manifest, of_folder

SECONDS = 1800
"""Time for building a commit."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A folder built for comparison, where its catalog is, and the digests of its files."""

    dist: Path
    catalog: Path
    manifest: Manifest


@contextmanager
def rebuilt(root: Path, commit: str | None, previous: str | None, progress: Progress) -> Iterator[Rebuilt]:
    """Build the checkout ``root``, or one of its commits with that commit's own program, in a temporary folder.

    Raises:
        InputError: the catalog has problems, or there is no such commit.
        MarketError: the commit cannot be built here.
    """
    with tempfile.TemporaryDirectory(prefix="market-rebuild-") as name:
        folder = Path(name).resolve()
        dist = folder / "dist"
        if commit is None:
            catalog = root
            _build_checkout(root, folder, previous, progress)
        else:
            catalog = folder / "checkout"
            with progress.step(f"check out {commit}"):
                _check_out(root, commit, catalog)
            with progress.step(f"build {commit} with its own program"):
                _build_commit(catalog, folder, previous)
        yield Rebuilt(dist, catalog, of_folder(dist))


def of_history(root: Path, commit: str) -> str:
    """A commit that a market names, if it is one of the history that is checked out.

    Raises:
        InputError: it is not; what was built from it did not go through this branch.
    """
    if git.answer(root, "merge-base", "--is-ancestor", "--end-of-options", commit, "HEAD") is None:
        raise InputError(f"the market names commit {commit}, which is not in the history that is checked out")
    return commit


def _build_checkout(root: Path, folder: Path, previous: str | None, progress: Progress) -> None:
    built = build(root, folder / "dist", folder / "work", progress, origin=origin.read(root, previous))
    if not built.written:
        raise InputError(f"{root} cannot be built, so nothing can be compared; run `market check`")


def _check_out(root: Path, commit: str, target: Path) -> None:
    """Copy a commit out of a repository without a trace in it: a clone that borrows its objects."""
    named = git.answer(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if named is None:
        raise InputError(f"{root} has no commit {commit}; `git fetch` may bring it")
    cloned = git.answer(
        root,
        "clone",
        "--quiet",
        "--shared",
        "--no-checkout",
        "--template=",
        "--",
        str(root),
        str(target),
        seconds=SECONDS,
    )
    if cloned is None or git.answer(target, "checkout", "--quiet", "--detach", named, seconds=SECONDS) is None:
        raise MarketError(f"Git cannot check out {commit} of {root}")


def _build_commit(checkout: Path, folder: Path, previous: str | None) -> None:
    command = [sys.executable, "-m", "market.cli", "build", "--out", str(folder / "dist"), "--work",
               str(folder / "work"), *(("--previous", previous) if previous else ())]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(checkout / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = _run(command, checkout, environment)
    if done.returncode:
        last = " ".join((done.stdout + done.stderr).split())[-300:]
        raise MarketError(f"that commit cannot be built with the packages that are installed here: {last}")


def _run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - our own program
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MarketError(f"cannot run {command[0]}: {error}") from error
