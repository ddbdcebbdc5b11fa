"""A device that polls without pause and keeps account of everything it must never see."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import requests

from market.provenance import envelope
from market.publish.content import Content


class Poller(threading.Thread):
    """Polls ``url`` until it is stopped; ``faults`` holds what was wrong, ``polls`` counts whole rounds."""

    def __init__(self, url: str, releases: Sequence[Content]) -> None:
        super().__init__(daemon=True)
        self.faults: list[str] = []
        self.polls = self.charts = 0
        self._url = url
        self._infos = {content.catalog: _file(content, "api/v1/appstore/info") for content in releases}
        self._details = [_details(content) for content in releases]
        self._charts = {path: one.sha256 for content in releases for path, one in content.charts.items()}
        self._serial = 0
        self._done = threading.Event()
        self._session = requests.Session()

    def run(self) -> None:
        while not self._done.is_set():
            try:
                self._poll()
            except Exception as error:
                self.faults.append(f"{type(error).__name__}: {error}")
            self._done.wait(0.1)

    def stop(self) -> None:
        self._done.set()
        self.join()

    def _poll(self) -> None:
        if not self._read_serial():
            return
        hash = json.loads(self._get("/api/v1/appstore/hash"))["hash"]
        if hash not in self._infos:
            self.faults.append(f"unknown hash {hash}")
        info = self._get("/api/v1/appstore/info")
        data = json.loads(info)
        if self._infos.get(data["hash"]) != info:
            self.faults.append(f"the reply for {data['hash']} is mixed or changed")
        self._install(sorted(data["data"]["apps"]))
        self.polls += 1

    def _read_serial(self) -> bool:
        reply = self._session.get(f"{self._url}/api/release", timeout=60)
        if reply.status_code == 404 and self._serial == 0:
            return False
        statement = envelope.peek(reply.content)
        if statement.serial < self._serial:
            self.faults.append(f"release {statement.serial} after {self._serial}")
        self._serial = max(self._serial, statement.serial)
        return True

    def _install(self, ids: Sequence[str]) -> None:
        body = {"app_ids": ids, "version": "1.12.6"}
        reply = self._session.post(f"{self._url}/api/v1/applications/info", json=body, timeout=60)
        apps = reply.json()["apps"]
        if not any(all(known.get(id) == app for id, app in apps.items()) for known in self._details):
            self.faults.append("details of several releases in one reply, or changed ones")
        for app in apps.values():
            self._fetch(app)

    def _fetch(self, app: Mapping[str, Any]) -> None:
        file, version = app["chartName"], app["version"]
        chart = self._get(f"/api/v1/applications/{app['name']}/chart", fileName=file, version=version, id=app["id"])
        self.charts += 1
        if hashlib.sha256(chart).hexdigest() != self._charts.get(f"charts/{file}"):
            self.faults.append(f"{file} changed")

    def _get(self, path: str, **query: str) -> bytes:
        reply = self._session.get(self._url + path, params=query, timeout=60)
        if reply.status_code != 200:
            raise AssertionError(f"{path} {query}: {reply.status_code}")
        return reply.content


def _file(content: Content, path: str) -> bytes:
    return (content.folder / path).read_bytes()


def _details(content: Content) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number in range(32):
        found |= json.loads(_file(content, f"_market/details/{number}.json"))
    return found
