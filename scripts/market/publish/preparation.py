"""Building a release into a private folder, and looking it over before anything leaves the machine."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from market import git, origin
from market.build import build
from market.catalog import load
from market.check import Checked
from market.errors import InputError, MarketError
from market.files import write_atomic
from market.ledger import Ledger
from market.progress import Progress
from market.provenance.statement import Statement
from market.publish import content as contents
from market.publish.claim import previous_of
from market.publish.content import CONFIGURATION, FILES, WORKER, Content
from market.publish.wrangler import bundle

_OF_THE_INDEX = ("apps", "archetypes", "data", "docs/market.png", "releases.json", "scripts", "schema")


class UnsoundError(Exception):
    """The catalog has problems; they are in ``checked``."""

    def __init__(self, checked: Checked) -> None:
        super().__init__("the catalog has problems")
        self.checked = checked


def prepare(root: Path, folder: Path, current: Statement | None, progress: Progress, site: bool = True) -> Content:
    """Build everything that a release consists of, to be published after the release ``current``.

    Raises:
        UnsoundError: the catalog has problems.
        InputError: the checkout is no commit that anybody could build again.
        MarketError: a fault of ours or of the environment.
    """
    whence = origin.read(root)
    if whence.commit is None:
        raise InputError("a release is built from a commit, and this folder is no Git checkout of its own")
    if whence.dirty:
        raise InputError("the checkout has changes that are in no commit; commit them first, so that anybody can "
                         "build the release again")  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for previous in _previous(root, whence.commit, current):
        with tempfile.TemporaryDirectory(prefix="market-work-") as work:
            built = build(
                root, folder / FILES, Path(work), progress, site, origin.Origin(whence.commit, False, previous)
            )
        if not built.written:
            raise UnsoundError(built.checked)
        status = json.loads((folder / FILES / "api" / "status").read_bytes())
        if status["previous"] == previous_of(str(status["hash"]), current):
            break
    with progress.step("bundle the Worker"):
        code, configuration = bundle(root, folder)
    write_atomic(folder / WORKER, code)
    write_atomic(folder / CONFIGURATION, configuration)
    return contents.read(folder)


def inspect(content: Content, root: Path, current: Statement | None, progress: Progress) -> Ledger:
    """Look a prepared release over with other eyes than those that built it, and return the ledger it stands on.

    Raises:
        InputError: it is of no commit, was prepared after another release, or contradicts the ledger.
        MarketError: a device would deviate.
    """
    catalog, _ = load(root)
    if content.commit is None or content.status.get("dirty"):
        raise InputError("the prepared release is of no commit; a release is built from one")
    if content.status.get("previous") != previous_of(content.catalog, current):
        raise InputError("the prepared release follows another one than the current; prepare it again")
    with progress.step("read the release as a device would, and compare its charts with the ledger"):
        contents.must_agree(content, catalog.ledger)
    return catalog.ledger


def _previous(root: Path, commit: str, current: Statement | None) -> Iterator[str | None]:
    """Guesses of what the build has to name as the catalog before it, the likelier first.

    Only the build itself tells whether the catalog is the current one; a wrong guess costs a second build.
    """
    if current is None:
        yield None
        return
    guesses = [current.catalog, current.previous]
    yield from reversed(guesses) if _same_index(root, current.commit, commit) else guesses


def _same_index(root: Path, before: str | None, commit: str) -> bool:
    if before is None:
        return False
    try:
        return git.ask(root, "diff", "--quiet", before, commit, "--", *_OF_THE_INDEX).returncode == 0
    except MarketError:
        return False
