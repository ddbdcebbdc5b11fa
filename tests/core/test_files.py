"""Files and folders as the build handles them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from market import files


def test_files_below_a_folder_are_named_from_there_in_order(tmp_path: Path) -> None:
    files.write_tree(tmp_path, {"b.txt": b"", "a/c.txt": b"", "a.txt": b"", "a/b/d.txt": b""})
    (tmp_path / "empty").mkdir()
    assert list(files.below(tmp_path)) == ["a/b/d.txt", "a/c.txt", "a.txt", "b.txt"]
    assert files.below(tmp_path)["a/c.txt"] == tmp_path / "a/c.txt"


def test_where_the_disk_has_no_links_there_is_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    one.write_text("text")
    files.link(one, two)
    assert two.samefile(one)

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    files.link(one, three)
    assert three.read_text() == "text"
    assert not three.samefile(one)
