"""The command that measures a report's series again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from market.catalog import App
from market.configuration import Entry
from market.report import Report


def command(app: Entry, report: Report | None, prompts: Mapping[str, Mapping[str, Any]]) -> str | None:
    """``market bench run`` with everything that the report states; ``None`` where it cannot be run again.

    A report of `market bench` keeps its own command. Without a report: the command that makes the first one. The
    prompts of some old series were never published, and an app without a chart installs nothing to measure.
    """
    if report and (own := (report.data.get("bench") or {}).get("command")):
        return str(own)
    if not isinstance(app, App) or not app.is_listed:
        return None
    port = (app.values.get("server") or {}).get("port") or 8000
    words = ["market", "bench", "run", "--url", f"http://127.0.0.1:{port}", "--app", app.name]
    if report:
        prompt = prompts.get(report.protocol["prompt"]) or {}
        if "text" not in prompt and "messages" not in prompt:
            return None
        words += [*_protocol(report)]
    return shlex.join(words)


def _protocol(report: Report) -> Iterator[str]:
    protocol = report.protocol
    yield from ("--prompt", protocol["prompt"], "--runs", str(report.statistics.n))
    for option, key in (("--warmup", "warmup_runs"), ("--tokens", "tokens_per_run"), ("--depth", "depth_tokens"),
                        ("--concurrency", "concurrency"), ("--seed", "seed")):  # fmt: skip
        if protocol.get(key) is not None:
            yield from (option, str(protocol[key]))
    for name, value in (protocol.get("sampling") or {}).items():
        yield from ("--sampling", f"{name}={value}")
    if protocol.get("thinking") is not None:
        yield from ("--thinking", "on" if protocol["thinking"] else "off")
    for option, key in (("--vary-seed", "seed_varies"), ("--ignore-eos", "ignore_eos")):
        if protocol.get(key):
            yield option
    if report.data["hardware"] != "olares-one":
        yield from ("--hardware", report.data["hardware"])
