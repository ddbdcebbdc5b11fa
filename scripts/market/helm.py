"""The real Helm engine, on charts held in memory.

`helm-python-sdk` is Helm's Go code as a shared library. It renders offline, takes the archive's bytes, so
that no link on disk is ever followed, and was seen to render every chart of the official Olares catalog.
Templates come from pull requests and may loop for long, so rendering happens in a worker process with
limits on its time and memory.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from market.errors import HelmError, MarketError

NAMESPACE = "app-namespace"
KUBERNETES = "v1.33.0"
"""The Kubernetes version that charts are checked for."""
SECONDS = 5
"""Processor seconds that one rendering may take; the slowest chart of the official catalog takes 0.01."""
MEMORY = 3 * 1024**3
"""Address space of the rendering process in bytes; the Go runtime reserves far more than it uses."""
START_SECONDS = 60
OUTPUT_LIMIT = 8 * 1024**2
"""Characters that a chart may render to; the largest official one renders to under two million."""
OVER_LIMIT = f"rendering takes over {SECONDS} s of processor time or over {MEMORY // 1024**3} GiB of memory"


@dataclass(frozen=True, slots=True)
class ChartInfo:
    """What Chart.yaml says, as Helm reads it."""

    name: str
    version: str
    api_version: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What Helm's linter says: ``path`` is relative to the chart, ``is_error`` sets errors off from warnings."""

    path: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Rendering:
    """One rendering: the texts of the templates by path, or Helm's error; and the linter's remarks if asked for."""

    documents: Mapping[str, str]
    error: str = ""
    remarks: tuple[Remark, ...] = ()


def load_archive(tgz: bytes) -> ChartInfo:
    """Load a chart from its archive.

    Raises:
        HelmError: Helm refuses it; the text is Helm's.
    """
    import helm_python  # noqa: PLC0415 - 80 MB of shared library, only where charts are loaded

    try:
        with helm_python.Chart.load_archive(tgz) as chart:
            metadata = chart.metadata
    except helm_python.HelmError as error:
        raise HelmError(str(error)) from error
    return ChartInfo(
        str(metadata.get("name", "")), str(metadata.get("version", "")), str(metadata.get("apiVersion", ""))
    )


def render(tgz: bytes, name: str, values: Mapping[str, Any]) -> Mapping[str, str]:
    """Render a chart in this process.

    Raises:
        HelmError: Helm refuses it; the text is Helm's.
    """
    import helm_python  # noqa: PLC0415

    try:
        with helm_python.Chart.load_archive(tgz) as chart:
            return dict(chart.render(dict(values), name=name, namespace=NAMESPACE))
    except helm_python.HelmError as error:
        raise HelmError(str(error)) from error


Job = tuple[bytes, str, Mapping[str, Any]]
"""An archive, a release name and values."""
_Task = tuple[Job, bool]


def lint(tgz: bytes, values: Mapping[str, Any]) -> tuple[Remark, ...]:
    """What `helm lint` says of a chart, without its hints."""
    import helm_python  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="market-lint-") as folder:
        path = Path(folder, "chart.tgz")
        path.write_bytes(tgz)
        try:
            report = helm_python.lint(path, dict(values), namespace=NAMESPACE, kube_version=KUBERNETES)
        except helm_python.HelmError as error:
            return (Remark("", str(error), True),)
    found = [
        (one.get("severity", 0), one.get("path", ""), one.get("error", "")) for one in report.get("messages") or ()
    ]
    return tuple(Remark(path, text, severity > 2) for severity, path, text in found if severity > 1)


def render_all(jobs: Sequence[Job], linted: Container[int] = ()) -> tuple[Rendering, ...]:
    """Render charts one after the other in a process with bounded time and memory.

    ``linted`` holds the positions of the jobs whose charts Helm's linter looks at as well.

    A chart that breaks a limit ends the process; its rendering says so, and a new process goes on with
    the next chart.

    Raises:
        MarketError: the engine cannot be started at all.
    """
    tasks = [(job, index in linted) for index, job in enumerate(jobs)]
    done: list[Rendering] = []
    while len(done) < len(jobs):
        started = len(done)
        done.extend(_in_process(tasks[started:]))
        if len(done) < len(jobs):
            done.append(Rendering({}, OVER_LIMIT))
    return tuple(done)


def render_here(jobs: Sequence[Job], linted: Container[int] = ()) -> tuple[Rendering, ...]:
    """Do what ``render_all`` does, without limits and in this process: for charts of our own."""
    return tuple(_render_one(*job, index in linted) for index, job in enumerate(jobs))


def _in_process(tasks: Sequence[_Task]) -> Iterator[Rendering]:
    """Yield renderings until all are done or the process has died.

    Raises:
        MarketError: it cannot even start.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sender, tuple(tasks)), daemon=True)
    process.start()
    sender.close()
    try:
        _await(receiver)
        for _ in tasks:
            yield receiver.recv()
    except EOFError:
        return
    finally:
        receiver.close()
        process.terminate()
        process.join()


def _await(receiver: Connection) -> None:
    """Wait until the worker says that it is ready.

    Raises:
        MarketError: it died or does not answer.
    """
    try:
        ready = receiver.poll(START_SECONDS) and receiver.recv() is True
    except EOFError:
        ready = False
    if not ready:
        raise MarketError("the Helm engine (helm-python-sdk) cannot be started on this machine")


def _work(sender: Connection, tasks: Sequence[_Task]) -> None:
    """The worker: says that it is ready, then sends one rendering a job."""
    # Go writes pages of stack to standard error when it hits a limit; the parent says it in one sentence.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        import helm_python  # noqa: F401, PLC0415
    except (ImportError, OSError):
        sender.send(False)
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sender.send(True)
    for job, is_linted in tasks:
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        sender.send(_render_one(*job, is_linted))


def _render_one(tgz: bytes, name: str, values: Mapping[str, Any], is_linted: bool) -> Rendering:
    try:
        documents = render(tgz, name, values)
    except HelmError as error:
        return Rendering({}, str(error))
    size = sum(len(text) for text in documents.values())
    if size > OUTPUT_LIMIT:
        return Rendering({}, f"the templates render to {size} characters, over {OUTPUT_LIMIT}")
    return Rendering(documents, remarks=lint(tgz, values) if is_linted else ())
