"""A small correct market, served over real HTTP, that a test may spoil in one place."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from market.archive import pack

TIME = "2026-11-30T07:00:00.000000000Z"
MILLISECONDS = 1_796_022_000_000
LOCALES = ("en-US", "zh-CN", "fr-FR")


@dataclass(slots=True)
class Request:
    """What came in; ``hit`` counts requests of this method and path from 1."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    hit: int


@dataclass(slots=True)
class Answer:
    """What goes out. ``length`` is the announced length; by default the true one, -1 announces none."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    length: int | None = None


Spoil = Callable[[Request, Answer], Answer]


def encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def identity(name: str) -> str:
    return hashlib.md5(name.encode()).hexdigest()[:8]


@dataclass(slots=True)
class SmallMarket:
    """Documents of a market as plain data, its charts, and what spoils the answers at a path."""

    names: list[str]
    info: dict[str, Any]
    details: dict[str, dict[str, Any]]
    charts: dict[str, bytes]
    files: dict[str, dict[str, bytes]]
    catalog: dict[str, Any]
    taxonomy: dict[str, Any]
    applications: dict[str, Any]
    spoils: dict[str, Spoil] = field(default_factory=dict)
    log: list[Request] = field(default_factory=list)

    def detail(self, at: int = 0) -> dict[str, Any]:
        return self.details[identity(self.names[at])]

    def summary(self, at: int = 0) -> dict[str, Any]:
        entry: dict[str, Any] = self.info["data"]["apps"][identity(self.names[at])]
        return entry

    def chart_path(self, at: int = 0, protocol: str = "v1") -> str:
        return f"/api/{protocol}/applications/{self.names[at]}/chart"

    def set_everywhere(self, key: str, value: Any, at: int = 0) -> None:
        self.detail(at)[key] = value
        self.summary(at)[key] = value

    def repack(self, at: int = 0) -> None:
        name = self.names[at]
        self.charts[f"{name}-1.0.0.tgz"] = pack(name, "1.0.0", self.files[name]).data

    def spoil(self, path: str, spoil: Spoil) -> None:
        self.spoils[path] = spoil

    def answer(self, request: Request) -> Answer:
        answer = self._answer(request)
        spoil = self.spoils.get(request.path)
        return spoil(request, answer) if spoil else answer

    def _answer(self, request: Request) -> Answer:
        path = request.path
        if request.method == "POST" and path == "/api/v1/applications/info":
            return self._details(json.loads(request.body))
        if path.endswith("/chart"):
            chart = self.charts.get(request.query.get("fileName", ""))
            if chart is None:
                return Answer(b'{"code":404}', 404)
            return Answer(chart, headers={"Content-Type": "application/gzip"})
        documents: dict[str, Any] = {
            "/api/v1/appstore/hash": {
                key: self.info[key] for key in ("hash", "last_updated", "version") if key in self.info
            },
            "/api/v1/appstore/info": self.info,
            "/api/v2/taxonomy": _envelope(self.taxonomy),
            "/api/v2/applications": _envelope(self.applications),
            "/api/v2/browse/applications": _envelope(self.applications),
            "/api/v2/catalog": _envelope({**self.catalog, "source_id": request.query.get("source_id")}),
        }
        if request.method != "GET" or path not in documents:
            return Answer(b'{"code":404}', 404)
        return Answer(encoded(documents[path]))

    def _details(self, asked: dict[str, Any]) -> Answer:
        apps = {key: self.details[key] for key in asked["app_ids"] if key in self.details}
        missing = [key for key in asked["app_ids"] if key not in self.details]
        return Answer(encoded({"apps": apps, "version": asked["version"], "not_found": missing}))


def _envelope(data: object) -> dict[str, object]:
    return {"code": 0, "msg": "success", "data": data}


def chart_files(name: str, title: str) -> dict[str, bytes]:
    manifest = (
        f"olaresManifest.version: 0.12.0\nmetadata:\n  name: {name}\n  title: {title}\n"
        f"  version: 1.0.0\n  categories:\n  - LLM Chat\n"
    )
    return {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n".encode(),
        "values.yaml": b"server: {}\n",
        "OlaresManifest.yaml": manifest.encode(),
        "templates/config.yaml": b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n",
        "i18n/fr-FR/OlaresManifest.yaml": f"metadata:\n  title: {title}\n".encode(),
    }


def _summary(name: str) -> dict[str, Any]:
    return {
        "id": identity(name),
        "name": name,
        "version": "1.0.0",
        "categories": ["LLM Chat"],
        "supportArch": ["amd64"],
        "source": 1,
        "updated_at": TIME,
    }


def _detail(name: str) -> dict[str, Any]:
    return {
        **{key: value for key, value in _summary(name).items() if key != "source"},
        "appID": identity(name),
        "cfgType": "app",
        "chartName": f"{name}-1.0.0.tgz",
        "icon": f"https://market.example/icons/{name}.png",
        "title": f"App {name}",
        "description": "Answers questions.",
        "fullDescription": {"en-US": "Answers.", "fr-FR": "Répond. 🙂"},
        "apiVersion": "v3",
        "requiredMemory": "25769803776",
        "requiredCPU": "4",
        "limitedCPU": "0.5",
        "entrances": [{"name": name, "port": 8080}],
        "permission": {"appData": True},
        "options": {},
        "onlyAdmin": False,
        "i18n": {},
        "versionHistory": [],
        "screenshots": [],
    }


def _stamped(**values: Any) -> dict[str, Any]:
    return {**values, "source": 1, "updated_at": TIME, "createdAt": TIME}


def _data(names: list[str]) -> dict[str, Any]:
    section = "Featured apps in LLM Chat"
    blocks = [{"type": "Topic", "id": section}, {"type": "Default Topic", "id": "Newest"}]
    texts = {locale: {"title": "Featured", "apps": ",".join(names), "isdelete": False} for locale in LOCALES}
    return {
        "apps": {identity(name): _summary(name) for name in names},
        "recommends": {"Picks": _stamped(name="Picks", content=names[0])},
        "topics": {"feat": _stamped(_id="feat", name="LLM Chat", data=texts)},
        "topic_lists": {section: _stamped(name=section, type="Category", content="feat", title={})},
        "pages": {"LLM Chat": _stamped(category="LLM Chat", content=json.dumps(blocks))},
        "tops": [{"appId": names[0], "rank": 1}],
        "latest": names[:5],
        "tags": {"LLM Chat": _stamped(_id="cat", name="LLM Chat", title=dict.fromkeys(LOCALES, "Chat"), sort=10)},
    }


def _item(name: str, at: int) -> dict[str, Any]:
    return {
        "app_id": identity(name),
        "name": name,
        "title": f"App {name}",
        "version": "1.0.0",
        "categories": ["LLM Chat"],
        "categories_v2": ["llm-chat"],
        "tags": [],
        "app_labels": [],
        "last_modify_time": MILLISECONDS + at,
        "updated_at": MILLISECONDS // 1000,
    }


def build_market(names: list[str]) -> SmallMarket:
    """Assemble a market to which no device objects."""
    data = _data(names)
    newest = MILLISECONDS + len(names) - 1
    market = SmallMarket(
        names,
        {"version": "1.12.6", "hash": "9c0c", "last_updated": TIME, "data": data, "stats": {}},
        {identity(name): _detail(name) for name in names},
        {},
        {name: chart_files(name, f"App {name}") for name in names},
        {
            "schema_version": "v2",
            "taxonomy_last_modify_time": MILLISECONDS,
            "apps_last_modify_time": newest,
            "apps_filter_digest": "9c0c",
        },
        {
            "last_modify_time": MILLISECONDS,
            "source": {"source_id": "small", "display_name": {"en-US": "Small"}, "is_official": False},
            "languages": [{"code": "en-US", "display_name": "English", "sort": 1, "enabled": True}],
            "categories": [{"id": "LLM Chat", "sort": 10, "title": dict.fromkeys(LOCALES, "Chat")}],
            "nav": ["LLM Chat"],
            "pages": [{"category_id": "LLM Chat", "items": [{"id": "all", "type": "all"}]}],
        },
        {
            "items": [_item(name, at) for at, name in enumerate(names)],
            "removed": [],
            "has_more": False,
            "max_last_modify_time": newest,
            "total": len(names),
            "page": 1,
            "page_size": 100,
        },
    )
    for at in range(len(names)):
        market.repack(at)
    return market


Ask = Callable[[str, str, dict[str, str], bytes], Answer]


def asker(market: SmallMarket) -> Ask:
    """Return what answers (method, request target, headers, body) for a market and logs it."""
    lock = threading.Lock()

    def ask(method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        parts = urlsplit(target)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        with lock:
            same = [old for old in market.log if (old.method, old.path) == (method, parts.path)]
            request = Request(method, parts.path, query, headers, body, len(same) + 1)
            market.log.append(request)
            return market.answer(request)

    return ask


@pytest.fixture
def direct() -> Callable[[SmallMarket], Ask]:
    """Ask a market without a network."""
    return asker


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, market: SmallMarket) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ask = asker(market)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._reply(b"")

    def do_POST(self) -> None:
        self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _reply(self, body: bytes) -> None:
        answer = self.server.ask(self.command, self.path, dict(self.headers.items()), body)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        length = len(answer.body) if answer.length is None else answer.length
        if length >= 0:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


Serve = Callable[[SmallMarket], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve markets on free ports until the test ends."""
    servers: list[_Server] = []

    def start(market: SmallMarket) -> str:
        server = _Server(market)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def small_market() -> SmallMarket:
    """Two apps."""
    return build_market(["appone", "apptwo"])


@pytest.fixture
def big_market() -> SmallMarket:
    """Twelve apps: two detail requests."""
    return build_market([f"app{letter}" for letter in "abcdefghijkl"])
