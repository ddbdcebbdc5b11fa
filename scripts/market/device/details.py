"""The detail requests of a sync: ids in random order, ten at a time, up to three attempts each."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from market.device.deviation import Fault, Finding, count, key_path, named, shown
from market.device.godecode import MapOf, decode
from market.device.listing import reply_faults
from market.device.shapes import ANY
from market.device.transport import Reply, Transport

DETAIL_PATH = "/api/v1/applications/info"
CHUNK = 10
PAUSES = (2.0, 4.0)
"""Seconds before the second and the third attempt."""

LOST = "the device tries three times, then leaves these apps as they were"
_SNAPSHOT = "index and details must come from one snapshot of the market"
_REQUEST = f"POST {DETAIL_PATH}"


@dataclass(frozen=True, slots=True)
class Batch:
    """One answered detail request: the ids asked and the detail objects that came, by id."""

    ids: tuple[str, ...]
    apps: Mapping[str, Mapping[str, Any]]


def batches_of(ids: Sequence[str], seed: int) -> tuple[tuple[str, ...], ...]:
    """Shuffle the ids (a device walks a Go map) and cut them into the chunks of one request each."""
    order = sorted(ids)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order to test with, not a secret
    return tuple(tuple(order[at : at + CHUNK]) for at in range(0, len(order), CHUNK))


def fetch_details(
    market: Transport,
    summaries: Mapping[str, Mapping[str, Any]],
    olares_version: str,
    seed: int,
    *,
    pauses: Sequence[float] = PAUSES,
    sleep: Callable[[float], None] = time.sleep,
) -> Finding[tuple[Batch, ...]]:
    """Fetch every detail; the batches keep the order of the requests."""
    batches: list[Batch] = []
    faults: list[Fault] = []
    for ids in batches_of(tuple(summaries), seed):
        finding = _attempts(market, ids, olares_version, pauses, sleep)
        faults += finding.faults
        batch = Batch(ids, finding.value or {})
        batches.append(batch)
        faults += _agreement(batch, summaries)
    got = sum(len(batch.apps) for batch in batches)
    return Finding(tuple(batches), tuple(faults), f"{got} of {len(summaries)} in {count(len(batches), 'request')}")


def _attempts(
    market: Transport,
    ids: tuple[str, ...],
    olares_version: str,
    pauses: Sequence[float],
    sleep: Callable[[float], None],
) -> Finding[Mapping[str, Mapping[str, Any]]]:
    body = json.dumps({"app_ids": list(ids), "version": olares_version}).encode()
    early: tuple[Fault, ...] = ()
    for attempt, pause in enumerate((0.0, *pauses), start=1):
        if pause:
            sleep(pause)
        finding = _judge(market.post(DETAIL_PATH, body), ids)
        if finding.value:
            late = Fault(_REQUEST, f"answered only at attempt {attempt}", "each attempt costs a pause")
            return Finding(finding.value, (*early, *finding.faults, *((late,) if attempt > 1 else ())))
        early = finding.faults
    return Finding(None, early)


def _judge(reply: Reply, ids: tuple[str, ...]) -> Finding[Mapping[str, Mapping[str, Any]]]:
    redirected = _redirect_fault(reply)
    refused = reply_faults(reply, _REQUEST)
    if refused:
        return Finding(None, (*redirected, *(Fault(f.path, f.message, LOST) for f in refused)))
    if not reply.is_json:
        message = f'Content-Type is "{reply.content_type}", expected application/json'
        return Finding(None, (*redirected, Fault(_REQUEST, message, f"the reply counts as empty; {LOST}")))
    decoded = decode(reply.body, MapOf(ANY), LOST)
    if decoded.faults:
        return Finding(None, (*redirected, *decoded.faults))
    return _read_apps(decoded.value, ids, redirected)


def _redirect_fault(reply: Reply) -> tuple[Fault, ...]:
    if not any(redirect.startswith(("301", "302", "303")) for redirect in reply.redirects):
        return ()
    message = f"the POST was redirected ({', '.join(reply.redirects)})"
    return (Fault(_REQUEST, message, "the device goes on with a GET that has no body"),)


def _read_apps(
    value: Mapping[str, Any], ids: tuple[str, ...], early: tuple[Fault, ...]
) -> Finding[Mapping[str, Mapping[str, Any]]]:
    faults = list(early)
    missing = value.get("not_found")
    if missing is not None and not isinstance(missing, list):
        faults.append(Fault("$.not_found", f"expected an array, found {shown(missing)}", "it is ignored"))
    apps = value.get("apps")
    if not isinstance(apps, dict):
        faults.append(Fault("$.apps", f"expected an object, found {shown(apps)}", f"no apps; {LOST}"))
        return Finding(None, tuple(faults))
    faults += _answer_faults(apps, ids)
    return Finding({key: apps[key] for key in ids if isinstance(apps.get(key), dict)}, tuple(faults))


def _answer_faults(apps: Mapping[str, Any], ids: tuple[str, ...]) -> list[Fault]:
    faults = []
    for key in ids:
        path = key_path("$.apps", key)
        if key not in apps:
            why = "no row appears, and the device asks again every five minutes for ever"
            faults.append(Fault(path, f"the index lists {key}, the detail reply lacks it", why))
        elif not isinstance(apps[key], dict):
            message = f"expected an object, found {shown(apps[key])}"
            faults.append(Fault(path, message, "the device skips the app"))
    unasked = sorted(set(apps) - set(ids))
    faults += [Fault(key_path("$.apps", key), "this id was not asked for", "it is ignored") for key in unasked]
    return faults


def _agreement(batch: Batch, summaries: Mapping[str, Mapping[str, Any]]) -> list[Fault]:
    """Compare each detail with its summary; they must come from one snapshot."""
    faults: list[Fault] = []
    for key, detail in batch.apps.items():
        own = [*_key_faults(key, detail), *_summary_faults(key, detail, summaries[key])]
        faults += named([*own, *_file_name_fault(detail, key_path("$.apps", key))], detail.get("name"))
    return faults


def _key_faults(key: str, detail: Mapping[str, Any]) -> list[Fault]:
    return [
        Fault(
            key_path(key_path("$.apps", key), name),
            f"{name} is {shown(detail[name])}, its key is {shown(key)}",
            _SNAPSHOT,
        )
        for name in ("id", "appID")
        if name in detail and detail[name] != key
    ]


def _summary_faults(key: str, detail: Mapping[str, Any], summary: Mapping[str, Any]) -> list[Fault]:
    faults = []
    for name in ("name", "version", "categories", "supportArch"):
        listed, found = summary.get(name), detail.get(name)
        if listed is None and name in ("categories", "supportArch"):
            place = key_path(key_path("$.data.apps", key), name)
            merged = "the in-memory generation takes it from there"
            faults.append(Fault(place, f"the index entry has no {name}", merged))
        elif listed != found:
            message = f"{name} is {shown(found)} in the detail, {shown(listed)} in the index"
            faults.append(Fault(key_path(key_path("$.apps", key), name), message, _SNAPSHOT))
    return faults


def _file_name_fault(detail: Mapping[str, Any], path: str) -> list[Fault]:
    wanted = f"{detail.get('name')}-{detail.get('version')}.tgz"
    if detail.get("chartName") in (None, wanted):
        return []
    message = f'chartName is {shown(detail["chartName"])}, expected "{wanted}"'
    return [Fault(key_path(path, "chartName"), message, "installing opens the file by name and version")]
