"""How many requests a run made of the archive, and of which kind; also the place where a test can cut a run off."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

Observer = Callable[[str, str], None]
"""Called with ``send`` or ``reply`` and the operation, around every single HTTP request."""


def _nothing(phase: str, operation: str) -> None:
    """Observe nothing."""


@dataclass(slots=True)
class Tally:
    """Counts HTTP requests, retries included; several threads may count at once."""

    observer: Observer = _nothing
    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, operation: str) -> None:
        """Note a request that is about to be sent."""
        with self._lock:
            self.counts[operation] += 1
        self.observer("send", operation)

    def replied(self, operation: str) -> None:
        """Note that a reply came."""
        self.observer("reply", operation)

    @property
    def total(self) -> int:
        """All requests."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))
        return f"S3 requests: {self.total}" + (f" ({kinds})" if kinds else "")
