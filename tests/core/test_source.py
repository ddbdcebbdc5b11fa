"""Reading folders that mean harm."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from market.source import DEPTH_LIMIT, FILE_LIMIT, FILES_LIMIT, read_file, scan


def rules(root: Path) -> list[tuple[str, str]]:
    _, problems = scan(root, "app")
    return [(problem.rule, problem.path) for problem in problems]


def app(root: Path) -> Path:
    folder = root / "app"
    folder.mkdir()
    (folder / "a.yaml").write_bytes(b"a: 1\n")
    return folder


def test_files_come_sorted_with_their_bytes(tmp_path: Path) -> None:
    folder = app(tmp_path)
    (folder / "sub").mkdir()
    (folder / "sub" / "b").write_bytes(b"b")
    (folder / "Z").write_bytes(b"z")
    files, problems = scan(tmp_path, "app")
    assert [(file.path, file.data) for file in files] == [
        ("app/Z", b"z"),
        ("app/a.yaml", b"a: 1\n"),
        ("app/sub/b", b"b"),
    ]
    assert not problems


def test_links_are_refused(tmp_path: Path) -> None:
    folder = app(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (folder / "link").symlink_to(secret)
    (folder / "folder").symlink_to(tmp_path)
    (folder / "hard").hardlink_to(secret)
    (folder / "dead").symlink_to("nowhere")
    assert rules(tmp_path) == [
        ("layout.symlink", "app/dead"),
        ("layout.symlink", "app/folder"),
        ("layout.hard-link", "app/hard"),
        ("layout.symlink", "app/link"),
    ]
    assert [file.path for file in scan(tmp_path, "app")[0]] == ["app/a.yaml"]
    assert read_file(tmp_path, "app/link")[0] is None


def test_pipes_and_sockets_do_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = app(tmp_path)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(folder)  # a socket path may have about a hundred characters
        server.bind("socket")
    assert rules(tmp_path) == [("layout.special-file", "app/pipe"), ("layout.special-file", "app/socket")]


def test_size_count_and_depth_are_bounded(tmp_path: Path) -> None:
    folder = app(tmp_path)
    with (folder / "huge").open("wb") as stream:
        stream.truncate(FILE_LIMIT + 1)
    deep = folder
    for _ in range(DEPTH_LIMIT + 2):
        deep = deep / "d"
        deep.mkdir()
    assert {rule for rule, _ in rules(tmp_path)} == {"layout.file-too-large", "layout.too-many-files"}
    for number in range(FILES_LIMIT + 5):
        (folder / f"f{number}").write_bytes(b"")
    assert len(scan(tmp_path, "app")[0]) == FILES_LIMIT
