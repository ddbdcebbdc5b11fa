"""What a release consists of: files, their manifest, and the code and configuration that serve them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from market.device.verify import verify_folder
from market.errors import InputError, MarketError
from market.ledger import Ledger
from market.provenance.manifest import Digest, Manifest, of_folder

CHARTS = "charts/"
WORKER = "worker.js"
CONFIGURATION = "wrangler.json"
FILES = "dist"
SHOWN = 5
"""Faults named in one message."""


@dataclass(frozen=True)
class Content:
    """A release that can be deployed: ``folder`` holds exactly the files of ``manifest``."""

    folder: Path
    manifest: Manifest
    worker: bytes
    configuration: bytes

    @property
    def id(self) -> str:
        """The manifest's id, which stands for the whole."""
        return self.manifest.id

    @property
    def catalog(self) -> str:
        """The catalog hash that devices compare."""
        return str(self.status["hash"])

    @property
    def commit(self) -> str | None:
        """The commit it was built from."""
        return self.status.get("commit")

    @cached_property
    def status(self) -> Mapping[str, Any]:
        """The reply of ``/api/status``."""
        try:
            status = json.loads((self.folder / "api" / "status").read_bytes())
            return {"hash": str(status["hash"]), **status}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MarketError(f"{self.folder} is no built market: api/status cannot be read") from error

    @property
    def charts(self) -> Mapping[str, Digest]:
        """The digests of the charts by their key, ``charts/<name>-<version>.tgz``."""
        return charts(self.manifest)


def charts(manifest: Manifest) -> dict[str, Digest]:
    """The charts of a manifest by their path."""
    return {path: one for path, one in manifest.files.items() if path.startswith(CHARTS)}


def read(folder: Path) -> Content:
    """The content that ``preparation.prepare`` left in a folder.

    Raises:
        InputError: it is not such a folder.
    """
    try:
        worker, configuration = (folder / WORKER).read_bytes(), (folder / CONFIGURATION).read_bytes()
    except OSError as error:
        raise InputError(f"{folder} holds no prepared release; make one with `market publish --prepare`") from error
    return Content(folder / FILES, of_folder(folder / FILES), worker, configuration)


def must_agree(content: Content, ledger: Ledger) -> None:
    """Read the files again as a device would, and compare every chart with the ledger.

    Raises:
        InputError: a chart is not the one that the ledger has under its name and version.
        MarketError: a device would deviate.
    """
    wrong = []
    for path, found in sorted(content.charts.items()):
        name, _, version = path.removeprefix(CHARTS).removesuffix(".tgz").partition("-")
        release = ledger.find(name, version)
        if release is None or (release.sha256, release.size) != (found.sha256, found.size):
            wrong.append(f"{name} {version}")
    if wrong:
        raise InputError(f"not the bytes that the ledger has: {', '.join(wrong[:SHOWN])}; run `market check`")
    must_be_readable(content.folder)


def must_be_readable(folder: Path) -> None:
    """Play a device's sync against the files.

    Raises:
        MarketError: a device would deviate.
    """
    deviations = verify_folder(folder).deviations
    if deviations:
        listed = "; ".join(f"{one.path}: {one.message}" for one in deviations[:SHOWN])
        raise MarketError(f"a device could not read this release: {listed}")
