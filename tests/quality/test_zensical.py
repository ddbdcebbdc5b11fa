"""The prepared pages also build with Zensical: the same pages, which lead to the same places.

Material for MkDocs ends in May 2027. The pages that the build writes are plain Markdown, and this test keeps
them, the theme and the configuration within what its successor reads.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from market.paths import PROJECT
from market.site import links
from market.site.generator import CONFIGURATIONS
from market.site.language import LANGUAGES, Language
from market.site.markup import read

ORIGIN = "https://market.example"

# Where a page leads in only one of the two, by the pattern of the target, and why.
ONLY_MKDOCS: Mapping[str, str] = {
    r"^(/en)?/assets/(stylesheets|javascripts)/": "each brings its own style sheets and scripts",
}
ONLY_ZENSICAL: Mapping[str, str] = {
    r"^(/en)?/assets/(stylesheets|javascripts)/": "each brings its own style sheets and scripts",
    r"#__skip$": "the link over the header aims at a mark of its own, not at the first heading",
    r"^/blog/archive/": "the home page names a list of write-ups as the page before it (`rel=prev`)",
    r"^/blog/posts/": "a Markdown link to a write-up keeps the address of its file (Zensical 0.0.73)",
}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_zensical_builds_the_same_pages_with_the_same_links(site: Path, tmp_path: Path, language: Language) -> None:
    code, ours = language.code, site.parent / "work" / "site" / language.code
    project = tmp_path / "project"  # Zensical wants the output below the folder of its configuration
    shutil.copytree(ours / "docs", project / "docs")
    shutil.copytree(PROJECT / "theme", project / "theme")
    for configuration in CONFIGURATIONS.values():
        shutil.copy(PROJECT / configuration, project)
    done = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--config-file", CONFIGURATIONS[code]],
        cwd=project, capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | {
            "MARKET_SITE_DOCS": "docs", "MARKET_SITE_URL": ORIGIN + language.root, "MARKET_SITE_ORIGIN": ORIGIN,
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    mkdocs, zensical = targets(ours / "html"), targets(project / "site")
    assert set(mkdocs) == set(zensical)
    assert len(mkdocs) > 100
    missing = {page: unexplained(mkdocs[page] - zensical[page], ONLY_MKDOCS) for page in mkdocs}
    further = {page: unexplained(zensical[page] - mkdocs[page], ONLY_ZENSICAL) for page in mkdocs}
    assert {page: found for page, found in missing.items() if found} == {}
    assert {page: found for page, found in further.items() if found} == {}


def targets(site: Path) -> dict[str, set[str]]:
    """Where each page leads inside the site, by its name; the anchor stays."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        name = "/" + path.relative_to(site).as_posix()
        inside = [link for link, _ in read(path.read_text("utf-8")).links if not re.match(r"[a-z]+:|//", link)]
        found[name] = {folder(links.target(name, link)) for link in inside} - {folder(name)}
    return found


def folder(address: str) -> str:
    return re.sub(r"/index\.html(?=#|$)", "/", address)


def unexplained(found: set[str], known: Mapping[str, str]) -> set[str]:
    return {link for link in found if not any(re.search(pattern, link) for pattern in known)}
