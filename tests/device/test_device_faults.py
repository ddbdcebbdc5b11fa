"""One fault each: the device must object, in the right step, and name what is wrong."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from market.device.sync import Options
from market.device.verification import Verification
from market.device.verify import verify

if TYPE_CHECKING:
    from tests.device.conftest import Answer, Request, Serve, SmallMarket

HASH, INFO = "/api/v1/appstore/hash", "/api/v1/appstore/info"
DETAILS = "/api/v1/applications/info"
CATALOG, TAXONOMY = "/api/v2/catalog", "/api/v2/taxonomy"
APPLICATIONS, BROWSE = "/api/v2/applications", "/api/v2/browse/applications"

Change = Callable[["SmallMarket"], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A change to a correct market; the deviation must come in ``step`` and hold both texts."""

    step: str
    path: str
    message: str
    change: Change
    mode: str = "genB"
    big: bool = False

    @property
    def label(self) -> str:
        return f"{self.mode}-{self.step}-{self.message}".replace(" ", "_")


def observed(case: Case, market: SmallMarket, serve: Serve) -> Verification:
    case.change(market)
    return verify(serve(market), (case.mode,), options=Options(pauses=(0.0, 0.0)))


# Changes to the documents


def data(*keys: str, to: Any) -> Change:
    """Set a value of the index's data, by its path."""

    def change(market: SmallMarket) -> None:
        place = market.info["data"]
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


def info(key: str, to: Any) -> Change:
    return lambda market: market.info.__setitem__(key, to)


def detail(key: str, to: Any) -> Change:
    return lambda market: market.detail().__setitem__(key, to)


def both(key: str, to: Any) -> Change:
    return lambda market: market.set_everywhere(key, to)


def without(key: str) -> Change:
    return lambda market: market.detail().pop(key)


def catalog(key: str, to: Any) -> Change:
    return lambda market: market.catalog.__setitem__(key, to)


def taxonomy(key: str, to: Any) -> Change:
    return lambda market: market.taxonomy.__setitem__(key, to)


def applications(key: str, to: Any) -> Change:
    return lambda market: market.applications.__setitem__(key, to)


def item(key: str, to: Any) -> Change:
    return lambda market: market.applications["items"][0].__setitem__(key, to)


def remove_summary(market: SmallMarket) -> None:
    del market.info["data"]["apps"][market.detail()["id"]]


def rename_key(market: SmallMarket) -> None:
    apps = market.info["data"]["apps"]
    apps["00000000"] = apps.pop(market.detail()["id"])


def foreign_id(market: SmallMarket) -> None:
    """Another id than the name's, everywhere alike."""
    old = market.detail()["id"]
    for place in (market.info["data"]["apps"], market.details):
        place["0badcafe"] = {**place.pop(old), "id": "0badcafe", "appID": "0badcafe"}


# Changes to the answers


def on(path: str, spoil: Callable[[Request, Answer], Answer]) -> Change:
    return lambda market: market.spoil(path, spoil)


def status(path: str, code: int) -> Change:
    return on(path, lambda request, answer: replace(answer, status=code))


def body(path: str, content: bytes) -> Change:
    return on(path, lambda request, answer: replace(answer, body=content))


def header(path: str, name: str, value: str) -> Change:
    return on(path, lambda request, answer: replace(answer, headers={**answer.headers, name: value}))


def edited(path: str, edit: Callable[[dict[str, Any]], object], since: int = 1) -> Change:
    """Change the JSON of the answers from the given hit on."""

    def spoil(request: Request, answer: Answer) -> Answer:
        if request.hit < since:
            return answer
        document = json.loads(answer.body)
        edit(document)
        return replace(answer, body=json.dumps(document).encode())

    return on(path, spoil)


def ticking(path: str, edit: Callable[[dict[str, Any], int], object]) -> Change:
    """Change the JSON of every answer in another way."""

    def spoil(request: Request, answer: Answer) -> Answer:
        document = json.loads(answer.body)
        edit(document, request.hit)
        return replace(answer, body=json.dumps(document).encode())

    return on(path, spoil)


def redirected(path: str, code: int, to: str) -> Change:
    return on(path, lambda request, answer: replace(answer, status=code, headers={"Location": to}, body=b""))


def encoded_answer(path: str) -> Change:
    def spoil(request: Request, answer: Answer) -> Answer:
        headers = {**answer.headers, "Content-Encoding": "GZIP"}
        return replace(answer, headers=headers)

    return on(path, spoil)


def hash_of_the_hour(market: SmallMarket) -> None:
    def spoil(request: Request, answer: Answer) -> Answer:
        market.info["hash"] = f"hash {request.hit}"
        return replace(answer, body=json.dumps({"hash": market.info["hash"], "version": "1"}).encode())

    market.spoil(HASH, spoil)


def empty_once(request: Request, answer: Answer) -> Answer:
    return replace(answer, body=b'{"apps":{}}') if request.hit == 1 else answer


def all_pages_alike(market: SmallMarket) -> None:
    market.applications["has_more"] = True


# Changes to the first app's chart


def chart(spoil: Callable[[Request, Answer], Answer]) -> Change:
    return lambda market: market.spoil(market.chart_path(), spoil)


def chart_bytes(make: Callable[[bytes], bytes]) -> Change:
    def change(market: SmallMarket) -> None:
        market.charts["appone-1.0.0.tgz"] = make(market.charts["appone-1.0.0.tgz"])

    return change


def file(name: str, content: bytes | None) -> Change:
    def change(market: SmallMarket) -> None:
        if content is None:
            del market.files["appone"][name]
        else:
            market.files["appone"][name] = content
        market.repack()

    return change


def in_file(name: str, old: bytes, new: bytes) -> Change:
    def change(market: SmallMarket) -> None:
        text = market.files["appone"][name]
        assert old in text
        market.files["appone"][name] = text.replace(old, new)
        market.repack()

    return change


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> Change:
    """Add a member to the chart's tar archive."""

    def make(tgz: bytes) -> bytes:
        stream = io.BytesIO(gzip.decompress(tgz))
        with tarfile.open(fileobj=stream, mode="a") as archive:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, link
            archive.addfile(entry)
        return gzip.compress(stream.getvalue())

    return chart_bytes(make)


def unpacked(make: Callable[[bytes], bytes]) -> Change:
    return chart_bytes(lambda tgz: gzip.compress(make(gzip.decompress(tgz))))


def other_bytes_later(request: Request, answer: Answer) -> Answer:
    return replace(answer, body=gzip.compress(gzip.decompress(answer.body), 1)) if request.hit > 1 else answer


PAGE = ("pages", "LLM Chat", "content")
TAG = ("tags", "LLM Chat")
LISTED = ("topic_lists", "Featured apps in LLM Chat")

CASES = [
    # hash
    Case("hash", "GET", "status 500, expected 200", status(HASH, 500)),
    Case("hash", "GET", "status 204, expected 200", status(HASH, 204)),
    Case("hash", "$", "not JSON", body(HASH, b"<!doctype html>")),
    Case("hash", "$", "byte order mark", body(HASH, b"\xef\xbb\xbf{}")),
    Case("hash", "$", "after the end of the JSON value", body(HASH, b'{"hash":"a","version":"b"} x')),
    Case("hash", "$", "expected object, found empty array", body(HASH, b"[]")),
    Case("hash", "$.hash", "expected string, found number 7", info("hash", 7)),
    Case("hash", "$.last_updated", "expected string, found number 1", edited(HASH, lambda d: d.update(last_updated=1))),
    Case("hash", "$.hash", "the hash is empty", info("hash", "")),
    Case("hash", "$.hash", "the device's own placeholder", info("hash", "no_source_hash")),
    Case("hash", "$.version", "version is empty", edited(HASH, lambda d: d.pop("version"))),
    Case("hash", "GET", 'Content-Type is "text/html"', header(HASH, "Content-Type", "text/html")),
    Case("hash", "GET", "the reply ended before the length", on(HASH, lambda r, a: replace(a, length=9999))),
    Case("hash", "GET", "stopped after 10 redirects", redirected(HASH, 302, HASH)),
    Case("hash", "GET", "unsupported scheme", redirected(HASH, 302, "ftp://market.example/hash")),
    Case("hash", "GET", "Content-Encoding is gzip, the body is not", encoded_answer(HASH)),
    # info
    Case("info", "GET", "status 503", status(INFO, 503)),
    Case(
        "info", "GET", 'Content-Type is "text/html; charset', header(INFO, "Content-Type", "text/html; charset=utf-8")
    ),
    Case("info", "$.hash", "the hash request said", edited(HASH, lambda d: d.update(hash="other"))),
    Case("info", "$.version", "version is empty", edited(INFO, lambda d: d.update(version=""))),
    Case(
        "info",
        "$.last_updated",
        "expected an RFC 3339 time",
        edited(INFO, lambda d: d.update(last_updated="2026-01-02")),
    ),
    Case(
        "info",
        "$.last_updated",
        "expected RFC 3339 time, found number",
        edited(INFO, lambda d: d.update(last_updated=5)),
    ),
    Case("info", "$.stats", "expected object (a Go map), found empty array", info("stats", [])),
    Case("info", "$.data", "expected object, found empty array", info("data", [])),
    *(
        Case("info", f"$.data.{key}", "expected object (a Go map), found empty array", data(key, to=[]), mode)
        for key in ("apps", "recommends", "pages", "topics", "topic_lists", "tags")
        for mode in ("genA", "genB")
    ),
    Case("info", "$.data.tops", "expected array, found empty object", data("tops", to={})),
    Case("info", "$.data.tops[0].rank", 'found string "1"', data("tops", to=[{"appId": "appone", "rank": "1"}])),
    Case("info", "$.data.tops[0].rank", "found number 1.5", data("tops", to=[{"appId": "appone", "rank": 1.5}])),
    Case("info", "$.data.tops[0]", 'expected object, found string "appone"', data("tops", to=["appone"])),
    Case("info", "$.data.latest", "expected array, found empty object", data("latest", to={})),
    Case("info", "$.data.latest[0]", "expected string, found object", data("latest", to=[{"a": 1}])),
    Case("info", '$.data.tags["LLM Chat"].sort', 'expected int, found string "7"', data(*TAG, "sort", to="7")),
    Case("info", '$.data.tags["LLM Chat"].sort', 'expected int, found string "7"', data(*TAG, "sort", to="7"), "genA"),
    Case("info", '$.data.tags["LLM Chat"].title', "found string", data(*TAG, "title", to="AI")),
    Case("info", '$.data.pages["LLM Chat"].content', "expected string, found array", data(*PAGE, to=[{}])),
    Case("info", "$.data.topics.feat", "found array", data("topics", "feat", "data", "en-US", "apps", to=["appone"])),
    Case("info", "$.data.recommends.Picks.source", 'found string "1"', data("recommends", "Picks", "source", to="1")),
    Case("info", "$.data.apps", "its key is", rename_key),
    Case("info", "$.data.apps", "the app is not an object", lambda m: m.info["data"]["apps"].update(x=1)),
    Case(
        "info", "$.data.apps", "at most 32 fit", lambda m: m.info["data"]["apps"].update({"i" * 33: {"id": "i" * 33}})
    ),
    Case("info", "$.data.apps", "the index lists no app", data("apps", to={})),
    Case("info", ".name", "lower-case letters and digits", lambda m: m.summary().update(name="App-One")),
    Case("info", "$.data.apps", "the id of appone is", foreign_id),
    # details
    Case("details", "POST", "the POST was redirected (302", redirected(DETAILS, 302, INFO)),
    Case("details", "POST", "the POST was redirected (301", redirected(DETAILS, 301, "/elsewhere")),
    Case("details", "POST", "status 500", status(DETAILS, 500)),
    Case("details", "POST", "Content-Type is", header(DETAILS, "Content-Type", "text/plain")),
    Case("details", "$", "expected object (a Go map), found empty array", body(DETAILS, b"[]")),
    Case("details", "$.apps", "expected an object, found []", body(DETAILS, b'{"apps":[]}')),
    Case("details", "$.not_found", "expected an array", edited(DETAILS, lambda d: d.update(not_found={}))),
    Case("details", "$.apps", "the detail reply lacks it", lambda m: m.details.pop(m.detail()["id"])),
    Case("details", "$.apps", "expected an object, found 5", lambda m: m.details.update({m.detail()["id"]: 5})),
    Case("details", "$.apps.x", "this id was not asked for", edited(DETAILS, lambda d: d["apps"].update(x={}))),
    Case("details", "POST", "answered only at attempt 2", on(DETAILS, empty_once)),
    Case("details", ".version", 'version is "1.0.1" in the detail, "1.0.0" in the index', detail("version", "1.0.1")),
    Case("details", ".name", "in the detail, ", detail("name", "other")),
    Case("details", ".appID", "its key is", detail("appID", "ffffffff")),
    Case("details", ".chartName", 'expected "appone-1.0.0.tgz"', detail("chartName", "appone.tgz")),
    Case("details", ".categories", "the index entry has no categories", lambda m: m.summary().pop("categories")),
    # rows
    Case("rows", ".version", "version has 17 characters, at most 16 fit", both("version", "1.0.0-" + "a" * 11)),
    Case("rows", ".name", "name has 101 characters, at most 100 fit", both("name", "a" * 101)),
    Case("rows", ".description", "NUL", detail("description", "a\0b")),
    Case("rows", ".options.deep", "NUL", detail("options", {"deep": [{"a\0": 1}]})),
    Case("rows", ".version", "is not semantic", both("version", "26.09.1")),
    Case("rows", ".version", "version is missing or empty", both("version", " ")),
    Case("rows", ".version", "expected a string", both("version", 1.1)),
    Case("rows", ".title", "expected a string", detail("title", {"en-US": "One"})),
    Case("rows", ".requiredMemory", "expected a string", detail("requiredMemory", 25769803776)),
    Case("rows", ".requiredMemory", "expected bytes as decimal digits", detail("requiredMemory", "24Gi")),
    Case("rows", ".requiredCPU", "expected cores", detail("requiredCPU", "500m")),
    Case("rows", ".requiredGpu", 'the key is spelled "requiredGPU"', detail("requiredGpu", "0")),
    Case("rows", ".entrances", "expected an array of objects", detail("entrances", {"name": "x"})),
    Case("rows", ".permission", "expected an object", detail("permission", [{"appData": True}])),
    Case("rows", ".subCharts", "expected an array of {name", detail("subCharts", [{"name": "x", "shared": "yes"}])),
    Case("rows", ".onlyAdmin", "expected true or false", detail("onlyAdmin", "false")),
    Case("rows", ".price", "whole product prices", detail("price", {"paid": {"price": [{"product_price": "9"}]}})),
    Case("rows", ".fullDescription", "object of strings", detail("fullDescription", {"en-US": 1})),
    Case("rows", ".icon", "icon is missing", without("icon")),
    Case("rows", ".appLabels", 'labels are ["Suspend"]', detail("appLabels", ["Suspend"])),
    # charts
    Case("charts", "appone-1.0.0.tgz", "status 404", lambda m: m.charts.pop("appone-1.0.0.tgz")),
    Case("charts", "appone-1.0.0.tgz", "not a gzip file", chart_bytes(lambda tgz: b"<html>")),
    Case("charts", "appone-1.0.0.tgz", "nothing: it is empty", chart_bytes(lambda tgz: b"")),
    Case(
        "charts",
        "appone-1.0.0.tgz",
        "Content-Encoding: gzip",
        chart(lambda r, a: replace(a, headers={"Content-Encoding": "gzip"})),
    ),
    Case("charts", "appone-1.0.0.tgz", "without a Content-Length", chart(lambda r, a: replace(a, length=-1))),
    Case(
        "charts",
        "appone-1.0.0.tgz",
        "ended before the length it announced",
        chart(lambda r, a: replace(a, length=len(a.body) + 1)),
    ),
    Case("charts", "appone-1.0.0.tgz", "the gzip stream is cut short", chart_bytes(lambda tgz: tgz[:-9])),
    Case("charts", "appone-1.0.0.tgz", "broken gzip stream", chart_bytes(lambda tgz: tgz[:-8] + b"\0" * 8)),
    Case("charts", "appone-1.0.0.tgz", "bytes after the end", chart_bytes(lambda tgz: tgz + b"\0")),
    Case(
        "charts",
        "appone-1.0.0.tgz",
        "more than 10485760 bytes",
        chart_bytes(lambda tgz: gzip.compress(bytes(11 * 1024**2))),
    ),
    Case("charts", "appone-1.0.0.tgz", "broken tar archive", unpacked(lambda tar: b"no tar at all")),
    Case("charts", "appone-1.0.0.tgz", "broken tar archive", unpacked(lambda tar: tar[:700])),
    Case("charts", "appone-1.0.0.tgz", "unreadable bytes after", unpacked(lambda tar: tar[:1024] + b"x" * 1024)),
    Case("charts", "appone-1.0.0.tgz", "found: appone, other", member("other/file")),
    Case("charts", "!appone/../../etc/x", '".." in a path', member("appone/../../etc/x")),
    Case("charts", "!/etc/x", "absolute path", member("/etc/x")),
    Case("charts", "!appone/values.yaml", "the same path twice", member("appone/values.yaml")),
    Case("charts", "!appone/link", "link to /etc/passwd", member("appone/link", tarfile.SYMTYPE, "/etc/passwd")),
    Case(
        "charts",
        "!appone/hard",
        "link to appone/values.yaml",
        member("appone/hard", tarfile.LNKTYPE, "appone/values.yaml"),
    ),
    Case("charts", "!appone/device", "neither a file nor a folder", member("appone/device", tarfile.CHRTYPE)),
    Case("charts", "appone-1.0.0.tgz", "appone/values.yaml is missing", file("values.yaml", None)),
    Case("charts", "appone-1.0.0.tgz", "appone/OlaresManifest.yaml is missing", file("OlaresManifest.yaml", None)),
    Case("charts", "appone-1.0.0.tgz", "appone/templates/ is missing", file("templates/config.yaml", None)),
    Case(
        "charts",
        "Chart.yaml",
        'version is "1.0.1", the catalog says "1.0.0"',
        in_file("Chart.yaml", b"1.0.0", b"1.0.1"),
    ),
    Case("charts", "appone-1.0.0.tgz", "Helm reads other 1.0.0", in_file("Chart.yaml", b"appone", b"other")),
    Case("charts", "OlaresManifest.yaml", "metadata.version is 1.1", in_file("OlaresManifest.yaml", b"1.0.0", b"1.1")),
    Case(
        "charts",
        "OlaresManifest.yaml",
        'metadata.name is "other"',
        in_file("OlaresManifest.yaml", b"name: appone", b"name: other"),
    ),
    Case(
        "charts",
        "OlaresManifest.yaml",
        'metadata.categories is ["Vision"]',
        in_file("OlaresManifest.yaml", b"LLM Chat", b"Vision"),
    ),
    Case("charts", "OlaresManifest.yaml", "not plain YAML", file("OlaresManifest.yaml", b"{{ if .x }}\na: [\n")),
    Case("charts", "OlaresManifest.yaml", "not plain YAML", file("OlaresManifest.yaml", b"[" * 5000)),
    Case("charts", "OlaresManifest.yaml", "not a YAML mapping", file("OlaresManifest.yaml", b"- a\n")),
    Case("charts", "appone-1.0.0.tgz", "Helm refuses the chart", file("values.yaml", b"a: [")),
    # store
    Case("store", "$.data.tags", 'no tag is named "LLM Chat"', data("tags", to={})),
    Case("store", ".title", "no title in fr-FR", data(*TAG, "title", to={"en-US": "Chat", "zh-CN": "Chat"})),
    Case("store", ".content", "not JSON", data(*PAGE, to="[{]")),
    Case("store", ".content", "expected an array of blocks", data(*PAGE, to='{"type":"Topic"}')),
    Case("store", ".content[0]", "no topic list is named", data(*PAGE, to='[{"type":"Topic","id":"None"}]')),
    Case("store", ".content[0]", "leads nowhere", data(*PAGE, to='[{"type":"Default Topic","id":"Best"}]')),
    Case("store", ".content[0]", "leads nowhere", data(*PAGE, to='[{"type":"Recommends","id":"Best"}]')),
    Case("store", ".content[0]", 'names topic "gone", which does not exist', data(*LISTED, "content", to="gone")),
    Case("store", ".content[0]", "leads to no app", data(*LISTED, "content", to="")),
    Case(
        "store",
        ".apps",
        '"appsix" is not the name',
        data("topics", "feat", "data", "fr-FR", "apps", to="appone,appsix"),
    ),
    Case("store", "$.data.latest", "is not the name of an app", data("latest", to=["33102786"])),
    Case("store", "$.data.tops", "is not the name of an app", data("tops", to=[{"appid": "appone", "rank": 1}])),
    Case("store", "Picks.content", "is not the name of an app", data("recommends", "Picks", "content", to="gone")),
    Case("store", ".supportArch", "not amd64", both("supportArch", ["arm64"])),
    Case("store", ".supportArch", "supports [], not amd64", both("supportArch", [])),
    # second sync
    Case("second sync", "$.hash", "the hash changed", hash_of_the_hour, "genA"),
    Case("second sync", "GET", "requests, expected one", hash_of_the_hour, "genA"),
    Case(
        "second sync", "$", "the bytes of the index changed", ticking(INFO, lambda d, hit: d.update(stats={"now": hit}))
    ),
    Case(
        "second sync",
        "$.apps",
        "the version changed",
        edited(DETAILS, lambda d: [a.update(version="1.0.1") for a in d["apps"].values()], 2),
    ),
    Case(
        "second sync",
        "$.apps",
        "changed under the same version",
        ticking(DETAILS, lambda d, hit: [a.update(updated_at=str(hit)) for a in d["apps"].values()]),
    ),
    Case(
        "second sync",
        "GET",
        "requests, expected one",
        ticking(CATALOG, lambda d, hit: d["data"].update(apps_filter_digest=str(hit))),
        "v2",
    ),
    Case("same bytes", "appone-1.0.0.tgz", "the bytes of the chart changed", chart(other_bytes_later)),
    # v2
    Case("catalog", "GET", "status 404", status(CATALOG, 404), "v2"),
    Case("catalog", "GET", "Content-Type is", header(CATALOG, "Content-Type", "text/html"), "v2"),
    Case("catalog", "$.code", "code 1 (no)", body(CATALOG, b'{"code":1,"msg":"no","data":null}'), "v2"),
    Case(
        "catalog",
        "$.data.source_id",
        "that was asked for",
        edited(CATALOG, lambda d: d["data"].update(source_id="mine")),
        "v2",
    ),
    Case("catalog", "$.data.schema_version", 'expected "v2"', catalog("schema_version", "v1"), "v2"),
    Case("catalog", "$.data.apps_filter_digest", "the digest is empty", catalog("apps_filter_digest", ""), "v2"),
    Case(
        "catalog",
        "$.data.apps_last_modify_time",
        "expected milliseconds",
        catalog("apps_last_modify_time", 1796022000),
        "v2",
    ),
    Case(
        "catalog",
        "$.data.taxonomy_last_modify_time",
        'found string "2026',
        catalog("taxonomy_last_modify_time", "2026"),
        "v2",
    ),
    Case("taxonomy", "$.data.last_modify_time", "in the catalog", taxonomy("last_modify_time", 1796022000001), "v2"),
    Case("taxonomy", "$.data.nav", 'no category has the id "Vision"', taxonomy("nav", ["Vision"]), "v2"),
    Case(
        "taxonomy",
        "$.data.pages",
        "no category has the id",
        taxonomy("pages", [{"category_id": "x", "items": []}]),
        "v2",
    ),
    Case("taxonomy", "$.data.source.source_id", "no id", taxonomy("source", {}), "v2"),
    Case("taxonomy", "$.data.categories", "expected array", taxonomy("categories", {}), "v2"),
    Case("applications", "$.data.has_more", "brings no new app", all_pages_alike, "v2"),
    Case(
        "applications",
        "$.data.max_last_modify_time",
        "the newest item has",
        applications("max_last_modify_time", 1796022009999),
        "v2",
    ),
    Case(
        "applications",
        "$.data.apps_last_modify_time",
        "the catalog says",
        catalog("apps_last_modify_time", 1796022000000),
        "v2",
    ),
    Case("applications", "$.data.total", "total is 3", applications("total", 3), "v2"),
    Case(
        "applications",
        "$.data.removed[0]",
        "appone is also among the items",
        lambda m: m.applications.update(
            removed=[{"app_id": m.detail()["id"], "name": "appone", "removed_at": 1796022000000, "reason": ""}]
        ),
        "v2",
    ),
    Case("applications", "$.data.items[0].updated_at", "expected seconds", item("updated_at", 1796022000000), "v2"),
    Case(
        "applications",
        "$.data.items[0].updated_at",
        "expected int, found string",
        item("updated_at", "2026-11-30T07:00:00Z"),
        "v2",
    ),
    Case(
        "applications", "$.data.items[0].last_modify_time", "expected milliseconds", item("last_modify_time", 1), "v2"
    ),
    Case(
        "applications", "$.data.items[0].title", "expected string, found object", item("title", {"en-US": "One"}), "v2"
    ),
    Case("applications", "$.data.items[0].name", "name is missing", item("name", ""), "v2"),
    Case("browse", "GET", "status 404", status(BROWSE, 404), "v2"),
    Case("browse", "$.data.items", "lists other apps", edited(BROWSE, lambda d: d["data"].update(items=[])), "v2"),
    Case("info", "$.data.items", "appone 2.0.0", item("version", "2.0.0"), "v2"),
    Case("info", "$.data.items", "is only in the v2 list", remove_summary, "v2"),
    Case("store", "$.data.categories", 'of ["Vision"], those of appone', item("categories", ["Vision"]), "v2"),
    Case(
        "store",
        "$.data.categories[0].title",
        "no title in zh-CN",
        taxonomy("categories", [{"id": "LLM Chat", "title": {"en-US": "x", "fr-FR": "x"}}]),
        "v2",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_fault_is_named(case: Case, small_market: SmallMarket, serve: Serve) -> None:
    result = observed(case, small_market, serve)
    found = [deviation for deviation in result.deviations if deviation.step == case.step]
    assert any(case.path in deviation.path and case.message in deviation.message for deviation in found), (
        result.deviations
    )
    assert all(deviation.why for deviation in result.deviations)
    assert result.exit_code == 1
    assert not next(step for step in result.steps if step.name == case.step).passed


@pytest.mark.parametrize("mode", ["genB", "v2"])
def test_one_long_version_costs_its_whole_batch(mode: str, big_market: SmallMarket, serve: Serve) -> None:
    big_market.set_everywhere("version", "1.0.0-" + "a" * 11)
    big_market.applications["items"][0]["version"] = "1.0.0-" + "a" * 11
    result = verify(serve(big_market), (mode,), options=Options(pauses=(0.0, 0.0)))
    rejected = [deviation for deviation in result.deviations if deviation.step == "rows"]
    assert "all 10 apps of the request" in rejected[0].why
    assert len(result.apps) == 2


def test_memory_generation_keeps_the_rest_of_the_batch(big_market: SmallMarket, serve: Serve) -> None:
    big_market.set_everywhere("version", "1.0.0-" + "a" * 11)
    result = verify(serve(big_market), ("genA",), options=Options(pauses=(0.0, 0.0)))
    assert len(result.apps) == 12


def test_details_are_tried_three_times(small_market: SmallMarket, serve: Serve) -> None:
    small_market.spoil(DETAILS, lambda request, answer: replace(answer, body=b'{"apps":{}}'))
    waited: list[float] = []
    verify(serve(small_market), ("genA",), options=Options(pauses=(2.0, 4.0), sleep=waited.append))
    assert waited == [2.0, 4.0, 2.0, 4.0]


def test_redirected_post_arrives_as_get_without_body(small_market: SmallMarket, serve: Serve) -> None:
    redirected(DETAILS, 302, "/moved")(small_market)
    verify(serve(small_market), ("genB",), options=Options(pauses=(0.0, 0.0)))
    moved = [request for request in small_market.log if request.path == "/moved"]
    assert {(request.method, request.body) for request in moved} == {("GET", b"")}


@pytest.mark.parametrize("code", [307, 308])
def test_other_redirects_keep_the_post(code: int, small_market: SmallMarket, serve: Serve) -> None:
    elsewhere = serve(small_market)

    def spoil(request: Request, answer: Answer) -> Answer:
        if "moved" in request.query:
            return answer
        return replace(answer, status=code, headers={"Location": f"{elsewhere}{DETAILS}?moved=1"})

    small_market.spoil(DETAILS, spoil)
    assert verify(serve(small_market), ("genB",), options=Options(pauses=(0.0, 0.0))).passed


def test_redirected_get_is_followed(small_market: SmallMarket, serve: Serve) -> None:
    small_market.spoil("/old" + INFO, lambda r, a: replace(a, status=301, headers={"Location": INFO}))
    small_market.spoil("/old" + HASH, lambda r, a: replace(a, status=302, headers={"Location": HASH}))
    result = verify(serve(small_market) + "/old", ("genB",), options=Options(pauses=(0.0, 0.0)))
    assert [step.passed for step in result.steps[:2]] == [True, True]


def test_json_under_gzip_is_undone(small_market: SmallMarket, serve: Serve) -> None:
    def spoil(request: Request, answer: Answer) -> Answer:
        headers = {**answer.headers, "Content-Encoding": "gzip"}
        return replace(answer, body=gzip.compress(answer.body), headers=headers)

    small_market.spoil(INFO, spoil)
    assert verify(serve(small_market), ("genB",), options=Options(pauses=(0.0, 0.0))).passed


def test_every_wrong_type_is_reported_at_once(small_market: SmallMarket, serve: Serve) -> None:
    data(*TAG, "sort", to="7")(small_market)
    data("tops", to={})(small_market)
    info("stats", [])(small_market)
    result = verify(serve(small_market), ("genB",), options=Options(pauses=(0.0, 0.0)))
    paths = [deviation.path for deviation in result.deviations]
    assert paths == ["$.data.tops", '$.data.tags["LLM Chat"].sort', "$.stats"]
    assert [step.note for step in result.steps[2:]] == ["not reached"] * 6
