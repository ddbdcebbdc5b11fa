"""The leaderboard as files to download: a table (CSV) and everything beside it (JSON), each column explained."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from market.catalog import Catalog
from market.configuration import options
from market.site import facets, figures
from market.site.language import ENGLISH, FRENCH
from market.site.leaderboard import Row
from market.site.presentation import anchor, quantisation

# Binary fractions are cut here so that no bit of a platform's mathematics library shows; runs are as published.
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Column:
    """One column of both files: its name, its unit (empty where it has none) and what it says."""

    name: str
    unit: str
    meaning: str
    of: Callable[[Row, Catalog], Any]


def _acceptance(row: Row) -> float | None:
    return _short(row.report.acceptance.fraction if row.report.acceptance else None)


def _vram(row: Row, measured: bool) -> float | None:
    found = facets.memory(row)
    return _short(found.gigabytes) if found and found.measured is measured else None


def _capability(name: str) -> Callable[[Row, Catalog], Any]:
    return lambda row, _: facets.capabilities(row)[name]


_SPEED: Final = "tokens/s"

COLUMNS: Final = (
    Column("app", "", "name of the app", lambda row, _: row.app.name),
    Column("report", "", "id of the report: the name of its file", lambda row, _: row.report.id),
    Column("app_version", "", "version of the app that was measured; empty where nobody stated it",
           lambda row, _: _stated(str(row.report.data["app_version"]))),
    Column("date", "ISO 8601", "day of the measurement", lambda row, _: row.report.date),
    Column("hardware", "", "machine, by its id in data/hardware.yaml", lambda row, _: row.scale.hardware),
    Column("concurrency", "requests", "requests at a time; empty where it was not stated",
           lambda row, _: row.report.protocol.get("concurrency")),
    Column("rank", "", "1 + the series of the same hardware, concurrency, prompt and depth whose whole interval lies "
           "above; empty without an interval, and at any other prompt and depth than those of most series",
           lambda row, _: row.rank),
    Column("n", "runs", "number of runs", lambda row, _: row.statistics.n),
    Column("mean_tokens_per_second", _SPEED, "mean of the runs", lambda row, _: _short(row.statistics.mean)),
    Column("median", _SPEED, "median of the runs", lambda row, _: _short(row.statistics.median)),
    Column("min", _SPEED, "slowest run", lambda row, _: _short(row.statistics.minimum)),
    Column("max", _SPEED, "fastest run", lambda row, _: _short(row.statistics.maximum)),
    Column("s_n_minus_1", _SPEED, "sample standard deviation (n-1)",
           lambda row, _: None if row.statistics.estimated else _short(row.statistics.deviation)),
    Column("s_estimated", _SPEED, "deviation estimated as range / d2(n), where the runs were never published",
           lambda row, _: _short(row.statistics.deviation) if row.statistics.estimated else None),
    Column("ci95_low", _SPEED, "lower end of the 95 % interval of the mean (Student's t)",
           lambda row, _: _short(row.interval[0]) if row.interval else None),
    Column("ci95_high", _SPEED, "upper end of that interval",
           lambda row, _: _short(row.interval[1]) if row.interval else None),
    Column("context_tokens", "tokens", "allocated window", lambda row, _: row.report.context_tokens),
    Column("depth_tokens", "tokens", "tokens in the KV cache when generation starts; empty where not stated",
           lambda row, _: row.report.protocol.get("depth_tokens")),
    Column("tokens_per_run", "tokens", "tokens generated a run", lambda row, _: row.report.protocol["tokens_per_run"]),
    Column("prompt", "", "prompt, by its id in data/prompts.yaml", lambda row, _: row.report.protocol["prompt"]),
    Column("vision", "", "whether an image encoder was loaded; empty where unknown", _capability("vision")),
    Column("audio", "", "whether it takes in sound; empty where unknown", _capability("audio")),
    Column("tools", "", "whether it calls tools; empty where unknown", _capability("tools")),
    Column("thinking", "", "whether it thinks before it answers; empty where unknown", _capability("thinking")),
    Column("family", "", "model family", lambda row, _: facets.family(row)),
    Column("model", "", "model", lambda row, _: row.app.card["model"]["name"]),
    Column("quantisation", "", "quantisation that was measured", lambda row, _: quantisation(row)),
    Column("engine", "", "engine, by its id in data/engines.yaml", lambda row, catalog: facets.engine(row, catalog).id),
    Column("engine_version", "", "its version, or the image's tag",
           lambda row, catalog: facets.engine(row, catalog).version or None),
    Column("image", "", "container image that was measured", lambda row, _: row.report.configuration["image"]),
    Column("vram_gb", "GB (10^9 bytes)", "published GPU memory of this configuration; empty where unknown",
           lambda row, _: _vram(row, measured=False)),
    Column("vram_peak_gb", "GB (10^9 bytes)", "highest GPU memory during the runs, where it was measured",
           lambda row, _: _vram(row, measured=True)),
    Column("acceptance", "fraction", "draft tokens accepted / drafted, over the whole series",
           lambda row, _: _acceptance(row)),
    Column("matches_shipped", "", "what was measured against what ships: same, partial (not fully published), differs, "
           "unshipped (not offered)", lambda row, _: row.agreement.verdict.value),
    Column("runs", _SPEED, "every run in its order; empty where they were never published",
           lambda row, _: list(row.report.speeds)),
)  # fmt: skip


def table(rows: Iterable[Row], catalog: Catalog) -> str:
    """The leaderboard as CSV: English names, empty where a value is not known, yes and no as true and false."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(column.name for column in COLUMNS)
    for row in rows:
        writer.writerow(_cell(column.of(row, catalog)) for column in COLUMNS)
    return stream.getvalue()


def document(rows: Sequence[Row], catalog: Catalog) -> str:
    """The leaderboard as JSON: the columns of the table, and each measured configuration with its titles."""
    about = {
        "title": "Olares One Market: measured series",
        "origin": catalog.market["origin"],
        "columns": {column.name: _described(column) for column in COLUMNS},
        "also": {
            "title": "title of the app by language",
            "configuration": "measured options under their long names, model files by role and environment; complete: "
            "whether all of it was published, so that what is absent was not set",
            "protocol": "how it was measured",
        },
    }
    found = [_record(row, catalog) for row in rows]
    return json.dumps(about | {"rows": found}, ensure_ascii=False, separators=(",", ":"), sort_keys=False) + "\n"


def _record(row: Row, catalog: Catalog) -> Mapping[str, Any]:
    values = {column.name: column.of(row, catalog) for column in COLUMNS}
    return values | {
        "title": {language.code: figures.title(row.app, language) for language in (FRENCH, ENGLISH)},
        "anchor": anchor(row.report),
        "configuration": _configuration(row),
        "protocol": {key: row.report.protocol[key] for key in sorted(row.report.protocol)},
    }


def _configuration(row: Row) -> Mapping[str, Any]:
    measured = row.report.configuration
    files = {model["role"]: "/".join(str(model[key]) for key in ("repo", "file") if model.get(key))
             for model in measured.get("models") or ()}  # fmt: skip
    return {
        "complete": bool(measured["complete"]),
        "options": options([str(item) for item in measured.get("args") or ()]),
        "models": files,
        "environment": dict(measured.get("env") or {}),
    }


def _described(column: Column) -> Mapping[str, str]:
    return {"unit": column.unit, "meaning": column.meaning} if column.unit else {"meaning": column.meaning}


def _stated(fact: str) -> str | None:
    return fact if figures.is_stated(fact) else None


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(str(item) for item in value)
    return value
