"""Building released charts again, from the commit that put them into the ledger."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from market import git
from market.catalog import load
from market.errors import MarketError
from market.ledger import FILE, Release
from market.packaging import archive

_TREE = ("apps", "archetypes", "data", FILE)
_SECONDS = 120


def rebuild(root: Path, releases: Iterable[Release]) -> Mapping[str, bytes]:
    """The charts of these releases by ``name@version``, as far as their bytes agree with the ledger."""
    wanted = {release.key: release for release in releases}
    found = dict(_built(root, wanted.values()))
    by_commit: dict[str, list[Release]] = {}
    for key in sorted(wanted.keys() - found.keys()):
        for commit in _commits(root, key):
            by_commit.setdefault(commit, []).append(wanted[key])
    for commit, some in by_commit.items():
        missing = [release for release in some if release.key not in found]
        if missing:
            with TemporaryDirectory(prefix="market-rebuild-") as folder:
                _check_out(root, commit, Path(folder))
                found.update(_built(Path(folder), missing))
    return found


def _built(root: Path, releases: Iterable[Release]) -> Iterator[tuple[str, bytes]]:
    catalog, _ = load(root)
    for release in releases:
        app = catalog.app(release.name)
        if app is not None and app.version == release.version:
            made = archive(catalog, app)
            if made.sha256 == release.sha256:
                yield release.key, made.data


def _commits(root: Path, key: str) -> tuple[str, ...]:
    """The commits that wrote this entry of the ledger, oldest first."""
    said = _git(root, "log", "--format=%H", "--reverse", f'-G"{key}"', "--", FILE)
    return tuple(said.decode().split())


def _check_out(root: Path, commit: str, folder: Path) -> None:
    there = _git(root, "ls-tree", "--name-only", commit, "--", *_TREE).decode().split()
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", commit, "--", *there))) as tar:
        tar.extractall(folder, filter="data")


def _git(root: Path, *arguments: str) -> bytes:
    done = git.ask(root, *arguments, seconds=_SECONDS)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise MarketError(f"Git cannot be asked for released commits: {lines[-1]}")
    return done.stdout
