"""The feed of the write-ups: their whole text as the built pages have it, fit for any reader."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import nh3

from market.errors import MarketError
from market.site.feeds import Entry, Feed
from market.site.pages import Pages
from market.site.richtext import TAGS
from market.site.structured import site_name
from market.site.words import words
from market.site.writeups import WriteUp

STEM: Final = "feed"
_START: Final = '<article class="oo-writeup__text">'
_TAGS: Final = TAGS | {
    "abbr", "caption", "dd", "del", "details", "div", "dl", "dt", "figcaption", "figure", "h2", "img", "kbd", "mark",
    "small", "span", "sub", "summary", "sup", "tfoot",
}  # fmt: skip
_ATTRIBUTES: Final = {
    "a": {"href"}, "abbr": {"title"}, "img": {"src", "alt", "width", "height"}, "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}  # fmt: skip
# Anchors of headings, controls, and what a reader without our style sheet would see twice or not at all.
_DROPPED: Final = re.compile(
    r'<a class="headerlink".*?</a>|<h1\b.*?</h1>|<label\b.*?</label>|<a [^>]*class="toclink"[^>]*>|<!--.*?-->', re.S
)
_DRAWING: Final = re.compile(r"<svg\b([^>]*)>.*?</svg>", re.S)
_LABEL: Final = re.compile(r'\baria-label="([^"]*)"')


def feed(written: Iterable[WriteUp], html: Path, pages: Pages) -> Feed:
    """The feed of one language; ``html`` is where its pages were built.

    Raises:
        MarketError: a write-up has no page, or its page has no text where the theme puts it.
    """
    t, root = words(pages.language), f"{pages.catalog.market['origin']}{pages.language.root}"
    entries = tuple(_entry(one, html, root) for one in written)
    return Feed(
        title=f"{site_name(pages)} · {t('feed_journal')}", subtitle=str(t("feed_journal_about")),
        author=site_name(pages), root=root, stem=STEM, home=f"{root}blog/", language=pages.language.code,
        entries=entries, unchanged="1970-01-01T00:00:00Z",
    )  # fmt: skip


def content(page: str, address: str) -> str | None:
    """The text of a write-up as HTML that stands alone: no relative link, no script, no drawing.

    ``address`` is where the page is served. A drawing becomes the sentence that describes it.
    """
    _, start, rest = page.partition(_START)
    if not start:
        return None
    text = _DROPPED.sub("", rest.partition("</article>")[0])
    text = _DRAWING.sub(_described, text)

    def absolute(_element: str, attribute: str, value: str) -> str:
        return urljoin(address, value) if attribute in ("href", "src") else value

    clean = nh3.clean(
        text, tags=set(_TAGS), attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=absolute, url_schemes={"https", "http", "mailto"}, link_rel=None,
        clean_content_tags={"script", "style", "button", "template"},
    )  # fmt: skip
    return re.sub(r"\n{2,}", "\n", clean).strip()


def _entry(written: WriteUp, html: Path, root: str) -> Entry:
    path, address = html / written.address / "index.html", root + written.address
    text = content(path.read_text("utf-8"), address) if path.is_file() else None
    if text is None:
        raise MarketError(f"the write-up {written.path} has no text at {written.address}")
    return Entry(
        id=address, address=address, title=written.title, summary=written.description, content=text,
        published=f"{written.created}T00:00:00Z", updated=f"{written.updated}T00:00:00Z", authors=written.authors,
        categories=written.categories,
    )  # fmt: skip


def _described(match: re.Match[str]) -> str:
    label = _LABEL.search(match[1])
    return f"<p>{escape(unescape(label[1]))}</p>" if label else ""
