"""Random hostile requests, each a function of its number, and what is wrong with a reply to one.

They are well-formed HTTP: what HTTP itself forbids is refused before a Worker or a file is asked.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from .request import Asked, Reply

METHODS: Final = ("GET",) * 10 + ("POST",) * 5 + ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "PROPFIND")
PATHS: Final = (
    "/api/v1/appstore/hash", "/api/v1/appstore/info", "/api/v1/applications/info", "/api/v2/catalog",
    "/api/v2/taxonomy", "/api/v2/applications", "/api/v2/browse/applications", "/api/status", "/api/openapi.json",
    "/api/manifest", "/api/release", "/api/v1/applications/<name>/chart", "/api/v2/applications/<name>/chart",
    "/api/v2/applications/<name>", "/charts/<file>", "/icons/<name>.png", "/pictures/<name>.png", "/", "/en/", "/404",
    "/_headers", "/_market/catalog.json", "/_market/details/3.json",
)  # fmt: skip
SEGMENTS: Final = (
    "", ".", "..", "...", "%2e%2e", "%252e%252e", "%2f", "%5c", "%00", "%0d%0aX:%20y", "%ff%fe", "%zz", "%",
    "__proto__", "constructor", "toString", "api", "API", "%61pi", "v1", "V2", "index.html", "x.html", "~", "*",
    "$&", "a" * 300, "%F0%9F%98%80", "%E2%80%A8", ";a=b", "hash", "info", "404", "_market", ":80", "@evil.test",
    "null", "-1", "0",
)  # fmt: skip
VALUES: Final = (
    "", "1.12.6", "%00", "%ff", "%0d%0a", "<name>-9.9.9.tgz", "<file>", "../<file>", "..%2f<file>", "..%5c<file>",
    "<file>%00", "%252e%252e", "constructor", "__proto__", "9" * 3000, "%F0%9F%98%80", "'{}|`^", "true", "-1", "1e999",
    "olares-one-market", "x" * 60, "%3Cscript%3E", "/charts/<file>", "https://evil.test/", "[]", "null",
)  # fmt: skip
KEYS: Final = ("version", "fileName", "source_id", "page", "page_size", "size", "__proto__", "%00", "x", "FILENAME", "")
HEADERS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Accept", ("text/html", "*/*;q=0", "", "application/json")),
    ("Accept-Encoding", ("gzip", "gzip;q=0", "GZIP", "nonsense", "*", "")),
    (
        "Range",
        ("bytes=0-", "bytes=-1", "bytes=9-1", "bytes=0-0,5-9", "bytes=999999999999-", "lines=1-2", "bytes=-0", ""),
    ),
    ("If-None-Match", ("*", '"x"', "W/*", '"' + "a" * 500 + '"', "", ",,,")),
    ("If-Match", ("*", '"x"')),
    ("If-Range", ('"x"', "W/", "Thu, 01 Jan 1970 00:00:00 GMT")),
    ("If-Modified-Since", ("Thu, 01 Jan 2099 00:00:00 GMT", "yesterday", "")),
    ("Content-Type", ("application/json", "text/plain", "multipart/form-data; boundary=x", "a/b; charset=\u00ff", "")),
    ("Content-Encoding", ("gzip", "br", "identity", "GZIP, identity", "")),
    ("Origin", ("null", "https://evil.test", "\u00e9")),
    ("Sec-Fetch-Mode", ("navigate", "cors")),
    ("Access-Control-Request-Method", ("POST", "DELETE", "")),
    ("Access-Control-Request-Headers", ("Authorization", "x" * 1000)),
    ("Cookie", ("a=b", "x" * 4000, "__proto__=1")),
    ("Authorization", ("Bearer x", "Basic !!!")),
    ("X-Forwarded-Host", ("evil.test", "\u00ff")),
    ("X-Original-URL", ("/api/v1/appstore/hash", "/")),
    ("X-HTTP-Method-Override", ("DELETE",)),
    ("User-Agent", ("go-resty/2.12.0 (https://github.com/go-resty/resty)", "", "() { :; };")),
    ("X-Long", ("y" * 5000,)),
)
IDS: Final[tuple[Any, ...]] = (
    "<id>", "ffffffff", "00000000", "__proto__", "constructor", "", "\u0000", "\ud800", "😀", "A" * 10_000, 1, -1.5,
    None, True, [], {}, ["<id>"], {"id": "<id>"}, "<id> ", "../0", "\u2028",
)  # fmt: skip


def question(number: int, known: Mapping[str, str]) -> Asked:
    """The request with this number; ``known`` says what the marks ``<name>``, ``<file>`` and ``<id>`` stand for."""
    chance = random.Random(number)
    method = chance.choice(METHODS)
    path = _path(chance, known) + _query(chance)
    headers = {name: chance.choice(values) for name, values in chance.sample(HEADERS, chance.choice((0, 0, 1, 2, 4)))}
    body = None
    if method in ("POST", "PUT", "PATCH"):
        body = _body(chance)
        # The local runtime's proxy, which no published market has, fails when nobody reads a long body.
        if chance.random() < 0.7 or len(body) > 60_000:
            path = "/api/v1/applications/info" + _query(chance)
        body = _filled(body.decode("latin-1"), known).encode("latin-1")
    return Asked(method, _filled(path, known), headers, body, chunked=body is not None and chance.random() < 0.15)


def _filled(text: str, known: Mapping[str, str]) -> str:
    for mark, value in known.items():
        text = text.replace(mark, value)
    return text


def _path(chance: random.Random, known: Mapping[str, str]) -> str:
    path = _filled(chance.choice(PATHS), known)
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
        path = chance.choice(CHANGES)(path, chance)
    return path if path.startswith("/") else "/" + path


def _segment(path: str, chance: random.Random) -> str:
    parts = path.split("/")
    parts[chance.randrange(len(parts))] = chance.choice(SEGMENTS)
    return "/".join(parts)


def _inserted(path: str, chance: random.Random) -> str:
    parts = path.split("/")
    parts.insert(chance.randrange(len(parts) + 1), chance.choice(SEGMENTS))
    return "/".join(parts)


def _other_case(path: str, chance: random.Random) -> str:
    return "".join(letter.swapcase() if chance.random() < 0.2 else letter for letter in path)


def _encoded(path: str, chance: random.Random) -> str:
    escape = chance.choice(("%%%02x", "%%%02X", "%%25%02x"))
    return "".join(escape % ord(letter) if chance.random() < 0.1 else letter for letter in path)


CHANGES: Final[tuple[Callable[[str, random.Random], str], ...]] = (
    _segment,
    _inserted,
    _other_case,
    _encoded,
    lambda path, chance: path[: chance.randrange(1, len(path) + 1)],
    lambda path, chance: path + chance.choice(SEGMENTS),
    lambda path, chance: "/" * chance.randrange(1, 4) + path,
)


def _query(chance: random.Random) -> str:
    pairs = [f"{chance.choice(KEYS)}={chance.choice(VALUES)}" for _ in range(chance.choice((0, 0, 1, 1, 2, 3)))]
    return "?" + chance.choice(("&", "&", ";", "&&")).join(pairs) if pairs or chance.random() < 0.05 else ""


def _body(chance: random.Random) -> bytes:
    value: Any = {"app_ids": [chance.choice(IDS) for _ in range(chance.choice((0, 1, 3, 10, 10, 40)))]}
    if chance.random() < 0.5:
        value["version"] = chance.choice((*VALUES, None, 1, [], {"x": 1}))
    text = json.dumps(chance.choice((value, value, value, value["app_ids"], {"app_ids": chance.choice(IDS)})))
    return chance.choice(
        (
            text.encode(), text.encode(), text.encode(), text[: chance.randrange(len(text) + 1)].encode(),
            b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16"), chance.randbytes(chance.randrange(200)),
            b"[" * chance.randrange(30_000), text.encode().ljust(chance.choice((65_536, 65_537, 200_000))), b"",
        )
    )  # fmt: skip


def faults(asked: Asked, reply: Reply) -> Iterator[str]:
    """What is wrong with a reply, whatever was asked."""
    if reply.status >= 500:
        yield f"status {reply.status}"
    if reply.headers.get("x-content-type-options") != "nosniff":
        yield "no nosniff"
    if is_api(asked.path):
        yield from _api_faults(asked, reply)
    if reply.type == "application/gzip" and "content-encoding" in reply.headers:
        yield "a chart is compressed again"
    if urlsplit(reply.headers.get("location", "")).netloc:
        yield "leads to another host"


def _api_faults(asked: Asked, reply: Reply) -> Iterator[str]:
    content = reply.content
    if reply.type == "text/html" or re.search(rb"<(!doctype|html|p)\b", content[:500], re.IGNORECASE):
        yield "HTML below /api"
    if "location" in reply.headers:
        yield "a redirect below /api"
    if content and asked.method == "HEAD":
        yield "a body for HEAD"
    if content and reply.type == "application/json":
        try:
            reply.json()
        except ValueError:
            yield "a body that is no JSON"
    elif content and reply.type != "application/gzip":
        yield f"a body of type {reply.type!r}"


def is_api(path: str) -> bool:
    """Whether some reader takes an address for one below /api: dots resolved, slashes joined, decoded, in any case."""
    parts: list[str] = []
    for part in re.split(r"[/\\]", path.partition("?")[0].removeprefix("/")):
        dots = re.sub("%2e", ".", part, flags=re.IGNORECASE)
        if dots == "..":
            parts = parts[:-1]
        elif dots != ".":
            parts.append(part)
    whole = unquote_to_bytes(unquote_to_bytes("/".join(parts).encode("latin-1")))
    # Dots that are encoded twice lead nowhere, and a careless reader drops them.
    return re.match(rb"[/\\.]*api(?![\w-])", whole, re.IGNORECASE) is not None
