"""The download step of the vllm-server archetype: the rendered script with a real huggingface_hub.

Needs huggingface_hub, which the server's image brings; without it these tests are skipped.
"""

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
from urllib.parse import urlsplit

import pytest
import yaml

from market import archive, helm

pytest.importorskip("huggingface_hub")

ARCHETYPE = Path(__file__).parents[2] / "archetypes" / "vllm-server"
REPO = "acme/Model-AWQ"
FIRST, SECOND = "1" * 40, "2" * 40
WEIGHTS = random.Random(11).randbytes(200_000)
CONFIG = b'{"model_type": "acme"}\n'


def git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass
class Repository:
    commit: str = FIRST
    files: dict[str, bytes] = field(default_factory=lambda: {"config.json": CONFIG, "model.safetensors": WEIGHTS})
    sent: list[bytes] = field(default_factory=list)
    """Contents of the first downloads of the weights, before the right one."""
    cut: list[int] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    repository: Repository
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _reply(self, status: int, headers: dict[str, str], content: bytes, body: bool) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def _answer(self, body: bool) -> None:
        repository, path = self.repository, urlsplit(self.path).path
        repository.requests.append((self.command, path))
        if repository.status:
            status = repository.status.pop(0)
            code = {"X-Error-Code": "GatedRepo"} if status == 403 else {}
            self._reply(status, code, b"{}", body)
        elif path.startswith(f"/api/models/{REPO}/revision/"):
            siblings = [{"rfilename": name} for name in repository.files]
            self._json({"id": REPO, "modelId": REPO, "sha": repository.commit, "siblings": siblings}, body)
        elif path.startswith(f"/api/models/{REPO}/tree/"):
            self._json([self._entry(name) for name in repository.files], body)
        elif path.startswith(f"/{REPO}/resolve/"):
            self._file(path.split("/", 5)[5], body)
        else:
            self._reply(404, {"X-Error-Code": "RepoNotFound"}, b"{}", body)

    def _json(self, data: object, body: bool) -> None:
        self._reply(200, {"Content-Type": "application/json"}, json.dumps(data).encode(), body)

    def _entry(self, name: str) -> dict[str, object]:
        content = self.repository.files[name]
        entry: dict[str, object] = {"type": "file", "path": name, "size": len(content), "oid": git_id(content)}
        if name.endswith(".safetensors"):
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        return entry

    def _file(self, name: str, body: bool) -> None:
        repository = self.repository
        content = repository.files[name]
        large = name.endswith(".safetensors")
        etag = hashlib.sha256(content).hexdigest() if large else git_id(content)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": repository.commit, "Accept-Ranges": "bytes"}
        if large:
            headers |= {"X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{etag}"'}
        if body and large and repository.sent:
            content = repository.sent.pop(0)
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").split("-")[0])
        part = content[start:]
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        if body and large and repository.cut:
            self.send_response(206 if start else 200)
            for key, value in {**headers, "Content-Length": str(len(part))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(part[: repository.cut.pop(0)])
            self.close_connection = True
            return
        self._reply(206 if start else 200, headers, part, body)


@dataclass
class Machine:
    folder: Path
    repository: Repository
    environment: dict[str, str]

    @property
    def cache(self) -> Path:
        return self.folder / "common" / "huggingface" / f"models--{REPO.replace('/', '--')}"

    def weights(self, commit: str = FIRST) -> bytes:
        return (self.cache / "snapshots" / commit / "model.safetensors").read_bytes()

    def run(self) -> tuple[int, str]:
        command = [sys.executable, str(self.folder / "fetch.py")]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)
        return result.returncode, result.stdout + result.stderr


def rendered() -> dict[str, str]:
    values = {
        "workloads": {"demo": {"replicaCount": 1}},
        "server": {
            "image": "docker.io/demo/server:1",
            "port": 8000,
            "args": [],
            "resources": {"cpu": {"request": "1", "limit": "1"}, "memory": {"request": "1Gi", "limit": "1Gi"}},
        },
        "models": [{"role": "target", "repo": REPO}],
    }
    files = {
        "Chart.yaml": b'apiVersion: v2\nname: demo\nversion: "1.0.0"\n',
        "values.yaml": yaml.safe_dump(values).encode(),
        **{f"templates/{path.name}": path.read_bytes() for path in (ARCHETYPE / "templates").iterdir()},
    }
    documents = helm.render(archive.pack("demo", "1.0.0", files).data, "demo", {})
    return dict(yaml.safe_load(documents["demo/templates/configmap.yaml"])["data"])


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    repository = Repository()
    handler = type("Bound", (Handler,), {"repository": repository})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    for name, text in rendered().items():
        (tmp_path / name).write_text(text)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_CACHE": str(tmp_path / "common" / "huggingface"),
        "RECORDS": str(tmp_path / "common" / "records"),
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "MODELS_LIST": str(tmp_path / "models.json"),
        "APP_NAME": "demo",
        "FETCH_PAUSE": "0",
        "FETCH_TRIES": "3",
    }
    yield Machine(tmp_path, repository, environment)
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_repository_is_downloaded_checked_and_recorded(machine: Machine) -> None:
    status, output = machine.run()
    assert status == 0, output
    assert machine.weights() == WEIGHTS
    (record,) = (machine.folder / "common" / "records").iterdir()
    assert json.loads(record.read_text()) == {"config.json": len(CONFIG), "model.safetensors": len(WEIGHTS)}
    assert "all 1 repositories are ready" in output


def test_a_second_start_asks_nobody_even_when_the_branch_moved(machine: Machine) -> None:
    assert machine.run()[0] == 0
    machine.repository.commit = SECOND
    machine.repository.files["model.safetensors"] = b"new" * 1000
    machine.repository.requests.clear()
    status, output = machine.run()
    assert (status, machine.repository.requests) == (0, [])
    assert "checked before" in output
    assert machine.weights() == WEIGHTS


def test_a_broken_download_is_mended(machine: Machine) -> None:
    machine.repository.cut = [100_000]
    status, output = machine.run()
    assert status == 0, output
    assert machine.weights() == WEIGHTS


def test_wrong_content_is_refused(machine: Machine) -> None:
    machine.repository.sent = [bytes(len(WEIGHTS))] * 3
    status, output = machine.run()
    assert status == 1
    assert "the content of model.safetensors is wrong" in output
    assert not (machine.folder / "common" / "records").exists()


def test_wrong_content_once_is_mended(machine: Machine) -> None:
    machine.repository.sent = [bytes(len(WEIGHTS))]
    status, output = machine.run()
    assert status == 0, output
    assert machine.weights() == WEIGHTS


def test_a_file_that_shrank_is_not_trusted(machine: Machine) -> None:
    assert machine.run()[0] == 0
    blob = (machine.cache / "snapshots" / FIRST / "model.safetensors").resolve()
    blob.write_bytes(WEIGHTS[:1000])
    status, output = machine.run()
    assert status == 0, output
    assert machine.weights() == WEIGHTS


def test_a_refusal_is_final_and_says_what_to_do(machine: Machine) -> None:
    machine.repository.status = [403] * 10
    status, output = machine.run()
    assert status == 1
    assert "its licence must be accepted" in output
    assert output.count("downloading") == 1


def test_the_token_is_not_printed(machine: Machine) -> None:
    machine.environment["HF_TOKEN"] = "hf_secret"
    machine.repository.status = [403] * 10
    assert "hf_secret" not in machine.run()[1]
