"""The record of a run: each step with its time, its verdict and its deviations."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from market.device.deviation import Deviation, Finding, count, without_repeats

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of one mode; ``seconds`` is wall time, ``note`` what came of it."""

    mode: str
    name: str
    passed: bool
    seconds: float
    note: str


@dataclass(slots=True)
class Journal:
    """Collects the steps of one mode as they are run; the one thing here that changes."""

    mode: str
    progress: Callable[[str], None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    steps: list[Step] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)

    def step(self, name: str, work: Callable[[], Finding[T]]) -> T | None:
        """Run a step and note it. ``None``: a device would give up here."""
        self.progress(f"{self.mode}: {name}")
        start = self.clock()
        finding = work()
        faults = without_repeats(finding.faults)
        passed = not faults and finding.value is not None
        note = finding.note if passed or not faults else count(len(faults), "deviation")
        self.steps.append(Step(self.mode, name, passed, self.clock() - start, note))
        self.deviations += [Deviation(self.mode, name, fault.path, fault.message, fault.why) for fault in faults]
        return finding.value

    def skip(self, name: str) -> None:
        """Note a step that an earlier one kept from running."""
        self.steps.append(Step(self.mode, name, passed=False, seconds=0.0, note="not reached"))
