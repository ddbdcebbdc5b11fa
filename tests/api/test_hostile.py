"""Every row of hostile.yaml against the real runtime, with the headers and the archive of a published market."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from market.catalog import Catalog
from market.index.detail import app_id

from .conftest import OLD
from .request import Asked, Reply, Target

pytestmark = pytest.mark.xdist_group("api")

BATCH = "/api/v1/applications/info"
GROUPS: dict[str, list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("hostile.yaml").read_text("utf-8"))
POSTED = ("bodies", "ids")
GIVEN = {"method": "POST", "path": BATCH, "headers": {"Content-Type": "application/json"}}


def rows() -> Iterator[Any]:
    for group, listed in GROUPS.items():
        for row in listed:
            given = GIVEN if group in POSTED else {}
            yield pytest.param(given | row, id=f"{group}: {row['case']}")


@pytest.fixture(scope="module")
def marks(repository: Catalog) -> dict[str, str]:
    """What the marks of the rows stand for."""
    app = repository.listed[0]
    id = next(id for id in map(app_id, (app.name for app in repository.listed)) if id != id.upper())
    return {
        "<name>": app.name, "<version>": app.version, "<file>": f"{app.name}-{app.version}.tgz", "<old>": OLD,
        "<id>": id, "<ID>": id.upper(), "<4000 nines>": "9" * 4000,
        "<999 ids>": "".join(f'"x{number}",' for number in range(999)),
    }  # fmt: skip


def filled(value: Any, marks: dict[str, str]) -> Any:
    match value:
        case str():
            for mark, text in marks.items():
                value = value.replace(mark, text)
            return value
        case list():
            return [filled(one, marks) for one in value]
        case _:
            return value


def asked(row: dict[str, Any], marks: dict[str, str]) -> Asked:
    body = None
    if "body" in row:
        body = filled(row["body"], marks).encode()
    elif "hex" in row:
        body = bytes.fromhex(row["hex"])
    elif "repeat" in row:
        body = (row["repeat"][0] * row["repeat"][1]).encode()
    headers = row.get("headers", {})
    return Asked(row.get("method", "GET"), filled(row["path"], marks), headers, body, row.get("chunked", False))


@pytest.mark.parametrize("row", list(rows()))
def test_the_right_answer(row: dict[str, Any], target: Target, marks: dict[str, str]) -> None:
    question = asked(row, marks)
    reply = target.ask(question)
    allowed = row["status"] if isinstance(row["status"], list) else [row["status"]]
    assert reply.status in allowed, reply.body[:200]
    assert "location" not in reply.headers
    assert reply.headers["x-content-type-options"] == "nosniff"
    is_body(reply, row.get("type", "application/json"), question.method)
    for name, wanted in row.get("headers_out", {}).items():
        has_header(reply, name, wanted)
    if {"json", "data", "apps", "not_found"} & row.keys():
        says(reply.json(), row, marks)


def is_body(reply: Reply, wanted: str | None, method: str) -> None:
    """The body is of the type that its header names, and has the length that is told."""
    if wanted == "any":
        return
    assert reply.type == (wanted or "")
    if method == "HEAD" or wanted is None:
        assert reply.body == b""
        return
    if wanted == "application/json":
        assert reply.headers["access-control-allow-origin"] == "*"
        assert reply.headers["cache-control"] == "no-store"
        # The file server answers other verbs on its own files, with an empty 405.
        if reply.status == 405 and reply.headers["allow"] == "GET, HEAD":
            assert reply.body == b""
        else:
            assert isinstance(reply.json(), dict)
            assert reply.status == 200 or reply.json()["code"] == 1
    if wanted == "application/gzip":
        assert reply.body[:2] == b"\x1f\x8b"
        assert reply.headers["content-length"] == str(len(reply.body))
        assert "content-encoding" not in reply.headers


def has_header(reply: Reply, name: str, wanted: str | None) -> None:
    value = reply.headers.get(name)
    if wanted is not None and len(wanted) > 1 and wanted[0] == wanted[-1] == "/":
        assert value is not None
        assert re.search(wanted[1:-1], value)
    else:
        assert value == wanted


def says(found: dict[str, Any], row: dict[str, Any], marks: dict[str, str]) -> None:
    if "apps" in row:
        assert list(found["apps"]) == filled(row["apps"], marks)
        assert all(found["apps"][id]["id"] == id for id in found["apps"])
        assert found["version"]
    if "not_found" in row:
        assert found["not_found"] == filled(row["not_found"], marks)
    for part, wanted in ((found, row.get("json", {})), (found.get("data", {}), row.get("data", {}))):
        assert {key: part[key] for key in wanted} == wanted


def test_no_row_is_there_twice() -> None:
    ids = [row.id for row in rows()]
    assert len(ids) == len(set(ids))
    sent = [json.dumps(row.values[0] | {"case": ""}, sort_keys=True) for row in rows()]
    assert len(sent) == len(set(sent))
