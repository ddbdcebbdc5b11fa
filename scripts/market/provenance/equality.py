"""Whether a live market is a given build, byte for byte: files, composed replies, charts of every release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from market import ledger
from market.device.transport import Reply
from market.index.replies import SHARDS
from market.provenance import address, details, difference, edgeheaders
from market.provenance.finding import Finding
from market.provenance.live import Ask, Live, fault
from market.provenance.manifest import Manifest, digest
from market.provenance.rebuild import Rebuilt


def compare(live: Live, here: Rebuilt, listed: Manifest | None) -> tuple[Finding, ...]:
    """Every difference between a live market and a build; ``listed`` is the manifest that the market shows."""
    return (
        *_manifest(listed, here.manifest),
        *_files(live, here),
        *_composed(live, here.dist),
        *_charts(live, here),
    )


def _manifest(listed: Manifest | None, here: Manifest) -> Iterator[Finding]:
    if listed is None:
        return
    for path in sorted({*listed.files, *here.files}):
        one, other = listed.files.get(path), here.files.get(path)
        if one is None or other is None:
            where = "only in the market's manifest" if other is None else "missing from the market's manifest"
            yield Finding("GET /api/manifest", f"{path} is {where}")
        elif one != other:
            yield Finding("GET /api/manifest", f"{path} is listed with {one.sha256[:12]}, not {other.sha256[:12]}")


def _files(live: Live, here: Rebuilt) -> Iterator[Finding]:
    places = {path: place for path in here.manifest.files if (place := address.of_file(path))}
    rules = edgeheaders.parse((here.dist / "_headers").read_text("utf-8"))
    replies = live.all(Ask(place.path) for place in places.values())
    for (path, place), reply in zip(places.items(), replies, strict=True):
        message = fault(reply, place.status) or difference.of_bytes(reply.body, (here.dist / path).read_bytes())
        if message:
            yield Finding(f"GET {place.path}", message)
        elif place.status == 200:
            yield from _headers(place, reply, rules)


def _headers(place: address.Address, reply: Reply, rules: edgeheaders.Rules) -> Iterator[Finding]:
    for name, value in rules.of(place.path).items():
        if reply.headers.get(name) != value:
            yield Finding(f"GET {place.path}", f"header {name} is {reply.headers.get(name)!r}, not {value!r}")


def _composed(live: Live, dist: Path) -> Iterator[Finding]:
    """The replies that the Worker makes: JSON that must mean the same."""
    known = _details(dist)
    expected: dict[Ask, Any] = {
        Ask("/api/v2/catalog"): json.loads((dist / details.CATALOG).read_bytes()),
        **{
            Ask(f"/api/v2/applications/{app['name']}"): {"code": 0, "msg": "success", "data": app}
            for app in known.values()
        },
    }
    for ask in details.batches(known):
        expected[ask] = details.expected_batch(details.ids_of(ask), known)
    for ask, reply in zip(expected, live.all(expected), strict=True):
        message = fault(reply) or _json_difference(reply.body, expected[ask])
        if message:
            yield Finding(_place(ask), message)


def _charts(live: Live, here: Rebuilt) -> Iterator[Finding]:
    """Every chart that was ever released, under each address that a device may use."""
    released = ledger.from_json(json.loads((here.catalog / ledger.FILE).read_bytes())).releases.values()
    asks = {ask: release for release in released for ask in _chart_asks(release)}
    for (ask, release), reply in zip(asks.items(), live.all(asks), strict=True):
        found = digest(reply.body)
        message = fault(reply)
        if not message and (found.sha256, found.size) != (release.sha256, release.size):
            message = (
                f"{release.key} has {found.size} bytes with sha256 {found.sha256[:12]}; "
                f"released were {release.size} bytes with {release.sha256[:12]}"
            )
        if message:
            yield Finding(_place(ask), message)


def _chart_asks(release: ledger.Release) -> Iterable[Ask]:
    file = f"{release.name}-{release.version}.tgz"
    query = {"fileName": file, "version": release.version}
    yield Ask(f"/charts/{file}")
    for generation in ("v1", "v2"):
        yield Ask(f"/api/{generation}/applications/{release.name}/chart", query)


def _details(dist: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number in range(SHARDS):
        found |= json.loads((dist / details.file_name(number)).read_bytes())
    return found


def _json_difference(body: bytes, expected: Any) -> str:
    try:
        return difference.of_values(json.loads(body), expected)
    except (ValueError, RecursionError):
        return "the reply is not JSON"


def _place(ask: Ask) -> str:
    return f"{ask} ({', '.join(details.ids_of(ask))})" if ask.body is not None else str(ask)
