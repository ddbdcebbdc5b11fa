"""A market read from a built folder: the same replies as the published Worker gives, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from market.device.transport import Reply, target

SHARDS = 32

_CHART = re.compile(r"/api/v[12]/applications/([a-z0-9]+)/chart")
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*\.tgz")
_PATH = re.compile(r"/api(?:/[a-z0-9]+)+")
_CATALOG = "/api/v2/catalog"
_DETAILS = "/api/v1/applications/info"


@dataclass(frozen=True, slots=True)
class FolderTransport:
    """A built ``dist/`` folder. A path that is no file of it is a 404, as on the published market."""

    folder: Path

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        """Answer a GET from the file that stands for its path."""
        url = target(path, query)
        chart = _CHART.fullmatch(path)
        if chart:
            return self._chart(chart[1], query.get("fileName", ""), url)
        if path == _CATALOG:
            return self._catalog(query.get("source_id", ""), url)
        if not _PATH.fullmatch(path):
            return _json("GET", url, 404, b'{"code":404}')
        return self._file(path.lstrip("/"), "application/json", url)

    def post(self, path: str, body: bytes) -> Reply:
        """Answer a POST for details from the shards that hold them."""
        if path != _DETAILS:
            return _json("POST", path, 404, b'{"code":404}')
        asked = json.loads(body)
        ids: list[str] = asked["app_ids"]
        try:
            apps, missing = self._details(ids)
        except (OSError, ValueError, RecursionError) as error:
            return Reply("POST", path, 0, fault=f"a detail shard cannot be read: {error}")
        answer = {"apps": apps, "version": asked["version"], "not_found": missing}
        return _json("POST", path, 200, json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))

    def _details(self, ids: list[str]) -> tuple[dict[str, object], list[str]]:
        apps: dict[str, object] = {}
        missing: list[str] = []
        for app_id in ids:
            shard = self._shard(app_id)
            if app_id in shard:
                apps[app_id] = shard[app_id]
            else:
                missing.append(app_id)
        return apps, missing

    def _shard(self, app_id: str) -> dict[str, object]:
        if not re.fullmatch(r"[0-9a-f]{2}.*", app_id):
            return {}
        path = self.folder / "_market" / "details" / f"{shard_of(app_id)}.json"
        shard = json.loads(path.read_bytes())
        if not isinstance(shard, dict):
            raise ValueError(f"{path.name} is not a JSON object")  # noqa: TRY004 - bad content, not a bug
        return shard

    def _chart(self, name: str, file_name: str, url: str) -> Reply:
        if not _FILE_NAME.fullmatch(file_name) or not file_name.startswith(f"{name}-"):
            return _json("GET", url, 404, b'{"code":404}')
        return self._file(f"charts/{file_name}", "application/gzip", url)

    def _catalog(self, source_id: str, url: str) -> Reply:
        reply = self._file("_market/catalog.json", "application/json", url)
        if reply.status != 200 or not source_id:
            return reply
        try:
            envelope = json.loads(reply.body)
            envelope["data"]["source_id"] = source_id
        except (ValueError, KeyError, TypeError):
            return reply
        return _json("GET", url, 200, json.dumps(envelope).encode())

    def _file(self, path: str, content_type: str, url: str) -> Reply:
        place = self.folder / path
        try:
            if not place.is_file() or place.is_symlink():
                return _json("GET", url, 404, b'{"code":404}')
            data = place.read_bytes()
        except OSError as error:
            return Reply("GET", url, 0, fault=f"{path} cannot be read: {error}")
        headers = {"content-type": content_type, "content-length": str(len(data))}
        return Reply("GET", url, 200, headers, data, data)


def shard_of(app_id: str) -> int:
    """Return the number of the detail file that holds an app: its id's first byte, modulo 32."""
    return int(app_id[:2], 16) & (SHARDS - 1)


def _json(method: str, url: str, status: int, data: bytes) -> Reply:
    headers = {"content-type": "application/json", "content-length": str(len(data))}
    return Reply(method, url, status, headers, data, data)
