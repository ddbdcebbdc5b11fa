"""Every fault of an endpoint: one sentence, the right status, and what was measured is kept."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from market import schema
from market.bench.series import read

from . import command, llama
from .replay import Handler, Script, replaying

FAST: dict[str, Any] = {"first": 0.01, "step": 0.001}
SENTENCES = {
    "401": "wants a key (401: Unauthorized); put it in the variable that --key-from names",
    "404-model": "does not have that model: The model `x` does not exist; leave --model out",
    "429": "refuses more requests (429: Too many requests) and asks to wait 7 s",
    "500": "failed (500: EngineCore encountered an issue); its own log says why",
    "400": "refused the request (400: max_tokens is too large: 99999)",
    "html": "answered with a web page, not with the API",
    "json": "answered with application/json instead of a stream",
    "error-in-stream": "sent an error in mid-stream, after 10 pieces of text: CUDA out of memory",
    "truncated": "ended after 10 pieces of text without a finish reason",
    "broken": "broke in mid-stream",
    "silent": "fell silent in mid-stream for longer than --timeout",
    "empty": "finished (length) without any text",
    "no-usage": "sends neither usage nor timings, so its tokens cannot be counted",
    "other-model": "was asked for qwen3.6-27b and answered with another-model",
}
CUT = ("error-in-stream", "truncated", "broken", "silent")


@pytest.mark.parametrize("fault", sorted(SENTENCES))
def test_fault_is_one_sentence_and_keeps_the_finished_runs(fault: str, tmp_path: Path) -> None:
    script = Script(**FAST, fault=fault, at_request=4)
    with replaying(script) as server:
        found = command.run(server.url, tmp_path, "-n", "5", "--warmup", "1", "--tokens", "20", "--timeout", "2")
    assert found.status == 2, found.err
    (said,) = [line for line in found.err.splitlines() if line.startswith("market:")]
    assert SENTENCES[fault] in said
    assert server.url in said
    assert "Traceback" not in found.err
    assert len(found.report["runs"]) == 2
    (noted,) = found.report["faults"]
    assert noted["run"] == 3
    assert noted["message"] in said
    assert f"2 finished runs are kept; go on with: market bench run --url {server.url}" in found.err
    assert not schema.errors(read(next(tmp_path.glob("reports/*.yaml"))), "bench-report")
    if fault in CUT:
        assert noted["pieces"] == 10
        assert noted["time_to_first_token_ms"] == pytest.approx(10, abs=200)
        assert "10 pieces of text" in found.err


def test_fault_in_the_first_run_leaves_no_report(tmp_path: Path) -> None:
    with replaying(Script(**FAST, fault="error-in-stream")) as server:
        found = command.run(server.url, tmp_path, "--tokens", "20")
    assert (found.status, found.reports) == (2, {})
    assert "of the broken run there had come: 10 pieces of text" in found.err


@pytest.mark.parametrize(
    ("fault", "sentence"), [("html-models", "answered with a web page"), ("key", "wants a key (401")]
)
def test_fault_before_the_first_request(fault: str, sentence: str, tmp_path: Path) -> None:
    with replaying(Script(fault=fault)) as server:
        found = command.run(server.url, tmp_path)
    assert found.status == 2
    assert sentence in found.err


def test_refused(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{llama.free_port()}"
    found = command.run(url, tmp_path)
    assert found.status == 2
    assert f"nothing listens at {url}/v1/models (connection refused)" in found.err


def test_unknown_host(tmp_path: Path) -> None:
    found = command.run("http://no-such-host.invalid", tmp_path)
    assert found.status == 2
    assert "there is no host of the name in http://no-such-host.invalid/v1/models" in found.err


def test_https_to_a_plain_server(tmp_path: Path) -> None:
    with replaying(Script()) as server:
        found = command.run(server.url.replace("http:", "https:"), tmp_path)
    assert found.status == 2
    assert "the TLS certificate or handshake of https://" in found.err


def test_certificate_that_nobody_signed(tmp_path: Path) -> None:
    with _tls(tmp_path) as url:
        found = command.run(url, tmp_path)
    assert found.status == 2
    assert "is not accepted (certificate verify failed: self-signed certificate)" in found.err


def test_model_that_is_not_served(tmp_path: Path) -> None:
    config = yaml.safe_load(command.configure(tmp_path).read_text())
    config["configurations"][0]["model"] = "gpt-5"
    (tmp_path / "bench.yaml").write_text(yaml.safe_dump(config))
    with replaying(Script()) as server:
        found = command.run(server.url, tmp_path)
    assert found.status == 2
    assert "does not have the model gpt-5; it serves qwen3.6-27b" in found.err


@contextmanager
def _tls(folder: Path) -> Iterator[str]:
    """The replay server behind a certificate that it made itself."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)  # fmt: skip
    server = HTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": Script()}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
