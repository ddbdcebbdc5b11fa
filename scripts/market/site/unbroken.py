"""Options and names that a line must not part at their dashes, marked in the finished HTML.

A browser may break a line after every dash, and makes ``--`` and ``vision`` of an option. Short code and a few names
get a class that keeps them on one line; the text stays as it is, so what is copied or searched for is the same. It is
done on HTML as MkDocs writes it, because that is where code of every origin looks alike.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from markupsafe import Markup, escape

CLASS: Final = "oo-nowrap"
LONGEST: Final = 28
"""Characters of code that still fit a line of the narrowest phone; longer code has to break somewhere."""

_FOUND: Final = re.compile(
    r"<(?P<whole>pre|head|script|style|svg|select|textarea)\b.*?</(?P=whole)>"
    rf"|<code>(?:(?P<short>[^<\n]{{1,{LONGEST}}})|[^<]*)</code>"
    r"|(?<![\w./-])(?P<name>SHA-256|\d+B-A\d+B)(?![\w/-])(?=[^<>]*<)",
    re.S,
)


def kept_together(html: str) -> str:
    """The page with its short code and names marked; what is marked already stays as it is."""
    return _FOUND.sub(_marked, html)


def whole(name: str) -> Markup:
    """A name in running text, on one line unless it is longer than one."""
    if len(name) > LONGEST or "-" not in name:
        return escape(name)
    return Markup('<span class="{}">{}</span>').format(CLASS, name)


def mark(folder: Path) -> None:
    """Mark every page below a folder."""
    for path in sorted(folder.rglob("*.html")):
        html = path.read_text("utf-8")
        marked = kept_together(html)
        if marked != html:
            path.write_text(marked, "utf-8")


def _marked(found: re.Match[str]) -> str:
    if found["short"]:
        return f'<code class="{CLASS}">{found["short"]}</code>'
    if found["name"] and not _is_marked(found):
        return f'<span class="{CLASS}">{found["name"]}</span>'
    return found[0]


def _is_marked(found: re.Match[str]) -> bool:
    return found.string.endswith(f'<span class="{CLASS}">', 0, found.start())
