"""Family ``olares``: the folder of an app outside this catalog's form, as pull requests to beclab/apps have it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from market.problem import Problem
from market.rules import layout
from market.rules.olares_manifest import Manifest, text_of
from market.rules.registry import declare, problem
from market.source import SourceFile, decode
from market.yamldoc import Document, parse

declare("olares.folder-name", "error", "A folder name that Olares refuses",
        why="The name is the app's name: part of addresses, namespaces and file names.",
        fix="Use 1 to 30 lower-case letters and digits.",
        source="Olares framework/oac CheckLayout")  # fmt: skip
declare("olares.folder-digit", "warning", "A folder name that starts with a digit",
        why="The checker lets it through, but the documentation asks for a letter first: Services and other "
            "objects named after the app must start with one.",
        fix="Put a letter first.",
        source="Olares manifest documentation 0.12.0, metadata.name")  # fmt: skip
declare("olares.chart-fields", "error", "Chart.yaml without apiVersion, name or version",
        why="The platform reads these three before anything else.",
        fix="Add the field.",
        source="Olares framework/oac validateChartFields")  # fmt: skip
declare("olares.chart-type", "warning", "`type` in a Chart.yaml of apiVersion v1",
        why="Helm's first chart form has no types; `helm lint` refuses the chart.",
        fix="Write `apiVersion: v2` in Chart.yaml.",
        source="helm lint")  # fmt: skip
declare("olares.owners", "warning", "An owners file that names nobody",
        why="Pull requests are merged without a person only when the file lists who opened them.",
        fix="Write a list: `owners:` and below it `- github-user`.",
        source="beclab/apps README, owners")  # fmt: skip
declare("olares.removed-app", "warning", "A folder that is removed and not removed",
        why="`.remove` retires the name for ever; the other files beside it would be ignored.",
        fix="Delete the other files, or delete .remove.",
        source="beclab/apps README, removing an app")  # fmt: skip
declare("olares.sub-chart-folder", "error", "A sub-chart without its folder",
        why="Each sub-chart of apiVersion v2 is rendered from a folder of its name beside the manifest.",
        fix="Add the folder with a chart in it, or correct the name in `spec.subCharts`.",
        source="Olares framework/oac renderAllSubCharts")  # fmt: skip
declare("olares.locale-texts", "advice", "Declared and existing languages differ",
        why="A language without texts falls back on the device in silence, and texts nobody declared are not "
            "shown.",
        fix="Add i18n/<locale>/OlaresManifest.yaml, or change `spec.locale`.",
        source="Olares manifest documentation 0.12.0, i18n")  # fmt: skip
declare("olares.not-rendered", "advice", "Rendered objects are not judged here",
        why="Rules on workloads, images and volumes need the templates rendered by an app of this catalog's form.",
        fix="Nothing is wrong; `olares-cli chart lint` judges them.")  # fmt: skip

REQUIRED: Final = ("Chart.yaml", "values.yaml", "OlaresManifest.yaml")
_NAME: Final = re.compile(r"[a-z0-9]{1,30}")


@dataclass(frozen=True)
class Folder:
    """An app's folder with its files by their path in it, and Chart.yaml where that can be read."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)
    chart: Document | None = field(repr=False)

    @property
    def is_removed(self) -> bool:
        """Whether the folder only keeps the name of an app that is gone."""
        return ".remove" in self.files

    @property
    def has_templates(self) -> bool:
        """Whether the chart is here, and not only its texts."""
        return any(path.startswith("templates/") for path in self.files)


def judge(folder: Folder, with_templates: bool) -> Iterator[Problem]:
    """Judge a folder by itself; ``with_templates`` says whether its neighbours have templates/."""
    if folder.is_removed:
        if len(folder.files) > 1:
            message = f"{len(folder.files) - 1} files beside .remove"
            yield problem("olares.removed-app", f"{folder.name}/.remove", message=message)
        return
    yield from _name(folder)
    required = (*REQUIRED, "templates/") if with_templates else REQUIRED
    for path in required:
        if not any(file == path or (path.endswith("/") and file.startswith(path)) for file in folder.files):
            yield problem("layout.missing-file", f"{folder.name}/{path}", message=f"{path} is missing")
    yield from _chart(folder)
    yield from _owners(folder)


def judge_with(folder: Folder, manifest: Manifest) -> Iterator[Problem]:
    """Judge what folder and manifest say of each other."""
    yield from _names(folder, manifest)
    yield from _locales(folder, manifest)
    if folder.has_templates and manifest.api == "v2":
        for index, chart in manifest.entries("spec", "subCharts"):
            name = text_of(chart.get("name"))
            if name and f"{name}/Chart.yaml" not in folder.files:
                message = f"there is no {folder.name}/{name}/Chart.yaml"
                at = ("spec", "subCharts", index, "name")
                yield manifest.problem("olares.sub-chart-folder", *at, message=message)


def _name(folder: Folder) -> Iterator[Problem]:
    if not _NAME.fullmatch(folder.name):
        message = f"{folder.name!r} has {len(folder.name)} characters" if len(folder.name) > 30 else (
            f"{folder.name!r} holds more than lower-case letters and digits")  # fmt: skip
        yield problem("olares.folder-name", folder.name, message=message)
    elif folder.name[0].isdigit():
        yield problem("olares.folder-digit", folder.name, message=f"{folder.name!r} starts with a digit")
    if folder.name.lower() in layout.RESERVED:
        yield problem("layout.reserved-name", folder.name, message=f"`{folder.name}` is reserved")


def _chart(folder: Folder) -> Iterator[Problem]:
    if folder.chart is None:
        return
    for key in ("apiVersion", "name", "version"):
        if not text_of(folder.chart.get(key)):
            yield folder.chart.problem("olares.chart-fields", key, message=f"no `{key}`")
    if folder.chart.get("apiVersion") == "v1" and folder.chart.get("type") is not None:
        message = "`type` in a chart of apiVersion v1"
        yield folder.chart.problem("olares.chart-type", "type", message=message, key=True)


def _owners(folder: Folder) -> Iterator[Problem]:
    data = folder.files.get("owners")
    if data is None:
        return
    text, _ = decode(SourceFile(f"{folder.name}/owners", data))
    document = parse(text)[0] if text else None
    owners = document.get("owners") if document else None
    if not isinstance(owners, list) or not owners or not all(isinstance(one, str) and one for one in owners):
        yield problem("olares.owners", f"{folder.name}/owners", message="no list of names under `owners`")


def _names(folder: Folder, manifest: Manifest) -> Iterator[Problem]:
    for document, path in ((folder.chart, ("name",)), (manifest.document, ("metadata", "name"))):
        found = text_of(document.get(*path)) if document else ""
        if document and found and found != folder.name:
            message = f"`{'.'.join(path)}` is {found}, the folder is {folder.name}"
            yield document.problem("layout.name", *path, message=message)
    version = manifest.text("metadata", "version")
    stated = text_of(folder.chart.get("version")) if folder.chart else ""
    if version and stated and version != stated:
        message = f"`metadata.version` is {version}, Chart.yaml says {stated}"
        yield manifest.problem("layout.version", "metadata", "version", message=message)


def _locales(folder: Folder, manifest: Manifest) -> Iterator[Problem]:
    declared = [tag for tag in manifest.list("spec", "locale") if isinstance(tag, str)]
    parts = (path.split("/") for path in folder.files)
    existing = {part[1] for part in parts if part[0] == "i18n" and part[2:] == ["OlaresManifest.yaml"]}
    if not existing:
        return
    for index, tag in enumerate(manifest.list("spec", "locale")):
        if isinstance(tag, str) and tag not in existing:
            message = f"{tag} has no i18n/{tag}/OlaresManifest.yaml"
            yield manifest.problem("olares.locale-texts", "spec", "locale", index, message=message)
    for tag in sorted(existing - set(declared)):
        message = f"{tag} is not in `spec.locale` of the manifest"
        yield problem("olares.locale-texts", f"{folder.name}/i18n/{tag}/OlaresManifest.yaml", message=message)
