"""Ctrl-C between two runs, also where Python itself loses the exception."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from market.bench import interruption


class Finalised:
    """Interrupts this process in its finaliser, out of which no exception comes."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


class Broken:
    def __del__(self) -> None:
        raise ValueError("a fault of its own")


def test_an_interrupt_that_python_loses_is_found_by_the_next_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is printed of it, where a fault of another kind still is."""
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    before = signal.getsignal(signal.SIGINT)
    with interruption.noted() as check:
        check()
        thing = Finalised()
        del thing
        with pytest.raises(KeyboardInterrupt):
            check()
        assert capsys.readouterr().err == ""
        broken = Broken()
        del broken
        assert "a fault of its own" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before
    assert sys.unraisablehook is sys.__unraisablehook__


def test_an_interrupt_is_an_exception_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), interruption.noted():
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("the process went on")
