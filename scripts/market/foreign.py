"""Checking apps outside this catalog's form: a folder of Olares apps, as beclab/apps has them.

Each app is a folder with OlaresManifest.yaml, Chart.yaml, values.yaml and i18n/ in it, and its manifest may
be of any form that the platform still reads. It is judged by what the platform demands of that form, not by
what this catalog demands of its own apps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from market import legacy, schema
from market.helm import render_all
from market.legacy import Render
from market.problem import Problem, Severity, has_errors, in_order
from market.rules import olares, olares_folder, olares_manifest, olares_permissions
from market.rules.olares_environment import references
from market.rules.olares_folder import Folder
from market.rules.olares_form import template_syntax
from market.rules.olares_manifest import Manifest
from market.rules.registry import problem
from market.semver import Version, parse_version
from market.source import SourceFile, SourceText, decode, scan
from market.yamldoc import Document, parse

MANIFEST: Final = "OlaresManifest.yaml"
TOLERATED: Final = frozenset({
    "yaml.alias", "yaml.tag", "yaml.duplicate-key", "yaml.key", "yaml.too-deep", "layout.file-too-large",
    "layout.too-many-files",
})  # fmt: skip
"""What this catalog refuses and the platform does not mind."""


@dataclass(frozen=True)
class Judged:
    """What was found; ``sources`` are the texts that problems stand in, for excerpts."""

    root: Path
    apps: tuple[str, ...]
    problems: tuple[Problem, ...]
    sources: Mapping[str, str] = field(repr=False)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is an error."""
        return not has_errors(self.problems)


def holds_apps(root: Path) -> bool:
    """Whether a folder is one of Olares apps and not a catalog of this form."""
    return not (root / "apps").is_dir() and any(_app_names(root))


def check(root: Path, render: Render = render_all) -> Judged:
    """Read and judge every app directly below ``root``; ``render`` renders manifests of earlier forms.

    Raises:
        MarketError: the Helm engine cannot be started.
    """
    reader = _Reader(root)
    folders = tuple(reader.folder(name) for name in _app_names(root))
    with_templates = any(folder.has_templates for folder in folders)
    problems = [_not_rendered(with_templates)] if folders else []
    for folder in folders:
        problems += olares_folder.judge(folder, with_templates)
    present = [folder for folder in folders if not folder.is_removed]
    for folder, manifests in reader.manifests(present, render):
        problems += _over_owners({owner: tuple(_judge(folder, one)) for owner, one in manifests.items()})
    names = tuple(folder.name for folder in folders)
    return Judged(root, names, in_order([*reader.problems, *problems]), MappingProxyType(reader.sources))


def _app_names(root: Path) -> Iterator[str]:
    """Folders with a manifest, a chart, or the note that their app is gone."""
    for path in sorted(root.iterdir()):
        if path.name.startswith(".") or path.is_symlink() or not path.is_dir():
            continue
        if any((path / name).exists() for name in (MANIFEST, "Chart.yaml", ".remove")):
            yield path.name


class _Reader:
    """Reads the files of apps, collecting texts and problems as it goes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[Problem] = []
        self.sources: dict[str, str] = {}

    def folder(self, name: str) -> Folder:
        """Read an app's files; its Chart.yaml and texts are parsed, its manifest is not."""
        found, problems = scan(self.root, name)
        # Helm itself refuses files over the reader's limit, so that one stays an error.
        self.problems += [one for one in problems if one.rule == "layout.file-too-large"]
        self.problems += _tolerant(one for one in problems if one.rule != "layout.file-too-large")
        files = {file.path.removeprefix(f"{name}/"): file.data for file in found}
        for path, data in files.items():
            is_text = path.startswith("i18n/") and path.endswith(f"/{MANIFEST}")
            if is_text or (path == "values.yaml" and not _is_empty(data)):
                self._document(name, path, data)
        chart = self._document(name, "Chart.yaml", files["Chart.yaml"]) if "Chart.yaml" in files else None
        return Folder(name, MappingProxyType(files), chart)

    def manifests(self, folders: list[Folder], render: Render) -> Iterator[tuple[Folder, dict[str, Manifest]]]:
        """Each app's manifest, by who installs it; one entry where that makes no difference."""
        templates: list[tuple[Folder, SourceText]] = []
        for folder in folders:
            text = self._text(folder.name, MANIFEST, folder.files.get(MANIFEST))
            if text is None:
                continue
            form = _form(text)
            if form is not None and form < olares_manifest.MODERN and legacy.has_actions(text.text):
                templates.append((folder, text))
                continue
            document = None if self._has_actions(text, form) else self._parsed(text)
            if document:
                yield folder, {"": Manifest(document, folder.chart)}
        readings = legacy.read([(folder.name, text) for folder, text in templates], render)
        for (folder, _), reading in zip(templates, readings, strict=True):
            self.problems += _over_owners({one.owner: _tolerant(one.problems) for one in reading})
            readable = [one for one in reading if one.document and not _has_aliases(one.problems)]
            yield folder, {one.owner: Manifest(one.document, folder.chart) for one in readable if one.document}

    def _has_actions(self, text: SourceText, form: Version | None) -> bool:
        found = tuple(template_syntax(text)) if form and form >= olares_manifest.MODERN else ()
        self.problems += found
        return bool(found)

    def _document(self, name: str, path: str, data: bytes) -> Document | None:
        text = self._text(name, path, data)
        return self._parsed(text) if text else None

    def _text(self, name: str, path: str, data: bytes | None) -> SourceText | None:
        if data is None:
            return None
        text, problems = decode(SourceFile(f"{name}/{path}", data))
        self.problems += _tolerant(problems)
        if text:
            self.sources[text.path] = text.text
        return text

    def _parsed(self, text: SourceText) -> Document | None:
        """The document, unless it has aliases, which are not followed."""
        document, problems = parse(text)
        self.problems += _tolerant(problems)
        return None if _has_aliases(problems) else document


def _is_empty(data: bytes) -> bool:
    """Whether a file holds nothing but comments, as values.yaml may."""
    lines = data.decode("utf-8", "replace").lstrip("\ufeff").splitlines()
    return all(not line.strip() or line.lstrip().startswith("#") for line in lines)


def _tolerant(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems, with those that the platform does not mind as warnings."""
    return tuple(replace(one, severity=Severity.WARNING) if one.rule in TOLERATED else one for one in problems)


def _has_aliases(problems: tuple[Problem, ...]) -> bool:
    return any(one.rule == "yaml.alias" for one in problems)


def _form(text: SourceText) -> Version | None:
    """The form that a manifest says it has, found without reading it as YAML: it may not be any yet."""
    for line in text.text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key.rstrip() == "olaresManifest.version":
            try:
                return parse_version(value.partition(" #")[0].strip().strip("\"'"))
            except ValueError:
                return None
    return None


def _judge(folder: Folder, manifest: Manifest) -> Iterator[Problem]:
    yield from schema.validate(manifest.document, "platform-manifest")
    yield from olares.judge(manifest)
    yield from olares_folder.judge_with(folder, manifest)
    texts = {
        f"{folder.name}/{path}": data.decode("utf-8", "replace")
        for path, data in folder.files.items()
        if path == "values.yaml" or "templates/" in path
    }
    yield from olares_permissions.folders_used(
        manifest,
        {path: text for path, text in texts.items() if path.startswith(f"{folder.name}/templates/")},
        olares_permissions.REFUSED,
    )
    if manifest.api == "v3":
        yield from references({path: text for path, text in texts.items() if path.endswith((".yaml", ".yml"))})


def _over_owners(found: Mapping[str, tuple[Problem, ...]]) -> Iterator[Problem]:
    """Problems that every owner has, once; those of one kind of owner say so."""
    everybody = set.intersection(*(set(problems) for problems in found.values())) if found else set()
    yield from everybody
    for owner, problems in found.items():
        for one in problems:
            if one not in everybody:
                yield replace(one, message=f"{one.message} ({legacy.OWNERS[owner]})")


def _not_rendered(with_templates: bool) -> Problem:
    message = (
        "templates are not rendered for apps outside this catalog's form"
        if with_templates
        else "no app here has templates/"
    )
    return problem("olares.not-rendered", ".", message=message)
