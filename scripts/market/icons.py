"""App icons: drawn from the app card in one visual language, so that a store page reads like one shelf.

The colour says the model family, the large text its size, the row of marks below what it can do. Icons
are drawn with the renderer that the site's charts use (vl-convert, resvg inside), which is the same on
every machine; texts are set in the font it carries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from market import schema
from market.source import decode, read_file
from market.yamldoc import Document, parse

SIDE = 256
FAMILY_HUES = {"Qwen": 262, "Gemma": 212, "Nemotron": 96, "Mistral": 14, "Devstral": 14, "Voxtral": 330}
MARKS = ("vision", "audio", "tools")
MARKET = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="-6 -6 36 36" fill="none"'
    ' stroke-linecap="round"><rect x="-6" y="-6" width="36" height="36" rx="8" fill="#1b1f23"/>'
    '<circle cx="12" cy="12" r="9.5" stroke="#e4e6e3" stroke-width="2"/>'
    '<path d="M12 12l6-6" stroke="#d1492a" stroke-width="2.4"/><circle cx="12" cy="12" r="2" fill="#e4e6e3"/></svg>'
)


def cards(root: Path, names: Sequence[str]) -> dict[str, Document]:
    """The readable app cards of the named apps, or of all."""
    found = {}
    for folder in sorted((root / "apps").iterdir()):
        if names and folder.name not in names:
            continue
        file, _ = read_file(root, f"apps/{folder.name}/app.yaml")
        text = decode(file)[0] if file else None
        document = parse(text)[0] if text else None
        if document and not any(schema.validate(document, "app-card")):
            found[folder.name] = document
    return found


def is_stale(root: Path, name: str, card: Document) -> bool:
    """Whether an app's icon.png is missing or differs from what its card draws."""
    file, _ = read_file(root, f"apps/{name}/icon.png")
    return file is None or file.data != png(card.data)


def png(card: Mapping[str, Any]) -> bytes:
    """The icon as a 256x256 PNG."""
    import vl_convert  # noqa: PLC0415 - tens of megabytes, only where pictures are drawn

    return bytes(vl_convert.svg_to_png(svg(card), scale=1))


def market_png() -> bytes:
    """The icon of the source itself, which v2's taxonomy names: the gauge of the site's favicon, 256x256."""
    import vl_convert  # noqa: PLC0415 - tens of megabytes, only where pictures are drawn

    return bytes(vl_convert.svg_to_png(MARKET, scale=1))


def svg(card: Mapping[str, Any]) -> str:
    """The icon as SVG, 256 by 256 units."""
    size = f'width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawing(card)}</svg>'


def drawing(card: Mapping[str, Any]) -> str:
    """What an icon shows, without the SVG element around it, for use in larger pictures too."""
    model = card["model"]
    tint = hue(str(model["family"]))
    size = _size(model)
    large = min(96, 290 // max(len(size), 3))
    return (
        '<defs><linearGradient id="ground" x1="0" y1="0" x2="1" y2="1">'
        f'<stop offset="0" stop-color="hsl({tint}, 62%, 34%)"/>'
        f'<stop offset="1" stop-color="hsl({tint}, 70%, 20%)"/></linearGradient></defs>'
        f'<rect width="{SIDE}" height="{SIDE}" rx="56" fill="url(#ground)"/>'
        + _text(str(model["family"])[:12], 72, 32, 500, f"hsl({tint}, 80%, 86%)")
        + _text(size, 158, large, 700, "#ffffff")
        + _marks(card["capabilities"], tint)
    )


def _text(text: str, y: int, size: int, weight: int, colour: str) -> str:
    return (
        f'<text x="128" y="{y}" font-family="Roboto, sans-serif" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="middle" fill="{colour}">{escape(text)}</text>'
    )


def _marks(capabilities: Mapping[str, Any], hue: int) -> str:
    """Eye, wave and braces for vision, audio and tools; what the app cannot do is left out."""
    drawn = [mark for mark in MARKS if capabilities.get(mark)]
    start = 128 - (len(drawn) - 1) * 29
    colour = f"hsl({hue}, 85%, 80%)"
    return "".join(_mark(mark, start + 58 * index, 206, colour) for index, mark in enumerate(drawn))


def _mark(mark: str, x: int, y: int, colour: str) -> str:
    stroke = f'fill="none" stroke="{colour}" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"'
    match mark:
        case "vision":
            return (
                f'<path {stroke} d="M{x - 22} {y} Q{x} {y - 24} {x + 22} {y} Q{x} {y + 24} {x - 22} {y}Z"/>'
                f'<circle cx="{x}" cy="{y}" r="7" fill="{colour}"/>'
            )
        case "audio":
            bars = zip((-20, -10, 0, 10, 20), (6, 14, 20, 12, 7), strict=True)
            return "".join(f'<path {stroke} d="M{x + dx} {y - h} V{y + h}"/>' for dx, h in bars)
        case _:
            return "".join(f'<path {stroke} d="{_brace(x, y, side)}"/>' for side in (-1, 1))


def _brace(x: int, y: int, side: int) -> str:
    """One curly brace; ``side`` -1 is the left one."""
    near, bend, middle, tip = (x + side * offset for offset in (10, 20, 18, 24))
    return (
        f"M{near} {y - 20} Q{bend} {y - 20} {middle} {y - 8} Q{x + side * 16} {y} {tip} {y} "
        f"Q{x + side * 16} {y} {middle} {y + 8} Q{bend} {y + 20} {near} {y + 20}"
    )


def _size(model: Mapping[str, Any]) -> str:
    """``35B`` or ``35B·A3B``-like size in as few characters as an icon can carry."""
    total = model.get("parameters_billion")
    return f"{total:g}B" if total else str(model["kind"])[:5]


def hue(family: str) -> int:
    """The colour of a model family, degrees on the wheel; families unknown here get one of their own."""
    for name, degrees in FAMILY_HUES.items():
        if family.startswith(name):
            return degrees
    return int(hashlib.sha256(family.encode()).hexdigest()[:4], 16) % 360
