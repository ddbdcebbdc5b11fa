"""One full sync of a market, from the hash to the charts, as each generation of the device does it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from market.device import catalog_v2, details, listing, storefront
from market.device.chart import Chart, Downloads, fetch_charts
from market.device.details import Batch
from market.device.deviation import Finding
from market.device.journal import Journal
from market.device.listing import Info
from market.device.rows import apply_details
from market.device.state import Row, State
from market.device.transport import Transport


@dataclass(frozen=True, slots=True)
class Options:
    """What a sync depends on besides market and state. ``pauses`` are the seconds between attempts."""

    olares_version: str = "1.12.6"
    seed: int = 1
    pauses: Sequence[float] = details.PAUSES
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Round:
    """What one sync leaves behind. ``info_body`` is empty and ``batches`` too when it stopped early."""

    state: State
    finished: bool
    changed: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    info_body: bytes = b""
    batches: tuple[Batch, ...] = ()

    @property
    def seen(self) -> Mapping[str, Mapping[str, Any]]:
        """Every detail object of the round, by id."""
        return {key: app for batch in self.batches for key, app in batch.apps.items()}


@dataclass(frozen=True, slots=True)
class _V2:
    """What the v2 requests brought."""

    taxonomy: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[Mapping[str, Any], ...] = ()


STEPS: Mapping[str, tuple[str, ...]] = {
    "genA": ("hash", "info", "details", "rows", "charts", "store"),
    "genB": ("hash", "info", "details", "rows", "charts", "store"),
    "v2": (
        *("catalog", "taxonomy", "applications", "browse"),
        *("hash", "info", "details", "rows", "charts", "store"),
    ),
}
"""The steps of a first sync, by mode, in order."""


def sync(market: Transport, state: State, options: Options, journal: Journal) -> Round:
    """Run one sync. A step at which a device gives up ends the round unfinished."""
    if state.mode == "v2":
        return _sync_v2(market, state, options, journal)
    announced = journal.step("hash", lambda: listing.fetch_hash(market, options.olares_version))
    if announced is None:
        return Round(state, finished=False)
    if state.mode == "genA" and announced == state.local_hash and state.rows:
        return Round(state, finished=True)
    return _sync_rows(market, state, options, journal, announced, None)


def _sync_v2(market: Transport, state: State, options: Options, journal: Journal) -> Round:
    stamps = journal.step("catalog", lambda: catalog_v2.fetch_catalog(market))
    if stamps is None:
        return Round(state, finished=False)
    if stamps == state.stamps and state.rows:
        return Round(state, finished=True)
    taxonomy = journal.step("taxonomy", lambda: catalog_v2.fetch_taxonomy(market, stamps))
    if taxonomy is None:
        return Round(state, finished=False)
    items = journal.step("applications", lambda: catalog_v2.fetch_applications(market, stamps))
    if items is None:
        return Round(state, finished=False)
    journal.step("browse", lambda: catalog_v2.check_browse(market, items))
    announced = journal.step("hash", lambda: listing.fetch_hash(market, options.olares_version))
    if announced is None:
        return Round(state, finished=False)
    marked = replace(state, stamps=stamps)
    return _sync_rows(market, marked, options, journal, announced, _V2(taxonomy, items))


def _sync_rows(
    market: Transport, state: State, options: Options, journal: Journal, announced: str, v2: _V2 | None
) -> Round:
    info = journal.step("info", lambda: _info(market, state.mode, options, announced, v2))
    if info is None:
        return Round(state, finished=False)
    batches = journal.step("details", lambda: _details(market, info, options)) or ()
    written = journal.step("rows", lambda: apply_details(state.rows, batches, database=state.mode != "genA"))
    rows, changed = written or (state.rows, ())
    fetched = [rows[key] for key in changed]
    downloads = journal.step("charts", lambda: fetch_charts(market, fetched, state.disk, state.mode))
    downloads = downloads or Downloads(state.disk, ())
    journal.step("store", lambda: _store(info, tuple(rows.values()), v2))
    after = replace(state, local_hash=info.hash).with_rows(rows).with_disk(downloads.disk)
    return Round(after, True, changed, downloads.charts, info.body, batches)


def _info(market: Transport, mode: str, options: Options, announced: str, v2: _V2 | None) -> Finding[Info]:
    finding = listing.fetch_info(market, options.olares_version, mode, announced)
    if v2 is None or finding.value is None:
        return finding
    return replace(finding, faults=(*finding.faults, *catalog_v2.compare(v2.items, finding.value)))


def _details(market: Transport, info: Info, options: Options) -> Finding[tuple[Batch, ...]]:
    return details.fetch_details(
        market, info.apps, options.olares_version, options.seed, pauses=options.pauses, sleep=options.sleep
    )


def _store(info: Info, rows: Sequence[Row], v2: _V2 | None) -> Finding[tuple[str, ...]]:
    if v2 is None:
        return storefront.show(info.data, rows)
    return catalog_v2.show_v2(v2.taxonomy, v2.items, rows)
