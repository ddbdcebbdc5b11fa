"""What devices ask of a market source in a day, and what that costs.

Everything is computed from two data files: what a sync was measured to ask (data/endpoint.yaml) and the prices
(data/prices.yaml). A device looks for news every five minutes (beclab/market, appinfomodule.go,
SYNCER_SYNC_INTERVAL); the day counted here has one change in it, one app with a new version.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from market.catalog import Catalog

SYNC_SECONDS = 300
SYNCS_A_DAY = 86_400 // SYNC_SECONDS
DAYS_A_MONTH = 30
MILLION = 1_000_000
OURS, INLINE = "ours", "inline"
"""The two ways to serve: files where a file will do, or a Worker that holds everything in its script."""


@dataclass(frozen=True, slots=True)
class Use:
    """Requests, how many of them run the Worker, its processor time in ms, and reply bodies in bytes.

    ``gzip_bytes`` are the bodies as the edge sends them compressed; ``charts`` counts downloads of charts.
    """

    requests: int = 0
    runs: int = 0
    cpu_ms: float = 0.0
    bytes: int = 0
    gzip_bytes: int = 0
    charts: int = 0

    def __add__(self, other: Use) -> Use:
        return Use(
            self.requests + other.requests,
            self.runs + other.runs,
            self.cpu_ms + other.cpu_ms,
            self.bytes + other.bytes,
            self.gzip_bytes + other.gzip_bytes,
            self.charts + other.charts,
        )

    def times(self, count: int) -> Use:
        """The same, ``count`` times."""
        return Use(
            self.requests * count,
            self.runs * count,
            self.cpu_ms * count,
            self.bytes * count,
            self.gzip_bytes * count,
            self.charts * count,
        )


@dataclass(frozen=True, slots=True)
class Bill:
    """US dollars a month. ``archive`` is what reading every chart from the archive would cost: the most it can be."""

    plan: float
    requests: float
    cpu: float
    archive: float

    @property
    def total(self) -> float:
        """The whole bill."""
        return self.plan + self.requests + self.cpu + self.archive


@dataclass(frozen=True, slots=True)
class Asked:
    """One kind of request: whether our Worker runs for it, how often each sync asks, and the bytes of a first sync."""

    route: str
    kind: str
    worker: bool
    first: int
    unchanged: int
    bumped: int
    bytes: int
    gzip_bytes: int


@dataclass(frozen=True, slots=True)
class Costs:
    """The two data files, and what follows from them."""

    measured: Mapping[str, Any]
    prices: Mapping[str, Any]
    syncs_a_day: int = SYNCS_A_DAY
    days_a_month: int = DAYS_A_MONTH

    @property
    def generations(self) -> tuple[str, ...]:
        """The generations of the device."""
        return tuple(self.measured["syncs"])

    def rows(self, generation: str, sync: str) -> tuple[Mapping[str, Any], ...]:
        """The requests of a sync: ``first``, ``unchanged`` or ``bumped``."""
        return tuple(self.measured["syncs"][generation][sync])

    def asked(self, generation: str) -> tuple[Asked, ...]:
        """Every kind of request of a generation, in the order of a first sync."""
        counts = {
            sync: {row["route"]: row["requests"] for row in self.rows(generation, sync)}
            for sync in ("unchanged", "bumped")
        }
        return tuple(
            Asked(
                row["route"], row["kind"], row["worker"], row["requests"], counts["unchanged"].get(row["route"], 0),
                counts["bumped"].get(row["route"], 0), row["bytes"], row["gzip_bytes"],
            )
            for row in self.rows(generation, "first")
        )  # fmt: skip

    def runs(self, kind: str) -> bool:
        """Whether our Worker runs for a kind of request."""
        return any(
            row["worker"]
            for generation in self.generations
            for row in self.rows(generation, "first")
            if row["kind"] == kind
        )

    def sync(self, generation: str, sync: str, side: str = OURS) -> Use:
        """A whole sync, served our way or by the Worker that holds everything."""
        return _sum(self._use(row, side) for row in self.rows(generation, sync))

    def day(self, generation: str, side: str = OURS, changes: int = 1) -> Use:
        """A device's day with ``changes`` syncs that find an app with a new version."""
        unchanged = self.sync(generation, "unchanged", side).times(SYNCS_A_DAY - changes)
        return unchanged + self.sync(generation, "bumped", side).times(changes)

    def bill(self, generation: str, devices: int, side: str = OURS, changes: int = 1) -> Bill:
        """A month of so many devices of one generation."""
        month = self.day(generation, side, changes).times(devices * DAYS_A_MONTH)
        workers = self.prices["workers"]
        reads = self.prices["r2"]["reads"]
        return Bill(
            plan=workers["plan"],
            requests=_beyond(month.runs, workers["requests"]),
            cpu=_beyond(month.cpu_ms, workers["cpu_ms"]),
            # R2 bills whole millions.
            archive=_beyond(month.charts, reads, whole=True) if side == OURS else 0.0,
        )

    def ratio(self, kind: str) -> float:
        """Our replies a second over those of the Worker that holds everything."""
        load = self.measured["load"][kind]
        return float(load[OURS]["per_second"] / load[INLINE]["per_second"])

    def _use(self, row: Mapping[str, Any], side: str) -> Use:
        runs = row["requests"] if row["worker"] or side == INLINE else 0
        cpu = self.measured["load"][row["kind"]][side]["cpu_ms"] * runs
        charts = row["requests"] if row["kind"] == "chart" else 0
        return Use(row["requests"], runs, cpu, row["bytes"], row["gzip_bytes"], charts)


def of(catalog: Catalog) -> Costs | None:
    """What the catalog's data files say, or nothing where they are missing."""
    measured, prices = catalog.data.get("endpoint"), catalog.data.get("prices")
    return Costs(measured.data, prices.data) if measured and prices else None


def _sum(uses: Iterable[Use]) -> Use:
    return reduce(Use.__add__, uses, Use())


def _beyond(amount: float, tier: Mapping[str, float], whole: bool = False) -> float:
    """What is not included, by the million."""
    millions = max(amount - tier["included"], 0) / MILLION
    return (math.ceil(millions) if whole else millions) * tier["per_million"]
