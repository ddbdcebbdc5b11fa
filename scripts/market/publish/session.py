"""What a command of publishing works with: the archive, the deployment and the keys, from options and environment."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from market.errors import MarketError
from market.progress import Shown

if TYPE_CHECKING:
    from market.publish.deployment import Deployment
    from market.publish.pointer import Current
    from market.publish.steps import Means
    from market.publish.tally import Tally


@dataclass(frozen=True, slots=True)
class Session:
    """What a command works with, and when it began."""

    root: Path
    means: Means
    tally: Tally
    current: Current | None
    console: Console


@contextmanager
def session(root: Path, local: Path | None, url: str | None, take_over: bool, signs: bool) -> Iterator[Session]:
    """Read where the archive stands; afterwards tell on standard error how many requests it took and how long.

    Raises:
        MarketError: credentials or the signing key (when ``signs``) are missing or refused.
    """
    from market.publish import pointer  # noqa: PLC0415
    from market.publish.tally import Tally  # noqa: PLC0415

    started, tally = time.perf_counter(), Tally()
    console = Console(soft_wrap=True)
    means = _means(root, deployment(root, local, url), take_over, signs, tally)
    yield Session(root, means, tally, pointer.read(means.store), console)
    Console(stderr=True, soft_wrap=True).print(
        f"{tally}, {time.perf_counter() - started:.1f} s in all", style="dim", highlight=False
    )


def _means(root: Path, deployment: Deployment, take_over: bool, signs: bool, tally: Tally) -> Means:
    from market.provenance import envelope, keys  # noqa: PLC0415
    from market.publish import settings, steps  # noqa: PLC0415
    from market.publish.store import S3Store  # noqa: PLC0415

    bucket, trusted = settings.bucket(os.environ, root), keys.trusted(root)
    if signs:
        signer = keys.signer(os.environ)
        if trusted.find(signer.public_key.keyid) is None:
            raise MarketError(f"{keys.VARIABLE} holds key {signer.public_key.keyid}, which {keys.FILE} does not list")

    def sign(statement: Any) -> bytes:
        return envelope.sign(statement, keys.signer(os.environ))

    progress = Shown(Console(stderr=True, highlight=False))
    return steps.Means(
        S3Store(bucket, tally), deployment, sign, trusted, lambda: datetime.now(UTC), progress, take_over
    )


def deployment(root: Path, local: Path | None, url: str | None) -> Deployment:
    """Cloudflare, or with ``local`` a folder of this machine."""
    from market.publish import settings  # noqa: PLC0415
    from market.publish.deployment import LocalDeployment  # noqa: PLC0415
    from market.publish.wrangler import WranglerDeployment  # noqa: PLC0415

    if local is not None:
        return LocalDeployment(local.absolute(), url.rstrip("/") if url else None)
    return WranglerDeployment((url or settings.public_url(root)).rstrip("/"))


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="market-publish-") as folder:
        yield Path(folder)
