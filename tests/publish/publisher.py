"""A publisher that runs in a process of its own and can be killed at an exact place."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path

from tests.publish import tiny

from market.device.verification import Verification
from market.device.verify import verify
from market.errors import MarketError
from market.provenance import envelope, keys
from market.provenance.statement import Statement
from market.publish import content, pointer, steps
from market.publish.content import Content
from market.publish.deployment import LocalDeployment
from market.publish.pointer import RaceError
from market.publish.settings import Bucket
from market.publish.store import S3Store
from market.publish.tally import Tally

DONE, LOST, FAILED, KILLED = 0, 3, 4, -signal.SIGKILL
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.publish.publisher", "boto3", "botocore.session"])


@dataclass(frozen=True)
class Kill:
    """Where a publisher is killed: at the ``count``-th event of a kind (see ``EVENTS``)."""

    event: str
    count: int


EVENTS = ("send", "reply", "begin", "end", "switch", "switched")


@dataclass(frozen=True)
class Job:
    """What a publisher is to do. It speaks to ``bucket`` and deploys to ``live``, which ``url`` serves."""

    content: Path
    bucket: Bucket
    live: Path
    url: str
    kill: Kill | None = None
    take_over: bool = False
    said: Path | None = None


def keyring() -> keys.Keys:
    signer = tiny.signer()
    entry = {"id": signer.public_key.keyid, "public": keys.encoded(signer), "from": "2026-01-01"}
    return keys.from_data({"keys": [entry]})


def sign(statement: Statement) -> bytes:
    return envelope.sign(statement, tiny.signer())


class _Reaper:
    """Counts events and kills this process at the chosen one."""

    def __init__(self, kill: Kill | None) -> None:
        self._kill = kill
        self._seen = 0
        self._lock = threading.Lock()

    def saw(self, event: str, _: str = "") -> None:
        with self._lock:
            if self._kill is None or event != self._kill.event:
                return
            self._seen += 1
            if self._seen == self._kill.count:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class _Steps:
    saw: Callable[[str], None]

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.saw("begin")
        yield
        self.saw("end")


@dataclass(frozen=True, slots=True)
class _Deployment(LocalDeployment):
    saw: Callable[[str], None] = field(default=lambda _: None)

    def look(self) -> Verification:
        """One generation of the device is enough for hundreds of runs; the other tests act as all three."""
        assert self.url is not None
        return verify(self.url, ("v2",))

    def _switch(self, name: str) -> None:
        self.saw("switch")
        LocalDeployment._switch(self, name)
        self.saw("switched")


def means(job: Job, tally: Tally | None = None) -> steps.Means:
    reaper = _Reaper(job.kill)
    store = S3Store(job.bucket, tally or Tally(reaper.saw))
    deployment = _Deployment(job.live, job.url, reaper.saw)
    return steps.Means(store, deployment, sign, keyring(), lambda: datetime.now(UTC), _Steps(reaper.saw), job.take_over)


def publish(job: Job, tally: Tally | None = None) -> steps.Outcome:
    """Publish in this process."""
    with_what = means(job, tally)
    return steps.publish(content.read(job.content), pointer.read(with_what.store), with_what)


def _main(job: Job, barrier: Barrier | None) -> None:
    try:
        with_what = means(job)
        made = content.read(job.content)
        current = pointer.read(with_what.store)
        if barrier is not None:
            barrier.wait(60)
        steps.publish(made, current, with_what)
        code, said = DONE, ""
    except RaceError as error:
        code, said = LOST, str(error)
    except MarketError as error:
        code, said = FAILED, str(error)
    if job.said is not None:
        job.said.write_text(said)
    os._exit(code)


def start(job: Job, barrier: Barrier | None = None) -> multiprocessing.process.BaseProcess:
    """Publish in a process of its own; its exit code is one of DONE, LOST, FAILED and KILLED."""
    process = CONTEXT.Process(target=_main, args=(job, barrier))
    process.start()
    return process


def run(job: Job) -> int:
    process = start(job)
    process.join(120)
    assert process.exitcode is not None, "a publisher hangs"
    return process.exitcode


def folder_of(made: Content) -> Path:
    return made.folder.parent
