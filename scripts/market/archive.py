"""Chart archives whose bytes depend on nothing but their content.

USTAR members in sorted order, no times, no owners, mode 0644; then gzip written by hand: Python's own
header differs between versions (3.11 writes OS byte 3, 3.13 writes 255), and deflate streams differ
between zlib, zlib-ng and others. So the deflate blocks are stored ones (RFC 1951, 3.2.4), whose bytes the
standard fixes. A chart is a few dozen kilobytes of text; that every machine, now and in ten years, can
rebuild the released bytes is worth more than their compression.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""RFC 1952: deflate, no flags, no time, unknown system."""
BLOCK = 65535
"""Bytes in a stored deflate block, at most."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A packaged chart: ``data`` is the .tgz, ``tar_sha256`` identifies its content."""

    name: str
    version: str
    data: bytes
    sha256: str
    tar_sha256: str

    @property
    def file_name(self) -> str:
        """The name under which devices ask for it."""
        return f"{self.name}-{self.version}.tgz"

    @property
    def size(self) -> int:
        """Bytes of the .tgz."""
        return len(self.data)


def pack(name: str, version: str, files: Mapping[str, bytes]) -> Archive:
    """Pack a chart. ``files`` maps paths inside the chart to their bytes; all land under ``name/``."""
    tar = _tar({f"{name}/{path}": data for path, data in files.items()})
    data = _gzip(tar)
    return Archive(name, version, data, _sha256(data), _sha256(tar))


def _tar(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT, encoding="utf-8") as tar:
        for path in sorted(files):
            member = tarfile.TarInfo(path)
            member.size = len(files[path])
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(files[path]))
    return buffer.getvalue()


def _gzip(tar: bytes) -> bytes:
    chunks = [tar[start : start + BLOCK] for start in range(0, len(tar), BLOCK)]
    body = b"".join(_stored(chunk, chunk is chunks[-1]) for chunk in chunks)
    trailer = zlib.crc32(tar).to_bytes(4, "little") + (len(tar) & 0xFFFFFFFF).to_bytes(4, "little")
    return GZIP_HEADER + body + trailer


def _stored(chunk: bytes, last: bool) -> bytes:
    length = len(chunk).to_bytes(2, "little")
    complement = (len(chunk) ^ 0xFFFF).to_bytes(2, "little")
    return bytes([last]) + length + complement + chunk


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
