"""The write-ups as the catalog sees them: title, date, address, and the apps that their figures come from."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from market.configuration import Entry
from market.report import Report
from market.site import frontmatter
from market.site.pages import Pages

FOLDER: Final = "blog/posts/"

_EXPRESSIONS: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.S)
_QUOTED: Final = re.compile(r"""(["'])([a-z0-9]+)\1""")
_REPORT: Final = re.compile(r"""\breport\(\s*["']([a-z0-9]+)["']\s*,\s*["']([^"']+)["']""")
_HEADING: Final = re.compile(r"^# (.+?)(?:[ \t]*\{[^}\n]*\})?[ \t]*$", re.M)
_MARKUP: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~:^=$])|[`*]|\[([^\]]*)\]\([^)]*\)|<[^>]*>")


@dataclass(frozen=True)
class WriteUp:
    """One write-up of one language. ``address`` is below the language's root; ``apps`` most cited first."""

    path: str
    address: str
    title: str
    description: str
    created: str
    updated: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    apps: tuple[Entry, ...]
    report: Report | None


def read(texts: Mapping[str, str], sources: Mapping[str, str], pages: Pages) -> tuple[WriteUp, ...]:
    """Every write-up of a language, newest first; ``sources`` are the pages before they were filled in."""
    catalog = pages.catalog
    everything: tuple[Entry, ...] = (*catalog.apps, *catalog.shelved)
    entries = {entry.name: entry for entry in everything}
    found = [
        _write_up(path, text, sources.get(path, ""), entries)
        for path, text in texts.items()
        if path.startswith(FOLDER) and path.endswith(".md")
    ]
    return tuple(sorted(found, key=lambda one: (one.created, one.address), reverse=True))


def title(text: str) -> str:
    """The first heading of a page, without its Markdown."""
    found = _HEADING.search(text)
    bare = _MARKUP.sub(lambda match: match[1] or match[2] or "", found[1]) if found else ""
    return frontmatter.plain(bare)


def cited(source: str, names: Iterable[str]) -> Sequence[str]:
    """The apps whose names stand quoted in a page's expressions, most often first, then in their order."""
    known = frozenset(names)
    counts = Counter(
        name for expression in _EXPRESSIONS.findall(source) for _, name in _QUOTED.findall(expression) if name in known
    )
    return [name for name, _ in counts.most_common()]


def _write_up(path: str, text: str, source: str, entries: Mapping[str, Entry]) -> WriteUp:
    front = frontmatter.read(text)
    created, updated = _dates(front.get("date"))
    apps = tuple(entries[name] for name in cited(source, entries))
    slug = front.get("slug") or path.removeprefix(FOLDER).removesuffix(".md")
    return WriteUp(
        path=path, address=f"blog/{slug}/", title=title(text), description=frontmatter.plain(front["description"]),
        created=created, updated=updated, authors=tuple(front.get("authors") or ()),
        categories=tuple(front.get("categories") or ()), apps=apps, report=_first_report(source, entries),
    )  # fmt: skip


def _dates(given: Any) -> tuple[str, str]:
    """Days of writing and of the last change, as ISO dates."""
    days: Mapping[str, dt.date] = given if isinstance(given, Mapping) else {"created": given}
    return str(days["created"]), str(days.get("updated") or days["created"])


def _first_report(source: str, entries: Mapping[str, Entry]) -> Report | None:
    """The report that a write-up names first: the one it is about."""
    for app, id in _REPORT.findall(source):
        for report in entries[app].reports if app in entries else ():
            if report.id == id:
                return report
    return None
