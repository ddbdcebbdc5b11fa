"""The download step of the llama-server archetype: the rendered script, a real shell, a real curl."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from market import archive, helm

from . import hub as hubs
from .hub import COMMIT, Hub, Stored

ROOT = Path(__file__).parents[2]
ARCHETYPE = ROOT / "archetypes" / "llama-server"
REPO, NAME = "acme/Model-GGUF", "Model-Q4.gguf"
KEY = f"{REPO}/{NAME}"
CONTENT = random.Random(7).randbytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
TOKEN = 'hf_secret"with\\odd$signs'
SHELLS = [shell for shell in ("dash", "busybox") if shutil.which(shell)]


def rendered(models: list[dict[str, object]]) -> dict[str, str]:
    """The ConfigMap of the archetype in a chart with these models."""
    values = {
        "workloads": {"demo": {"replicaCount": 1}},
        "server": {
            "image": "docker.io/demo/server:1",
            "port": 8000,
            "args": [],
            "resources": {"cpu": {"request": "1", "limit": "1"}, "memory": {"request": "1Gi", "limit": "1Gi"}},
        },
        "models": models,
    }
    files = {
        "Chart.yaml": b'apiVersion: v2\nname: demo\nversion: "1.0.0"\n',
        "values.yaml": yaml.safe_dump(values).encode(),
        **{f"templates/{path.name}": path.read_bytes() for path in (ARCHETYPE / "templates").iterdir()},
    }
    documents = helm.render(archive.pack("demo", "1.0.0", files).data, "demo", {})
    found = yaml.safe_load(documents["demo/templates/configmap.yaml"])
    return dict(found["data"])


@dataclass
class Machine:
    """A shared folder, and the way the container runs the script on it."""

    folder: Path
    hub: Hub
    shell: str
    environment: dict[str, str]

    @property
    def file(self) -> Path:
        return self.folder / "common" / REPO / NAME

    @property
    def part(self) -> Path:
        return self.file.with_name(f"{NAME}.demo.part")

    @property
    def record(self) -> Path:
        return self.file.with_name(f"{NAME}.verified")

    def start(self, **stated: object) -> subprocess.Popen[str]:
        model = {"role": "target", "repo": REPO, "revision": "main", "file": NAME, **stated}
        for name, text in rendered([model]).items():
            (self.folder / name).write_text(text)
        command = ["busybox", "sh"] if self.shell == "busybox" else [self.shell]
        return subprocess.Popen(
            [*command, str(self.folder / "fetch.sh")],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, **stated: object) -> tuple[int, str]:
        process = self.start(**stated)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hubs.serving() as running:
        running.files[KEY] = Stored(CONTENT)
        yield running


@pytest.fixture(params=SHELLS)
def machine(request: pytest.FixtureRequest, tmp_path: Path, hub: Hub) -> Machine:
    tools = tmp_path / "bin"
    tools.mkdir()
    if request.param == "busybox":
        # The container's shell and its tools are those of busybox.
        subprocess.run(["busybox", "--install", "-s", str(tools)], check=True)
    # A curl that notes its arguments and then is the real one.
    wrapper = tools / "curl"
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{tmp_path}/argv"\nexec {shutil.which("curl")} "$@"\n')
    wrapper.chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "MODELS_LIST": str(tmp_path / "models.list"),
        "MODELS_ROOT": str(tmp_path / "common"),
        "APP_NAME": "demo",
        "HF_ENDPOINT": f"{hub.address}/",
        "FETCH_PAUSE": "0",
        "FETCH_TRIES": "3",
        "FETCH_REPORT": "1",
    }
    return Machine(tmp_path, hub, request.param, environment)


def test_a_file_is_downloaded_checked_and_recorded(machine: Machine, hub: Hub) -> None:
    status, output = machine.run()
    assert status == 0, output
    assert machine.file.read_bytes() == CONTENT
    assert machine.record.read_text() == f"{len(CONTENT)} {SHA256}\n"
    assert sorted(path.name for path in machine.file.parent.iterdir()) == [NAME, f"{NAME}.verified"]
    # What was announced and what was fetched are the same commit, even if the branch moves in between.
    assert [request.path for request in hub.seen("GET", "hub")] == [f"/{REPO}/resolve/{COMMIT}/{NAME}"]
    assert f"{KEY}: ready ({len(CONTENT)} bytes, sha256 {SHA256})" in output


def test_a_second_start_asks_nobody(machine: Machine, hub: Hub) -> None:
    assert machine.run()[0] == 0
    hub.requests.clear()
    status, output = machine.run()
    assert (status, hub.requests) == (0, [])
    assert "checked before" in output


def test_a_checked_file_needs_no_network(machine: Machine, hub: Hub) -> None:
    assert machine.run()[0] == 0
    machine.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"
    assert machine.run(sha256=SHA256, bytes=len(CONTENT))[0] == 0


def test_a_broken_download_is_continued(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].cut = [100_000]
    status, output = machine.run()
    assert status == 0, output
    assert machine.file.read_bytes() == CONTENT
    assert [request.range for request in hub.seen("GET", "storage")] == [None, "bytes=100000-"]


def test_progress_resets_the_count_of_failures(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].cut = [50_000] * 5
    status, output = machine.run()
    assert status == 0, output
    assert machine.file.read_bytes() == CONTENT


def test_no_progress_ends_it(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].cut = [1_000, *[0] * 5]
    status, output = machine.run()
    assert status == 1
    assert "given up after 3 attempts without progress" in output
    assert not machine.file.exists()
    assert machine.part.stat().st_size == 1_000


def test_a_part_from_before_a_restart_is_continued(machine: Machine, hub: Hub) -> None:
    machine.part.parent.mkdir(parents=True)
    machine.part.write_bytes(CONTENT[:123_456])
    machine.part.with_name(f"{machine.part.name}.of").write_text(f"{len(CONTENT)} {SHA256}\n")
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT
    assert [request.range for request in hub.seen("GET", "storage")] == ["bytes=123456-"]


def test_a_part_of_another_content_is_dropped(machine: Machine, hub: Hub) -> None:
    machine.part.parent.mkdir(parents=True)
    machine.part.write_bytes(b"old" * 1000)
    machine.part.with_name(f"{machine.part.name}.of").write_text(f"999999 {'0' * 64}\n")
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT
    assert [request.range for request in hub.seen("GET", "storage")] == [None]


def test_a_complete_part_is_only_checked(machine: Machine, hub: Hub) -> None:
    machine.part.parent.mkdir(parents=True)
    machine.part.write_bytes(CONTENT)
    machine.part.with_name(f"{machine.part.name}.of").write_text(f"{len(CONTENT)} {SHA256}\n")
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT
    assert hub.seen("GET", "storage") == []


def test_a_storage_that_cannot_continue_starts_over(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].cut = [100_000]
    hub.files[KEY].ranges = False
    status, output = machine.run()
    assert status == 0, output
    assert "starting over" in output
    assert machine.file.read_bytes() == CONTENT


def test_wrong_content_is_refused(machine: Machine, hub: Hub) -> None:
    wrong = bytes(len(CONTENT))
    hub.files[KEY].sent = [wrong, wrong, wrong]
    status, output = machine.run()
    assert status == 1
    assert f"its sha256 is {hashlib.sha256(wrong).hexdigest()}, not {SHA256}" in output
    assert "nothing was put in place" in output
    assert not machine.file.exists()
    assert not machine.part.exists()
    assert not machine.record.exists()


def test_wrong_content_once_is_mended(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].sent = [bytes(len(CONTENT))]
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT


def test_more_bytes_than_announced_are_refused(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].size = len(CONTENT) - 10
    status, output = machine.run()
    assert status == 1
    assert "received more than" in output
    assert not machine.file.exists()


def test_fewer_bytes_than_announced_are_refused(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].size = len(CONTENT) + 10
    status, output = machine.run()
    assert status == 1
    assert f"{len(CONTENT)} of {len(CONTENT) + 10} bytes" in output
    assert not machine.file.exists()


@pytest.mark.parametrize("stated", [{"bytes": 17_200_000_123}, {"sha256": "a" * 64}], ids=["size", "sha256"])
def test_a_file_replaced_upstream_is_not_downloaded(machine: Machine, hub: Hub, stated: dict[str, object]) -> None:
    status, output = machine.run(**stated)
    assert status == 1
    assert f"this version of the app was made for {next(iter(stated.values()))}" in output
    assert hub.seen("GET", "storage") == []


def test_stated_size_and_checksum_need_no_announcement(machine: Machine, hub: Hub) -> None:
    assert machine.run(bytes=len(CONTENT), sha256=SHA256)[0] == 0
    assert hub.seen("HEAD", "hub") == []


@pytest.mark.parametrize(
    ("code", "words"), [(401, "set the Hugging Face token"), (403, "licence"), (404, "no such file")]
)
def test_a_refusal_is_final_and_says_what_to_do(machine: Machine, hub: Hub, code: int, words: str) -> None:
    hub.status = [code]
    status, output = machine.run()
    assert status == 1
    assert words in output
    assert len(hub.requests) == 1


def test_a_busy_hub_is_asked_again(machine: Machine, hub: Hub) -> None:
    hub.status = [503, 429]
    status, output = machine.run()
    assert status == 0, output
    assert "HTTP 503" in output
    assert "HTTP 429" in output


def test_an_unreachable_hub_is_reported_with_curls_reason(machine: Machine) -> None:
    machine.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"
    status, output = machine.run()
    assert status == 1
    assert "the Hub cannot be asked (HTTP 000) (7)" in output


def test_the_token_goes_to_the_hub_and_nowhere_else(machine: Machine, hub: Hub) -> None:
    machine.environment["HF_TOKEN"] = f"{TOKEN}\n"
    status, output = machine.run()
    assert status == 0, output
    assert {request.authorization for request in hub.requests if "127.0.0.1" in request.host} == {f"Bearer {TOKEN}"}
    assert {request.authorization for request in hub.seen("GET", "storage")} == {None}
    assert "hf_secret" not in output
    arguments = (machine.folder / "argv").read_text()
    assert "--config -" in arguments
    assert "hf_secret" not in arguments


def test_a_file_that_lies_there_already_is_adopted(machine: Machine, hub: Hub) -> None:
    machine.file.parent.mkdir(parents=True)
    machine.file.write_bytes(CONTENT)
    status, output = machine.run()
    assert status == 0, output
    assert "was in the shared folder already" in output
    assert machine.record.exists()
    assert hub.seen("GET", "storage") == []


def test_a_wrong_file_that_lies_there_is_set_aside(machine: Machine) -> None:
    machine.file.parent.mkdir(parents=True)
    machine.file.write_bytes(b"something else")
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT
    assert machine.file.with_name(f"{NAME}.rejected").read_bytes() == b"something else"


def test_a_file_that_shrank_is_not_trusted(machine: Machine) -> None:
    assert machine.run()[0] == 0
    machine.file.write_bytes(CONTENT[:1000])
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT


def test_a_stop_is_heeded_at_once_and_leaves_the_part(machine: Machine, hub: Hub) -> None:
    hub.files[KEY].pause_after = 100_000
    process = machine.start()
    deadline = time.monotonic() + 30
    while not (machine.part.exists() and machine.part.stat().st_size):
        assert time.monotonic() < deadline, "the download did not begin"
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    assert process.returncode == 143
    left = machine.part.stat().st_size
    hub.files[KEY].pause_after = None
    assert machine.run()[0] == 0
    assert machine.file.read_bytes() == CONTENT
    assert hub.seen("GET", "storage")[-1].range == f"bytes={left}-"


@pytest.mark.parametrize("file", ["../escape.gguf", "a/../../b.gguf", "a b.gguf", "a;b.gguf"])
def test_names_that_leave_the_folder_are_refused(machine: Machine, hub: Hub, file: str) -> None:
    status, output = machine.run(file=file)
    assert status == 1
    assert "not a plain name" in output
    assert hub.requests == []


def test_the_size_in_the_list_is_a_whole_number() -> None:
    model = {"role": "target", "repo": REPO, "file": NAME, "bytes": 17_179_869_184, "sha256": "b" * 64}
    assert rendered([model])["models.list"] == f"{REPO}|main|{NAME}|17179869184|{'b' * 64}\n"


def test_the_script_is_plain_posix_shell(tmp_path: Path) -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    script = tmp_path / "fetch.sh"
    script.write_text(rendered([{"role": "target", "repo": REPO, "file": NAME}])["fetch.sh"])
    result = subprocess.run([shellcheck, "--shell=sh", str(script)], capture_output=True, text=True, check=False)
    assert result.stdout == ""
