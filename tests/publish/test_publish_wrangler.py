"""Deployment by the real wrangler, against a server that answers as Cloudflare's API does."""

from __future__ import annotations

import contextlib
import email.parser
import email.policy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from tests.publish.edge import served

from market.errors import MarketError
from market.publish import wrangler
from market.publish.content import Content
from market.publish.wrangler import WranglerDeployment

pytestmark = pytest.mark.xdist_group("publish")
ACCOUNT, TOKEN = "0123456789abcdef0123456789abcdef", "a-token-of-this-test-only"


@dataclass
class Cloudflare:
    """What the API was asked; ``refuses`` makes it turn every request down."""

    refuses: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, bytes] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)


@contextlib.contextmanager
def cloudflare(api: Cloudflare) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def _answer(self) -> None:
            body = self._body()
            path = self.path.partition("?")[0]
            api.asked.append((self.command, path))
            api.tokens.add(self.headers.get("Authorization", ""))
            if api.refuses:
                self._send(403, {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]})
                return
            if path.endswith("/assets-upload-session"):
                api.manifest = json.loads(body)["manifest"]
                self._ok({"jwt": "no-assets-are-missing", "buckets": []})
            elif path.endswith("/versions") and self.command == "GET":
                self._ok({"items": []})
            elif re.search(r"/workers/scripts/[^/]+(/versions)?$", path) and self.command in ("PUT", "POST"):
                api.parts = _parts(self.headers["Content-Type"], body)
                self._ok({"id": "version", "startup_time_ms": 1, "tag": "t", "entry_point": "worker.js"})
            elif path.endswith("/workers/subdomain"):
                self._ok({"subdomain": "example"})
            elif path.endswith("/subdomain"):
                self._ok({"enabled": True, "previews_enabled": False})
            elif "/workers/workers/" in path:
                self._ok({"id": "worker", "subdomain": {"enabled": True, "previews_enabled": False}})
            elif path.endswith("/settings"):
                self._ok({"bindings": []})
            elif path.endswith("/deployments"):
                self._ok({"deployments": []})
            elif "/r2/buckets" in path:
                self._ok({"name": "olares-one-market", "buckets": [{"name": "olares-one-market"}]})
            elif re.search(r"/workers/(services|scripts)/[^/]+$", path):
                self._send(404, {"success": False, "errors": [{"code": 10090, "message": "not found"}]})
            else:
                self._ok([] if path.endswith("s") else {})

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def _ok(self, result: Any) -> None:
            self._send(200, {"success": True, "errors": [], "messages": [], "result": result})

        def _send(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with served(Handler) as url:
        yield url


def _parts(content_type: str, body: bytes) -> dict[str, bytes]:
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    )
    found = {}
    for part in message.iter_parts():
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        found[str(part.get_param("name", header="content-disposition"))] = payload
    return found


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("CLOUDFLARE_ACCOUNT_ID", ACCOUNT)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", TOKEN)
    monkeypatch.setenv("MARKET_SIGNING_KEY", "the signing key")
    return monkeypatch


def test_code_index_and_site_go_out_as_one_version(
    releases: tuple[Content, ...], environment: pytest.MonkeyPatch
) -> None:
    api, made = Cloudflare(), releases[0]
    with cloudflare(api) as url:
        environment.setenv("CLOUDFLARE_API_BASE_URL", f"{url}/client/v4")
        WranglerDeployment("https://market.example.org").put(made, b"signed", 7)
    assert TOKEN in "".join(api.tokens)
    uploads = [path for method, path in api.asked if method in ("PUT", "POST") and "assets" not in path]
    assert len([path for path in uploads if "/workers/scripts/" in path and "subdomain" not in path]) == 1, api.asked
    metadata = json.loads(api.parts["metadata"])
    assert api.parts["worker.js"].strip() == made.worker.strip()
    assert metadata["annotations"]["workers/tag"] == "release-7"
    assert {binding["type"] for binding in metadata["bindings"]} == {"assets", "r2_bucket"}
    assert "secret_text" in metadata["keep_bindings"]
    assert "/api/*" in metadata["assets"]["config"]["run_worker_first"]
    # _headers is configuration to wrangler and no asset; manifest and statement are assets like the rest.
    wanted = {f"/{path}" for path in made.manifest.files} - {"/_headers"} | {"/api/manifest", "/api/release"}
    assert set(api.manifest) == wanted


def test_a_refused_token_is_one_sentence_without_the_token(
    releases: tuple[Content, ...], environment: pytest.MonkeyPatch
) -> None:
    with cloudflare(Cloudflare(refuses=True)) as url:
        environment.setenv("CLOUDFLARE_API_BASE_URL", f"{url}/client/v4")
        with pytest.raises(MarketError, match=r"wrangler could not deploy release 7: .*CLOUDFLARE_API_TOKEN") as caught:
            WranglerDeployment("https://market.example.org").put(releases[0], b"signed", 7)
    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_any_credentials_wrangler_says_what_to_set(
    releases: tuple[Content, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN", raising=False)
    with pytest.raises(MarketError, match="CLOUDFLARE_API_TOKEN"):
        WranglerDeployment("https://market.example.org").put(releases[0], b"signed", 7)


def test_wrangler_gets_no_secret_but_its_own() -> None:
    whole = {
        "PATH": "/bin", "HOME": "/h", "CLOUDFLARE_API_TOKEN": "t", "R2_SECRET_ACCESS_KEY": "s", "https_proxy": "p",
        "MARKET_SIGNING_KEY": "k", "AWS_SECRET_ACCESS_KEY": "a", "GITHUB_TOKEN": "g", "LC_ALL": "C",
    }  # fmt: skip
    passed = wrangler._environment(whole, "/logs")
    assert {name for name in whole if name in passed} == {
        "PATH",
        "HOME",
        "CLOUDFLARE_API_TOKEN",
        "https_proxy",
        "LC_ALL",
    }


def test_what_wrangler_says_is_shown_without_secrets() -> None:
    said = "\x1b[31m✘ [ERROR]\x1b[0m A request failed with a-token-of-this-test-only\n\n more"
    assert wrangler._reason(said, {"CLOUDFLARE_API_TOKEN": TOKEN}) == "A request failed with ***"


def test_the_bundle_is_the_same_every_time(releases: tuple[Content, ...]) -> None:
    assert releases[0].worker == releases[1].worker
    assert b"export" in releases[0].worker
    assert b"/tmp" not in releases[0].worker + releases[0].configuration
