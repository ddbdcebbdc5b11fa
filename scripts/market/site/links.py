"""Every internal link of the finished site leads somewhere, anchor included; nothing loads from elsewhere.

MkDocs checks the links that authors write in Markdown. Those of templates and of raw HTML it does not see.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag, urlsplit
from xml.etree import ElementTree as ET

from market.site.feeds import ATOM
from market.site.markup import Page, Reader

# Served beside the pages by other parts of the build.
ELSEWHERE: Final = ("/icons/", "/charts/", "/api/")


def dead(
    site: Mapping[str, Path],
    pages: Mapping[str, Page],
    elsewhere: Collection[str] = ELSEWHERE,
    origin: str = "",
    reader: Reader | None = None,
) -> tuple[str, ...]:
    """Return one line for each dead link, dead anchor and outside resource of a site, sorted.

    ``site`` has every file by its path there, and ``pages`` are those among them. Feeds and llms.txt count as pages.
    An absolute link to ``origin``, where the site is served, has to lead somewhere like any other.
    """
    texts = dict(_texts(site, reader or Reader()))
    files = frozenset("/" + name for name in site)
    anchors = {"/" + name: page.ids for name, page in pages.items()}
    found = {
        line
        for name, page in {**pages, **texts}.items()
        for line in _faults("/" + name, page, anchors, files, (tuple(elsewhere), origin))
    }
    return tuple(sorted(found))


def _faults(
    name: str,
    page: Page,
    anchors: Mapping[str, Collection[str]],
    files: frozenset[str],
    outside: tuple[tuple[str, ...], str],
) -> Iterator[str]:
    elsewhere, origin = outside
    for given, loads in dict.fromkeys(page.links):
        link = given
        if origin and (link + "/").startswith(origin + "/"):
            link = link.removeprefix(origin) or "/"
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if loads and parts.scheme != "data":
                yield f"{name}: loads {link} from another host"
            continue
        found = _resolve(name, parts.path)
        if found.startswith(elsewhere):
            continue
        shown = found + "index.html" if found.endswith("/") else found
        if shown not in files:
            yield f"{name}: {link} leads nowhere"
        elif parts.fragment and shown in anchors and unquote(parts.fragment) not in anchors[shown]:
            yield f"{name}: {link} has no such anchor"


def _texts(site: Mapping[str, Path], reader: Reader) -> Iterator[tuple[str, Page]]:
    """Feeds, with the links inside the content of their entries, and the lists of links for programs."""
    for name, path in site.items():
        if name.endswith(".xml"):
            root = ET.fromstring(path.read_bytes())  # noqa: S314 - our own file
            if root.tag == f"{{{ATOM}}}feed":
                links = [(element.get("href", ""), False) for element in root.iter() if element.get("href")]
                for element in root.iter():
                    if element.get("type") == "html":
                        links += reader.page(element.text or "").links
                yield name, Page(links=links)
        elif path.name == "llms.txt":
            found = re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
            yield name, Page(links=[(link, False) for link in found])


def target(name: str, link: str) -> str:
    """Where a link of the page ``name`` leads: a path of the site, with its anchor."""
    address, anchor = urldefrag(link)
    found = _resolve(name, urlsplit(address).path)
    return f"{found}#{anchor}" if anchor else found


def _resolve(name: str, quoted: str) -> str:
    path = unquote(quoted)
    if not path:
        return name
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return joined.rstrip("/") + "/" if is_folder else joined
