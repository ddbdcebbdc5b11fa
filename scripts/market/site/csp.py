"""Hashes of the inline scripts, for the Content-Security-Policy that the site is served with."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path

from market.site.markup import Reader, read


def script_hashes(dist: Path, reader: Reader | None = None) -> tuple[str, ...]:
    """Return the base64 SHA-256 of every inline script below ``dist``, sorted, each once."""
    found: set[str] = set()
    reader = reader or Reader()
    for page in sorted(dist.rglob("*.html")):
        found.update(reader.page(page.read_text("utf-8")).scripts)
    return tuple(sorted(_digest(script) for script in found))


def strangers(site: Path, language_roots: Iterable[str], reader: Reader | None = None) -> tuple[str, ...]:
    """Return the pages with an inline script that the theme did not write, sorted.

    The theme's own scripts are those of the page for unknown addresses, which has no content of authors.
    Without this check an author's script would get its hash into the policy like any other.
    """
    reader = reader or Reader()
    own = {
        script
        for root in language_roots
        for script in inline_scripts((site / root.strip("/") / "404.html").read_text("utf-8"))
    }
    return tuple(
        page.relative_to(site).as_posix()
        for page in sorted(site.rglob("*.html"))
        if not own.issuperset(reader.page(page.read_text("utf-8")).scripts)
    )


def blocked(site: Path, reader: Reader | None = None) -> tuple[str, ...]:
    """Return one line for each page with inline styles or handlers, which the policy lets no browser apply, sorted."""
    reader = reader or Reader()
    pages = {page.relative_to(site).as_posix(): page.read_text("utf-8") for page in site.rglob("*.html")}
    return tuple(
        f"{name}: {what}" for name, html in sorted(pages.items()) for what in sorted(reader.page(html).blocked)
    )


def inline_scripts(html: str) -> tuple[str, ...]:
    """Return the inline scripts of a page that a browser would run."""
    return tuple(read(html).scripts)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
