"""From catalog and authored pages to the site's files: Markdown first, then one MkDocs run a language."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from market.catalog import Catalog
from market.errors import MarketError
from market.packaging import Package
from market.problem import Problem
from market.progress import Progress
from market.serving import Serving
from market.site import authored, claimed, combinations, csp, expressions, generator, lineage, links, rulebook
from market.site.language import LANGUAGES, Language
from market.site.pages import Pages


def build_site(
    catalog: Catalog,
    ledger: Mapping[str, Mapping[str, Any]],
    out: Path,
    work: Path,
    epoch: int,
    progress: Progress,
    packages: Iterable[Package] = (),
) -> None:
    """Write the site below ``out``, French at its root and English in en/; other files there stay.

    ``ledger`` maps ``name@version`` to sha256, size in bytes and time of release. ``epoch`` is the only
    time the output depends on, in Unix seconds. ``work`` is for intermediate files. ``packages`` are the
    apps as rendered; without them no page says which known combinations touch an app.

    Raises:
        MarketError: MkDocs failed, a link is dead, or an authored page is wrong (the rules of family
            ``site`` find that first).
    """
    finished = work / "site" / "all"
    _empty(finished)
    servings = combinations.servings(catalog, packages)
    for language in LANGUAGES:
        folder = work / "site" / language.code
        with progress.step(f"write the {language.code} pages"):
            _empty(folder)
            write_pages(catalog, ledger, language, folder / "docs", servings)
        with progress.step(f"render the {language.code} pages with MkDocs"):
            generator.run(language, folder / "docs", folder / "html", catalog.market["origin"], epoch)
            shutil.copytree(folder / "html", finished / language.root.strip("/"), dirs_exist_ok=True)
    with progress.step("follow every link of the site"):
        _tidy(finished, catalog.market["origin"])
        if faults := links.dead(finished):
            raise MarketError("the site has dead links:\n" + "\n".join(faults[:40]))
        if pages := csp.strangers(finished, [language.root for language in LANGUAGES]):
            raise MarketError(f"a script of an author's is in {', '.join(pages)}; pages hold no scripts")
    shutil.copytree(finished, out, dirs_exist_ok=True)


def write_pages(
    catalog: Catalog,
    ledger: Mapping[str, Mapping[str, Any]],
    language: Language,
    docs: Path,
    servings: Mapping[str, Serving] | None = None,
) -> None:
    """Write what MkDocs reads: authored pages filled in, generated pages, and the files beside them."""
    pages = Pages(catalog, ledger, language, servings or {})
    own, problems = authored.read(catalog.root, language)
    found: list[Problem] = list(problems)
    texts: dict[str, str] = {}
    for path, text in own.pages.items():
        rendered, wrong = expressions.render(text, f"{own.folder}/{path}", pages)
        found.extend(wrong)
        if rendered is not None:
            texts[path] = rendered
    if found:
        lines = [f"{problem.path}:{problem.line}: {problem.message}" for problem in found]
        raise MarketError("the authored pages cannot be rendered:\n" + "\n".join(lines))
    for generator_of in (Pages.all, claimed.pages_of, lineage.pages_of, rulebook.pages_of):
        texts |= generator_of(pages)
    everything = {path: text.encode() for path, text in texts.items()} | dict(own.companions)
    for path, data in sorted(everything.items()):
        target = docs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _tidy(site: Path, origin: str) -> None:
    """Drop what differs between machines, and tell crawlers where the two sitemaps are."""
    for compressed in site.rglob("sitemap.xml.gz"):
        compressed.unlink()
    sitemaps = "".join(f"Sitemap: {origin}{language.root}sitemap.xml\n" for language in LANGUAGES)
    (site / "robots.txt").write_text(f"User-agent: *\nAllow: /\n\n{sitemaps}", "utf-8")


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
