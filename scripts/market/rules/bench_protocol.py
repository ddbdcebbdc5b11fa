"""Family ``bench``: when and how a series was measured, and whether its speed can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from market import vram
from market.catalog import App, Catalog
from market.engine import Release, engines
from market.objects import mapping
from market.problem import Problem
from market.report import Report
from market.rules.bench_drafts import draft_tokens
from market.rules.registry import app_check, catalog_check, declare
from market.yamldoc import Path

LONGEST_DRAFT = 16
"""Drafts a step where neither report nor card says; the DFlash drafters of the catalog have blocks of 16."""
SLOWEST = 0.5
"""Tokens/s below which a figure is more likely a latency or a mistyped number."""

declare("bench.file-name", "error", "A report whose file name is not of its date",
        why="The name is the report's id; pages sort and link by it.",
        fix="Name the file <date>-<what>.yaml with the report's own date.",
        source="design of this catalog")  # fmt: skip
declare("bench.future", "error", "A report from the future",
        why="The date is more than a year later than the newest release of the catalog, so its year is mistyped.",
        fix="Correct the date.",
        source="releases.json")  # fmt: skip
declare("bench.before-image", "error", "A report that is older than the image it measured",
        why="An image cannot be measured before it was built; date or image is wrong.",
        fix="Correct the date, or the image under `configuration`.",
        source="data/engines.yaml")  # fmt: skip
declare("bench.version", "error", "A report of a version that does not exist yet",
        why="The version is later than the one that ships.",
        fix="Correct `app_version`, or bump the app first.",
        source="chart/Chart.yaml")  # fmt: skip
declare("bench.impossible-speed", "error", "A speed that the card's memory does not allow",
        why="Every step reads the active weights once, so tokens/s cannot exceed bandwidth / weights, times the tokens "
            "of a step. A figure beyond that is of other hardware, of several requests, or in another unit.",
        fix="Check unit, hardware, model file and concurrency against the source.",
        source="data/hardware.yaml; S. Williams et al., Roofline, CACM 52, 2009")  # fmt: skip
declare("bench.protocol", "advice", "A report that does not say all of how it was measured",
        why="Another person could not repeat it, and a difference to another report may be one of method.",
        fix="Add what the source says; write `null`, or say in the text, what it does not.",
        source="design of this catalog, measurement integrity; MLPerf Inference rules")  # fmt: skip


@app_check
def dates(app: App) -> Iterator[Problem]:
    """Names, versions and what a report says of its method."""
    for report in app.reports:
        if not report.id.startswith(f"{report.date}-"):
            message = f"the report is of {report.date}, the file is called {report.id}.yaml"
            yield report.document.problem("bench.file-name", "date", message=message)
        order = Release(str(report.data.get("app_version"))).compare(Release(app.version))
        if order is not None and order > 0:
            message = f"`app_version` is {report.data['app_version']}, the app ships {app.version}"
            yield report.document.problem("bench.version", "app_version", message=message)
        missing = tuple(_missing(report))
        if missing:
            yield report.document.problem("bench.protocol", "protocol", message=f"not stated: {', '.join(missing)}")


def _missing(report: Report) -> Iterator[str]:
    protocol = report.protocol
    names = {"tokens_per_run": "tokens a run", "depth_tokens": "tokens in the cache at start",
             "concurrency": "requests at once", "sampling": "sampling"}  # fmt: skip
    yield from (name for key, name in names.items() if protocol.get(key) is None)
    if mapping(protocol.get("warmup")).get("en") in ("not stated", "unknown"):
        yield "warm-up"
    if protocol.get("prompt") == "unstated":
        yield "prompt"
    if report.context_tokens is None:
        yield "window"
    if not report.is_raw and report.statistics.deviation is None:
        yield "spread of the runs"


@catalog_check
def plausible(catalog: Catalog) -> Iterator[Problem]:
    """Dates that can be, and speeds that can be."""
    newest = max((release.released[:10] for release in catalog.ledger.releases.values()), default="")
    images = _image_dates(catalog)
    for app in catalog.apps:
        for report in app.reports:
            yield from _date(report, newest, images)
            yield from _speed(catalog, app, report)


def _date(report: Report, newest: str, images: Mapping[str, str]) -> Iterator[Problem]:
    if newest and _year_after(newest) < report.date:
        message = f"`date` is {report.date}, the newest release is of {newest}"
        yield report.document.problem("bench.future", "date", message=message)
    built = images.get(_bare(str(report.configuration.get("image"))), "")
    if built and report.date < built:
        message = f"`date` is {report.date}, the image {report.configuration['image']} is of {built}"
        yield report.document.problem("bench.before-image", "date", message=message)


def _year_after(date: str) -> str:
    """The ISO date a year later: readers measure what ships long after its release, and a check has no clock."""
    return f"{int(date[:4]) + 1:04d}{date[4:]}"


def _image_dates(catalog: Catalog) -> dict[str, str]:
    document = catalog.data.get("engines")
    known = engines(mapping(document.data)).values() if document else ()
    return {
        _bare(image): engine.dates[version]
        for engine in known
        for version, image in engine.images.items()
        if version in engine.dates
    }


def _bare(image: str) -> str:
    return image.removeprefix("docker.io/").partition("@")[0]


def _speed(catalog: Catalog, app: App, report: Report) -> Iterator[Problem]:
    """The fastest run against the bandwidth of the card."""
    most = fastest(catalog, app, report)
    speeds: list[tuple[float, Path]] = [
        (speed, ("runs", index, "tokens_per_second")) for index, speed in enumerate(report.speeds)
    ]
    stated = mapping(report.data.get("summary"))
    speeds += [(float(stated[key]), ("summary", key)) for key in ("mean", "min", "max") if key in stated]
    for speed, path in speeds:
        if most is not None and speed > most:
            message = f"{speed:g} tokens/s; the card's memory allows {most:.0f} at most"
            yield report.document.problem("bench.impossible-speed", *path, message=message)
        elif speed < SLOWEST:
            message = f"{speed:g} tokens/s; is this a time per token?"
            yield report.document.problem("bench.impossible-speed", *path, message=message)


def fastest(catalog: Catalog, app: App, report: Report) -> float | None:
    """The upper bound of tokens/s: bandwidth / active weights, times tokens a step, times requests.

    Weights are those of the target file; of a mixture of experts only the active share counts.
    """
    bandwidth = _bandwidth(catalog, report)
    sizes = [vram.file_size(model) for model in vram.models_of(app.values) if model.get("role") == "target"]
    size = sum(one for one in sizes if one)
    model, requests = mapping(app.card.get("model")), report.protocol.get("concurrency") or 1
    if bandwidth is None or not size or model.get("kind") == "diffusion":
        return None
    total, active = model.get("parameters_billion"), model.get("active_billion")
    share = active / total if _is_positive(total) and _is_positive(active) else 1.0
    if model.get("kind") == "mixture-of-experts" and share == 1.0:
        return None
    drafts = draft_tokens(app, report)
    step = 1 + (drafts if drafts is not None else LONGEST_DRAFT if app.card.get("speculation") else 0)
    return float(bandwidth * vram.GB / (size * share) * step * requests)


def _bandwidth(catalog: Catalog, report: Report) -> float | None:
    document = catalog.data.get("hardware")
    entries = mapping(document.data).get("hardware") if document else None
    for entry in entries if isinstance(entries, list) else ():
        if mapping(entry).get("id") == report.data.get("hardware"):
            value = mapping(mapping(entry).get("gpu")).get("bandwidth_gb_s")
            return float(value) if _is_positive(value) else None
    return None


def _is_positive(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
