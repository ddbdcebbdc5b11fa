"""The download step of the python-server archetype: the rendered script against a small Hub."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from market import archive, helm

ARCHETYPE = Path(__file__).parents[2] / "archetypes" / "python-server"
REPO = "acme/Model"
COMMIT = "c0ffee" + "0" * 34
WEIGHTS = random.Random(7).randbytes(200_000)
CONFIG = b'{"model_type": "acme"}\n'
VOICE = random.Random(8).randbytes(3_000)


def git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass
class Hub:
    """What it has and how it misbehaves. The large files come from another host, as on the real one."""

    files: dict[str, bytes] = field(
        default_factory=lambda: {"config.json": CONFIG, "model.safetensors": WEIGHTS, "voices/a b.pt": VOICE, "no": b""}
    )
    sent: list[bytes] = field(default_factory=list)
    """Contents of the first downloads of the weights, before the right one."""
    cut: list[int] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    ranges: bool = True
    page: int = 1000
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[tuple[str, str | None]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    hub: Hub
    server: ThreadingHTTPServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        hub, address = self.hub, urlsplit(self.path)
        host, path = self.headers["Host"], unquote(address.path)
        hub.requests.append((path, self.headers.get("Range", "")))
        hub.tokens.append((host, self.headers.get("Authorization")))
        name = path.removeprefix(f"/{REPO}/resolve/{COMMIT}/")
        if hub.status:
            self._reply(hub.status.pop(0), {}, b"no")
        elif path == f"/api/models/{REPO}/revision/main":
            self._reply(200, {}, json.dumps({"sha": COMMIT}).encode())
        elif path == f"/api/models/{REPO}/tree/{COMMIT}":
            self._tree(int(address.query.partition("from=")[2] or 0))
        elif name in hub.files and name.endswith(".safetensors"):
            self._reply(302, {"Location": f"http://localhost:{self.server.server_port}/storage/{name}"}, b"")
        elif name in hub.files:
            self._reply(307, {"Location": f"/cache/{self.path.rpartition(COMMIT + '/')[2]}"}, b"")
        elif path.startswith("/cache/"):
            self._reply(200, {}, hub.files[path.removeprefix("/cache/")])
        elif path.startswith("/storage/"):
            self._storage(path.removeprefix("/storage/"))
        else:
            self._reply(404, {}, b"no")

    def _tree(self, start: int) -> None:
        names = list(self.hub.files)
        entries = [self._entry(name) for name in names[start : start + self.hub.page]]
        following = start + self.hub.page
        address = f"http://127.0.0.1:{self.server.server_port}/api/models/{REPO}/tree/{COMMIT}?from={following}"
        link = {"Link": f'<{address}>; rel="next"'} if following < len(names) else {}
        self._reply(200, link, json.dumps([{"type": "directory", "path": "voices"}, *entries]).encode())

    def _entry(self, name: str) -> dict[str, object]:
        content = self.hub.files[name]
        entry: dict[str, object] = {"type": "file", "path": name, "size": len(content), "oid": git_id(content)}
        if name.endswith(".safetensors"):
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        return entry

    def _storage(self, name: str) -> None:
        hub = self.hub
        content = hub.sent.pop(0) if hub.sent else hub.files[name]
        wanted = self.headers.get("Range") if hub.ranges else None
        start = int((wanted or "bytes=0-").removeprefix("bytes=").split("-")[0])
        headers = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if start else {}
        self._reply(206 if start else 200, headers, content[start:], hub.cut.pop(0) if hub.cut else None)

    def _reply(self, status: int, headers: dict[str, str], content: bytes, cut: int | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[:cut])
        if cut is not None:
            self.close_connection = True


@dataclass
class Machine:
    folder: Path
    hub: Hub
    environment: dict[str, str]

    @property
    def models(self) -> Path:
        return self.folder / "common" / "models" / REPO

    @property
    def records(self) -> Path:
        return self.folder / "common" / "records"

    def run(self) -> tuple[int, str]:
        command = [sys.executable, str(self.folder / "fetch.py")]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)
        return result.returncode, result.stdout + result.stderr


def rendered(**more: object) -> dict[str, str]:
    values = {
        "workloads": {"demo": {"replicaCount": 1}},
        "server": {
            "image": "docker.io/demo/server:1",
            "port": 8000,
            "command": ["serve"],
            "args": [],
            "env": {},
            "resources": {"cpu": {"request": "1", "limit": "1"}, "memory": {"request": "1Gi", "limit": "1Gi"}},
        },
        "models": [{"role": "target", "repo": REPO}],
        **more,
    }
    files = {
        "Chart.yaml": b'apiVersion: v2\nname: demo\nversion: "1.0.0"\n',
        "values.yaml": yaml.safe_dump(values).encode(),
        "files/start.py": b'"""Start."""\n\nprint("{{ no template }}")\n',
        **{f"templates/{path.name}": path.read_bytes() for path in (ARCHETYPE / "templates").iterdir()},
    }
    documents = helm.render(archive.pack("demo", "1.0.0", files).data, "demo", {})
    return dict(yaml.safe_load(documents["demo/templates/configmap.yaml"])["data"])


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    hub = Hub()
    handler = type("Bound", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    for name, text in rendered().items():
        (tmp_path / name).write_text(text)
    environment = {
        "PATH": os.environ["PATH"],
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}/",
        "MODELS_ROOT": str(tmp_path / "common" / "models"),
        "RECORDS": str(tmp_path / "common" / "records"),
        "MODELS_LIST": str(tmp_path / "models.json"),
        "APP_NAME": "demo",
        "FETCH_PAUSE": "0",
        "FETCH_TRIES": "3",
    }
    yield Machine(tmp_path, hub, environment)
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_chart_s_own_files_arrive_unchanged() -> None:
    assert rendered()["start.py"] == '"""Start."""\n\nprint("{{ no template }}")\n'


@pytest.mark.parametrize("page", [1, 1000])
def test_a_repository_is_downloaded_checked_and_recorded(machine: Machine, page: int) -> None:
    machine.hub.page = page
    status, output = machine.run()
    assert status == 0, output
    found = {str(path.relative_to(machine.models)): path for path in machine.models.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == machine.hub.files
    (record,) = machine.records.iterdir()
    known = json.loads(record.read_text())
    sizes = {name: len(content) for name, content in machine.hub.files.items()}
    assert known == {"commit": COMMIT, "sizes": sizes, "skip": []}
    assert "all 1 repositories are ready" in output


def test_what_the_server_does_not_read_is_left_out(machine: Machine) -> None:
    (machine.folder / "models.json").write_text(rendered(download={"skip": ["voices/*", "n?"]})["models.json"])
    assert machine.run()[0] == 0
    assert {path.name for path in machine.models.rglob("*")} == {"config.json", "model.safetensors"}


def test_a_revision_has_a_folder_of_its_own(machine: Machine) -> None:
    models = [{"role": "target", "repo": REPO, "revision": "4bpw"}]
    (machine.folder / "models.json").write_text(rendered(models=models)["models.json"])
    status, output = machine.run()
    assert status == 1
    assert "there is no such repository or revision" in output
    assert ("/api/models/acme/Model/revision/4bpw", "") in machine.hub.requests


def test_a_second_start_asks_nobody(machine: Machine) -> None:
    assert machine.run()[0] == 0
    machine.hub.requests.clear()
    status, output = machine.run()
    assert (status, machine.hub.requests) == (0, [])
    assert "checked before" in output


def test_files_that_lie_there_already_are_checked_and_kept(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    (machine.models / "model.safetensors").write_bytes(WEIGHTS)
    (machine.models / "config.json").write_bytes(CONFIG[::-1])
    assert machine.run()[0] == 0
    assert not [path for path, _ in machine.hub.requests if "safetensors" in path]
    assert (machine.models / "config.json").read_bytes() == CONFIG


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_continues(machine: Machine, ranges: bool) -> None:
    machine.hub.cut, machine.hub.ranges = [100_000], ranges
    status, output = machine.run()
    assert status == 0, output
    assert (machine.models / "model.safetensors").read_bytes() == WEIGHTS
    assert ("/storage/model.safetensors", "bytes=100000-") in machine.hub.requests


def test_wrong_content_once_is_mended(machine: Machine) -> None:
    machine.hub.sent = [bytes(len(WEIGHTS))]
    status, output = machine.run()
    assert status == 0, output
    assert (machine.models / "model.safetensors").read_bytes() == WEIGHTS


def test_wrong_content_is_refused(machine: Machine) -> None:
    machine.hub.sent = [bytes(len(WEIGHTS))] * 5
    status, output = machine.run()
    assert status == 1
    assert "given up after 0 attempts without progress, 2 wrong contents" in output
    assert not (machine.models / "model.safetensors").exists()
    assert not machine.records.exists()


def test_a_server_that_sends_nothing_is_given_up(machine: Machine) -> None:
    machine.hub.cut = [0] * 9
    status, output = machine.run()
    assert status == 1
    assert "given up after 3 attempts without progress" in output


def test_a_file_that_shrank_is_not_trusted(machine: Machine) -> None:
    assert machine.run()[0] == 0
    (machine.models / "model.safetensors").write_bytes(WEIGHTS[:1000])
    status, output = machine.run()
    assert status == 0, output
    assert (machine.models / "model.safetensors").read_bytes() == WEIGHTS


def test_a_busy_hub_is_asked_again(machine: Machine) -> None:
    machine.hub.status = [503, 429]
    status, output = machine.run()
    assert status == 0, output


def test_a_refusal_is_final_and_says_what_to_do(machine: Machine) -> None:
    machine.hub.status = [403] * 10
    status, output = machine.run()
    assert status == 1
    assert "its licence must be accepted" in output
    assert len(machine.hub.requests) == 1


def test_the_token_goes_to_the_hub_alone_and_is_not_printed(machine: Machine) -> None:
    machine.environment["HF_TOKEN"] = "hf_secret\n"
    status, output = machine.run()
    assert status == 0
    assert "hf_secret" not in output
    shown = {host.split(":")[0]: token for host, token in machine.hub.tokens}
    assert shown == {"127.0.0.1": "Bearer hf_secret", "localhost": None}


def test_a_name_that_leads_out_is_refused(machine: Machine) -> None:
    machine.hub.files["../outside"] = b"x"
    status, output = machine.run()
    assert status == 1
    assert "../outside is no plain name" in output
    assert not (machine.models.parent / "outside").exists()


def test_only_the_web_is_asked(machine: Machine) -> None:
    machine.environment["HF_ENDPOINT"] = "file:///etc"
    status, output = machine.run()
    assert status == 1
    assert "HF_ENDPOINT is no web address" in output
