"""Pictures drawn at build time by Vega-Lite: a specification in, an inline SVG out, and no script in the page.

A drawing holds placeholders and English numbers. So one drawing serves both languages and both themes, and the
next build finds it again by what it was drawn from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Protocol

from markupsafe import Markup

from market.errors import MarketError
from market.site import svg
from market.site.kept import Kept
from market.site.language import Language

VERSION: Final = "6.4"
"""Of Vega-Lite; vl-convert carries several."""

# The page's own colours and font. Readers of feeds know neither, so each colour has a fallback.
_INK, _SOFT, _LINE = "var(--oo-ink, #1b1f23)", "var(--oo-soft, #555c63)", "var(--oo-line, #dcdcd6)"
_CONFIG: Final[Mapping[str, Any]] = {
    "view": {"stroke": None, "fill": None},
    "axis": {
        "domain": False, "ticks": False, "gridColor": _LINE, "labelColor": _SOFT, "labelFontSize": 12,
        "labelOverlap": False, "labelFlush": False, "labelLimit": 0, "labelPadding": 6, "title": None,
    },
    "text": {"color": _INK, "fontSize": 12, "align": "left"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picture:
    """What to draw. ``texts`` are filled in for ``@0``, ``@1`` …; ``label`` says in words what is to be seen."""

    kind: str
    spec: Mapping[str, Any]
    label: str
    texts: tuple[str, ...] = ()


class Artist(Protocol):
    """Draws pictures."""

    def draw(self, picture: Picture, language: Language) -> Markup:
        """The picture as inline SVG."""


@dataclass(frozen=True, slots=True)
class Blank:
    """Draws empty frames, for a check of pages that nobody will see."""

    def draw(self, picture: Picture, language: Language) -> Markup:
        """A frame with its label."""
        return _finished('<svg viewBox="0 0 1 1"></svg>', picture, language)


@dataclass(frozen=True, slots=True)
class Vega:
    """Draws with Vega-Lite what was not drawn before."""

    kept: Kept

    def draw(self, picture: Picture, language: Language) -> Markup:
        """The picture."""
        spec = {"background": None, "config": _CONFIG, **picture.spec}
        text = json.dumps(spec, sort_keys=True, separators=(",", ":"))
        drawn = self.kept.get("pictures", _tools() + text.encode(), lambda: svg.compact(_convert(spec)).encode())
        return _finished(drawn.decode(), picture, language)


def _convert(spec: Mapping[str, Any]) -> str:
    import vl_convert  # noqa: PLC0415 - tens of megabytes, only where pictures are drawn

    try:
        return str(vl_convert.vegalite_to_svg(dict(spec), vl_version=VERSION))
    except ValueError as error:
        raise MarketError(f"Vega-Lite cannot draw a picture: {str(error).splitlines()[0]}") from error


def _finished(drawn: str, picture: Picture, language: Language) -> Markup:
    return Markup(svg.localised(drawn, picture.texts, language, picture.kind, picture.label))  # noqa: S704 - escaped there


@cache
def _tools() -> bytes:
    """What a drawing depends on beside its specification."""
    own = Path(svg.__file__).read_bytes()
    return f"{version('vl-convert-python')} {VERSION} ".encode() + hashlib.sha256(own).digest()
