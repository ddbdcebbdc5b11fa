"""The market of this repository, served by the real runtime as a published one is, for every test of its interface."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from market import files, runtime
from market.build import HEADERS
from market.canonical import encode
from market.catalog import Catalog, load
from market.index.replies import replies
from market.packaging import Package, package
from market.paths import PROJECT
from market.runtime import serve

from .request import Target

OLD = "demo-0.9.0.tgz"
"""A chart that only the archive holds, and its bytes."""
OLD_BYTES = b"\x1f\x8b" + bytes(range(256)) * 5


@pytest.fixture(scope="session")
def repository() -> Catalog:
    """This repository's catalog."""
    return load(PROJECT)[0]


@pytest.fixture(scope="session")
def packages(repository: Catalog) -> tuple[Package, ...]:
    """Its listed apps as charts."""
    return package(repository, repository.listed)


@pytest.fixture(scope="session")
def dist(repository: Catalog, packages: tuple[Package, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of this repository and what publishing adds, with pages of HTML that must not be sent below /api."""
    folder = tmp_path_factory.mktemp("api") / "dist"
    page = b"<!doctype html><title>Page</title><p>Page"
    files.write_tree(
        folder,
        {
            **replies(repository, packages),
            "api/manifest": encode({"files": {"index.html": {"sha256": "0" * 64, "size": len(page)}}}),
            "api/release": encode(
                {"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "AA=="}]}
            ),
            "_headers": HEADERS.read_bytes().replace(b"{{script_hashes}}", b""),
            "index.html": page,
            "404.html": page,
            "en/index.html": page,
            "en/404.html": page,
        },
    )
    return folder


@pytest.fixture(scope="session")
def url(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the market under the real Worker, with one chart in its archive."""
    folder = tmp_path_factory.mktemp("archive")
    (folder / OLD).write_bytes(OLD_BYTES)
    state = folder / "state"
    subprocess.run(
        [str(runtime.node()), str(PROJECT / "node_modules/wrangler/bin/wrangler.js"), "r2", "object", "put",
         f"olares-one-market/charts/{OLD}", "--local", "--file", str(folder / OLD), "--persist-to", str(state)],
        cwd=PROJECT, env=runtime.environment(), check=True, capture_output=True,
    )  # fmt: skip
    with serve(dist, state=state) as served:
        yield served.url


@pytest.fixture(scope="session")
def target(url: str) -> Target:
    """The same, for requests that are sent as they are written."""
    return Target.of(url)
