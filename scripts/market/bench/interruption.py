"""Ctrl-C that is not lost.

Python prints and drops an exception that is raised in a finaliser, and the connection pools of urllib3 have some: a
Ctrl-C that comes just then would do nothing but show a traceback. So it is noted as well and looked at between two
runs, and the dropped one is not printed.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted() -> Iterator[Callable[[], None]]:
    """Give a check that raises ``KeyboardInterrupt`` where one has come since; only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    seen = threading.Event()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        seen.set()
        raise KeyboardInterrupt

    def check() -> None:
        if seen.is_set():
            raise KeyboardInterrupt

    def dropped(exception: sys.UnraisableHookArgs) -> None:
        if not (seen.is_set() and issubclass(exception.exc_type, KeyboardInterrupt)):
            tell(exception)

    tell, sys.unraisablehook = sys.unraisablehook, dropped
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = tell
