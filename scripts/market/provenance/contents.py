"""Whether every file that a market serves is the one that its manifest lists."""

from __future__ import annotations

import json
from collections.abc import Iterator

from market.device.transport import Reply
from market.provenance import address, details
from market.provenance.finding import Finding
from market.provenance.live import Ask, Live, fault
from market.provenance.manifest import Digest, Manifest, digest

INFO = "api/v1/appstore/info"


def compare(live: Live, manifest: Manifest) -> tuple[Finding, ...]:
    """Fetch everything that the manifest lists and name what is not as listed."""
    addresses = {path: address.of_file(path) for path in manifest.files}
    served = {path: place for path, place in addresses.items() if place is not None}
    replies = dict(zip(served, live.all(Ask(place.path) for place in served.values()), strict=True))
    findings = [
        finding
        for path, reply in replies.items()
        for finding in _served(path, reply, served[path], manifest.files[path])
    ]
    return (*findings, *_worker_data(live, manifest, replies.get(INFO)))


def _served(path: str, reply: Reply, place: address.Address, listed: Digest) -> Iterator[Finding]:
    problem = fault(reply, place.status)
    if problem:
        yield Finding(f"GET {place.path}", problem)
    elif digest(reply.body) != listed:
        yield Finding(f"GET {place.path}", _altered(path, digest(reply.body), listed))


def _worker_data(live: Live, manifest: Manifest, info: Reply | None) -> Iterator[Finding]:
    """The Worker's own data has no address; the replies that it is read into show it all the same."""
    files, findings = details.from_live(live, _ids(info))
    yield from findings
    for path, data in files.items():
        listed = manifest.files.get(path)
        if listed is not None and digest(data) != listed:
            place = "GET /api/v2/catalog" if path == details.CATALOG else "POST /api/v1/applications/info"
            yield Finding(place, _altered(path, digest(data), listed))


def _ids(info: Reply | None) -> tuple[str, ...]:
    try:
        return tuple(json.loads(info.body if info else b"")["data"]["apps"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


def _altered(path: str, found: Digest, listed: Digest) -> str:
    return (
        f"{path} was altered: {found.size} bytes with sha256 {found.sha256[:12]}, "
        f"the signed manifest lists {listed.size} bytes with {listed.sha256[:12]}"
    )
