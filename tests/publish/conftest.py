"""What the tests of publishing share: two servers, and three releases of one small catalog, each made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.publish import tiny
from tests.publish.servers import Archive, seaweed

from market.publish.content import Content

_COUNT = iter(range(1, 10**6))


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tiny.Repository:
    return tiny.repository(tmp_path_factory.mktemp("publish") / "repository")


@pytest.fixture(scope="session")
def releases(repository: tiny.Repository, tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, ...]:
    """The first commit; then one app in a new version; then that one and another."""
    folder = tmp_path_factory.mktemp("prepared")
    made = [repository.prepare(folder / "a")]
    repository.bump(tiny.APPS[0])
    made.append(repository.prepare(folder / "b"))
    repository.bump(tiny.APPS[0], 14)
    repository.bump(tiny.APPS[1], 15)
    made.append(repository.prepare(folder / "c"))
    return tuple(made)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    with seaweed(tmp_path_factory.mktemp("seaweed")) as archive:
        yield archive


@pytest.fixture
def archive(server: Archive) -> Archive:
    """An empty bucket on SeaweedFS."""
    return server.another(f"bucket{next(_COUNT)}")


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """Where a local deployment goes."""
    return tmp_path / "live"
