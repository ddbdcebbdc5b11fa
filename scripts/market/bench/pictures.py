"""Test pictures for the vision check, drawn here so that nothing has to be fetched and every byte is known."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from dataclasses import dataclass

RED, BLUE, WHITE = (220, 20, 20), (20, 60, 220), (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with a question about it. ``answer`` is a pattern that a right answer contains."""

    id: str
    width: int
    height: int
    png: bytes
    question: str
    answer: str
    shows: tuple[str, str]

    @property
    def data_url(self) -> str:
        """The picture as a data: address, as the chat API takes it."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"

    @property
    def sha256(self) -> str:
        """Hash of the PNG."""
        return hashlib.sha256(self.png).hexdigest()

    def is_right(self, answer: str) -> bool:
        """Whether an answer says what the picture shows."""
        return re.search(self.answer, answer, re.IGNORECASE) is not None


def small() -> Picture:
    """64 x 64 pixels, all red."""
    return Picture("red-64", 64, 64, png(64, 64, [bytes(8)] * 64, (RED, WHITE)),
                   "What colour is this picture? Answer with one word.", r"\bred\b",
                   ("PNG of 64x64 pixels, all red", "PNG de 64x64 pixels, tout rouge"))  # fmt: skip


def large() -> Picture:
    """1024 x 1024 pixels: three blue discs on white.

    A megapixel shows what a tiny picture cannot: that a large one fits the server's micro-batch and memory.
    """
    size, discs = 1024, ((256, 256), (768, 320), (448, 768))
    rows = [_discs(size, y, discs, 150) for y in range(size)]
    return Picture("three-discs-1024", size, size, png(size, size, rows, (WHITE, BLUE)),
                   "How many discs are in this picture, and what colour are they? Answer with a number and a colour.",
                   r"(?=.*(\b3\b|\bthree\b))(?=.*\bblue\b)",
                   ("PNG of 1024x1024 pixels, three blue discs on white",
                    "PNG de 1024x1024 pixels, trois disques bleus sur blanc"))  # fmt: skip


def png(width: int, height: int, rows: list[bytes], palette: tuple[tuple[int, int, int], ...]) -> bytes:
    """A PNG of two colours, one bit a pixel (W3C PNG, third edition).

    Compressors differ between zlib builds; stored blocks do not, and one bit a pixel keeps them small.
    """
    raw = b"".join(b"\0" + row for row in rows)
    blocks = [raw[at : at + 65535] for at in range(0, len(raw), 65535)]
    stored = b"".join(
        struct.pack("<BHH", index == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
        for index, block in enumerate(blocks)
    )
    stream = b"\x78\x01" + stored + struct.pack(">I", zlib.adler32(raw))
    head = struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, 0)
    colours = b"".join(bytes(colour) for colour in palette)
    chunks = (_chunk(b"IHDR", head), _chunk(b"PLTE", colours), _chunk(b"IDAT", stream), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _discs(width: int, y: int, centres: tuple[tuple[int, int], ...], radius: int) -> bytes:
    """One row as bits: 1 inside a disc."""
    bits = 0
    for cx, cy in centres:
        square = radius**2 - (y - cy) ** 2
        if square > 0:
            half = int(square**0.5)
            bits |= ((1 << 2 * half) - 1) << (width - cx - half)
    return bits.to_bytes(width // 8, "big")
