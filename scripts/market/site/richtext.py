"""Text of contributors on our pages: escaped, or rendered through an allow-list."""

from __future__ import annotations

import re
from html import escape
from typing import Final

import markdown
import nh3
from markupsafe import Markup

TAGS: Final = frozenset({
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
})  # fmt: skip

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|>~:^=$])")


def inline(text: str) -> str:
    """Escape a text for a line of Markdown: neither Markdown nor HTML in it has an effect."""
    return _SPECIAL.sub(r"\\\1", escape(" ".join(text.split()), quote=False))


def block(text: str) -> Markup:
    """Render contributor's Markdown to HTML of the allow-list; headings sink below the page's own."""
    rendered = markdown.markdown(text, extensions=["tables", "fenced_code", "sane_lists"], output_format="html")
    lowered = re.sub(r"(</?h)([1-4])(?=[\s>])", lambda match: f"{match[1]}{min(int(match[2]) + 2, 6)}", rendered)
    clean = nh3.clean(
        lowered,
        tags=set(TAGS),
        attributes={"a": {"href"}},
        url_schemes={"https"},
        link_rel="noopener nofollow ugc",
        strip_comments=True,
    )
    return Markup(clean)  # noqa: S704 - nh3 has cleaned it
