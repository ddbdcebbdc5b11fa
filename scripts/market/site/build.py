"""From catalog and authored pages to the site's files: Markdown first, then one MkDocs run a language."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from market import files
from market.catalog import Catalog
from market.errors import MarketError
from market.index import replies
from market.origin import UNKNOWN, Origin
from market.packaging import Package
from market.problem import Problem
from market.progress import Progress
from market.site import (
    authored,
    changes,
    claimed,
    combinations,
    csp,
    discovery,
    expressions,
    feeds,
    frontmatter,
    journal,
    lineage,
    links,
    rendering,
    richtext,
    rulebook,
)
from market.site.head import Head
from market.site.kept import Kept
from market.site.language import LANGUAGES
from market.site.markup import Page, Reader
from market.site.pages import Pages
from market.site.vega import Vega


def build_site(
    catalog: Catalog,
    out: Path,
    work: Path,
    epoch: int,
    progress: Progress,
    packages: Iterable[Package] = (),
    origin: Origin = UNKNOWN,
) -> None:
    """Write the site below ``out``, French at its root and English in en/; other files there stay.

    ``epoch`` is the only time the output depends on, in Unix seconds. ``work`` is for intermediate files; what an
    earlier build left there makes this one faster and changes nothing of its output.
    ``packages`` are the apps as rendered; without them no page says which known combinations touch an app,
    or what is served.
    ``origin`` is told by the status page.

    Raises:
        MarketError: MkDocs failed, a link is dead, or an authored page is wrong (the rules of family
            ``site`` find that first). ``out`` is as it was then.
    """
    packages, kept = tuple(packages), Kept(work / "cache")
    servings = combinations.servings(catalog, packages)
    status = replies.status(catalog, packages, origin)
    site, pages, reader = dict[str, Path](), dict[str, Page](), Reader(work / "cache" / "pages.json")
    with ExitStack() as running:  # MkDocs is a process of its own: it renders a language beside work on the other
        runs = []
        for language in LANGUAGES:
            folder = work / "site" / language.code
            with progress.step(f"write the {language.code} pages"):
                _empty(folder / "docs")
                head = write_pages(Pages(catalog, language, servings, status, Vega(kept), kept), folder / "docs")
            finish = running.enter_context(rendering.started(language, folder, catalog.market["origin"], epoch))
            runs.append((language, head, folder / "html", finish))
        with progress.step("render the pages with MkDocs"):
            for language, head, html, finish in runs:
                finish()
                _complete(head, html)
                own = {f"{language.root}{name}"[1:]: path for name, path in files.below(html).items()}
                site |= own
                pages |= reader.pages(own)
    with progress.step("follow every link of the site"):
        _read_over(site, pages, catalog.market["origin"], reader)
        reader.save()
    for name, path in site.items():
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _complete(head: Head, html: Path) -> None:
    """Add to the HTML of a language what MkDocs does not make, and drop what differs between machines."""
    (html / "sitemap.xml.gz").unlink(missing_ok=True)
    made = {name: text.encode() for name, text in feeds.files(journal.feed(head.written, html, head.pages)).items()}
    if head.pages.language.root == "/":
        icon = (html / "assets/favicon.svg").read_text("utf-8")
        robots = discovery.robots(head.pages.catalog.market["origin"])
        made |= discovery.icons(icon, head.pages.kept) | {"robots.txt": robots.encode()}
    files.write_tree(html, made)


def _read_over(site: Mapping[str, Path], pages: Mapping[str, Page], origin: str, reader: Reader) -> None:
    """Hold the finished pages against what every page of the site has to be.

    Raises:
        MarketError: a link is dead, or a page holds what the site's policy forbids.
    """
    faults = {
        "the site has dead links": links.dead(site, pages, origin=origin, reader=reader),
        "pages hold no scripts, but a script of an author's is in": csp.strangers(
            pages, [language.root for language in LANGUAGES]
        ),
        "the policy of the site forbids inline styles and handlers": csp.blocked(pages),
    }
    if any(faults.values()):
        told = ("\n".join([f"{what}:", *found[:40]]) for what, found in faults.items() if found)
        raise MarketError("\n".join(told))


def write_pages(pages: Pages, docs: Path) -> Head:
    """Write what MkDocs reads: authored pages filled in, generated pages, and the files beside them.

    Returns what the heads of the pages were made from.
    """
    own, problems = authored.read(pages.catalog.root, pages.language)
    found: list[Problem] = list(problems)
    texts: dict[str, str] = {}
    for path, text in own.pages.items():
        rendered, wrong = expressions.render(text, f"{own.folder}/{path}", pages)
        found.extend(wrong)
        if rendered is not None:
            texts[path] = frontmatter.quoted(rendered)
    if found:
        lines = [f"{problem.path}:{problem.line}: {problem.message}" for problem in found]
        raise MarketError("the authored pages cannot be rendered:\n" + "\n".join(lines))
    for generator_of in (Pages.all, claimed.pages_of, lineage.pages_of, rulebook.pages_of):
        texts |= generator_of(pages)
    head = Head(pages, texts, own.pages)
    dressed, drawn = head.dressed()
    dressed |= feeds.files(changes.feed(pages)) | {"llms.txt": discovery.llms(pages, texts, head.written)}
    written = {path: richtext.straight(text).encode() for path, text in dressed.items()}
    files.write_tree(docs, written | drawn | dict(own.companions))
    return head


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
