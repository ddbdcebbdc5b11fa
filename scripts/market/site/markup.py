"""What the checks of the finished site need of a page's HTML, read once and kept for the next build."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from market import files

# What a browser runs; a script of any other type is a block of data (HTML, "prepare the script element").
_RUN: Final = frozenset({"", "module", "importmap", "speculationrules", "text/javascript", "application/javascript"})
_LOADING: Final = {("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("link", "href")}
_LOADING_RELATIONS: Final = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}
_PICTURES: Final = ("og:image", "og:url")


@dataclass
class Page:
    """What one page holds.

    A link is its target and whether the browser loads it by itself; ``scripts`` are inline ones; ``blocked`` is
    what a policy without ``'unsafe-inline'`` blocks beside them: inline styles and event handlers.
    """

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, bool]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)


class Reader:
    """Reads pages, each once; with a ``file``, pages that an earlier build read are not read again."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, Page] = {}
        self._used: set[str] = set()
        if file is not None and file.is_file():
            self._known = _loaded(file)

    def below(self, folder: Path) -> dict[str, Page]:
        """Every page below a folder, by its path there."""
        return self.pages(files.below(folder))

    def pages(self, site: Mapping[str, Path]) -> dict[str, Page]:
        """Every page among the files of a site."""
        return {name: self._page(path.read_bytes()) for name, path in site.items() if name.endswith(".html")}

    def page(self, html: str) -> Page:
        """Ids, links and scripts of a page."""
        return self._page(html.encode())

    def _page(self, html: bytes) -> Page:
        digest = hashlib.sha256(html).hexdigest()
        self._used.add(digest)
        if digest not in self._known:
            self._known[digest] = read(html.decode())
        return self._known[digest]

    def save(self) -> None:
        """Keep what was read for the next build, and forget what no page is any more."""
        if self._file is None:
            return
        pages = {
            digest: [sorted(page.ids), page.links, page.scripts, sorted(page.blocked)]
            for digest, page in sorted(self._known.items())
            if digest in self._used
        }
        self._file.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomic(self._file, json.dumps({"reader": _own_digest(), "pages": pages}).encode())


def read(html: str) -> Page:
    """Read a page or a part of one."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return parser.page


def _loaded(file: Path) -> dict[str, Page]:
    try:
        data = json.loads(file.read_bytes())
        if data["reader"] != _own_digest():
            return {}
        return {
            digest: Page(set(ids), [(link, loads) for link, loads in links], scripts, set(blocked))
            for digest, (ids, links, scripts, blocked) in data["pages"].items()
        }
    except (ValueError, KeyError, TypeError):  # not ours, or cut short: read everything again
        return {}


def _own_digest() -> str:
    """Another version of this module may see other things in the same page."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


class _Parser(HTMLParser):
    """Collects ids, links and the text of ``<script>`` without ``src``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.page = Page()
        self._script: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.blocked |= {f"<{tag} {name}>" for name in given if name == "style" or name.startswith("on")}
        if tag == "style":
            self.page.blocked.add("<style>")
        if "id" in given:
            self.page.ids.add(given["id"])
        for name in ("href", "src"):
            if given.get(name):
                self.page.links.append((given[name], _loads(tag, name, given)))
        if tag == "meta" and given.get("property") in _PICTURES:
            self.page.links.append((given.get("content", ""), False))
        if tag == "script" and "src" not in given and given.get("type", "").lower() in _RUN:
            self._script = []

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            self.page.scripts.append("".join(self._script))
            self._script = None


def _loads(tag: str, name: str, given: dict[str, str]) -> bool:
    if (tag, name) not in _LOADING:
        return False
    return tag != "link" or bool(_LOADING_RELATIONS & set(given.get("rel", "").split()))
