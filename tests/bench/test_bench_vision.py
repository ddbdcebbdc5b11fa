"""The vision check: judged answers, swap times from the log, and whether text speed comes back."""

from __future__ import annotations

import base64
import threading
import time
from pathlib import Path

import pytest

from market import schema
from market.bench import pictures
from market.bench.series import read

from . import command
from .replay import Script, replaying

RUNS = ("-n", "3", "--warmup", "1", "--tokens", "20", "--vision", "--keep-going")
ANSWERS = ["word "] * 4 + ["Red ", "three blue discs "]


def _script(**more: int) -> Script:
    return Script(first=0.01, step=0.005, stated=True, answers=list(ANSWERS), **more)  # type: ignore[arg-type]


def test_right_answers_and_speed_that_comes_back(tmp_path: Path) -> None:
    script = _script()
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, *RUNS)
    assert found.status == 0, found.out
    small, large = found.report["vision_check"], found.report["vision_large"]
    assert (small["correct"], large["correct"]) == (True, True)
    assert (small["width"], large["width"]) == (64, 1024)
    assert found.report["after_vision"]["recovered"] is True
    sent = [
        part for one in script.requests[4:6] for part in one["messages"][0]["content"] if part["type"] == "image_url"
    ]
    data = [base64.b64decode(part["image_url"]["url"].partition(",")[2]) for part in sent]
    assert data == [pictures.small().png, pictures.large().png]
    assert "text speed came back after the pictures" in found.out
    assert not schema.errors(read(next(tmp_path.glob("reports/*.yaml"))), "bench-report")


def test_wrong_answer_fails(tmp_path: Path) -> None:
    script = _script()
    script.answers[4] = "Green "
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, *RUNS)
    assert found.status == 1
    assert found.report["vision_check"]["correct"] is False
    assert "(WRONG)" in found.out


def test_speed_that_does_not_come_back_fails(tmp_path: Path) -> None:
    """As with images in which the swapped draft heads stay away."""
    with replaying(_script(slow_from=7)) as server:
        found = command.run(server.url, tmp_path, *RUNS)
    assert found.status == 1
    assert found.report["after_vision"]["recovered"] is False
    assert "text speed did NOT come back after the pictures" in found.out


def test_swap_times_are_read_from_the_log(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("srv swap_mtp_to_: MTP→mmproj swap done in 999 ms\n")
    script = _script()
    with replaying(script) as server:
        writer = threading.Thread(target=_swap, args=(script, log), daemon=True)
        writer.start()
        found = command.run(server.url, tmp_path, *RUNS, "--server-log", str(log))
        writer.join(5)
    assert (found.report["vision_check"]["swap_in_ms"], found.report["vision_check"]["swap_out_ms"]) == (213, 540)
    assert "swap_in_ms" not in found.report["vision_large"]


def _swap(script: Script, log: Path) -> None:
    deadline = time.monotonic() + 60
    while len(script.requests) < 5 and time.monotonic() < deadline:
        time.sleep(0.001)
    with log.open("a") as stream:
        stream.write("srv swap_mtp_to_: MTP→mmproj swap done in 213 ms\n")
        stream.write("srv swap_mmproj_: mmproj→MTP swap done in 540 ms\n")


def test_server_that_refuses_pictures_is_quoted(tmp_path: Path) -> None:
    script = _script()
    script.fault, script.at_request = "400", 5
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, *RUNS)
    assert found.status == 2
    assert "refused the request (400" in found.report["vision_check"]["error"]


@pytest.mark.parametrize("picture", [pictures.small(), pictures.large()])
def test_picture_is_small_enough_to_send(picture: pictures.Picture) -> None:
    assert len(picture.data_url) < 200_000
