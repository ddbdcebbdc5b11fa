"""MkDocs on the pages of a language, and only on those that can have changed since the last run.

The HTML of a page follows from its own Markdown, the theme, the configuration with its menu, and the tools; in the
journal also from the other pages there, which it lists. What is as it was keeps the HTML that it had. MkDocs gets
all else, and of the kept pages a stub for the menu, its links and their anchors. Pages of apps and of rules stand in
no menu and need none. The search index and the sitemap, which name every page, are put together from both runs.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from market.errors import MarketError
from market.files import link, write_atomic
from market.paths import PROJECT
from market.site import frontmatter, generator, unbroken
from market.site.language import Language

_LEAF: Final = re.compile(r"(?:apps|rules)/(?!index\.md$)[^/]+\.md")
_JOURNAL: Final = "blog/"
_ID: Final = re.compile(r'\bid="([^"]+)"')
_TOOLS: Final = ("mkdocs", "mkdocs-material", "Markdown", "pymdown-extensions", "Jinja2", "Pygments")
_SEARCH: Final = "search/search_index.json"
_SITEMAP: Final = "sitemap.xml"
_ADDRESS: Final = re.compile(r"    <url>\n         <loc>([^<]*)</loc>.*?</url>\n", re.S)


class UnmergeableError(Exception):
    """The two runs do not fit together; a whole run is needed."""


@dataclass(frozen=True, slots=True)
class _Job:
    """Render ``folder``/docs to ``folder``/html, where the HTML of the last run may still lie."""

    language: Language
    folder: Path
    origin: str
    epoch: int

    @property
    def docs(self) -> Path:
        """Where the pages are."""
        return self.folder / "docs"

    @property
    def html(self) -> Path:
        """Where their HTML belongs."""
        return self.folder / "html"

    @property
    def part(self) -> Path:
        """Where a run over some of them takes place."""
        return self.folder / "part"

    def running(self, docs: Path, html: Path) -> AbstractContextManager[Callable[[], None]]:
        """A run of MkDocs."""
        templates = self.folder / "templates"
        templates.mkdir(exist_ok=True)
        return generator.running(self.language, docs, html, self.origin, self.epoch, templates)


@contextmanager
def started(language: Language, folder: Path, origin: str, epoch: int) -> Iterator[Callable[[], None]]:
    """Start to render ``folder``/docs; what is yielded waits for the end and completes ``folder``/html.

    Raises:
        MarketError: MkDocs failed or warned.
    """
    job, stamp = _Job(language, folder, origin, epoch), folder / "rendered.json"
    pages, key = _digests(job.docs), _key(language, origin, epoch)
    before = _read(stamp)
    stamp.unlink(missing_ok=True)
    kept = _unchanged(pages, before["pages"]) if before.get("key") == key else frozenset()
    with _over_some(job, kept) if _is_laid_out(job, kept) else _over_all(job) as complete:

        def finish() -> None:
            complete()
            write_atomic(stamp, json.dumps({"key": key, "pages": pages}).encode())

        yield finish


@contextmanager
def _over_all(job: _Job) -> Iterator[Callable[[], None]]:
    shutil.rmtree(job.html, ignore_errors=True)
    with job.running(job.docs, job.html) as ended:

        def complete() -> None:
            ended()
            unbroken.mark(job.html)

        yield complete


@contextmanager
def _over_some(job: _Job, kept: Collection[str]) -> Iterator[Callable[[], None]]:
    html = job.part / "html"
    with job.running(job.part / "docs", html) as ended:

        def complete() -> None:
            try:
                ended()
                unbroken.mark(html)
                _merge(job.html, html, _addresses(kept, job.html), job.origin + job.language.root)
            except (MarketError, UnmergeableError):
                with _over_all(job) as complete_all:  # which tells what is wrong, if something is
                    complete_all()
            else:
                shutil.rmtree(job.html)
                html.rename(job.html)
                shutil.rmtree(job.part)

        yield complete


def _is_laid_out(job: _Job, kept: Collection[str]) -> bool:
    """Lay out for MkDocs what changed and stubs of the rest; false where nothing can be kept."""
    shutil.rmtree(job.part, ignore_errors=True)
    if not kept:
        return False
    shutil.copytree(job.docs, job.part / "docs", copy_function=link)
    try:
        for path in kept:
            (job.part / "docs" / path).unlink()
            if not _LEAF.fullmatch(path):
                (job.part / "docs" / path).write_text(_stub(job, path), "utf-8")
    except UnmergeableError:
        return False
    return True


def _unchanged(pages: Mapping[str, str], earlier: Mapping[str, str]) -> frozenset[str]:
    """The pages whose HTML is as it was, by their paths below docs/; none where pages came or went.

    A page of the journal shows others of them, so these are kept together or not at all.
    """
    if set(pages) != set(earlier):
        return frozenset()
    same = frozenset(path for path in pages if earlier[path] == pages[path])
    journal = {path for path in pages if path.startswith(_JOURNAL)}
    return same if journal <= same else same - journal


def _stub(job: _Job, path: str) -> str:
    """What MkDocs needs of a kept page: the front matter, and the anchors that other pages link to.

    Raises:
        UnmergeableError: its HTML is not there.
    """
    # Where a write-up lies says its front matter, and only kept pages link to a part of one.
    anchors = [] if path.startswith(_JOURNAL) else _ID.findall(_text(job.html / _address(path) / "index.html"))
    front = frontmatter.alone(_text(job.docs / path))
    marks = "".join(f'\n<a id="{anchor}"></a>\n' for anchor in anchors)
    return frontmatter.extended(front, {"template": "stub.html"}) + marks


def _addresses(kept: Collection[str], html: Path) -> set[str]:
    """Where the HTML of kept pages lies below html/; the journal has more pages than files of Markdown."""
    found = {_address(path) for path in kept if not path.startswith(_JOURNAL)}
    if any(path.startswith(_JOURNAL) for path in kept):
        found |= {f"{page.parent.relative_to(html).as_posix()}/" for page in (html / _JOURNAL).rglob("index.html")}
    return found


def _address(path: str) -> str:
    return path.removesuffix("index.md") if path.endswith("index.md") else path.removesuffix(".md") + "/"


def _merge(old: Path, new: Path, kept: Collection[str], root: str) -> None:
    """Complete the HTML of a run over some pages with the kept pages of the run before.

    Raises:
        UnmergeableError: the two do not fit together.
    """
    search = merged_search(_text(old / _SEARCH), _text(new / _SEARCH), kept)
    sitemap = merged_sitemap(_text(old / _SITEMAP), _text(new / _SITEMAP), {root + address for address in kept})
    for address in kept:
        target = new / address / "index.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # of a stub
        try:
            link(old / address / "index.html", target)
        except FileNotFoundError as error:
            raise UnmergeableError(address) from error
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
