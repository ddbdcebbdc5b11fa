"""The SVG that Vega writes, made fit for a page: small, in the page's colours and in its language."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markupsafe import escape

from market.errors import MarketError
from market.site.language import MINUS, Language

_KEPT: Final = ("d", "x", "y", "width", "height")
# A value that is the default of SVG says nothing.
_STYLE: Final = {
    "fill": None, "fill-opacity": "1", "stroke": "none", "stroke-width": "1", "stroke-dasharray": None,
    "stroke-opacity": "1", "opacity": "1",
}  # fmt: skip
_MOVE: Final = re.compile(r"translate\(([^,)]+),([^)]+)\)")
_NUMBER: Final = re.compile(rf"[-{MINUS}]?\d[\d,]*(?:\.(\d+))?")
_COORDINATE: Final = re.compile(r"-?\d+\.\d{3,}")
_PLACEHOLDER: Final = re.compile(r"@(\d+)")

Point = tuple[float, float]


def compact(svg: str) -> str:
    """Flatten Vega's nested groups to a list of shapes; texts keep their placeholders and English numbers.

    Raises:
        MarketError: Vega wrote something that this module does not know.
    """
    root = ET.fromstring(svg)  # noqa: S314 - written by vl-convert, from specifications of our own
    shapes = [shape for child in root for shape in _shapes(child, (0.0, 0.0))]
    return f'<svg viewBox="{root.get("viewBox")}">{"".join(_joined(shapes))}</svg>'


def localised(svg: str, texts: Sequence[str], language: Language, kind: str, label: str) -> str:
    """Fill in what differs between the languages: the name of the picture, placeholders ``@0`` …, numbers.

    ``svg`` comes from :func:`compact`; ``kind`` becomes a class of the style sheet.
    """

    def written(match: re.Match[str]) -> str:
        opening, text, closing = match.groups()
        if found := _PLACEHOLDER.fullmatch(text):
            return f"{opening}{escape(texts[int(found[1])])}{closing}"
        if found := _NUMBER.fullmatch(text):
            value = float(text.replace(",", "").replace(MINUS, "-"))
            return f"{opening}{language.number(value, len(found[1] or ''))}{closing}"
        return match[0]

    body = re.sub(r"(<(?:text|title)\b[^>]*>)([^<]*)(</)", written, svg.removeprefix("<svg "))
    frame = f'<div class="oo-vega oo-vega--{kind}" data-search-exclude>'
    return f'{frame}<svg role="img" aria-label="{escape(label)}" {body}</div>'


def _shapes(element: ET.Element, at: Point) -> Iterator[tuple[str, dict[str, str], str]]:
    """Every visible shape below an element, as (name, attributes, text), moved to its place."""
    name = element.tag.rpartition("}")[2]
    at, rest = _moved(element.get("transform", ""), at)
    if element.get("display") == "none" or "background" in element.get("class", ""):
        return
    if name == "g":
        for child in element:
            yield from _shapes(child, at)
    elif name == "text":
        yield "text", _text(element, at, rest), element.text or ""
    elif name == "line":
        yield "line", _line(element, at), ""
    elif name in ("path", "rect"):
        # Vega's outermost group says that shapes are not filled unless they say so themselves.
        attributes = {key: value for key in _KEPT if (value := element.get(key))} | {"fill": "none"} | _style(element)
        is_seen = attributes["fill"] != "none" or "stroke" in attributes
        if is_seen and (name == "rect" or attributes.get("d")) and not _is_sheet(attributes):
            if at != (0.0, 0.0):
                attributes["transform"] = f"translate({_n(at[0])} {_n(at[1])})"
            # Vega describes marks by itself; only what we wrote is for readers.
            said = element.get("aria-label", "")
            yield name, attributes, said if _PLACEHOLDER.fullmatch(said) else ""
    else:
        raise MarketError(f"Vega drew a <{name}>, which market.site.svg does not know")


def _moved(transform: str, at: Point) -> tuple[Point, str]:
    match = _MOVE.match(transform)
    if not match:
        return at, transform
    return (at[0] + float(match[1]), at[1] + float(match[2])), transform[match.end() :].strip()


def _is_sheet(attributes: Mapping[str, str]) -> bool:
    """Whether this is the white sheet that Vega puts under every picture."""
    return attributes.get("fill") == "white" and "x" not in attributes


def _style(element: ET.Element) -> dict[str, str]:
    return {
        key: value for key, default in _STYLE.items() if (value := element.get(key)) is not None and value != default
    }


def _line(element: ET.Element, at: Point) -> dict[str, str]:
    x, y = float(element.get("x2", 0)), float(element.get("y2", 0))
    start = f"M{_n(at[0])} {_n(at[1])}"
    end = f"V{_n(at[1] + y)}" if not x else f"H{_n(at[0] + x)}" if not y else f"L{_n(at[0] + x)} {_n(at[1] + y)}"
    return {"d": start + end} | _style(element)


def _text(element: ET.Element, at: Point, rest: str) -> dict[str, str]:
    found = {"x": _n(at[0]), "y": _n(at[1])}
    anchor = element.get("text-anchor", "start")
    found |= {"text-anchor": anchor} if anchor != "start" else {}
    found |= {key: value.removesuffix("px") for key in ("font-size", "font-weight") if (value := element.get(key))}
    found |= {"transform": f"{rest} "} if rest else {}
    return found | _style(element)


def _joined(shapes: Sequence[tuple[str, dict[str, str], str]]) -> Iterator[str]:
    """The shapes as text; lines of one style that follow each other become one path."""
    index = 0
    while index < len(shapes):
        name, attributes, text = shapes[index]
        if name == "line":
            style = {key: value for key, value in attributes.items() if key != "d"}
            path = ""
            while index < len(shapes) and shapes[index][0] == "line" and style.items() <= shapes[index][1].items():
                path += shapes[index][1]["d"]
                index += 1
            yield _tag("path", {"d": path, "fill": "none"} | style, "")
            continue
        index += 1
        if name == "text":
            yield _tag("text", attributes, str(escape(text)))
        else:
            # The label of a mark is shown when a pointer rests on it.
            yield _tag(name, attributes, f"<title>{escape(text)}</title>" if text else "")


def _tag(name: str, attributes: Mapping[str, str], content: str) -> str:
    written = "".join(
        f' {key}="{escape(_COORDINATE.sub(lambda found: _n(float(found[0])), value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _n(value: float) -> str:
    """A coordinate with at most two decimals; the same text on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
