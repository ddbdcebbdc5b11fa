"""Making a release the one that is served: the protocol, and a folder on this machine for rehearsals and tests."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import requests

from market.device.verification import Verification
from market.device.verify import verify, verify_folder
from market.errors import MarketError
from market.provenance.manifest import MANIFEST, RELEASE
from market.publish.content import CONFIGURATION, SHOWN, WORKER, Content

ASSETS = "assets"
CURRENT = "current"
KEPT = 5
"""Releases that a local deployment keeps, since a server may still be reading from an older one."""
SECONDS = 10
SETTLE_SECONDS = 120.0
"""How long a deployment may take to reach the public address."""


class Deployment(Protocol):
    """A place that serves one release at a time and goes from one to the next at once."""

    def put(self, content: Content, signed: bytes, serial: int) -> None:
        """Serve this release from now on. Doing it twice is harmless."""
        ...

    def live(self) -> bytes | None:
        """The signed statement that devices are given now, None when there is none to be had."""
        ...

    def look(self) -> Verification:
        """Act as a device against what is served now."""
        ...


def assemble(content: Content, signed: bytes, target: Path) -> None:
    """Lay a release out: ``assets/`` with manifest and statement among the files, code and configuration beside it."""
    shutil.copytree(content.folder, target / ASSETS, copy_function=_linked)
    for path, data in ((MANIFEST, content.manifest.encode()), (RELEASE, signed)):
        place = target / ASSETS / path
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (target / WORKER).write_bytes(content.worker)
    (target / CONFIGURATION).write_bytes(content.configuration)


def must_be_live(deployment: Deployment, signed: bytes, sleep: Callable[[float], None] = time.sleep,
                 clock: Callable[[], float] = time.monotonic) -> None:  # fmt: skip
    """Wait until devices are given this statement.

    Raises:
        MarketError: they are not within ``SETTLE_SECONDS``.
    """
    deadline, pause = clock() + SETTLE_SECONDS, 0.05
    while deployment.live() != signed:
        if clock() > deadline:
            raise MarketError(
                f"the deployment went through, but the public address does not show it after {SETTLE_SECONDS:g} s"
            )
        sleep(pause)
        pause = min(pause * 2, 5.0)


def must_serve(deployment: Deployment, content: Content) -> None:
    """Act as a device against what is live; every chart it gets must be the one of this content.

    Raises:
        MarketError: a device deviates, or gets another chart.
    """
    seen = deployment.look()
    faults = [f"{one.path}: {one.message}" for one in seen.deviations]
    for app in seen.apps:
        wanted = content.charts.get(f"charts/{app.name}-{app.version}.tgz")
        if wanted is None or wanted.sha256 != app.chart_sha256:
            faults.append(f"{app.name} {app.version} is not the chart that was published")
    if len(seen.apps) != len(content.charts):
        faults.append(f"a device sees {len(seen.apps)} apps, {len(content.charts)} were published")
    if faults:
        listed = "; ".join(faults[:SHOWN])
        raise MarketError(
            f"what is live now does not work for a device ({listed}); `market rollback --take-over` brings back the "
            "release before"
        )


def fetch_statement(url: str) -> bytes | None:
    """The signed statement that a public address gives."""
    try:
        reply = requests.get(f"{url}/{RELEASE}", timeout=SECONDS, headers={"Cache-Control": "no-cache"})
    except requests.RequestException:
        return None
    return reply.content if reply.status_code == requests.codes.ok else None


@dataclass(frozen=True, slots=True)
class LocalDeployment:
    """A folder whose ``current`` leads to the release that is served; it is switched by one rename.

    ``url`` is where somebody serves it; without one, a device reads the folder itself.
    """

    folder: Path
    url: str | None = None

    def put(self, content: Content, signed: bytes, serial: int) -> None:
        """Lay the release out beside the others and switch."""
        name = f"{serial:08d}-{content.id[:12]}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / name).exists():
                self._lay_out(content, signed, name)
            self._switch(name)
        except OSError as error:
            raise MarketError(f"cannot deploy to {self.folder}: {error.strerror}") from error
        self._forget()

    def live(self) -> bytes | None:
        """The statement that is served."""
        if self.url is not None:
            return fetch_statement(self.url)
        try:
            return (self.folder / CURRENT / ASSETS / RELEASE).read_bytes()
        except OSError:
            return None

    def look(self) -> Verification:
        """Act as a device."""
        if self.url is not None:
            return verify(self.url)
        return verify_folder((self.folder / CURRENT / ASSETS).resolve())

    def _lay_out(self, content: Content, signed: bytes, name: str) -> None:
        fresh = Path(tempfile.mkdtemp(dir=self.folder, prefix=".new-"))
        assemble(content, signed, fresh)
        try:
            fresh.rename(self.folder / name)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
            # Another run of the same release may have laid it out meanwhile.
            if not (self.folder / name).exists():
                raise

    def _switch(self, name: str) -> None:
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".link-")
        os.close(handle)
        link = Path(temporary)
        link.unlink()
        link.symlink_to(name)
        link.replace(self.folder / CURRENT)

    def _forget(self) -> None:
        kept = sorted(path for path in self.folder.iterdir() if path.name[0].isdigit())
        for path in kept[:-KEPT]:
            shutil.rmtree(path, ignore_errors=True)


def _linked(source: str, target: str) -> None:
    """A second name for the same file where the file system allows it: nobody writes to either."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
