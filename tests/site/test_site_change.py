"""One run of one report changes: exactly the pages that show it change, in both languages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from market.catalog import load
from market.site.build import write_pages
from market.site.kept import Kept
from market.site.language import LANGUAGES
from market.site.pages import Pages
from market.site.vega import Vega

# Every series is a row of these, whatever it measured.
EVERYWHERE = {
    "leaderboard.md", "leaderboard.csv", "leaderboard.json",  # the row, its place and the picture
    "hardware.md",  # the list of what was measured on the machine
}  # fmt: skip

APP = "llamacppqwen36a3bone"

# The series that speaks for its app: cited by write-ups, shown on the home page, another app's baseline.
SPEAKING = {
    f"apps/{APP}.md",
    "apps/index.md",
    "apps/llamacppqwen36a3bdflashone.md",  # compared with it
    "apps/llamacppqwen36abliteratedone.md",  # likewise
    "blog/posts/qwen36-a3b-dflash-upstream.md",
    "blog/posts/qwen36-a3b-vision-gpu-swap.md",
    "blog/posts/vram-gb-gib.md",
    "blog/posts/which-app-when.md",
    "claims.md",
    "compare.md",  # its comparison is among the examples
    "index.md",
    "llms.txt",
    "method.md",  # the example of an interval
}

# A later series of the same app, which two write-ups cite.
OTHER = {
    f"apps/{APP}.md",
    "blog/posts/qwen36-a3b-dflash-upstream.md",
    "blog/posts/qwen36-a3b-vision-gpu-swap.md",
    "claims.md",
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures and cards, drawn once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def before(root: Path, tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Mapping[str, bytes]:
    """All pages of the repository as it is."""
    return written(root, tmp_path_factory.mktemp("before"), cache)


def written(root: Path, docs: Path, cache: Path) -> Mapping[str, bytes]:
    """Every file of both languages; cards, whose names are hashes of what they show, under one name."""
    catalog, _ = load(root)
    for language in LANGUAGES:
        pages = Pages(catalog, language, artist=Vega(Kept(cache)), kept=Kept(cache))
        write_pages(pages, docs / language.code)
    files = [file for file in sorted(docs.rglob("*")) if file.is_file() and "cards" not in file.parts]
    return {file.relative_to(docs).as_posix(): file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("report", "old", "new", "cited"),
    [
        ("2026-05-24-space-invaders-262k", "243.44", "243.54", SPEAKING),
        ("2026-06-05-space-invaders-262k", "241.87", "241.97", OTHER),
    ],
)
def test_one_run_changes_the_pages_that_show_it(
    before: Mapping[str, bytes], root: Path, tmp_path: Path, cache: Path,
    report: str, old: str, new: str, cited: set[str],
) -> None:  # fmt: skip
    changed = tmp_path / "repository"
    shutil.copytree(root, changed)
    file = changed / "apps" / APP / "bench" / f"{report}.yaml"
    text, count = re.subn(rf"tokens_per_second: {old}\b", f"tokens_per_second: {new}", file.read_text("utf-8"))
    assert count == 1
    file.write_text(text, "utf-8")
    after = written(changed, tmp_path / "docs", cache)
    assert after.keys() == before.keys()
    found = {path for path in after if after[path] != before[path]}
    expected = {f"{language.code}/{path}" for language in LANGUAGES for path in EVERYWHERE | cited}
    assert found == expected | {f"fr/apps/{APP}/app.json"}, "the record for programs is in French's folder, the root"
