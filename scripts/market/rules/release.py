"""Family ``release``: bytes that a device may have kept never change under their version."""

from __future__ import annotations

from collections.abc import Iterator

from market.catalog import Catalog
from market.ledger import FILE
from market.packaging import Package
from market.problem import Problem
from market.rules.registry import catalog_check, declare, package_check, problem

declare("release.unrecorded", "error", "A version that the ledger does not know",
        why="Without an entry nobody can prove which bytes were released, and when.",
        fix="Run `market bump NAME --keep`, which records this version; commit releases.json.")  # fmt: skip
declare("release.changed", "error", "The chart changed under a released version",
        why="Devices keep the first bytes they saw of a version for ever; they never see this change.",
        fix="Run `market bump NAME`: it raises the version and records it.",
        source="beclab/Olares issue 3369")  # fmt: skip
declare("release.withdrawn", "error", "A withdrawn version is listed",
        why="The ledger says that nobody should install it.",
        fix="Bump the app, or set its status to withdrawn.")  # fmt: skip
declare("release.gone", "error", "A released app has no folder",
        why="Devices that have it installed would find nothing; an app is withdrawn, not deleted.",
        fix="Restore the folder and set `status: withdrawn` with a reason.")  # fmt: skip


@package_check
def immutable(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """The chart equals what the ledger recorded for its version."""
    app, archive = package.app, package.archive
    if not app.is_listed:
        return
    release = catalog.ledger.find(app.name, app.version)
    known = f"{app.name} {app.version}"
    if release is None:
        message, fix = f"{known} is not in {FILE}", f"Run `market bump {app.name} --keep` and commit {FILE}."
        yield app.chart_document.problem("release.unrecorded", "version", message=message, fix=fix)
    elif release.tar_sha256 != archive.tar_sha256:
        message = f"the chart's content differs from {known} as released on {release.released[:10]}"
        fix = f"Run `market bump {app.name}`."
        yield app.chart_document.problem("release.changed", "version", message=message, fix=fix)
    elif release.withdrawn is not None:
        message = f"{known} was withdrawn: {release.withdrawn}"
        yield app.chart_document.problem("release.withdrawn", "version", message=message)


@catalog_check
def nothing_erased(catalog: Catalog) -> Iterator[Problem]:
    """Every app of the ledger still has its folder."""
    present = {*(app.name for app in catalog.apps), *(app.name for app in catalog.shelved), *catalog.broken}
    for name in sorted({release.name for release in catalog.ledger.releases.values()} - present):
        yield problem("release.gone", FILE, message=f"{name} was released, but apps/{name}/ is gone")
