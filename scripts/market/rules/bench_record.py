"""Family ``bench``: what a report that `market bench` wrote lets check, and runs that stand alone."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from market.catalog import Catalog
from market.problem import Problem
from market.report import Report
from market.rules.registry import catalog_check, declare

ROUNDING = 0.002
"""Relative difference between a run's speed and its own counts and milliseconds that rounding explains."""
SCATTER = 5.0
"""Robust deviations (1.4826 x median absolute deviation) from the median at which a run stands alone."""
LEAST = 0.02
"""Part of the median below which a run is no outlier, however still the others lie."""

declare("bench.arithmetic", "error", "A run whose speed does not follow from its own counts",
        why="A speed that was edited or copied no longer agrees with its tokens and milliseconds.",
        fix="Leave the file as the bench command wrote it.",
        source="(predicted_n - 1) / predicted_ms, from llama.cpp's timings")  # fmt: skip
declare("bench.outlier", "warning", "A run far from all others of its series",
        why="One run under other conditions moves the mean and widens the interval of all the others.",
        fix="Say in a note what happened, or measure the series again; never delete the run alone.",
        source="median absolute deviation: F. Hampel, J. Am. Stat. Assoc. 69, 1974")  # fmt: skip
declare("bench.unfinished", "warning", "A series that did not come to its end",
        why="The bench stopped early: drift, two speeds, a short answer, a changed server or a fault.",
        fix="Go on with `market bench run --resume`, or measure again under steadier conditions.")  # fmt: skip
declare("bench.prompt-hash", "error", "A report of another text under a known prompt's name",
        why="Speeds of two texts under one id would be compared as if they were of one.",
        fix="Name the prompt that was sent, or add it to data/prompts.yaml under an id of its own.")  # fmt: skip
declare("bench.changed-output", "advice", "One seed, several texts",
        why="A deterministic server repeats its text; where it does not, draft acceptance varies with it.",
        fix="Nothing to correct; compare such series by many runs, or with `--vary-seed`.")  # fmt: skip


@catalog_check
def records(catalog: Catalog) -> Iterator[Problem]:
    """Check every report, those of apps without a chart too."""
    reports = [report for app in catalog.apps for report in app.reports]
    reports += [report for app in catalog.shelved for report in app.reports]
    for report in reports:
        for index, run in enumerate(report.data.get("runs") or ()):
            yield from _arithmetic(report, index, run)
        yield from _outliers(report)
        yield from _unfinished(report)
        yield from _prompt(report, catalog.prompts)
        yield from _outputs(report)


def _arithmetic(report: Report, index: int, run: Mapping[str, Any]) -> Iterator[Problem]:
    server, speed = run.get("server") or {}, run["tokens_per_second"]
    count, milliseconds = server.get("predicted_n", 0), server.get("predicted_ms", 0)
    if run.get("speed_source") != "server" or count < 2 or milliseconds <= 0:
        return
    computed = (count - 1) / milliseconds * 1000
    if abs(speed / computed - 1) > ROUNDING:
        message = f"{speed} tokens/s, but {count} tokens in {milliseconds} ms are {computed:.3f}"
        yield report.document.problem("bench.arithmetic", "runs", index, "tokens_per_second", message=message)


def _outliers(report: Report) -> Iterator[Problem]:
    speeds = report.speeds
    if len(speeds) < 5:
        return
    middle = statistics.median(speeds)
    spread = 1.4826 * statistics.median(abs(speed - middle) for speed in speeds)
    reach = max(SCATTER * spread, LEAST * middle)
    far = [index for index, speed in enumerate(speeds) if abs(speed - middle) > reach]
    if len(far) > len(speeds) // 4:
        return  # so many are a second speed, which bench.two-groups is about
    for index in far:
        message = f"{speeds[index]:.2f} tokens/s where the median is {middle:.2f}"
        yield report.document.problem("bench.outlier", "runs", index, "tokens_per_second", message=message)


def _unfinished(report: Report) -> Iterator[Problem]:
    bench = report.data.get("bench") or {}
    for index, alarm in enumerate(bench.get("alarms") or ()):
        yield report.document.problem("bench.unfinished", "bench", "alarms", index, message=alarm["en"])
    if bench.get("finished") is False and not bench.get("alarms"):
        message = f"{len(report.speeds)} of {bench.get('planned_runs', 'the planned')} runs"
        yield report.document.problem("bench.unfinished", "bench", "finished", message=message)


def _prompt(report: Report, prompts: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    stated, known = report.protocol.get("prompt_sha256"), prompts.get(report.protocol["prompt"], {}).get("sha256")
    if stated and known and stated != known:
        message = f"the prompt's hash begins with {known[:12]}, the report's with {stated[:12]}"
        yield report.document.problem("bench.prompt-hash", "protocol", "prompt_sha256", message=message)


def _outputs(report: Report) -> Iterator[Problem]:
    runs = report.data.get("runs") or ()
    texts = {run["output_sha256"] for run in runs if "output_sha256" in run}
    if len(texts) > 1 and report.protocol.get("seed_varies") is False:
        message = f"{len(texts)} texts in {len(runs)} runs of seed {report.protocol.get('seed')}"
        yield report.document.problem("bench.changed-output", "protocol", "seed", message=message)
