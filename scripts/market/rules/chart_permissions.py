"""Family ``chart``: folders that a chart mounts, and folders that its manifest asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from market.catalog import Catalog
from market.objects import mapping
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, each_view
from market.rules.registry import declare, package_check
from market.scenario import APP_CACHE, APP_COMMON, APP_DATA, SHARED_LIBRARY

declare("chart.folder-permission", "error", "A folder is mounted without its permission",
        why="Olares gives a chart only the folders that its manifest asks for; the path would be empty. The text "
            "scan of templates does not see folders that come from a helper or a variable; this rule does.",
        fix="Set the permission to true in the manifest, or do not mount the folder.",
        source="Olares framework/oac checkPermissionTemplateUsage")  # fmt: skip
declare("chart.unused-permission", "advice", "A permission for a folder that is not used",
        why="Users see what an app asks for; it should ask for no more than it uses.",
        fix="Set the permission to false, or remove it.",
        source="this catalog")  # fmt: skip

FOLDERS = {"appData": APP_DATA, "appCache": APP_CACHE, "appCommon": APP_COMMON, "externalData": SHARED_LIBRARY}
_PLAIN = {
    "appData": re.compile(r"\.Values\.userspace\.app[dD]ata\b"),
    "appCache": re.compile(r"\.Values\.userspace\.appCache\b"),
    "appCommon": re.compile(r"\.Values\.userspace\.appCommon\b"),
    "externalData": re.compile(r"\.Values\.sharedlib\b"),
}
"""What the text scan knows; it reads templates named .yaml."""


@package_check
def folders(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Mounted folders and permissions agree."""
    yield from each_view(catalog, package, mounted)
    texts = [text for rendering in package.renderings.values() for text in rendering.documents.values()]
    document = package.app.manifest_document
    if any(rendering.error for rendering in package.renderings.values()):
        return
    for permission, folder in FOLDERS.items():
        if document.get("permission", permission) is True and not any(folder in text for text in texts):
            message = f"`permission.{permission}` is true, but nothing in the chart uses the folder"
            yield document.problem("chart.unused-permission", "permission", permission, message=message, key=True)


def mounted(subject: Subject, view: View) -> Iterator[Finding]:
    """Host folders below one that Olares gives have its permission."""
    granted = mapping(subject.manifest.get("permission"))
    for found in view.pods:
        for volume in found.host_volumes:
            path = volume.text("hostPath", "path")
            for permission, folder in FOLDERS.items():
                is_inside = path == folder or path.startswith(f"{folder}/")
                if is_inside and granted.get(permission) is not True and not _is_scanned(subject, permission):
                    message = f"`permission.{permission}` is not true, but volume {volume.name} lies in this folder"
                    document = subject.app.manifest_document
                    yield at_document("chart.folder-permission", document, "permission", message=message, key=True)


def _is_scanned(subject: Subject, permission: str) -> bool:
    """Whether the text scan reports it: the rule `olares.permission` does."""
    return any(
        path.endswith(".yaml") and _PLAIN[permission].search(data.decode("utf-8", "replace"))
        for path, data in subject.catalog.chart_files(subject.app).items()
        if path.startswith("templates/")
    )
