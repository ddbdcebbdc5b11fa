"""The feeds: read by feedparser, held against their formats, with whole texts and links that lead somewhere."""

from __future__ import annotations

import json
import re
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser  # type: ignore[import-untyped]
import pytest

from market.catalog import Catalog
from market.site.feeds import ATOM

ROOTS = {"fr": "", "en": "en/"}
EVERY = [(code, stem) for code in ROOTS for stem in ("feed", "changes")]


def read(site: Path, code: str, stem: str) -> tuple[Any, ET.Element, dict[str, Any]]:
    """A feed as feedparser sees it, as XML, and in its JSON form."""
    file = site / ROOTS[code] / f"{stem}.xml"
    return (
        feedparser.parse(file.read_bytes()),
        ET.parse(file).getroot(),
        json.loads(file.with_suffix(".json").read_text()),
    )


@pytest.mark.parametrize(("code", "stem"), EVERY)
def test_an_atom_feed_is_well_formed_and_complete(site: Path, repository: Catalog, code: str, stem: str) -> None:
    parsed, root, _ = read(site, code, stem)
    address = f"{repository.market['origin']}/{ROOTS[code]}{stem}.xml"
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert parsed.feed.language == code
    assert parsed.feed.id == address
    assert [link.href for link in parsed.feed.links if link.rel == "self"] == [address]
    assert parsed.entries
    # RFC 4287: exactly one id, title and updated each; a summary or content; an author of the entry or the feed.
    for element in (root, *root.iter(f"{{{ATOM}}}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{{{ATOM}}}{name}")) == 1
    ids = [entry.id for entry in parsed.entries]
    assert len(set(ids)) == len(ids)
    assert all(urlsplit(id).scheme in ("https", "tag") for id in ids)
    moments = [moment(entry.updated) for entry in parsed.entries]
    assert moments == sorted(moments, reverse=True)
    assert moment(parsed.feed.updated) == moments[0]
    assert all(moment(entry.published) <= moment(entry.updated) for entry in parsed.entries)
    assert root.find(f"{{{ATOM}}}author/{{{ATOM}}}name") is not None


@pytest.mark.parametrize(("code", "stem"), EVERY)
def test_both_forms_of_a_feed_say_the_same(site: Path, code: str, stem: str) -> None:
    parsed, root, data = read(site, code, stem)
    assert data["version"] == "https://jsonfeed.org/version/1.1"
    assert data["feed_url"] == parsed.feed.id.removesuffix(".xml") + ".json"
    assert [item["id"] for item in data["items"]] == [entry.id for entry in parsed.entries]
    assert [item["content_html"] for item in data["items"]] == [
        content.text for content in root.iter(f"{{{ATOM}}}content")
    ]
    assert all(moment(item["date_published"]) for item in data["items"])


@pytest.mark.parametrize(("code", "stem"), EVERY)
def test_no_entry_has_a_relative_link_or_a_script(site: Path, code: str, stem: str) -> None:
    for item in read(site, code, stem)[2]["items"]:
        content = Content(item["content_html"])
        assert content.links
        for link in content.links:
            assert re.match(r"https?://[^/]+/|mailto:", link), link
        assert not content.tags & {"script", "style", "svg", "button", "input", "label", "iframe"}
        assert not content.handlers


@pytest.mark.parametrize("code", ROOTS)
def test_the_journal_has_every_write_up_whole(site: Path, repository: Catalog, code: str) -> None:
    _, _, data = read(site, code, "feed")
    written = list((repository.root / "docs" / code / "blog" / "posts").glob("*.md"))
    assert len(data["items"]) == len(written)
    for item in data["items"]:
        page = site / urlsplit(item["url"]).path.lstrip("/") / "index.html"
        html = page.read_text("utf-8")
        headings = re.findall(r'<h2 id="([^"]+)"', html.partition('<article class="oo-writeup__text">')[2])
        shown = re.findall(r"<h2>", item["content_html"])
        assert len(shown) == len([one for one in headings if one != "related"])
        assert "¶" not in item["content_html"] and "headerlink" not in item["content_html"]


def test_the_catalog_feed_follows_the_ledger(site: Path, repository: Catalog) -> None:
    _, _, data = read(site, "en", "changes")
    names = {app.name for app in repository.apps}
    releases = [release for release in repository.ledger.releases.values() if release.name in names]
    assert len(data["items"]) == len(releases) + sum(release.withdrawn is not None for release in releases)
    assert {release.sha256 for release in releases} == {
        found for item in data["items"] for found in re.findall(r"\b[0-9a-f]{64}\b", item["content_html"])
    }


def test_pages_name_the_feeds_of_their_language(site: Path) -> None:
    for code, root in ROOTS.items():
        html = (site / root / "blog" / "index.html").read_text("utf-8")
        named = re.findall(r'<link rel="alternate " type="application/(\w+)\+(?:xml|json)"[^>]* href="([^"]+)"', html)
        assert named == [("atom", "../feed.xml"), ("feed", "../feed.json"), ("atom", "../changes.xml"),
                         ("feed", "../changes.json")], code  # fmt: skip


def moment(text: str) -> datetime:
    """An RFC 3339 time, which has a zone."""
    found = datetime.fromisoformat(text)
    assert found.tzinfo is not None
    return found


class Content(HTMLParser):
    """Links, tags and event handlers of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}
