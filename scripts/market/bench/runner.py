"""The bench itself: prepares each series, measures run after run, stops when going on makes no sense."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from market.bench import alarms, gpu, host, prompts, record
from market.bench.endpoint import Endpoint, Identity
from market.bench.faults import EndpointFault, Kind
from market.bench.plan import Cell, Settings, protocol, turns
from market.bench.prompts import Message
from market.bench.reply import Reply
from market.bench.request import body, cache_method
from market.bench.series import Series, start
from market.bench.target import Target


class Screen(Protocol):
    """Something that shows how the bench goes."""

    def begin(self, series: Series, run: int, warmup: bool) -> None:
        """A run begins."""

    def received(self, seconds: float, data: bytes) -> None:
        """Something arrived."""

    def end(self, series: Series, run: record.Record, warmup: bool) -> None:
        """A run ended."""

    def note(self, text: str) -> None:
        """Something to know."""


@dataclass(slots=True)
class Subject:
    """A target with its endpoint and what the server said of itself."""

    target: Target
    endpoint: Endpoint
    identity: Identity
    card: gpu.Card | None = None
    remark: str | None = None
    """What is to be known of the measurement before it begins."""

    def build_now(self) -> str | None:
        """The build that the server states at this moment; for engines whose replies do not name theirs."""
        return self.endpoint.identify(self.identity.model).build if self.identity.build else None


@dataclass(frozen=True, slots=True)
class Job:
    """One subject's part of a cell: its request and its report in the making."""

    subject: Subject
    cell: Cell
    series: Series
    message: Message
    filler: str


@dataclass(frozen=True, slots=True)
class Header:
    """What every report of this bench says alike."""

    date: str
    hardware: str
    measured_by: str
    source: Sequence[Mapping[str, Any]]
    command: str
    folder: Callable[[Target], Path]
    name: str = ""


@dataclass(slots=True)
class Bench:
    """One bench over all its subjects."""

    subjects: Sequence[Subject]
    settings: Settings
    header: Header
    screen: Screen
    resume: bool = False
    jobs: list[Job] = field(default_factory=list)
    between: Callable[[], None] = lambda: None
    """Called before each run; what it raises ends the bench."""

    def run(self, cells: Sequence[Cell]) -> None:
        """Measure every cell on every subject.

        Raises:
            EndpointFault: an endpoint failed; what was measured is in the reports.
            ValueError: a depth does not fit a server.
            ResumeError: a report is in the way.
        """
        for cell in cells:
            jobs = [self.prepare(subject, cell) for subject in self.subjects]
            self.jobs += jobs
            for job in jobs:
                self._warm_up(job)
            for _, place in turns(self.settings.runs, len(jobs)):
                self.between()
                if jobs[place].series.is_open:
                    self._measure(jobs[place])
                    time.sleep(self.settings.pause_s)

    def prepare(self, subject: Subject, cell: Cell) -> Job:
        """Make the request and the head of the report, or find the report to go on with."""
        identity = subject.identity
        depth = cell.depth_in(identity.context_tokens, self.settings)
        filler = prompts.filler(depth, counter(subject)) if depth else ""
        message = prompts.message(cell.prompt, filler)
        cache = cache_method(identity.engine, self.settings.asking.cache)
        vision = identity.vision if identity.vision is not None else subject.target.vision_loaded
        said = protocol(cell, depth, self.settings, cache, message.sha256, vision)
        path = self.header.folder(subject.target) / f"{self._stem(subject, cell)}.yaml"
        series = start(path, self._head(subject, said), self.settings.runs, self.resume)
        if series.kept:
            self.screen.note(f"{path.name}: going on after {series.kept} finished runs")
        series.data["server"].setdefault("counters_before", record.whole(subject.endpoint.counters()))
        return Job(subject, cell, series, message, filler)

    def _stem(self, subject: Subject, cell: Cell) -> str:
        name = self.header.name
        label = f"{name}-{cell.label}" if name and cell.depth else name or cell.label
        many = f"x{self.settings.concurrency}" if self.settings.concurrency > 1 else ""
        return "-".join(part for part in (self.header.date, label, many, subject.target.name) if part)

    def _head(self, subject: Subject, said: Mapping[str, Any]) -> dict[str, Any]:
        target, identity, header = subject.target, subject.identity, self.header
        configuration = dict(target.configuration)
        if configuration.get("context_tokens") is None:
            configuration["context_tokens"] = identity.context_tokens
        others = [one.target.name or one.target.url for one in self.subjects if one is not subject]
        server = {"engine": identity.engine, "build": identity.build, "model": identity.model,
                  "model_file": identity.model_file, "context_tokens": identity.context_tokens,
                  **identity.properties}  # fmt: skip
        return {
            "app": target.app,
            "app_version": target.app_version,
            "date": header.date,
            "hardware": header.hardware,
            "measured_by": header.measured_by,
            "source": [dict(one) for one in header.source],
            "configuration": configuration,
            "protocol": dict(said),
            "bench": {"tool": f"market bench {host.tool_version()}", "command": header.command,
                      "planned_runs": self.settings.runs, "finished": False,
                      **({"interleaved_with": others} if others else {})},
            "environment": host.describe(subject.endpoint.is_local, subject.card),
            "server": {key: value for key, value in server.items() if value is not None},
        }  # fmt: skip

    def _warm_up(self, job: Job) -> None:
        if not job.series.is_open:
            return
        for index in range(self.settings.warmups):
            self.screen.begin(job.series, index, True)
            run = self.one(job, -1 - index)
            job.series.warm(run)
            self.screen.end(job.series, run, True)

    def _measure(self, job: Job) -> None:
        series = job.series
        self.screen.begin(series, len(series.runs), False)
        run = self.one(job, len(series.runs))
        series.add(run)
        self.screen.end(series, run, False)
        alarm = self._alarm(job, run)
        if alarm is not None:
            series.stop(alarm, self.settings.keep_going)
            self.screen.note(f"{series.path.name}: {alarm.en}")

    def _alarm(self, job: Job, run: record.Record) -> alarms.Alarm | None:
        series, wanted = job.series, job.cell.tokens(self.settings)
        found = alarms.changed(series.data["server"].get("build"), run.get("fingerprint") or job.subject.build_now())
        if found is None and not job.cell.prompt.ends_by_itself:
            streams = run.get("streams") or [run]
            stops = (alarms.short_stop(one.get("tokens", 0), wanted, one.get("finish_reason")) for one in streams)
            found = next((stop for stop in stops if stop), None)
        return found or alarms.of_speeds(series.speeds)

    def one(self, job: Job, index: int) -> record.Record:
        """Measure one run, counted from 0; warm-ups have negative numbers.

        Raises:
            EndpointFault: noted in the series as well.
        """
        subject, series = job.subject, job.series
        seed = self._seed(index, 0)
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        before = subject.endpoint.counters()
        try:
            with gpu.watched(subject.card) as samples:
                replies, wall = self._ask(job, index)
            after = subject.endpoint.counters()
            series.data["server"]["counters_after"] = record.whole(after)
            beside = record.Beside(moment, seed, before, after, samples.record())
            return record.together(replies, wall, beside) if len(replies) > 1 else record.single(replies[0], beside)
        except EndpointFault as fault:
            series.fail(fault)
            raise
        except ValueError as error:
            nothing = EndpointFault(Kind.EMPTY, f"{subject.endpoint.base}: {error}")
            series.fail(nothing)
            raise nothing from None

    def _ask(self, job: Job, index: int) -> tuple[list[Reply], float]:
        """Send the run's request, or all its requests at once; with the time from the first to the last token."""
        endpoint, count = job.subject.endpoint, self.settings.concurrency
        bodies = [self._body(job, index, stream) for stream in range(count)]
        if count == 1:
            reply = endpoint.chat(bodies[0], self.screen.received)
            return [reply], reply.ended
        siblings = [endpoint.sibling() for _ in bodies]
        barrier = threading.Barrier(count)

        def ask(sibling: Endpoint, request: Mapping[str, Any]) -> tuple[float, Reply]:
            barrier.wait(30)
            begun = time.perf_counter()
            return begun, sibling.chat(request)

        with ThreadPoolExecutor(count) as pool:
            done = list(pool.map(ask, siblings, bodies))
        for sibling in siblings:
            sibling.close()
        return [reply for _, reply in done], max(at + reply.ended for at, reply in done) - min(at for at, _ in done)

    def _body(self, job: Job, index: int, stream: int) -> dict[str, Any]:
        identity, asking = job.subject.identity, self.settings.asking
        salt = prompts.nonce(asking.seed, index * 1000 + stream)
        message = job.message
        if cache_method(identity.engine, asking.cache) == "nonce":
            message = prompts.message(job.cell.prompt, job.filler, salt)
        tokens = job.cell.tokens(self.settings)
        return body(identity.engine, identity.model, message, tokens, asking, self._seed(index, stream), salt)

    def _seed(self, index: int, stream: int) -> int:
        return self.settings.asking.seed_of(max(index, 0) * self.settings.concurrency + stream)


def counter(subject: Subject) -> prompts.Count:
    """How tokens are counted: by the server's tokeniser, else by the usage of a request for two tokens."""
    endpoint, model = subject.endpoint, subject.identity.model
    if endpoint.count("one two", model) is not None:
        return lambda text: endpoint.count(text, model) or 0
    asked = {"model": model, "max_tokens": 2, "stream": True, "stream_options": {"include_usage": True}}
    return lambda text: endpoint.chat({**asked, "messages": [{"role": "user", "content": text}]}).prompt_tokens or 0
