"""Server and client on processor cores of their own, so that the client's work is not taken for the server's."""

from __future__ import annotations

import os


def server() -> None:
    """Run the process that calls this on the first core."""
    _only(0)


def client() -> None:
    """Run the process that calls this on the second core."""
    _only(1)


def _only(number: int) -> None:
    """A machine with one core, or without a say in the matter, runs both on what it has."""
    if not hasattr(os, "sched_setaffinity"):
        return
    usable = sorted(os.sched_getaffinity(0))
    if number < len(usable):
        os.sched_setaffinity(0, {usable[number]})
