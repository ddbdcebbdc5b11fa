"""Family ``bench``: reports that hold another report's figures, a run twice, or another machine's name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from market.catalog import Catalog
from market.objects import mapping
from market.problem import Problem
from market.report import Report
from market.rules.registry import catalog_check, declare

FEWEST = 3
"""Equal runs below which two series may agree by chance."""

declare("bench.same-runs", "error", "The same runs in two reports, or twice in one",
        why="Two series never agree in every digit, and two runs not in their microseconds; one of them is a copy.",
        fix="Remove the copy, or enter the runs that belong there.",
        source="design of this catalog, measurement integrity")  # fmt: skip
declare("bench.other-card", "error", "A report under another machine's name",
        why="The bench asked the driver which card measured; it is not the one of the machine that the report names, "
            "so readers would take its speed for that of another card.",
        fix="Name the machine that measured under `hardware`, and add it to data/hardware.yaml if it is not there.",
        source="NVML, nvmlDeviceGetName")  # fmt: skip


@catalog_check
def copies(catalog: Catalog) -> Iterator[Problem]:
    """Compare every report with those before it, those of apps without a chart too, and with its machine."""
    reports = [report for app in catalog.apps for report in app.reports]
    reports += [report for app in catalog.shelved for report in app.reports]
    for index, report in enumerate(reports):
        yield from _twice(report)
        yield from _card(report, catalog.hardware)
        other = next((one for one in reports[:index] if _copied(report, one)), None)
        if other is not None:
            message = f"the figures are those of {other.id} of {other.app}"
            yield report.document.problem("bench.same-runs", "runs" if report.is_raw else "summary", message=message)


def _copied(a: Report, b: Report) -> bool:
    """Whether one holds the other's figures: all of them in any order, or half of them in their places."""
    if len(set(a.speeds)) >= FEWEST and sorted(a.speeds) == sorted(b.speeds):
        return True
    pairs = list(zip(a.speeds, b.speeds, strict=False))
    equal = sum(one == other and _is_precise(one) for one, other in pairs)
    if equal >= max(FEWEST, math.ceil(len(pairs) / 2)):
        return True
    stated = _stated(a)
    return stated is not None and stated == _stated(b)


def _is_precise(speed: float) -> bool:
    """Whether it has two decimals and more; with one, runs agree by chance."""
    return round(speed, 1) != speed


def _stated(report: Report) -> tuple[Any, ...] | None:
    """The figures of a summary; ``None`` where there is too little to tell."""
    stated = mapping(report.data.get("summary"))
    figures = tuple(stated.get(key) for key in ("n", "mean", "min", "max"))
    return None if None in figures else figures


def _twice(report: Report) -> Iterator[Problem]:
    """A run whose milliseconds, stated to the microsecond, are those of a run before it."""
    seen: dict[tuple[float, float], int] = {}
    for index, run in enumerate(report.data.get("runs") or ()):
        server = mapping(run.get("server"))
        read, wrote = server.get("prompt_ms"), server.get("predicted_ms")
        if not isinstance(read, float) or not isinstance(wrote, float):
            continue
        before = seen.setdefault((read, wrote), index)
        if before != index:
            message = f"run {index + 1} has the milliseconds of run {before + 1}"
            yield report.document.problem("bench.same-runs", "runs", index, message=message)


def _card(report: Report, hardware: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    """The card that the driver named against the card of the machine that the report names."""
    found = mapping(mapping(report.data.get("environment")).get("gpu")).get("name")
    entry = hardware.get(str(report.data.get("hardware")))
    wanted = mapping(mapping(entry).get("gpu")).get("name")
    if found and wanted and _words(str(found)) != _words(str(wanted)):
        message = f"{found} measured, {report.data['hardware']} has {wanted}"
        yield report.document.problem("bench.other-card", "environment", "gpu", "name", message=message)


def _words(name: str) -> frozenset[str]:
    """A card's name without what drivers and vendors add or leave out."""
    return frozenset(re.findall(r"[a-z0-9]+", name.lower())) - {"nvidia", "geforce", "amd", "gpu", "graphics"}
