"""Social cards: what a link to a page looks like elsewhere, with the figure that the page is about.

They are drawn at build time by the renderer of the icons, with the font it carries. The name of a card's
file holds a hash of what it shows, because other sites fetch an address once and keep what they got.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final
from xml.sax.saxutils import escape

from market.site.kept import Kept
from market.site.language import Language
from market.site.richtext import straight

WIDTH, HEIGHT = 1200, 630
FOLDER: Final = "assets/cards"

_LEFT, _RIGHT = 84, WIDTH - 84
_INK, _SOFT, _PAPER, _NEEDLE, _TICK, _BAR = "#1b1f23", "#555c63", "#fcfcfa", "#b03a1c", "#b9bab2", "#788f9d"
_WASH: Final = "#f0d9d1"
_TITLE_EM, _TEXT_EM = 0.515, 0.47
"""Mean width of a character of Roboto, bold and regular, in em; measured on the titles of this site."""


@dataclass(frozen=True, slots=True)
class Series:
    """A measured series on a card: mean and 95 % interval in tokens/s, and its name."""

    name: str
    mean: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Card:
    """What a card shows. One series is drawn large, several as bars; ``top`` is the end of their scale."""

    title: str
    note: str
    series: tuple[Series, ...]
    basis: str
    top: float
    language: Language


def name(drawing: str) -> str:
    """The file name of a drawing, with its hash."""
    return f"{hashlib.sha256(drawing.encode()).hexdigest()[:16]}.png"


def png(drawing: str, kept: Kept) -> bytes:
    """Render a drawing that was not rendered before."""
    return kept.get("cards", f"{version('vl-convert-python')} {drawing}".encode(), lambda: _rendered(drawing))


def _rendered(drawing: str) -> bytes:
    import vl_convert  # noqa: PLC0415 - tens of megabytes, only where pictures are drawn

    return bytes(vl_convert.svg_to_png(drawing, scale=1))


def svg(card: Card, site: str) -> str:
    """The card as SVG; ``site`` is the name above the title."""
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    titles = _wrapped(card.title, 58, _TITLE_EM, 2)
    body = _large(card) if len(card.series) == 1 else _bars(card) if card.series else _words(card, len(titles))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>',
        _logo(_LEFT, 56),
        _text(_LEFT + 58, 92, 30, 500, _SOFT, site),
        *(_text(_LEFT, 180 + 68 * line, 58, 700, _INK, text) for line, text in enumerate(titles)),
        *body,
        "</svg>",
    ]
    return "".join(parts)


def _large(card: Card) -> Iterator[str]:
    """One figure with its unit, its interval and a scale with the needle on it."""
    series, number = card.series[0], card.language.number
    figure = number(series.mean, 2)
    yield _text(_LEFT - 4, 424, 148, 700, _INK, figure)
    after = _LEFT + round(148 * (0.575 * len(figure) - 0.29)) + 14
    if series.interval:
        half = (series.interval[1] - series.interval[0]) / 2
        yield _text(after, 366, 44, 500, _NEEDLE, f"± {number(half, 2)}")
    yield _text(after, 424, 44, 400, _SOFT, "tokens/s")
    yield _text(_LEFT, 488, 28, 400, _SOFT, _cut(card.basis, 28))
    yield from _scale(card.top, 560)
    yield from _needle(series, card.top, 560)


def _scale(top: float, y: int) -> Iterator[str]:
    yield f'<rect x="{_LEFT}" y="{y}" width="{_RIGHT - _LEFT}" height="2" fill="{_TICK}"/>'
    for step in range(0, int(top) + 1, 10):
        height = 20 if step % 50 == 0 else 10
        yield f'<rect x="{_at(step, top):.1f}" y="{y}" width="2" height="{height}" fill="{_TICK}"/>'
        if step % 50 == 0:
            yield _text(_at(step, top) + 8, y + 30, 20, 400, _SOFT, str(step))


def _needle(series: Series, top: float, y: int) -> Iterator[str]:
    if series.interval:
        low, high = (_at(max(value, 0), top) for value in series.interval)
        yield f'<rect x="{low:.1f}" y="{y - 34}" width="{max(high - low, 2):.1f}" height="34" fill="{_WASH}"/>'
    yield f'<rect x="{_at(series.mean, top) - 2.5:.1f}" y="{y - 42}" width="5" height="62" fill="{_NEEDLE}"/>'


def _bars(card: Card) -> Iterator[str]:
    """Several series, one below the other, each with its interval."""
    left, right = _LEFT + 420, _RIGHT - 150
    longest = max(high for series in card.series for high in (series.mean, *(series.interval or ())))
    for line, series in enumerate(card.series):
        y = 282 + 56 * line
        end = left + (right - left) * series.mean / longest
        yield _text(_LEFT, y + 26, 27, 500, _INK, _cut(series.name, 27, 410))
        yield f'<rect x="{left}" y="{y + 4}" width="{end - left:.1f}" height="28" fill="{_BAR}"/>'
        if series.interval:
            low, high = (left + (right - left) * max(value, 0) / longest for value in series.interval)
            yield f'<rect x="{low:.1f}" y="{y + 14}" width="{max(high - low, 3):.1f}" height="8" fill="{_NEEDLE}"/>'
        yield _text(_RIGHT - 130, y + 28, 30, 700, _INK, card.language.number(series.mean, 2))
    yield _text(_LEFT, 596, 24, 400, _SOFT, _cut(card.basis, 24))


def _words(card: Card, lines: int) -> Iterator[str]:
    top = 180 + 68 * lines + 20
    for line, text in enumerate(_wrapped(card.note, 36, _TEXT_EM, 5)):
        yield _text(_LEFT, top + 50 * line, 36, 400, _SOFT, text)
    yield f'<rect x="{_LEFT}" y="566" width="{_RIGHT - _LEFT}" height="2" fill="{_TICK}"/>'
    for x in range(_LEFT, _RIGHT, 26):
        yield f'<rect x="{x}" y="566" width="2" height="{20 if (x - _LEFT) % 130 == 0 else 10}" fill="{_TICK}"/>'


def _logo(x: int, y: int) -> str:
    """The dial of the site's header, 46 units wide."""
    line = f'fill="none" stroke="{_INK}" stroke-width="1.7" stroke-linecap="round"'
    return (
        f'<g transform="translate({x} {y}) scale(1.92)"><circle {line} cx="12" cy="12" r="9"/>'
        f'<path {line} d="M12 3v2.4M21 12h-2.4M3 12h2.4M5.6 5.6l1.7 1.7"/>'
        f'<path d="M12 12l6.3-6.3" stroke="{_NEEDLE}" stroke-width="2" stroke-linecap="round"/>'
        f'<circle cx="12" cy="12" r="1.6" fill="{_INK}"/></g>'
    )


def _at(value: float, top: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * value / top


def _wrapped(text: str, size: int, em: float, lines: int) -> Sequence[str]:
    """Break a text by the mean width of its characters; what does not fit ends in an ellipsis."""
    room = int((_RIGHT - _LEFT) / (size * em))
    found = [""]
    for word in text.split(" "):
        if found[-1] and len(found[-1]) + 1 + len(word) > room:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
    if len(found) > lines:
        found = [*found[: lines - 1], _cut(" ".join(found[lines - 1 :]), size, _RIGHT - _LEFT, em)]
    return [_cut(line, size, _RIGHT - _LEFT, em) for line in found]


def _cut(text: str, size: int, width: int = _RIGHT - _LEFT, em: float = _TEXT_EM) -> str:
    room = int(width / (size * em))
    return text if len(text) <= room else text[: room - 1].rstrip(" ,;:.") + "…"


def _text(x: float, y: int, size: int, weight: int, colour: str, text: str) -> str:
    return (
        f'<text x="{x:g}" y="{y}" font-family="Roboto, sans-serif" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(straight(text))}</text>'
    )
