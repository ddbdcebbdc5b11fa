"""What a build keeps for the next one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from market.site import kept
from market.site.kept import Kept


def test_what_was_made_of_the_same_is_not_made_again(tmp_path: Path) -> None:
    made: list[str] = []

    def make(text: str) -> bytes:
        made.append(text)
        return text.upper().encode()

    for text in ("one", "two", "one"):
        assert Kept(tmp_path).get("texts", text.encode(), partial(make, text)) == text.upper().encode()
    assert made == ["one", "two"]
    assert Kept(tmp_path).get("other", b"one", lambda: make("three")) == b"THREE", "kinds are apart"
    assert Kept().get("texts", b"one", lambda: make("four")) == b"FOUR", "without a folder nothing is kept"


def test_what_another_program_wrote_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Kept(tmp_path).written("texts", "é", lambda: "before") == "before"
    assert Kept(tmp_path).written("texts", "é", lambda: "after") == "before"
    monkeypatch.setattr(kept, "_program", lambda: b"changed")
    assert Kept(tmp_path).written("texts", "é", lambda: "after") == "after"


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        Kept(tmp_path).get("texts", b"one", fail)
    assert list(tmp_path.rglob("*")) == []
