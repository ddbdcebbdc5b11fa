"""Every internal link of the finished site leads somewhere, anchor included; nothing loads from elsewhere.

MkDocs checks the links that authors write in Markdown. Those of templates and of raw HTML it does not see.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag, urlsplit

# Served beside the pages by other parts of the build.
ELSEWHERE: Final = ("/icons/", "/charts/", "/api/")

_LOADING: Final = {("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("link", "href")}
_LOADING_RELATIONS: Final = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}


@dataclass
class Page:
    """Ids and links of one page."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, bool]] = field(default_factory=list)


def dead(site: Path, elsewhere: Collection[str] = ELSEWHERE) -> tuple[str, ...]:
    """Return one line for each dead link, dead anchor and outside resource below ``site``, sorted."""
    pages = {"/" + path.relative_to(site).as_posix(): _read(path) for path in sorted(site.rglob("*.html"))}
    found = {line for name, page in pages.items() for line in _faults(name, page, pages, site, tuple(elsewhere))}
    return tuple(sorted(found))


def _faults(name: str, page: Page, pages: dict[str, Page], site: Path, elsewhere: tuple[str, ...]) -> Iterator[str]:
    for link, loads in page.links:
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
        if not (site / shown.lstrip("/")).is_file():
            yield f"{name}: {link} leads nowhere"
        elif anchor and shown in pages and unquote(anchor) not in pages[shown].ids:
            yield f"{name}: {link} has no such anchor"


def _resolve(name: str, address: str) -> str:
    if not address:
        return name
    path = unquote(urlsplit(address).path)
    folder = posixpath.dirname(name)
    joined = posixpath.normpath(posixpath.join(folder, path))
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return joined.rstrip("/") + "/" if is_folder else joined


def _read(path: Path) -> Page:
    reader = _Links()
    reader.feed(path.read_text("utf-8"))
    reader.close()
    return reader.page


class _Links(HTMLParser):
    """Collects ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.page.ids.add(given["id"])
        for name in ("href", "src"):
            if given.get(name):
                self.page.links.append((given[name], _loads(tag, name, given)))


def _loads(tag: str, name: str, given: dict[str, str]) -> bool:
    if (tag, name) not in _LOADING:
        return False
    return tag != "link" or bool(_LOADING_RELATIONS & set(given.get("rel", "").split()))
