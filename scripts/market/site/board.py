"""The full leaderboard and the page that compares two series: what their templates and scripts are given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from market.catalog import Catalog
from market.site import facets, leaderboard
from market.site.language import UNKNOWN, Language
from market.site.leaderboard import Row
from market.site.presentation import Presentation
from market.site.words import words

# Steps of the filters. A window of 200,000 tokens is what one app allocates to see and still fit.
_WINDOWS: Final = (16_384, 32_768, 65_536, 131_072, 200_000, 262_144)
_GIGABYTES: Final = (6, 8, 12, 16, 20, 24)

# Texts that the scripts fill in themselves; market.js has none of its own.
_SPOKEN: Final = (
    "board_shown", "board_pick", "board_four", "board_n", "board_app",
    "compare_picked_one", "compare_picked", "compare_remove", "compare_base", "compare_details", "compare_estimate",
    "compare_other_scale", "compare_other_prompt", "compare_value", "compare_differs", "compare_agrees",
    "compare_no_difference", "compare_unpublished", "compare_unset", "compare_unknown", "compare_failed",
    "compare_same_twice", "compare_choose", "compare_first", "compare_second", "compare_shipped", "compare_runs",
    "comparison_difference", "comparison_interval", "comparison_test", "comparison_result", "shown_faster",
    "shown_slower", "shown_difference", "no_difference", "cannot_compare", "estimated", "interval", "welch_values",
    "tokens_per_second", "stat_mean", "stat_median", "stat_min", "stat_max", "stat_s", "stat_ci", "stat_acceptance",
    "same", "partial", "differs", "unshipped", "yes", "no", "not_stated", "not_stated_f",
    "version_not_stated", "protocol_image",
    "protocol_context", "role_target", "role_draft", "role_mmproj", "role_tokenizer", "role_lora", "role_vocoder",
    "protocol_prompt", "protocol_tokens", "protocol_depth", "protocol_warmup", "protocol_concurrency",
    "protocol_sampling", "protocol_vision", "board_choose_hardware", "versions_version",
    "board_quantisation", "board_engine", "board_vram", "board_summary_only",
)  # fmt: skip


def spoken(language: Language) -> str:
    """The texts that the scripts use, as JSON for an attribute."""
    t = words(language)
    texts = {key: t.texts[key] for key in _SPOKEN} | {"unknown": UNKNOWN}
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":"))


def series(row: Row) -> str:
    """What a comparison computes with, as JSON: runs, mean, deviation in tokens/s, and whether it is an estimate."""
    s = row.statistics
    return json.dumps([s.n, _number(s.mean), _number(s.deviation), int(s.estimated)], separators=(",", ":"))


def precise(value: float) -> str:
    """A number for a script, shortest first: ``21.9`` and never ``21.900000000000002``."""
    return f"{value:.12g}"


def can_do(row: Row) -> str:
    """The capabilities that a series is known to have had, parted by spaces."""
    return " ".join(name for name, value in facets.capabilities(row).items() if value)


def choices(rows: Sequence[Row], catalog: Catalog, language: Language) -> Mapping[str, Sequence[tuple[str, str]]]:
    """What each filter offers, as pairs of value and text: only what some row has."""
    say = Presentation(catalog, language, words(language))
    engines = {id: say.engine(id) for id in (facets.engine(row, catalog).id for row in rows)}
    families = {name: name for name in (facets.family(row) for row in rows)}
    machines = {row.scale.hardware: hardware_name(catalog, row.scale.hardware) for row in rows}
    prompts = {id: say.asked(id) for id in (str(row.report.protocol["prompt"]) for row in rows)}
    longest = max((row.report.context_tokens or 0 for row in rows), default=0)
    return {
        "engine": _sorted(engines),
        "family": _sorted(families),
        "context": [(str(size), language.number(size)) for size in _WINDOWS if size <= longest],
        "vram": [(str(size), language.gigabytes(size, 0)) for size in _GIGABYTES],
        "hardware": _sorted(machines),
        "prompt": _sorted(prompts),
    }


def values(rows: Sequence[Row], catalog: Catalog, language: Language) -> Mapping[str, Any]:
    """Everything that leaderboard.html.jinja is rendered with."""
    return {
        "scales": leaderboard.scales(rows),
        "choices": choices(rows, catalog, language),
        "board_words": spoken(language),
        "capability_names": facets.CAPABILITIES,
        "series": series,
        "can_do": can_do,
        "family": facets.family,
        "engine_of": lambda row: facets.engine(row, catalog),
        "memory_of": facets.memory,
        "hardware_name": lambda id: hardware_name(catalog, id),
        "target": lambda scale: leaderboard.is_target(catalog, scale),
    }


def hardware_name(catalog: Catalog, id: str) -> str:
    """A machine's name as data/hardware.yaml has it."""
    return str((catalog.hardware.get(id) or {}).get("name") or id)


def names(catalog: Catalog, language: Language) -> str:
    """Names of engines, machines and prompts by their ids, as JSON for the page that compares two series."""
    say = Presentation(catalog, language, words(language))
    found = {
        "engine": {id: say.engine(id) for id in catalog.engines},
        "hardware": {id: hardware_name(catalog, id) for id in catalog.hardware},
        "prompt": {id: say.asked(id) for id in catalog.prompts},
    }
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _sorted(texts: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    return sorted(texts.items(), key=lambda pair: (pair[1].casefold(), pair[0]))


def _number(value: float | None) -> float | None:
    return None if value is None else float(precise(value))


def by_app(rows: Iterable[Row]) -> Sequence[tuple[str, Sequence[Row]]]:
    """The rows of each app, newest first, by the app's name."""
    groups: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.report.id, reverse=True):
        groups.setdefault(row.app.name, []).append(row)
    return sorted(groups.items())
