"""Gzip undone as Go's ``compress/gzip`` does it, with a cap on what may come out."""

from __future__ import annotations

import zlib

_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 64 * 1024


class GzipError(ValueError):
    """The bytes are not gzip from start to end, or hold more than the cap."""


def gunzip(data: bytes, cap: int) -> bytes:
    """Decompress every member of a gzip file.

    ``cap`` is in bytes of output. As in Go, anything after a member must be another member.

    Raises:
        GzipError: header, stream, checksum or end are wrong, or the output passes the cap.
    """
    if not data:
        raise GzipError("no bytes at all")
    output: list[bytes] = []
    room = cap
    while data:
        if data[:2] != b"\x1f\x8b":
            raise GzipError("invalid header" if not output else "bytes after the end of the gzip stream")
        plain, data = _member(data, room, cap)
        output.append(plain)
        room -= len(plain)
    return b"".join(output)


def _member(data: bytes, room: int, cap: int) -> tuple[bytes, bytes]:
    machine = zlib.decompressobj(_GZIP)
    pieces: list[bytes] = []
    while not machine.eof:
        try:
            piece = machine.decompress(data, min(_PIECE, room + 1))
        except zlib.error as error:
            raise GzipError(f"broken gzip stream ({error})") from error
        room -= len(piece)
        if room < 0:
            raise GzipError(f"more than {cap} bytes when decompressed")
        pieces.append(piece)
        data = machine.unconsumed_tail
        if not data and not piece and not machine.eof:
            raise GzipError("the gzip stream is cut short")
    return b"".join(pieces), machine.unused_data
