"""Every internal link of the finished site leads somewhere, anchor included; nothing loads from elsewhere.

MkDocs checks the links that authors write in Markdown. Those of templates and of raw HTML it does not see.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag, urlsplit
from xml.etree import ElementTree as ET

from market.site.feeds import ATOM
from market.site.markup import Page, Reader, read

# Served beside the pages by other parts of the build.
ELSEWHERE: Final = ("/icons/", "/charts/", "/api/")


def dead(
    site: Path, elsewhere: Collection[str] = ELSEWHERE, origin: str = "", reader: Reader | None = None
) -> tuple[str, ...]:
    """Return one line for each dead link, dead anchor and outside resource below ``site``, sorted.

    Feeds and llms.txt count as pages. An absolute link to ``origin``, where the site is served, has to lead
    somewhere like any other.
    """
    reader = reader or Reader()
    pages = {
        "/" + path.relative_to(site).as_posix(): reader.page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    texts = {"/" + path.relative_to(site).as_posix(): page for path, page in _texts(site)}
    files = frozenset("/" + path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    found = {
        line
        for name, page in (pages | texts).items()
        for line in _faults(name, page, pages, files, (tuple(elsewhere), origin))
    }
    return tuple(sorted(found))


def _faults(
    name: str, page: Page, pages: dict[str, Page], files: frozenset[str], outside: tuple[tuple[str, ...], str]
) -> Iterator[str]:
    elsewhere, origin = outside
    for link, loads in page.links:
        if origin and (link + "/").startswith(origin + "/"):
            link = link.removeprefix(origin) or "/"  # noqa: PLW2901
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if loads and parts.scheme != "data":
                yield f"{name}: loads {link} from another host"
            continue
        address, anchor = urldefrag(link)
        target = _resolve(name, address)
        if target.startswith(elsewhere):
            continue
        shown = target + "index.html" if target.endswith("/") else target
        if shown not in files:
            yield f"{name}: {link} leads nowhere"
        elif anchor and shown in pages and unquote(anchor) not in pages[shown].ids:
            yield f"{name}: {link} has no such anchor"


def _texts(site: Path) -> Iterator[tuple[Path, Page]]:
    """Feeds, with the links inside the content of their entries, and the lists of links for programs."""
    for path in sorted(site.rglob("*.xml")):
        root = ET.fromstring(path.read_bytes())  # noqa: S314 - our own file
        if root.tag == f"{{{ATOM}}}feed":
            links = [(element.get("href", ""), False) for element in root.iter() if element.get("href")]
            for element in root.iter():
                if element.get("type") == "html":
                    links += read(element.text or "").links
            yield path, Page(links=links)
    for path in sorted(site.rglob("llms.txt")):
        found = re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
        yield path, Page(links=[(link, False) for link in found])


def target(name: str, link: str) -> str:
    """Where a link of the page ``name`` leads: a path of the site, with its anchor."""
    address, anchor = urldefrag(link)
    found = _resolve(name, address)
    return f"{found}#{anchor}" if anchor else found


def _resolve(name: str, address: str) -> str:
    path = unquote(urlsplit(address).path)
    if not path:
        return name
    folder = posixpath.dirname(name)
    joined = posixpath.normpath(posixpath.join(folder, path))
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return joined.rstrip("/") + "/" if is_folder else joined
