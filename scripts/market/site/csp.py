"""Hashes of the inline scripts, for the Content-Security-Policy that the site is served with."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

# What a browser runs; a script of any other type is a block of data (HTML, "prepare the script element").
_RUN: Final = frozenset({"", "module", "importmap", "speculationrules", "text/javascript", "application/javascript"})


def script_hashes(dist: Path) -> tuple[str, ...]:
    """Return the base64 SHA-256 of every inline script below ``dist``, sorted, each once."""
    found: set[str] = set()
    for page in sorted(dist.rglob("*.html")):
        found.update(inline_scripts(page.read_text("utf-8")))
    return tuple(sorted(_digest(script) for script in found))


def strangers(site: Path, language_roots: Iterable[str]) -> tuple[str, ...]:
    """Return the pages with an inline script that the theme did not write, sorted.

    The theme's own scripts are those of the page for unknown addresses, which has no content of authors.
    Without this check an author's script would get its hash into the policy like any other.
    """
    own = {
        script
        for root in language_roots
        for script in inline_scripts((site / root.strip("/") / "404.html").read_text("utf-8"))
    }
    return tuple(
        page.relative_to(site).as_posix()
        for page in sorted(site.rglob("*.html"))
        if not own.issuperset(inline_scripts(page.read_text("utf-8")))
    )


def inline_scripts(html: str) -> tuple[str, ...]:
    """Return the inline scripts of a page that a browser would run."""
    reader = _Scripts()
    reader.feed(html)
    reader.close()
    return tuple(reader.scripts)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class _Scripts(HTMLParser):
    """Collects the text of ``<script>`` without ``src``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given and (given.get("type") or "").lower() in _RUN:
            self._text = []

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._text is not None:
            self.scripts.append("".join(self._text))
            self._text = None
