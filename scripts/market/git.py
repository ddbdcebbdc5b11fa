"""Git, asked in one way: nothing that a repository's own settings name is run, and no lock is waited for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from market.errors import MarketError

SECONDS = 60.0
_GIT = (
    "git", "--no-optional-locks", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip


def ask(root: Path, *arguments: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[bytes]:
    """Run Git in ``root``; its exit status is the caller's to judge.

    Raises:
        MarketError: Git is not there, or gives no answer within ``seconds``.
    """
    # Inside a hook these name another repository than the one that the folder is in.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        return subprocess.run(  # noqa: S603 - Git, with arguments of ours
            [*_GIT, "-C", str(root), *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=seconds, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MarketError(f"Git cannot be asked: {error}") from error


def answer(root: Path, *arguments: str, seconds: float = SECONDS) -> str | None:
    """What Git answers, without the newline at the end; None when it refuses.

    Raises:
        MarketError: as ``ask``.
    """
    asked = ask(root, *arguments, seconds=seconds)
    return None if asked.returncode else asked.stdout.decode(errors="replace").rstrip("\n")
