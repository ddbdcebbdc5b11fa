"""Where the edge serves a file of dist/ (``html_handling = "auto-trailing-slash"`` in wrangler.toml).

Pages lose their file name: ``x/index.html`` is ``/x/`` and ``x.html`` is ``/x``. The Worker keeps two kinds of
files to itself: its own data below ``_market/``, and the pages that say "not found", which come with status 404.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

HIDDEN = ("_market/", "_headers", "_redirects", ".assetsignore")
_NOT_FOUND = "404.html"


@dataclass(frozen=True, slots=True)
class Address:
    """A path to ask for, and the status that a sound reply has."""

    path: str
    status: int = 200


def of_file(path: str) -> Address | None:
    """Where a file of dist/ is served; None for a file that has no address of its own."""
    if path.startswith(HIDDEN):
        return None
    folder, _, name = f"/{path}".rpartition("/")
    if name == "index.html":
        return Address(quote(f"{folder}/"))
    status = 404 if name == _NOT_FOUND else 200
    if name.endswith(".html"):
        name = name.removesuffix(".html")
    return Address(quote(f"{folder}/{name}"), status)
