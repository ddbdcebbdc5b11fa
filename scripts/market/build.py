"""From a sound catalog to dist/: index, charts, icons and site, put in place together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from market import files
from market.check import Checked, check
from market.errors import MarketError
from market.index import moment
from market.index.replies import replies
from market.origin import UNKNOWN, Origin
from market.paths import PROJECT
from market.progress import Progress
from market.selfcheck import read_back
from market.site.build import build_site
from market.site.csp import script_hashes
from market.site.markup import Reader

HEADERS = PROJECT / "worker" / "headers.txt"


@dataclass(frozen=True)
class Built:
    """The outcome of a build: the check it rests on, and whether dist/ was written."""

    checked: Checked
    written: bool


def build(root: Path, out: Path, work: Path, progress: Progress, site: bool = True, origin: Origin = UNKNOWN) -> Built:
    """Check the catalog and, when it is sound, write everything that is served to ``out``.

    ``work`` is a folder for intermediate files. ``origin`` is told by the status reply and page only.
    On any problem, error or interruption ``out`` stays as it was.

    Raises:
        MarketError: a fault of ours or of the environment.
    """
    checked = check(root, progress)
    if not checked.is_sound:
        return Built(checked, False)
    with files.replaced_folder(out) as fresh:
        with progress.step("write the index"):
            files.write_tree(fresh, replies(checked.catalog, checked.packages, origin))
        with progress.step("read the index back as a device would"):
            read_back(fresh)
        if site:
            _site(checked, fresh, work, progress, origin)
        _headers(fresh, work)
    return Built(checked, True)


def _site(checked: Checked, fresh: Path, work: Path, progress: Progress, origin: Origin) -> None:
    epoch = moment.newest_milliseconds(checked.catalog) // 1000
    build_site(checked.catalog, fresh, work, epoch, progress, checked.packages, origin)


def _headers(fresh: Path, work: Path) -> None:
    """Write ``_headers`` with the hashes of the site's inline scripts in its Content-Security-Policy."""
    try:
        template = HEADERS.read_text("utf-8")
    except OSError as error:
        raise MarketError(f"cannot read {HEADERS.name}: {error.strerror}") from error
    pages = Reader(work / "cache" / "pages.json").below(fresh)
    hashes = " ".join(f"'sha256-{hash}'" for hash in script_hashes(pages.values()))
    (fresh / "_headers").write_text(template.replace("{{script_hashes}}", hashes), "utf-8")
