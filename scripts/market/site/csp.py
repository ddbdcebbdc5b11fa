"""Hashes of the inline scripts, for the Content-Security-Policy that the site is served with."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping

from market.site.markup import Page

_UNKNOWN_ADDRESS = "404.html"


def script_hashes(pages: Iterable[Page]) -> tuple[str, ...]:
    """Return the base64 SHA-256 of every inline script, sorted, each once."""
    return tuple(sorted({_digest(script) for page in pages for script in page.scripts}))


def strangers(pages: Mapping[str, Page], language_roots: Iterable[str]) -> tuple[str, ...]:
    """Return the pages with an inline script that the theme did not write, sorted.

    The theme's own scripts are those of the page for unknown addresses, which has no content of authors.
    Without this check an author's script would get its hash into the policy like any other.
    """
    own = {script for root in language_roots for script in pages[root.lstrip("/") + _UNKNOWN_ADDRESS].scripts}
    return tuple(sorted(name for name, page in pages.items() if not own.issuperset(page.scripts)))


def blocked(pages: Mapping[str, Page]) -> tuple[str, ...]:
    """Return one line for each page with inline styles or handlers, which the policy lets no browser apply, sorted."""
    return tuple(f"{name}: {what}" for name, page in sorted(pages.items()) for what in sorted(page.blocked))


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
