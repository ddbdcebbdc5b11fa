"""A real HTTP server that answers as vLLM does, at a pace that is set, and with the fault that is asked for.

The shapes are those of vLLM's OpenAI server (vllm/entrypoints/openai, 0.11): field lists, not recordings.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "qwen3.6-27b"
HTML = "<!DOCTYPE html><html><head><title>Log in</title></head><body>Please log in</body></html>"


@dataclass
class Script:
    """How to answer. Times are seconds; a step is one chunk."""

    first: float = 0.05
    step: float = 0.01
    steps: int = 20
    tokens_per_step: int = 1
    prompt_tokens: int = 42
    cached_tokens: int | None = 0
    finish: str = "length"
    drafted: int = 0
    accepted: int = 0
    version: str = "0.11.0"
    fault: str = ""
    at_request: int = 1
    """The request for a completion, counted from 1, with which the fault begins."""
    slow_from: int = 0
    """The request from which steps take five times as long; 0 for none."""
    stated: bool = False
    """Whether to state timings as llama.cpp does: the times of this script, however late a busy machine is."""
    metrics: dict[str, float] = field(default_factory=dict)
    sent: list[tuple[float, float]] = field(default_factory=list)
    """When the first and the last piece of each answer really left, in seconds after its request came."""
    answers: list[str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Tokens of a whole answer."""
        return self.steps * self.tokens_per_step


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        script = self.script
        if script.fault == "html-models":
            self._send(200, HTML, "text/html")
        elif script.fault == "key":
            self._send(401, json.dumps({"error": "Unauthorized"}))
        elif self.path == "/v1/models":
            entry = {"id": MODEL, "object": "model", "created": 1770000000, "owned_by": "vllm", "root": f"Qwen/{MODEL}",
                     "parent": None, "max_model_len": 32768, "permission": []}  # fmt: skip
            self._send(200, json.dumps({"object": "list", "data": [entry]}))
        elif self.path == "/version":
            self._send(200, json.dumps({"version": script.version}))
        elif self.path == "/metrics":
            self._send(200, self._metrics(), "text/plain")
        else:
            self._send(404, json.dumps({"detail": "Not Found"}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            words = body["prompt"].split()
            self._send(
                200, json.dumps({"count": len(words), "max_model_len": 32768, "tokens": list(range(len(words)))})
            )
            return
        self.script.requests.append(body)
        fault = self.script.fault if len(self.script.requests) >= self.script.at_request else ""
        refusals = {
            "401": (401, {"error": "Unauthorized"}),
            "404-model": (404, {"error": {"message": "The model `x` does not exist.", "type": "NotFoundError"}}),
            "429": (429, {"error": {"message": "Too many requests", "type": "rate_limit"}}),
            "500": (500, {"error": {"message": "EngineCore encountered an issue", "type": "InternalServerError"}}),
            "400": (400, {"object": "error", "message": "max_tokens is too large: 99999", "type": "BadRequestError"}),
        }  # fmt: skip
        if fault in refusals:
            status, answer = refusals[fault]
            self._send(status, json.dumps(answer), extra={"Retry-After": "7"} if status == 429 else {})
        elif fault == "html":
            self._send(200, HTML, "text/html; charset=utf-8")
        elif fault == "json":
            self._send(200, json.dumps({"object": "chat.completion", "choices": []}))
        else:
            self._stream(body, fault)

    def _stream(self, body: dict[str, Any], fault: str) -> None:
        script, start = self.script, time.perf_counter()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        step, first = self._step(), 0.0
        self._chunk(delta={"role": "assistant", "content": ""})
        answer = script.answers.pop(0) if script.answers else "word "
        for index in range(0 if fault == "empty" else script.steps):
            _sleep_until(start + script.first + index * step)
            if index == script.steps // 2 and fault == "error-in-stream":
                self._data({"error": {"message": "CUDA out of memory", "type": "InternalServerError", "code": 500}})
                self._data("[DONE]")
                self._end()
                return
            if index == script.steps // 2 and fault in ("truncated", "broken", "silent"):
                if fault == "silent":
                    time.sleep(4)
                elif fault == "truncated":
                    self._end()
                self.close_connection = True
                self.connection.close()
                return
            self._chunk(delta={"content": answer})
            first = first or time.perf_counter() - start
        script.sent.append((first, time.perf_counter() - start))
        self._chunk(delta={"content": ""}, finish=script.finish)
        if fault != "no-usage":
            self._usage(fault)
        self._data("[DONE]")
        self._end()

    def _step(self) -> float:
        """Seconds between two chunks of this answer."""
        script = self.script
        return script.step * (5 if script.slow_from and len(script.requests) >= script.slow_from else 1)

    def _usage(self, fault: str) -> None:
        script = self.script
        script.metrics["vllm:spec_decode_num_draft_tokens_total"] = (
            script.metrics.get("vllm:spec_decode_num_draft_tokens_total", 0) + script.drafted
        )
        script.metrics["vllm:spec_decode_num_accepted_tokens_total"] = (
            script.metrics.get("vllm:spec_decode_num_accepted_tokens_total", 0) + script.accepted
        )
        total = script.prompt_tokens + script.tokens
        usage: dict[str, Any] = {"prompt_tokens": script.prompt_tokens, "total_tokens": total,
                                 "completion_tokens": script.tokens}  # fmt: skip
        if script.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": script.cached_tokens}
        model = "another-model" if fault == "other-model" else MODEL
        timings = {"prompt_n": script.prompt_tokens, "prompt_ms": script.first * 1000, "predicted_n": script.tokens,
                   "predicted_ms": (script.steps - 1) * self._step() * 1000}  # fmt: skip
        self._data({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [],
                    "usage": usage, **({"timings": timings} if script.stated else {})})  # fmt: skip

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish, "token_ids": None}
        self._data({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL,
                    "choices": [choice]})  # fmt: skip

    def _data(self, data: Any) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        line = f"data: {text}\n\n".encode()
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send(
        self, status: int, text: str, kind: str = "application/json", extra: dict[str, str] | None = None
    ) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _metrics(self) -> str:
        lines = ["# HELP vllm:spec_decode_num_draft_tokens_total Number of draft tokens."]
        lines += [
            f'{name}{{engine="0",model_name="{MODEL}"}} {float(value)}' for name, value in self.script.metrics.items()
        ]
        return "\n".join(lines) + "\n"


class Replay(ThreadingHTTPServer):
    """The server. ``url`` is its base address."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        handler = type("Scripted", (Handler,), {"script": script})
        super().__init__(("127.0.0.1", 0), handler)

    @property
    def url(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


@contextmanager
def replaying(script: Script) -> Iterator[Replay]:
    """Run the server in a thread."""
    server = Replay(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _sleep_until(moment: float) -> None:
    """Wait for a moment of the performance counter; late steps do not push the later ones back."""
    while (left := moment - time.perf_counter()) > 0:
        time.sleep(left)
