"""The second sync of an unchanged market: a device must find nothing to do, and the same bytes."""

from __future__ import annotations

from dataclasses import replace

from market.device.chart import same_bytes
from market.device.deviation import Fault, Finding, count, key_path, without_repeats
from market.device.journal import Journal
from market.device.sync import Options, Round, sync
from market.device.transport import Recorder, Transport

SECOND_SYNC = "second sync"
SAME_BYTES = "same bytes"

_STOPS = {
    "genA": ("/api/v1/appstore/hash", "an unchanged hash"),
    "v2": ("/api/v2/catalog", "unchanged stamps"),
}


def second_sync(market: Transport, first: Round, options: Options, journal: Journal) -> Finding[Round]:
    """Sync again from the first round's state, ids in another order, and compare.

    Faults that the first round reported already are left out.
    """
    recorder = Recorder(market)
    again = Journal(journal.mode, clock=journal.clock)
    second = sync(recorder, first.state, replace(options, seed=options.seed + 1), again)
    known = {(deviation.path, deviation.message) for deviation in journal.deviations}
    faults = [
        Fault(deviation.path, deviation.message, deviation.why)
        for deviation in again.deviations
        if (deviation.path, deviation.message) not in known
    ]
    if second.finished:
        faults += _stop_faults(journal.mode, recorder.requests)
        faults += [*_stable_faults(first, second), *_change_faults(first, second, recorder.requests)]
    return Finding(second, without_repeats(faults), count(len(recorder.requests), "request"))


def again_the_same(market: Transport, first: Round) -> Finding[int]:
    """Download every chart on disk once more."""
    return same_bytes(market, tuple(first.state.rows.values()), first.state.disk, first.state.mode)


def _stop_faults(mode: str, requests: list[str]) -> list[Fault]:
    if mode not in _STOPS or len(requests) == 1:
        return []
    path, reason = _STOPS[mode]
    message = f"{len(requests)} requests, expected one: nothing changed between the two syncs"
    return [Fault(f"GET {path}", message, f"the device stops at {reason}, else it fetches all again")]


def _stable_faults(first: Round, second: Round) -> list[Fault]:
    """Compare what both rounds read; the in-memory and v2 generations read nothing the second time."""
    faults = []
    if first.state.local_hash != second.state.local_hash:
        message = f'"{first.state.local_hash}" became "{second.state.local_hash}"'
        faults.append(Fault("$.hash", f"the hash changed: {message}", "every device fetches everything again"))
    elif second.info_body and first.info_body != second.info_body:
        why = "no cache can hold the index, and devices disagree under one hash"
        faults.append(Fault("$", "the bytes of the index changed under the same hash", why))
    return faults


def _change_faults(first: Round, second: Round, requests: list[str]) -> list[Fault]:
    faults = [
        Fault(key_path("$.apps", key), "the version changed between the two syncs", "installs start again")
        for key in second.changed
        if key in first.state.rows
    ]
    before, after = first.seen, second.seen
    why = "the device takes a change only with another version, so it shows the old entry for ever"
    faults += [
        Fault(key_path("$.apps", key), "the detail changed under the same version", why)
        for key in sorted(before.keys() & after.keys())
        if before[key] != after[key] and before[key].get("version") == after[key].get("version")
    ]
    charts = [request for request in requests if "/chart?" in request]
    faults += [
        Fault(request, "a chart was fetched although no row changed", "the device has it on disk")
        for request in charts
        if not second.changed
    ]
    return faults
