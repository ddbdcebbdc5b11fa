"""Charts as files: the same rules for those of the deployment and those of the archive, under every address."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

import pytest

from market.catalog import Catalog

from .conftest import OLD, OLD_BYTES
from .request import Asked, Reply, Target

pytestmark = pytest.mark.xdist_group("api")


@dataclass(frozen=True)
class Chart:
    """A chart under one of its addresses; ``by_worker`` when the Worker answers there."""

    path: str
    by_worker: bool


@pytest.fixture(params=["v1", "v2", "file"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["deployment", "archive"])
def chart(request: pytest.FixtureRequest, address: str, repository: Catalog) -> Chart:
    name, version = "demo", "0.9.0"
    if request.param == "deployment":
        app = repository.listed[0]
        name, version = app.name, app.version
    file = f"{name}-{version}.tgz"
    assert request.param == "deployment" or file == OLD
    if address == "file":
        return Chart(f"/charts/{file}", request.param == "archive")
    return Chart(f"/api/{address}/applications/{name}/chart?fileName={file}&version={version}", True)


def is_plain(reply: Reply) -> None:
    """What every reply that has a chart's headers must keep to: a device stores what it is sent as it is."""
    assert reply.type == "application/gzip"
    assert "content-encoding" not in reply.headers
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["etag"]


@pytest.mark.parametrize("encoding", ["", "gzip", "gzip, br", "identity", "*"])
def test_whole_with_its_length_and_never_compressed_again(chart: Chart, target: Target, encoding: str) -> None:
    reply = target.ask(Asked("GET", chart.path, {"Accept-Encoding": encoding} if encoding else {}))
    assert reply.status == 200
    is_plain(reply)
    assert reply.headers["content-length"] == str(len(reply.body))
    if OLD in chart.path:
        assert reply.body == OLD_BYTES
    else:
        assert gzip.decompress(reply.body)


def test_head_tells_the_same_without_a_body(chart: Chart, target: Target) -> None:
    get, head = target.get(chart.path), target.ask(Asked("HEAD", chart.path))
    assert (head.status, head.body) == (200, b"")
    is_plain(head)
    for name in ("etag", "content-type", "cache-control"):
        assert head.headers[name] == get.headers[name]
    # The file server may leave the length out of a HEAD reply; what the Worker answers has it.
    if chart.by_worker:
        assert head.headers["content-length"] == str(len(get.body))


def test_a_part(chart: Chart, target: Target) -> None:
    whole = target.get(chart.path).body
    part = target.get(chart.path, Range="bytes=2-5")
    # A server may answer any range with the whole file; the file server does.
    if chart.by_worker:
        assert (part.status, part.body) == (206, whole[2:6])
        assert part.headers["content-range"] == f"bytes 2-5/{len(whole)}"
        assert target.get(chart.path, Range="bytes=-3").body == whole[-3:]
        beyond = target.get(chart.path, Range="bytes=99999999-")
        assert (beyond.status, beyond.type) == (416, "application/json")
    else:
        assert (part.status, part.body) in ((200, whole), (206, whole[2:6]))


def test_a_copy_that_is_still_right(chart: Chart, target: Target) -> None:
    tag = target.get(chart.path).headers["etag"]
    for value in (tag, f'"other", {tag}'):
        again = target.get(chart.path, If_None_Match=value)
        if again.status == 200:
            # The file server compares with one tag only.
            assert not chart.by_worker
            assert value != tag
            continue
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"].removeprefix("W/") == tag.removeprefix("W/")
    assert target.get(chart.path, If_None_Match='"other"').status == 200
