"""From a sound catalog to dist/: index, charts, icons and site, put in place together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from market import files
from market.check import Checked, check
from market.errors import MarketError
from market.index import moment
from market.index.replies import replies
from market.paths import PROJECT
from market.progress import Progress
from market.selfcheck import read_back
from market.site.build import build_site
from market.site.csp import script_hashes

HEADERS = PROJECT / "worker" / "headers.txt"
ICON = PROJECT / "docs" / "market.png"


@dataclass(frozen=True)
class Built:
    """The outcome of a build: the check it rests on, and whether dist/ was written."""

    checked: Checked
    written: bool


def build(root: Path, out: Path, work: Path, progress: Progress, site: bool = True) -> Built:
    """Check the catalog and, when it is sound, write everything that is served to ``out``.

    ``work`` is a folder for intermediate files. On any problem, error or interruption ``out`` stays as
    it was.

    Raises:
        MarketError: a fault of ours or of the environment.
    """
    checked = check(root, progress)
    if not checked.is_sound:
        return Built(checked, False)
    with files.replaced_folder(out) as fresh:
        with progress.step("write the index"):
            files.write_tree(fresh, replies(checked.catalog, checked.packages))
        with progress.step("read the index back as a device would"):
            read_back(fresh)
        if site:
            _site(checked, fresh, work, progress)
        _headers(fresh)
    return Built(checked, True)


def _site(checked: Checked, fresh: Path, work: Path, progress: Progress) -> None:
    epoch = moment.newest_milliseconds(checked.catalog) // 1000
    ledger = {
        key: {
            "sha256": release.sha256,
            "size": release.size,
            "released": release.released,
            "withdrawn": release.withdrawn,
        }
        for key, release in checked.catalog.ledger.releases.items()
    }
    build_site(checked.catalog, ledger, fresh, work, epoch, progress, checked.packages)


def _headers(fresh: Path) -> None:
    """Write ``_headers`` with the hashes of the site's inline scripts in its Content-Security-Policy."""
    try:
        template = HEADERS.read_text("utf-8")
    except OSError as error:
        raise MarketError(f"cannot read {HEADERS.name}: {error.strerror}") from error
    hashes = " ".join(f"'sha256-{hash}'" for hash in script_hashes(fresh))
    (fresh / "_headers").write_text(template.replace("{{script_hashes}}", hashes), "utf-8")
