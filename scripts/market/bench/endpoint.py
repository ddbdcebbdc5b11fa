"""The endpoint: one HTTP server with OpenAI's chat completions, asked in its engine's own dialect."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import requests

from market.bench import counters
from market.bench.faults import EndpointFault, Kind, of_connection, of_html, of_status
from market.bench.judgement import broken, check_head, is_html, judge, timed_out
from market.bench.reply import Reply, assemble

Engine = Literal["llama.cpp", "vLLM", "other"]
OnRead = Callable[[float, bytes], None]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server says of itself. ``context_tokens`` is the window of one request, in tokens."""

    engine: Engine
    model: str
    build: str | None = None
    context_tokens: int | None = None
    model_file: str | None = None
    vision: bool | None = None
    slots: int | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


def base_of(url: str) -> str:
    """The server's base address from whatever part of the API's address was given.

    Raises:
        ValueError: it is not an http(s) address, or carries a password that would land in the report.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url} is not an http:// or https:// address")
    if parts.username or parts.password:
        raise ValueError("an address with a password would be printed in the report; use --key-from")
    path = parts.path.rstrip("/")
    for ending in ("/chat/completions", "/completions", "/models", "/v1"):
        path = path.removesuffix(ending)
    return f"{parts.scheme}://{parts.netloc}{path}"


class Endpoint:
    """One server and one connection to it; not to be shared between threads (see ``sibling``)."""

    def __init__(self, url: str, key: str | None = None, timeout: float = 600.0) -> None:
        self.base = base_of(url)
        self._key = key
        self._timeout = (10.0, timeout)
        self._session = requests.Session()
        # Proxies and .netrc of the environment would measure something else than the server.
        self._session.trust_env = False
        self._session.headers["Accept-Encoding"] = "identity"
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"

    def sibling(self) -> Endpoint:
        """Another connection to the same server."""
        return Endpoint(self.base, self._key, self._timeout[1])

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, so that its GPU is this machine's."""
        return urlsplit(self.base).hostname in ("127.0.0.1", "localhost", "::1")

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The models that the server lists, by name.

        Raises:
            EndpointFault: it cannot be reached, or is no such API.
        """
        listing = self._json("/v1/models")
        data = listing.get("data") if isinstance(listing, Mapping) else None
        found = {str(entry.get("id")): entry for entry in data or () if isinstance(entry, Mapping)}
        if not found:
            raise EndpointFault(Kind.MISSING, f"{self.base}/v1/models lists no model, so there is nothing to measure")
        return found

    def identify(self, model: str | None) -> Identity:
        """Ask the server what it is and check that it has ``model`` (default: its first).

        Raises:
            EndpointFault: it cannot be reached, is no such API, or does not have the model.
        """
        entries = self.models()
        chosen = model or next(iter(entries))
        if chosen not in entries:
            raise EndpointFault(
                Kind.MODEL, f"{self.base} does not have the model {chosen}; it serves {', '.join(entries)}"
            )
        props = self._optional("/props")
        if "default_generation_settings" in props:
            return _llama(chosen, props)
        version = self._optional("/version")
        if entries[chosen].get("owned_by") == "vllm" or "max_model_len" in entries[chosen]:
            window = entries[chosen].get("max_model_len")
            root = entries[chosen].get("root")
            return Identity("vLLM", chosen, version.get("version"), window, properties={"root": root} if root else {})
        return Identity("other", chosen)

    def counters(self) -> Mapping[str, float]:
        """The engine's counters; empty where it shows none."""
        self._session.close()
        try:
            response = self._session.get(f"{self.base}/metrics", timeout=(5.0, 10.0))
        except requests.RequestException:
            return {}
        return counters.parse(response.text) if response.ok else {}

    def count(self, text: str, model: str) -> int | None:
        """Tokens of a text by the server's own tokeniser, or ``None`` where it offers none."""
        self._session.close()
        try:
            response = self._session.post(f"{self.base}/tokenize", timeout=(5.0, 60.0),
                                          json={"content": text, "prompt": text, "model": model})  # fmt: skip
            data = response.json() if response.ok else {}
        except (requests.RequestException, ValueError):
            return None
        tokens = data.get("tokens") if isinstance(data, Mapping) else None
        return len(tokens) if isinstance(tokens, list) else None

    def _connect(self) -> None:
        """Open a new connection, so that neither a hand-shake nor a stale connection stands in the measurement.

        llama-server closes the connection after a stream without saying so.
        """
        self._session.close()
        with suppress(requests.RequestException):
            _ = self._session.get(f"{self.base}/v1/models", timeout=(10.0, 30.0)).content

    def chat(self, body: Mapping[str, Any], on_read: OnRead | None = None) -> Reply:
        """Send a streamed chat completion and keep every read with its time.

        Nothing is parsed while the stream runs, so that the client's work does not delay the next read.

        Raises:
            EndpointFault: with the part of the reply that had come, where any had.
        """
        url = f"{self.base}/v1/chat/completions"
        reads: list[tuple[float, bytes]] = []
        self._connect()
        cpu = time.thread_time()
        start = time.perf_counter()
        fault: EndpointFault | None = None
        try:
            with self._session.post(url, json=dict(body), stream=True, timeout=self._timeout) as response:
                check_head(url, response)
                while data := response.raw.read1(65536):
                    at = time.perf_counter() - start
                    reads.append((at, data))
                    if on_read:
                        on_read(at, data)
        except requests.RequestException as error:
            fault = of_connection(url, error) if not reads else broken(url)
        except Exception as error:  # urllib3 and http.client raise families of their own while reading
            if isinstance(error, EndpointFault | KeyboardInterrupt):
                raise
            fault = timed_out(url) if "timed out" in str(error).lower() else broken(url)
        ended = reads[-1][0] if reads else time.perf_counter() - start
        reply = assemble(reads, ended, time.thread_time() - cpu)
        judge(url, reply, str(body.get("model")), fault)
        return reply

    def _json(self, path: str) -> Any:
        url = f"{self.base}{path}"
        self._session.close()
        try:
            response = self._session.get(url, timeout=(10.0, 30.0))
        except requests.RequestException as error:
            raise of_connection(url, error) from None
        if is_html(response):
            raise of_html(url)
        if not response.ok:
            raise of_status(url, response.status_code, response.text, response.headers.get("Retry-After"))
        try:
            return response.json()
        except ValueError:
            raise EndpointFault(Kind.NOT_STREAM, f"{url} answered with something that is not JSON") from None

    def _optional(self, path: str) -> Mapping[str, Any]:
        try:
            data = self._json(path)
        except EndpointFault:
            return {}
        return data if isinstance(data, Mapping) else {}


def _llama(model: str, props: Mapping[str, Any]) -> Identity:
    settings = props["default_generation_settings"]
    path = str(props.get("model_path") or "")
    modalities = props.get("modalities")
    kept = {key: props[key] for key in ("model_ftype", "total_slots") if key in props}
    return Identity(
        engine="llama.cpp",
        model=model,
        build=props.get("build_info"),
        context_tokens=settings.get("n_ctx"),
        model_file=path.replace("\\", "/").rpartition("/")[2] or None,
        vision=bool(modalities.get("vision")) if isinstance(modalities, Mapping) else None,
        slots=props.get("total_slots"),
        properties=kept,
    )
