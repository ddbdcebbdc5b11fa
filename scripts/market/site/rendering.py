"""MkDocs on the pages of a language, and only on those that can have changed since the last run.

Pages of apps and of rules stand in no menu and have no neighbour: their HTML follows from their own Markdown, the
theme, the configuration and the tools. One whose Markdown is as it was keeps the HTML that it had; MkDocs gets
all others. The search index and the sitemap, which name every page, are put together from both runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from market.errors import MarketError
from market.files import write_atomic
from market.paths import PROJECT
from market.site import generator, unbroken
from market.site.language import Language

_LEAF: Final = re.compile(r"(?:apps|rules)/(?!index\.md$)[^/]+\.md")
_TOOLS: Final = ("mkdocs", "mkdocs-material", "Markdown", "pymdown-extensions", "Jinja2", "Pygments")
_SEARCH: Final = "search/search_index.json"
_SITEMAP: Final = "sitemap.xml"
_ADDRESS: Final = re.compile(r"    <url>\n         <loc>([^<]*)</loc>.*?</url>\n", re.S)


class UnmergeableError(Exception):
    """The two runs do not fit together; a whole run is needed."""


def render(language: Language, folder: Path, origin: str, epoch: int) -> None:
    """Render ``folder``/docs to ``folder``/html, where the HTML of the last run may still lie.

    Raises:
        MarketError: MkDocs failed or warned.
    """
    docs, html, stamp = folder / "docs", folder / "html", folder / "rendered.json"
    state = {"key": _key(language, origin, epoch), "pages": _digests(docs)}
    before = _read(stamp)
    stamp.unlink(missing_ok=True)
    if not (before.get("key") == state["key"] and html.is_dir() and _partly(language, folder, origin, epoch, before)):
        shutil.rmtree(html, ignore_errors=True)
        _run(language, docs, html, origin, epoch)
    write_atomic(stamp, json.dumps(state).encode())


def _partly(language: Language, folder: Path, origin: str, epoch: int, before: Mapping[str, Any]) -> bool:
    """Render what changed and keep the rest; false where that cannot be done, and then nothing was."""
    docs, html, part = folder / "docs", folder / "html", folder / "part"
    pages, earlier = _digests(docs), before["pages"]
    kept = {path for path in pages if _LEAF.fullmatch(path) and earlier.get(path) == pages[path]}
    if not kept or set(pages) != set(earlier):
        return False
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(docs, part / "docs", copy_function=os.link)
    for path in kept:
        (part / "docs" / path).unlink()
    try:
        _run(language, part / "docs", part / "html", origin, epoch)
        _merge(html, part / "html", {path.removesuffix(".md") + "/" for path in kept}, origin + language.root)
    except (MarketError, UnmergeableError):
        return False  # the whole run tells what is wrong, if something is
    shutil.rmtree(html)
    (part / "html").rename(html)
    shutil.rmtree(part)
    return True


def _run(language: Language, docs: Path, html: Path, origin: str, epoch: int) -> None:
    generator.run(language, docs, html, origin, epoch)
    unbroken.mark(html)


def _merge(old: Path, new: Path, kept: Collection[str], root: str) -> None:
    """Complete the HTML of a run over some pages with the kept pages of the run before."""
    search = merged_search(_text(old / _SEARCH), _text(new / _SEARCH), kept)
    sitemap = merged_sitemap(_text(old / _SITEMAP), _text(new / _SITEMAP), {root + address for address in kept})
    for address in kept:
        target = new / address / "index.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(old / address / "index.html", target)
    (new / _SEARCH).write_text(search, "utf-8")
    (new / _SITEMAP).write_text(sitemap, "utf-8")


def merged_search(old: str, new: str, kept: Collection[str]) -> str:
    """The search index of all pages: those in ``kept`` from the old one, the others from the new one.

    Raises:
        UnmergeableError: it is not written as expected, or has pages that the old one has not.
    """
    first, second = json.loads(old), json.loads(new)
    if _dumped(first) != old or _dumped(second) != new:
        raise UnmergeableError(_SEARCH)
    before, after = _by_page(first["docs"]), _by_page(second["docs"])
    if not set(after) <= set(before):
        raise UnmergeableError(_SEARCH)
    entries = [entry for page in before for entry in (before[page] if page in kept else after.get(page, ()))]
    return _dumped(second | {"docs": entries})


def merged_sitemap(old: str, new: str, kept: Collection[str]) -> str:
    """The sitemap of all pages, those in ``kept`` from the old one.

    Raises:
        UnmergeableError: it is not written as expected.
    """
    before = {match[1]: match[0] for match in _ADDRESS.finditer(old)}
    after = {match[1]: match[0] for match in _ADDRESS.finditer(new)}
    if not set(kept) <= set(before) or set(before) != set(after) | set(kept):
        raise UnmergeableError(_SITEMAP)
    head, tail = old.partition("    <url>\n")[0], old.rpartition("</url>\n")[2]
    return head + "".join(before[page] if page in kept else after[page] for page in before) + tail


def _by_page(entries: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        found.setdefault(entry["location"].partition("#")[0], []).append(entry)
    return found


def _dumped(index: Mapping[str, Any]) -> str:
    return json.dumps(index, separators=(",", ":"))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UnmergeableError(path.name) from error


def _digests(docs: Path) -> dict[str, str]:
    """Every page of Markdown with the hash of its bytes."""
    return {
        path.relative_to(docs).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(docs.rglob("*.md"))
    }


def _key(language: Language, origin: str, epoch: int) -> str:
    """What the HTML of a page depends on beside its Markdown."""
    facts = [sys.version, origin, str(epoch), language.code, *(f"{tool} {version(tool)}" for tool in _TOOLS)]
    own = [Path(__file__), Path(unbroken.__file__)]
    files = [*own, *sorted(PROJECT.glob("mkdocs*.yml")), *sorted((PROJECT / "theme").rglob("*"))]
    hashed = hashlib.sha256("\n".join(facts).encode())
    for path in files:
        if path.is_file():
            hashed.update(f"\n{path.relative_to(PROJECT)}\n".encode() + path.read_bytes())
    return hashed.hexdigest()


def _read(stamp: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(stamp.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
