"""Text of contributors on our pages: escaped, or rendered through an allow-list."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import escape
from typing import Final

import markdown
import nh3
from markupsafe import Markup

from market.site.language import Language, typeset

TAGS: Final = frozenset({
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
})  # fmt: skip

_SPANS: Final = re.compile(r"(`[^`]+`|https://[^\s,;<>\"')]+[^\s,;.:<>\"')])")
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|>~:^=$])")

_DIRECTIONS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the text after them around; no language of the site needs one."""


def straight(text: str) -> str:
    """A text without the characters that change its direction, with which it could show what it does not say."""
    return _DIRECTIONS.sub("", text)


def inline(text: str) -> str:
    """Escape a text for a line of Markdown: neither Markdown nor HTML in it has an effect."""
    return _SPECIAL.sub(r"\\\1", escape(" ".join(text.split()), quote=False))


@lru_cache(maxsize=4096)
def line(text: str) -> Markup:
    """Render one paragraph of the catalog's own Markdown, without the tags around it; links may be ours."""
    rendered = _converter().reset().convert(text)
    clean = nh3.clean(rendered, tags={"a", "code", "em", "strong"}, attributes={"a": {"href"}}, url_schemes={"https"},
                      link_rel="noopener")  # fmt: skip
    return Markup(clean.strip())  # noqa: S704 - nh3 has cleaned it


def spans(text: str) -> Markup:
    """A plain text with its `code` and its https addresses made into HTML."""
    parts = _SPANS.split(text)
    return Markup("").join(_span(part) if index % 2 else part for index, part in enumerate(parts))


def _span(part: str) -> Markup:
    if part.startswith("`"):
        return Markup("<code>{}</code>").format(part[1:-1])
    return Markup('<a href="{}" rel="noopener">{}</a>').format(part, part.removeprefix("https://"))


@lru_cache(maxsize=4096)
def block(text: str, language: Language | None = None) -> Markup:
    """Render contributor's Markdown to HTML of the allow-list; headings sink below the page's own.

    ``language`` is that of the text: its spaces are set as the language wants them.
    """
    rendered = _converter("tables", "fenced_code", "sane_lists").reset().convert(text)
    lowered = re.sub(r"(</?h)([1-4])(?=[\s>])", lambda match: f"{match[1]}{min(int(match[2]) + 2, 6)}", rendered)
    clean = nh3.clean(
        lowered,
        tags=set(TAGS),
        attributes={"a": {"href"}},
        url_schemes={"https"},
        link_rel="noopener nofollow ugc",
        strip_comments=True,
    )
    return Markup(typeset(clean, language) if language else clean)  # noqa: S704 - nh3 has cleaned it


@cache
def _converter(*extensions: str) -> markdown.Markdown:
    """One converter for all texts, as making one takes longer than most of them."""
    return markdown.Markdown(extensions=list(extensions), output_format="html")
