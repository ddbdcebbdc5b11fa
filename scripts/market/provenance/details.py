"""The replies that the Worker puts together from its own data: app details, and the v2 catalog's head."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from market.canonical import encode
from market.device.transport import Reply
from market.index.replies import SHARDS, encode_members, shard
from market.provenance.finding import Finding
from market.provenance.live import BATCH, Ask, Live, fault

CATALOG = "_market/catalog.json"
VERSION = "1.12.6"


def file_name(number: int) -> str:
    """The file of dist/ that holds a shard of the details."""
    return f"_market/details/{number}.json"


def batches(ids: Iterable[str]) -> tuple[Ask, ...]:
    """The requests by which a device gets the details of apps."""
    ordered = sorted(ids)
    return tuple(_batch(ordered[start : start + BATCH]) for start in range(0, len(ordered), BATCH))


def from_live(live: Live, ids: Iterable[str]) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """The Worker's data files as the live replies show them, by path, and what is wrong with the replies."""
    asks = (*batches(ids), Ask("/api/v2/catalog"))
    replies = live.all(asks)
    found: dict[str, Any] = {}
    findings: list[Finding] = []
    for ask, reply in zip(asks[:-1], replies, strict=False):
        apps, message = _apps(reply)
        found |= apps
        if message:
            findings.append(Finding(str(ask), message))
    files = {
        file_name(number): encode_members({id: app for id, app in found.items() if shard(id) == number})
        for number in range(SHARDS)
    }
    catalog, message = _value(replies[-1])
    if message:
        return files, (*findings, Finding(str(asks[-1]), message))
    return {**files, CATALOG: encode(catalog)}, tuple(findings)


def expected_batch(ids: Sequence[str], details: Mapping[str, Any]) -> dict[str, Any]:
    """What the Worker answers to a batch of known apps."""
    return {"apps": {id: details[id] for id in ids}, "version": VERSION, "not_found": []}


def ids_of(ask: Ask) -> list[str]:
    """The apps that a batch asks for."""
    ids: list[str] = json.loads(ask.body or b"{}")["app_ids"]
    return ids


def _batch(ids: Sequence[str]) -> Ask:
    return Ask("/api/v1/applications/info", body=encode({"app_ids": ids, "version": VERSION}))


def _apps(reply: Reply) -> tuple[Mapping[str, Any], str]:
    value, message = _value(reply)
    apps = value.get("apps") if isinstance(value, dict) else None
    if not isinstance(apps, dict):
        return {}, message or "the reply holds no apps"
    return {id: app for id, app in apps.items() if _is_id(id)}, ""


def _value(reply: Reply) -> tuple[Any, str]:
    problem = fault(reply)
    if problem:
        return None, problem
    try:
        return json.loads(reply.body), ""
    except (ValueError, RecursionError):
        return None, "the reply is not JSON"


def _is_id(id: str) -> bool:
    return len(id) == 8 and all(letter in "0123456789abcdef" for letter in id)
