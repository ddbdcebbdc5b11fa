"""Where a build comes from: the commit of the catalog's checkout, and the catalog that was published before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from market import git
from market.errors import InputError, MarketError

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Origin:
    """Facts that the status reply and the status page tell, and nothing else depends on.

    ``commit`` is the full id of the commit that is checked out, None when that is not known. ``dirty`` says
    that the checkout has changes which are in no commit. ``previous`` is the hash of the catalog that was
    published before this one, None for the first.
    """

    commit: str | None = None
    dirty: bool = False
    previous: str | None = None


UNKNOWN = Origin()


def read(root: Path, previous: str | None = None) -> Origin:
    """Ask Git about ``root``; without Git, or when ``root`` is no checkout of its own, there is no commit.

    Raises:
        InputError: ``previous`` is no catalog hash.
    """
    if previous is not None and not _HASH.fullmatch(previous):
        raise InputError(f"{previous!r} is no catalog hash, which is 64 digits from 0 to f; see /api/status")
    # A catalog in a folder of some other repository is not described by that repository's commit.
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "--verify", "HEAD")
    changes = _git(root, "status", "--porcelain")
    if top is None or commit is None or changes is None or Path(top).resolve() != root.resolve():
        return Origin(previous=previous)
    return Origin(commit, changes != "", previous)


def _git(root: Path, *arguments: str) -> str | None:
    """What Git answers, or None when it is not there or refuses."""
    try:
        return git.answer(root, *arguments)
    except (MarketError, ValueError):
        return None
