"""Family ``bench``: the counters of speculative decoding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeGuard

from market.catalog import App
from market.objects import mapping
from market.options import number
from market.problem import Problem
from market.report import Report
from market.rules.bench_figures import printed
from market.rules.registry import app_check, declare

COUNTS = ("draft_tokens", "draft_accepted")

declare("bench.accepted", "error", "More drafts accepted than drafted",
        why="A draft is accepted at most once; the counters are exchanged or mistyped.",
        fix="Check both against the source.",
        source="llama.cpp timings draft_n, draft_n_accepted; vLLM spec_decode counters")  # fmt: skip
declare("bench.acceptance", "warning", "An acceptance that the counters do not give",
        why="The site computes acceptance from counters. A published percentage beyond rounding of that is of other "
            "runs, or the mean of percentages.",
        fix="Compare with the source; if it prints both, say under `acceptance.note` which runs each covers.",
        source="arithmetic on the report's own counters")  # fmt: skip
declare("bench.draft-counters", "warning", "Counters that do not fit the tokens of the runs",
        why="Each step yields one token of the model itself and the accepted drafts. With T tokens and A accepted "
            "there were T - A steps, each with at most the set number of drafts. Counters beyond that cover other "
            "runs than the report names, such as warm-ups.",
        fix="Check counters, tokens and draft tokens against the source; say under `acceptance.note` what the "
            "counters cover.",
        source="llama.cpp common/speculative; vLLM spec_decode metrics")  # fmt: skip


@app_check
def drafts(app: App) -> Iterator[Problem]:
    """The counters of every report can be."""
    for report in app.reports:
        for path, entry in _counted(report):
            drafted, accepted = entry["draft_tokens"], entry["draft_accepted"]
            if accepted > drafted:
                message = f"{accepted} accepted of {drafted} drafted"
                yield report.document.problem("bench.accepted", *path, "draft_accepted", message=message)
        yield from _percentage(report)
        yield from _steps(app, report)


def _counted(report: Report) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, int]]]:
    """Every place of a report with both counters."""
    places: list[tuple[str | int, ...]] = [("runs", index) for index in range(len(report.speeds))]
    for path in (*places, ("acceptance",), ("vision_check",)):
        entry = mapping(report.document.get(*path))
        if all(_is_count(entry.get(key)) for key in COUNTS):
            yield path, {key: entry[key] for key in COUNTS}


def _percentage(report: Report) -> Iterator[Problem]:
    """The published percentage against the counters."""
    claim, found = printed(report, "acceptance", "published_percent"), report.acceptance
    if claim is None or found is None or not found.drafted or found.accepted is None:
        return
    percent = 100 * found.accepted / found.drafted
    if not claim.is_about(percent):
        message = f"`acceptance.published_percent` is {claim.value:g}, the counters give {percent:.2f}"
        yield report.document.problem("bench.acceptance", "acceptance", "published_percent", message=message)


def _steps(app: App, report: Report) -> Iterator[Problem]:
    """Counters against tokens and steps, a run at a time or pooled."""
    each, depth = report.protocol.get("tokens_per_run"), draft_tokens(app, report)
    for path, entry in _counted(report):
        if path[0] == "vision_check":
            continue
        own = report.document.get(*path, "tokens")
        tokens = own if _is_count(own) else each
        runs = 1 if path[0] == "runs" else report.statistics.n
        if not _is_count(tokens):
            continue
        steps = tokens * runs - entry["draft_accepted"]
        if steps <= 0:
            message = f"{entry['draft_accepted']} drafts accepted, but only {tokens * runs} tokens generated"
            yield report.document.problem("bench.draft-counters", *path, "draft_accepted", message=message)
        elif depth is not None and entry["draft_tokens"] > depth * (steps + runs):
            message = (
                f"{entry['draft_tokens']} drafted in {steps} steps of at most {depth}: "
                f"{tokens * runs} tokens less {entry['draft_accepted']} accepted"
            )
            yield report.document.problem("bench.draft-counters", *path, "draft_tokens", message=message)


def draft_tokens(app: App, report: Report) -> int | None:
    """Drafts a step: as the report's options say, else as the card does."""
    arguments = [str(one) for one in report.configuration.get("args") or ()]
    for name, value in pairwise(arguments):
        if name in ("--spec-draft-n-max", "--draft-max", "--spec-tokens"):
            found = number(value)
            return int(found) if found is not None else None
        if name == "--speculative-config" and '"num_speculative_tokens":' in value:
            digits = value.partition('"num_speculative_tokens":')[2].strip().partition(",")[0].rstrip(" }")
            return int(digits) if digits.isdigit() else None
    stated = mapping(app.card.get("speculation")).get("draft_tokens")
    return stated if _is_count(stated) else None


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
