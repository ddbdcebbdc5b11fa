"""One series: a configuration, a prompt and a depth, and the report that grows with every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from market.bench.alarms import Alarm
from market.bench.faults import EndpointFault
from market.bench.record import Record, partial
from market.bench.yamltext import dump
from market.errors import InputError
from market.files import write_atomic
from market.source import SourceFile, decode
from market.yamldoc import parse

# What must be equal for runs to belong to one series.
SAME = ("app", "app_version", "hardware", "configuration", "protocol")


class ResumeError(InputError):
    """A report is in the way, or is not the same series; the text says what to do. Status 1."""


@dataclass(slots=True)
class Series:
    """A report in the making. ``data`` is the report; every change of it is written at once."""

    path: Path
    data: dict[str, Any]
    planned: int
    kept: int = 0
    """Runs that were there when the bench began: those of the bench that is being resumed."""
    alarm: Alarm | None = None
    faulty: bool = False

    @property
    def runs(self) -> list[Record]:
        """The finished runs."""
        found: list[Record] = self.data["runs"]
        return found

    @property
    def speeds(self) -> list[float]:
        """Their speeds in tokens/s."""
        return [run["tokens_per_second"] for run in self.runs]

    @property
    def is_open(self) -> bool:
        """Whether a run is still wanted."""
        return len(self.runs) < self.planned and self.alarm is None and not self.faulty

    @property
    def is_finished(self) -> bool:
        """Whether every planned run is there."""
        return len(self.runs) >= self.planned

    def add(self, run: Record) -> None:
        """Keep a finished run."""
        self.runs.append(run)
        self.data["bench"]["finished"] = self.is_finished
        self.save()

    def warm(self, run: Record) -> None:
        """Keep a warm-up run; it is written with the first measured one."""
        self.data.setdefault("warmups", []).append(run)

    def stop(self, alarm: Alarm, keep_going: bool) -> None:
        """Note why the series is not to be trusted, and end it unless told otherwise."""
        stopped = {"reason": alarm.name, "run": len(self.runs), "en": alarm.en, "fr": alarm.fr}
        known = self.data["bench"].setdefault("alarms", [])
        if alarm.name not in [one["reason"] for one in known]:
            known.append(stopped)
        if not keep_going:
            self.alarm = alarm
        self.save()

    def fail(self, fault: EndpointFault) -> None:
        """Note a fault of the endpoint with what had been measured of the run that it ended."""
        entry = {"run": len(self.runs) + 1, "kind": str(fault.kind), "message": str(fault), **partial(fault.reply)}
        self.data.setdefault("faults", []).append(entry)
        self.faulty = True
        self.save()

    def save(self) -> None:
        """Write the report; one without a finished run would not be a report and is not written."""
        if self.runs:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path, dump(ordered(self.data)).encode())


def ordered(data: Mapping[str, Any]) -> dict[str, Any]:
    """A report with its keys in the order in which it is read: what, how, results, remarks."""
    first = ("app", "app_version", "date", "hardware", "measured_by", "source", "configuration", "protocol", "bench",
             "environment", "server", "runs", "warmups", "prefill", "summary", "acceptance", "vision_check",
             "vision_large", "after_vision", "faults", "notes")  # fmt: skip
    known = {key: data[key] for key in first if key in data}
    return known | {key: value for key, value in data.items() if key not in known}


def read(path: Path) -> dict[str, Any]:
    """A report file as data.

    Raises:
        ResumeError: it is not readable as a report.
    """
    text, problems = decode(SourceFile(path.name, path.read_bytes()))
    document, more = parse(text) if text else (None, ())
    if document is None or not isinstance(document.data, dict):
        found = (*problems, *more)
        raise ResumeError(f"{path} is not a readable report: {found[0].message if found else 'no keys and values'}")
    return document.data


def start(path: Path, head: dict[str, Any], planned: int, resume: bool) -> Series:
    """A new series, or the rest of one that was cut short.

    Raises:
        ResumeError: a report is there and is not to be resumed, or is of another series.
    """
    if not path.exists():
        head["runs"] = []
        return Series(path, head, planned)
    if not resume:
        raise ResumeError(f"{path} is already there; go on with it with --resume, or choose another --name")
    before = read(path)
    for key in SAME:
        if before.get(key) != head[key]:
            raise ResumeError(f"{path} is another series: {_difference(key, before.get(key), head[key])}")
    build, now = (before.get("server") or {}).get("build"), head["server"].get("build")
    if build != now:
        raise ResumeError(
            f"{path} was measured on build {build}, the server is now {now}; start a new series with --name"
        )
    runs = before.get("runs") or []
    data = {**before, "runs": runs, "bench": {**head["bench"], "finished": len(runs) >= planned}}
    data["bench"]["resumed"] = int((before.get("bench") or {}).get("resumed", 0)) + 1
    for gone in ("faults",):
        data.pop(gone, None)
    return Series(path, data, planned, kept=len(runs))


def _difference(key: str, before: Any, now: Any) -> str:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                return f"`{key}.{name}` was {before.get(name)!r} and would be {now.get(name)!r}"
    return f"`{key}` was {before!r} and would be {now!r}"
