"""A chart as the device gets it: downloaded without a look at the status, then opened and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from market.device.archive import FAILS, shown_start, unpack
from market.device.deviation import Fault, Finding, count, shown
from market.device.state import Row
from market.device.transport import Reply, Transport
from market.errors import HelmError
from market.helm import load_archive

MAX_YAML = 1024**2
"""Bytes of a manifest that are parsed."""
_AGREE = "installing opens the chart by name and version, so manifest, chart, index and file name must agree"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as downloaded for one row; ``title`` is what its manifest shows in the store."""

    id: str
    file_name: str
    size: int
    sha256: str
    title: str


@dataclass(frozen=True, slots=True)
class Downloads:
    """What a round of downloads leaves: the disk, and one chart a row that was fetched."""

    disk: Mapping[tuple[str, str], bytes]
    charts: tuple[Chart, ...]


def fetch_charts(
    market: Transport, rows: Sequence[Row], disk: Mapping[tuple[str, str], bytes], mode: str
) -> Finding[Downloads]:
    """Download, for each row, the chart that is not on disk yet, and judge it."""
    stored = dict(disk)
    charts: list[Chart] = []
    faults: list[Fault] = []
    for row in rows:
        if (row.name, row.version) in stored:
            continue
        reply = download(market, row, mode)
        stored[row.name, row.version] = reply.body
        faults += _reply_faults(reply, row)
        title, found = inspect(reply.body, row)
        faults += found
        digest = hashlib.sha256(reply.body).hexdigest()
        charts.append(Chart(row.id, row.file_name, len(reply.body), digest, title))
    size = sum(chart.size for chart in charts)
    return Finding(Downloads(stored, tuple(charts)), tuple(faults), f"{count(len(charts), 'chart')}, {size} bytes")


def download(market: Transport, row: Row, mode: str) -> Reply:
    """GET a chart; a v2 device asks below /api/v2 first and below /api/v1 after a 404."""
    query = {"fileName": row.file_name, "version": row.version}
    path = f"/applications/{row.name}/chart"
    if mode != "v2":
        return market.get(f"/api/v1{path}", query)
    reply = market.get(f"/api/v2{path}", query)
    return market.get(f"/api/v1{path}", query) if reply.status == 404 else reply


def same_bytes(
    market: Transport, rows: Sequence[Row], disk: Mapping[tuple[str, str], bytes], mode: str
) -> Finding[int]:
    """Download every chart once more and compare it with the one on disk, byte for byte."""
    why = "the device keeps the first bytes it saw under a version, another device gets others"
    faults = []
    for row in rows:
        first, second = disk[row.name, row.version], download(market, row, mode).body
        if first != second:
            message = f"{_short(first)} at first, {_short(second)} at the second download"
            faults.append(Fault(row.file_name, f"the bytes of the chart changed: {message}", why))
    return Finding(len(rows), tuple(faults), count(len(rows), "chart"))


def inspect(tgz: bytes, row: Row) -> tuple[str, tuple[Fault, ...]]:
    """Open a chart and compare it with the row it was fetched for; the text is the manifest's title."""
    path, name = row.file_name, row.name
    unpacked = unpack(tgz, name, path)
    if unpacked.faults:
        return "", unpacked.faults
    chart, chart_faults = _yaml(unpacked.files, f"{name}/Chart.yaml", path)
    manifest, manifest_faults = _yaml(unpacked.files, f"{name}/OlaresManifest.yaml", path)
    metadata = manifest.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    faults = [*chart_faults, *manifest_faults]
    if not chart_faults:
        faults += _identity(chart, row, f"{path}!{name}/Chart.yaml", "")
    if not manifest_faults:
        place = f"{path}!{name}/OlaresManifest.yaml"
        faults += [*_identity(metadata, row, place, "metadata."), *_categories(metadata, row, place)]
    faults += _helm(tgz, row)
    title = metadata.get("title")
    return title if isinstance(title, str) else "", tuple(faults)


def _reply_faults(reply: Reply, row: Row) -> list[Fault]:
    faults = []
    if reply.unzipped:
        why = "the device undoes the encoding, stores a bare tar file and cannot open it"
        message = "sent with Content-Encoding: gzip, it must be sent as it is"
        faults.append(Fault(row.file_name, message, why))
    if reply.fault:
        message = f"the chart cannot be downloaded: {reply.fault}"
        faults.append(Fault(row.file_name, message, FAILS))
    elif reply.status != 200:
        message = f"status {reply.status}, the body starts with {shown_start(reply.body)}"
        why = "the device does not look at the status and stores the body as the chart"
        faults.append(Fault(row.file_name, message, why))
    elif not {"content-length", "transfer-encoding"} & set(reply.headers):
        why = "a download that is cut short cannot be told from a whole one"
        faults.append(Fault(row.file_name, "sent without a Content-Length", why))
    return faults


def _yaml(files: Mapping[str, bytes], file: str, path: str) -> tuple[Mapping[str, Any], list[Fault]]:
    place = f"{path}!{file}"
    data = files[file]
    if len(data) > MAX_YAML:
        return {}, [Fault(place, f"larger than {MAX_YAML} bytes", FAILS)]
    try:
        value = yaml.safe_load(data)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        return {}, [Fault(place, f"not plain YAML: {reason}", FAILS)]
    if not isinstance(value, dict):
        return {}, [Fault(place, "not a YAML mapping", FAILS)]
    return value, []


def _identity(found: Mapping[str, Any], row: Row, place: str, prefix: str) -> list[Fault]:
    wanted = {"name": row.name, "version": row.version}
    return [
        Fault(place, f'{prefix}{key} is {shown(found.get(key))}, the catalog says "{value}"', _AGREE)
        for key, value in wanted.items()
        if found.get(key) != value
    ]


def _categories(metadata: Mapping[str, Any], row: Row, place: str) -> list[Fault]:
    listed = metadata.get("categories")
    found = listed if isinstance(listed, list) else []
    if sorted(map(str, found)) == sorted(row.categories):
        return []
    message = f"metadata.categories is {shown(listed)}, the detail says {shown(list(row.categories))}"
    return [Fault(place, message, "the store shows the manifest's categories and falls back to the detail's")]


def _helm(tgz: bytes, row: Row) -> list[Fault]:
    try:
        info = load_archive(tgz)
    except HelmError as error:
        return [Fault(row.file_name, f"Helm refuses the chart: {error}", FAILS)]
    if (info.name, info.version) == (row.name, row.version):
        return []
    message = f"Helm reads {info.name} {info.version}, the catalog says {row.name} {row.version}"
    return [Fault(row.file_name, message, _AGREE)]


def _short(data: bytes) -> str:
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:12]}"
