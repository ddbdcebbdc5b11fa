"""Where a build comes from, asked of a real Git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from market import origin
from market.errors import InputError
from market.origin import Origin

HASH = "0123456789abcdef" * 4


def git(folder: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "x", f"GIT_{role}_EMAIL": "x@example.org"}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one commit."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("1")
    (folder / ".gitignore").write_text("dist\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "x")
    return folder


def test_the_commit_that_is_checked_out(checkout: Path) -> None:
    assert origin.read(checkout) == Origin(git(checkout, "rev-parse", "HEAD"), False, None)
    assert origin.read(checkout, HASH).previous == HASH


def test_any_change_is_told_and_ignored_files_are_none(checkout: Path) -> None:
    (checkout / "dist").mkdir()
    (checkout / "dist" / "x").write_text("")
    assert not origin.read(checkout).dirty
    (checkout / "file").write_text("2")
    assert origin.read(checkout).dirty
    git(checkout, "checkout", "--quiet", "file")
    assert not origin.read(checkout).dirty
    (checkout / "new").write_text("")
    assert origin.read(checkout).dirty


def test_no_repository_is_no_fault(tmp_path: Path) -> None:
    assert origin.read(tmp_path, HASH) == Origin(None, False, HASH)


def test_no_commit_is_no_fault(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert origin.read(tmp_path) == Origin()


def test_a_folder_of_another_repository_has_no_commit_of_its_own(checkout: Path) -> None:
    inside = checkout / "inside"
    inside.mkdir()
    assert origin.read(inside) == Origin()


def test_no_git_is_no_fault(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert origin.read(checkout) == Origin()


def test_the_surroundings_of_a_hook_do_not_mislead(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    assert origin.read(checkout).commit == git(checkout, "rev-parse", "HEAD")


def test_the_settings_of_a_repository_run_nothing(checkout: Path, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    git(checkout, "config", "core.fsmonitor", f"touch {witness}; false")
    assert origin.read(checkout).commit
    assert not witness.exists()


@pytest.mark.parametrize("previous", ["", "x", HASH[:-1], HASH + "0", HASH.upper(), HASH + "\n"])
def test_what_is_no_hash_is_refused(previous: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no catalog hash"):
        origin.read(tmp_path, previous)
