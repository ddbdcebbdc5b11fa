"""Family ``olares``: what the app may read and write (`permission`, `provider`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from market.catalog import Catalog
from market.objects import objects
from market.packaging import Package
from market.problem import Problem
from market.rules.olares_manifest import Manifest, platform_check, text_of
from market.rules.registry import declare, package_check
from market.scenario import Scenario, values
from market.workloads import pod

declare("olares.permission", "error", "A folder is used without its permission",
        why="The platform mounts a folder only for apps that ask for it; without the permission the path is "
            "empty and the installation is refused.",
        fix="Set the permission to true, or do not use the folder. (The platform's checker looks for `appdata` in "
            "lower case and not for `appCache`; for apps of this catalog the spellings in use count as well.)",
        source="Olares framework/oac checkPermissionTemplateUsage")  # fmt: skip
declare("olares.external-data", "error", "`permission.externalData` before form 0.12.0",
        why="Earlier forms do not have it, and the platform refuses the app.",
        fix="Remove it, or move to form 0.12.0.",
        source="Olares framework/oac validatePermission")  # fmt: skip
declare("olares.provider", "error", "`provider` in form 0.12.0",
        why="Access between apps is no longer granted this way, and the platform refuses the app.",
        fix="Remove it; let other apps call an entrance with `authLevel: internal`.",
        source="Olares framework/oac validatePermission, validateRootProvider")  # fmt: skip
declare("olares.user-data", "warning", "`permission.userData` names no folder below Home",
        why="The permission is a list of folders of the user's Home; anything else gives access to nothing.",
        fix="Write folders such as Home/Documents/.",
        source="Olares manifest documentation 0.12.0, permission.userData")  # fmt: skip
declare("olares.home-folder", "warning", "A Home folder is mounted without its permission",
        why="Each mounted folder below the user's Home must be named in `permission.userData` first.",
        fix="Add the folder to `permission.userData`.",
        source="Olares manifest documentation 0.12.0, permission.userData")  # fmt: skip

REFUSED: Final = {
    "appData": re.compile(r"\.Values\.userspace\.appdata"),
    "appCommon": re.compile(r"\.Values\.userspace\.appCommon"),
    "externalData": re.compile(r"\.Values\.sharedlib"),
}
"""What the platform's checker looks for in templates."""
USED: Final = {
    **REFUSED,
    "appData": re.compile(r"\.Values\.userspace\.app[dD]ata\b"),
    "appCache": re.compile(r"\.Values\.userspace\.appCache\b"),
}
"""What it would look for if it knew the spellings in use."""


@platform_check
def external_data(manifest: Manifest) -> Iterator[Problem]:
    """The permission is used in the form that has it."""
    if not manifest.is_modern and manifest.is_set("permission", "externalData"):
        at = ("permission", "externalData")
        message = f"`permission.externalData` in form {manifest.text('olaresManifest.version')}"
        yield manifest.problem("olares.external-data", *at, message=message, key=True)


@platform_check
def providers(manifest: Manifest) -> Iterator[Problem]:
    """Providers are used in forms that have them."""
    for path in (("provider",), ("permission", "provider")) if manifest.is_modern else ():
        if manifest.list(*path):
            message = f"`{'.'.join(path)}` in form {manifest.version}"
            yield manifest.problem("olares.provider", *path, message=message, key=True)


@platform_check
def user_data(manifest: Manifest) -> Iterator[Problem]:
    """User data is a list of folders below Home."""
    for index, folder in enumerate(manifest.list("permission", "userData")):
        if isinstance(folder, str) and not folder.lstrip("/").startswith("Home"):
            message = f"{folder!r} is not below Home"
            yield manifest.problem("olares.user-data", "permission", "userData", index, message=message)


def folders_used(
    manifest: Manifest, templates: Mapping[str, str], uses: Mapping[str, re.Pattern[str]]
) -> Iterator[Problem]:
    """Folders that templates use have their permission. ``templates`` are texts by the path that is shown."""
    for permission, use in uses.items():
        if manifest.is_set("permission", permission) or (permission == "externalData" and not manifest.is_modern):
            continue
        for path, text in sorted(templates.items()):
            match = use.search(text)
            if match and path.endswith(".yaml"):
                line = text.count("\n", 0, match.start()) + 1
                message = f"`permission.{permission}` is not true, but {path} uses {match[0]} on line {line}"
                yield manifest.problem("olares.permission", "permission", message=message, key=True)
                break


@package_check
def templates(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """The chart's own templates and its archetype's keep to the permissions."""
    app = package.app
    shown = {}
    for path, data in catalog.chart_files(app).items():
        if path.startswith("templates/"):
            own = f"chart/{path}" in app.files
            folder = f"{app.folder}/chart" if own else f"archetypes/{app.archetype}"
            shown[f"{folder}/{path}"] = data.decode("utf-8", "replace")
    yield from folders_used(Manifest(app.manifest_document), shown, USED)


@package_check
def home_folders(catalog: Catalog, package: Package) -> Iterator[Problem]:  # noqa: ARG001
    """Every Home folder that the rendered chart mounts is named in the manifest."""
    manifest = Manifest(package.app.manifest_document)
    granted = [text_of(folder).strip("/") for folder in manifest.list("permission", "userData")]
    seen: set[str] = set()
    for scenario, rendering in package.renderings.items():
        for path in _host_paths(rendering.documents):
            folder = _below_home(path, scenario, package.app.manifest)
            if folder is None or folder in seen or any(_within(folder, one) for one in granted):
                continue
            seen.add(folder)
            message = f"the chart mounts {folder}, which `permission.userData` does not name"
            yield manifest.problem("olares.home-folder", "permission", message=message, key=True)


def _below_home(path: str, scenario: Scenario, manifest: Mapping[str, Any]) -> str | None:
    home = values(manifest, scenario)["userspace"]["userData"]
    rest = path.removeprefix(home)
    return None if rest == path or rest[:1] not in ("", "/") else f"Home{rest}".strip("/")


def _within(folder: str, granted: str) -> bool:
    return folder == granted or folder.startswith(f"{granted}/")


def _host_paths(documents: Mapping[str, str]) -> Iterator[str]:
    for template, text in documents.items():
        for found in filter(None, map(pod, objects(template, text))):
            for volume in found.host_volumes:
                yield volume.text("hostPath", "path")
