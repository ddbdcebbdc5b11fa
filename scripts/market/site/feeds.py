"""Feeds: Atom (RFC 4287) and JSON Feed 1.1 from the same entries."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree as ET

ATOM: Final = "http://www.w3.org/2005/Atom"
_XML: Final = "http://www.w3.org/XML/1998/namespace"
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Addresses are absolute, times RFC 3339 in UTC, ``content`` is HTML without relative links."""

    id: str
    address: str
    title: str
    summary: str
    content: str
    published: str
    updated: str
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed. It is served as ``stem``.xml and ``stem``.json below ``root``; ``home`` is the page it follows."""

    title: str
    subtitle: str
    author: str
    root: str
    stem: str
    home: str
    language: str
    entries: tuple[Entry, ...]
    unchanged: str
    """The time of a feed without entries."""

    @property
    def updated(self) -> str:
        """When the newest change was."""
        return max((entry.updated for entry in self.entries), default=self.unchanged)


def files(feed: Feed) -> dict[str, str]:
    """Both forms of a feed, by file name."""
    return {f"{feed.stem}.xml": atom(feed), f"{feed.stem}.json": json_feed(feed)}


def atom(feed: Feed) -> str:
    """The feed as Atom."""
    ET.register_namespace("", ATOM)
    root = ET.Element(f"{{{ATOM}}}feed", {f"{{{_XML}}}lang": feed.language})
    _texts(root, id=f"{feed.root}{feed.stem}.xml", title=feed.title, subtitle=feed.subtitle, updated=feed.updated)
    _link(root, "self", "application/atom+xml", f"{feed.root}{feed.stem}.xml")
    _link(root, "alternate", "text/html", feed.home)
    _texts(_child(root, "author"), name=feed.author)
    for entry in feed.entries:
        _atom_entry(root, entry)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def json_feed(feed: Feed) -> str:
    """The feed as JSON Feed."""
    data = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": feed.subtitle,
        "home_page_url": feed.home,
        "feed_url": f"{feed.root}{feed.stem}.json",
        "language": feed.language,
        "authors": [{"name": feed.author}],
        "items": [_item(entry) for entry in feed.entries],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _atom_entry(root: ET.Element, entry: Entry) -> None:
    element = _child(root, "entry")
    _texts(element, id=entry.id, title=entry.title, published=entry.published, updated=entry.updated)
    _link(element, "alternate", "text/html", entry.address)
    for author in entry.authors:
        _texts(_child(element, "author"), name=author)
    for category in entry.categories:
        _child(element, "category", term=category)
    _texts(element, summary=entry.summary)
    _child(element, "content", type="html").text = _FORBIDDEN.sub("", entry.content)


def _item(entry: Entry) -> Mapping[str, Any]:
    item = {
        "id": entry.id, "url": entry.address, "title": entry.title, "summary": entry.summary,
        "content_html": entry.content, "date_published": entry.published, "date_modified": entry.updated,
        "authors": [{"name": author} for author in entry.authors], "tags": list(entry.categories),
        "image": entry.image,
    }  # fmt: skip
    return {key: value for key, value in item.items() if value}


def _child(parent: ET.Element, name: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, f"{{{ATOM}}}{name}", attributes)


def _texts(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        _child(parent, name).text = _FORBIDDEN.sub("", text)


def _link(parent: ET.Element, relation: str, kind: str, address: str) -> None:
    _child(parent, "link", rel=relation, type=kind, href=address)
