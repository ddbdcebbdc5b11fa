"""Store pictures: one a listed app, 1440 by 900, with the figures that its reports give.

They are drawn at build time, like every figure of the site, so that a picture cannot show another number
than the leaderboard. The Market shows them above an app's description.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from market import icons
from market.catalog import App
from market.site.leaderboard import headline
from market.statistics import Summary

WIDTH, HEIGHT = 1440, 900
FONT = "Roboto, sans-serif"
ABILITIES = (("vision", "images"), ("audio", "sound"), ("tools", "tool calls"), ("thinking", "thinking"))


def png(app: App) -> bytes:
    """The picture of an app as a PNG."""
    import vl_convert  # noqa: PLC0415 - tens of megabytes, only where pictures are drawn

    return bytes(vl_convert.svg_to_png(svg(app), scale=1))


def svg(app: App) -> str:
    """The picture as SVG."""
    hue = icons.hue(str(app.card["model"]["family"]))
    row = headline(app)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="hsl({hue}, 45%, 12%)"/>',
        f'<rect width="16" height="{HEIGHT}" fill="hsl({hue}, 75%, 60%)"/>',
        f'<svg x="96" y="88" width="176" height="176" viewBox="0 0 {icons.SIDE} {icons.SIDE}">',
        icons.drawing(app.card),
        "</svg>",
        _text(312, 172, 64, 700, "#ffffff", app.title("en-US")),
        _text(312, 240, 34, 400, f"hsl({hue}, 60%, 84%)", str(app.card["model"]["name"] or "")),
        *(_speed(row.statistics, hue) if row else _unmeasured(hue)),
        *_facts(app, hue),
        "</svg>",
    ]
    return "".join(parts)


def _speed(summary: Summary, hue: int) -> list[str]:
    half = None if summary.estimated else summary.half_width
    spread = f" ± {half:.2f}" if half is not None else ""
    basis = f"mean of {summary.n} runs" if summary.n > 1 else "one run"
    basis += ", 95 % interval" if half is not None else ", summary as published"
    return [
        _text(96, 486, 176, 700, "#ffffff", f"{summary.mean:.2f}"),
        _text(96, 560, 44, 500, f"hsl({hue}, 70%, 80%)", f"tokens/s{spread}"),
        _text(
            96, 612, 30, 400, f"hsl({hue}, 30%, 74%)", f"{basis}; one request at a time, near the start of the context"
        ),
    ]


def _unmeasured(hue: int) -> list[str]:
    return [
        _text(96, 486, 96, 700, "#ffffff", "Not measured yet"),
        _text(96, 560, 36, 400, f"hsl({hue}, 30%, 74%)", "No series with its number of runs has been published."),
    ]


def _facts(app: App, hue: int) -> list[str]:
    facts = _known(app.card, app.values)
    width = (WIDTH - 192) // max(len(facts), 1)
    drawn = [f'<rect x="96" y="680" width="{WIDTH - 192}" height="2" fill="hsl({hue}, 40%, 40%)"/>']
    for index, (name, value) in enumerate(facts):
        x = 96 + index * width
        drawn.append(_text(x, 740, 28, 400, f"hsl({hue}, 30%, 74%)", name))
        drawn.append(_text(x, 794, min(40, int(width * 1.75) // len(value)), 500, "#ffffff", value))
    return drawn


def _known(card: Mapping[str, Any], values: Mapping[str, Any]) -> list[tuple[str, str]]:
    abilities = [word for key, word in ABILITIES if card["capabilities"].get(key)]
    sizes = [model.get("bytes", 0) / 1e9 or model.get("gigabytes", 0) for model in values.get("models") or ()]
    facts = [("allocated context", f"{card['context_tokens']:,} tokens" if card.get("context_tokens") else "")]
    facts.append(("also", ", ".join(abilities[:3])))
    facts.append(("weights", str(card["model"].get("quantisation", ""))))
    facts.append(("download", f"{sum(sizes):.1f} GB" if sizes and all(sizes) else ""))
    return [(name, value) for name, value in facts if value]


def _text(x: int, y: int, size: int, weight: int, colour: str, text: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="{FONT}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )
