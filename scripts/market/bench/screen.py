"""What a bench shows: progress with rate and time left, then a table and a picture of every series."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from market.bench.picture import dots, spark
from market.bench.record import Record
from market.bench.series import Series
from market.statistics import Summary, summarise

_REFRESH_S = 0.25


class Quiet:
    """Shows nothing."""

    def begin(self, series: Series, run: int, warmup: bool) -> None:
        """Do nothing."""

    def received(self, seconds: float, data: bytes) -> None:
        """Do nothing."""

    def end(self, series: Series, run: Record, warmup: bool) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""


class Shown:
    """A live line on a terminal, one line a run elsewhere. ``total`` counts all runs, warm-ups included."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._busy = 0.0
        self._since = 0.0
        self._label = ""
        self._pieces = 0
        self._drawn = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def __enter__(self) -> Shown:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def begin(self, series: Series, run: int, warmup: bool) -> None:
        """A run begins: name it."""
        self._since, self._pieces, self._drawn = time.perf_counter(), 0, 0.0
        kind = f"warm-up {run + 1}" if warmup else f"run {run + 1} of {series.planned}"
        self._label = f"{series.path.stem}  {kind}"
        self._draw(0.0)

    def received(self, seconds: float, data: bytes) -> None:
        """Something arrived: redraw now and then; counting marks of events is all the work done meanwhile."""
        if self._live is None:
            return
        self._pieces += data.count(b"data:")
        if seconds - self._drawn >= _REFRESH_S:
            self._drawn = seconds
            self._draw(seconds)

    def end(self, series: Series, run: Record, warmup: bool) -> None:
        """A run ended: say its figures and what is left."""
        self._done += 1
        self._busy += time.perf_counter() - self._since
        line = f"{self._label}  {run['tokens_per_second']:8.2f} tokens/s"
        if "time_to_first_token_ms" in run:
            line += f"  first token {run['time_to_first_token_ms']:.0f} ms"
        if run.get("draft_tokens"):
            line += f"  drafts {run['draft_accepted'] / run['draft_tokens']:.1%}"
        if not warmup and len(series.runs) > 1:
            line += f"  mean {_mean(summarise(series.speeds))}"
        self._console.print(f"{line}  {_left(self._remaining())}", highlight=False, markup=False, soft_wrap=True)

    def note(self, text: str) -> None:
        """Something to know."""
        self._console.print(text, style="yellow", highlight=False, markup=False, soft_wrap=True)

    def _remaining(self) -> float:
        return self._busy / max(self._done, 1) * max(self._total - self._done, 0)

    def _draw(self, seconds: float) -> None:
        if self._live is None:
            return
        rate = f"{self._pieces / seconds:.1f} pieces/s" if seconds > 0 else "waiting for the first token"
        left = _left(self._remaining() - seconds) if self._done else ""
        self._live.update(Text(f"[{self._done}/{self._total}] {self._label}  {rate}  {left}"), refresh=True)


def table(series: Sequence[Series]) -> Table:
    """Every series as one row."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    made.add_column("report", overflow="fold", min_width=20)
    for name in ("n", "tokens/s", "median", "min", "max", "CV", "first token", "drafts"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("runs", overflow="fold")
    for one in series:
        if one.runs:
            made.add_row(*_row(one))
    return made


def show(console: Console, series: Sequence[Series]) -> None:
    """The table, the picture, and what is to be known of each series."""
    measured = [one for one in series if one.runs]
    if not measured:
        return
    console.print()
    console.print(table(measured), width=max(console.width, 120))
    console.print()
    for line in dots({one.path.stem: one.speeds for one in measured}):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for one in measured:
        for line in remarks(one.data):
            console.print(f"{one.path.stem}: {line}", highlight=False, markup=False, soft_wrap=True)


def remarks(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What the figures of a report do not show by themselves."""
    found = []
    runs = data["runs"]
    if any("server" not in run for run in runs) and data["protocol"].get("concurrency") == 1:
        found.append("the server states no timings, so the speed is the client's: tokens by usage over the time "
                     "from first to last arrival")  # fmt: skip
    cached = [run["cached_tokens"] for run in runs if run.get("cached_tokens")]
    if cached and data["protocol"].get("prompt_cache") != "allowed":
        found.append(f"the prompt cache was used all the same in {len(cached)} runs (up to {max(cached)} tokens), so "
                     "time to first token is that of a cached prompt")  # fmt: skip
    found += [alarm["en"] for alarm in (data.get("bench") or {}).get("alarms") or ()]
    found += [f"run {fault['run']}: {fault['message']}" for fault in data.get("faults") or ()]
    after = data.get("after_vision")
    if after:
        said = "came back" if after["recovered"] else "did NOT come back"
        speeds = ", ".join(f"{speed:.1f}" for speed in after["tokens_per_second"])
        found.append(
            f"text speed {said} after the pictures: {speeds} against {after['before_mean']:.1f} tokens/s before"
        )
    for key in ("vision_check", "vision_large"):
        if key in data:
            check = data[key]
            verdict = "right" if check.get("correct") else "WRONG"
            found.append(f"{check['image']['en']}: {check.get('error') or check['answer']!r} ({verdict})")
    return tuple(found)


def _row(series: Series) -> tuple[str, ...]:
    stated = summarise(series.speeds)
    firsts = [run["time_to_first_token_ms"] for run in series.runs if "time_to_first_token_ms" in run]
    drafted = sum(run.get("draft_tokens", 0) for run in series.runs)
    accepted = sum(run.get("draft_accepted", 0) for run in series.runs)
    return (
        series.path.stem, str(stated.n), _mean(stated), f"{stated.median:.2f}", f"{stated.minimum:.2f}",
        f"{stated.maximum:.2f}", f"{stated.variation:.1%}" if stated.variation is not None else "",
        f"{sum(firsts) / len(firsts):.0f} ms" if firsts else "", f"{accepted / drafted:.1%}" if drafted else "",
        spark(series.speeds),
    )  # fmt: skip


def _mean(stated: Summary) -> str:
    return f"{stated.mean:.2f}" + (f" ± {stated.half_width:.2f}" if stated.half_width is not None else "")


def _left(seconds: float) -> str:
    if seconds <= 0:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s left" if minutes else f"{rest} s left"
