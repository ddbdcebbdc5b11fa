"""Progress of long work: a live line on a terminal, plain lines elsewhere, each step with its time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console


class Progress(Protocol):
    """Something that shows steps."""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show that ``name`` is under way, and afterwards how long it took."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:  # noqa: ARG002
        """Do nothing around the block."""
        yield


class Shown:
    """Shows steps on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show a spinner on a terminal, then one line with the time."""
        started = time.perf_counter()
        if self._console.is_terminal:
            with self._console.status(f"{name} ..."):
                yield
        else:
            yield
        self._console.print(f"[green]✓[/green] {name} [dim]{time.perf_counter() - started:.1f} s[/dim]")
