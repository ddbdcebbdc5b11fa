"""The catalog in memory: every app with its documents, and the data they refer to.

Loading never fails on bad input. What can be read is read; everything else is a problem, and an app with
a document missing is in ``broken`` instead of ``apps``, so that no later step takes half an app for one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from market import ledger as ledgers
from market import schema
from market.ledger import Ledger
from market.problem import Problem, has_errors
from market.report import Report
from market.rules.registry import declare, problem
from market.source import SourceFile, decode, read_file, scan
from market.yamldoc import Document, parse

UNLISTED = ("incomplete", "withdrawn")
DATA_FILES = ("market", "hardware", "engines", "categories", "prompts", "claims")
OPTIONAL_FILES = ("endpoint", "keys", "prices")

declare("layout.missing-file", "error", "A file that every app has is missing",
        why="Without it the app cannot be shown, installed or judged.",
        fix="Add the file; `market new NAME --like APP` makes a complete folder to start from.",
        source="Olares framework/oac chartfolder CheckLayout; design of this catalog")  # fmt: skip
declare("layout.not-a-mapping", "error", "The file does not hold keys and values",
        why="Every document of an app is a mapping at its top level.",
        fix="Start the file with `key: value` lines.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class App:
    """One app folder, completely read. The mappings are the files' data, positions are in the documents."""

    name: str
    folder: str
    files: Mapping[str, bytes] = field(repr=False)
    card_document: Document = field(repr=False)
    chart_document: Document = field(repr=False)
    manifest_document: Document = field(repr=False)
    values_document: Document = field(repr=False)
    i18n_documents: Mapping[str, Document] = field(repr=False)
    reports: tuple[Report, ...] = field(repr=False)

    @property
    def card(self) -> Mapping[str, Any]:
        """app.yaml."""
        return self.card_document.data  # type: ignore[no-any-return]

    @property
    def chart(self) -> Mapping[str, Any]:
        """chart/Chart.yaml."""
        return self.chart_document.data  # type: ignore[no-any-return]

    @property
    def manifest(self) -> Mapping[str, Any]:
        """chart/OlaresManifest.yaml."""
        return self.manifest_document.data  # type: ignore[no-any-return]

    @property
    def values(self) -> Mapping[str, Any]:
        """chart/values.yaml."""
        return self.values_document.data  # type: ignore[no-any-return]

    @property
    def i18n(self) -> Mapping[str, Mapping[str, Any]]:
        """chart/i18n/<locale>/OlaresManifest.yaml by locale."""
        return {locale: document.data for locale, document in self.i18n_documents.items()}

    @property
    def version(self) -> str:
        """The version that ships."""
        return str(self.chart.get("version", ""))

    @property
    def is_listed(self) -> bool:
        """Whether the app is in the index."""
        return self.card.get("status") == "published"

    @property
    def archetype(self) -> str | None:
        """The archetype whose templates the app uses, if any."""
        name = self.card.get("archetype")
        return name if isinstance(name, str) else None

    @property
    def icon(self) -> bytes:
        """icon.png."""
        return self.files.get("icon.png", b"")

    @property
    def formerly(self) -> tuple[str, ...]:
        """Names under which the app was published before."""
        return tuple(entry["name"] for entry in self.card.get("formerly") or ())

    def title(self, locale: str = "en-US") -> str:
        """The store title in a locale, or the manifest's own."""
        own = self.manifest_document.get("metadata", "title", default=self.name)
        document = self.i18n_documents.get(locale)
        return str(document.get("metadata", "title", default=own) if document else own)

    def report(self, id: str) -> Report | None:
        """The report with this id."""
        return next((report for report in self.reports if report.id == id), None)


@dataclass(frozen=True, eq=False)
class Shelved:
    """An app without a chart: withdrawn, or incomplete. It has a page with its reason, and no index entry."""

    name: str
    card_document: Document = field(repr=False)
    reports: tuple[Report, ...] = field(repr=False)

    @property
    def card(self) -> Mapping[str, Any]:
        """app.yaml."""
        return self.card_document.data  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Catalog:
    """Everything the repository says.

    ``broken`` names apps that could not be read completely. ``sound`` says that reading met no error, so
    that pages can be made; rules that only look at single values do without it.
    """

    root: Path
    apps: tuple[App, ...]
    shelved: tuple[Shelved, ...]
    broken: tuple[str, ...]
    sound: bool
    archetypes: Mapping[str, Mapping[str, bytes]] = field(repr=False)
    data: Mapping[str, Document] = field(repr=False)
    ledger: Ledger = field(repr=False)
    sources: Mapping[str, str] = field(repr=False)

    @property
    def listed(self) -> tuple[App, ...]:
        """The apps that the index holds."""
        return tuple(app for app in self.apps if app.is_listed)

    @property
    def market(self) -> Mapping[str, Any]:
        """data/market.yaml: the source's own name and address."""
        return self.data["market"].data  # type: ignore[no-any-return]

    @property
    def hardware(self) -> Mapping[str, Mapping[str, Any]]:
        """data/hardware.yaml by id; empty when the file cannot be read."""
        return self._by_id("hardware")

    @property
    def engines(self) -> Mapping[str, Mapping[str, Any]]:
        """data/engines.yaml by id; empty when the file cannot be read."""
        return self._by_id("engines")

    @property
    def categories(self) -> tuple[Mapping[str, Any], ...]:
        """data/categories.yaml, in its order."""
        document = self.data.get("categories")
        return tuple(document.data["categories"]) if document else ()

    @property
    def prompts(self) -> Mapping[str, Mapping[str, Any]]:
        """data/prompts.yaml by id; empty when the file cannot be read."""
        return self._by_id("prompts")

    def _by_id(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        document = self.data.get(name)
        entries = document.data[name] if document else ()
        return MappingProxyType({entry["id"]: entry for entry in entries})

    def app(self, name: str) -> App | None:
        """The app with this name."""
        return next((app for app in self.apps if app.name == name), None)

    def chart_files(self, app: App) -> dict[str, bytes]:
        """The files of an app's chart by path inside it: its own, and its archetype's templates."""
        files = {path.removeprefix("chart/"): data for path, data in app.files.items() if path.startswith("chart/")}
        if app.archetype:
            shared = self.archetypes.get(app.archetype, {})
            files |= {path: data for path, data in shared.items() if path.startswith("templates/")}
        return files


def load(root: Path) -> tuple[Catalog, tuple[Problem, ...]]:
    """Read the catalog below ``root``; every file that is not as it should be gives problems."""
    reader = _Reader(root)
    apps: list[App] = []
    shelved: list[Shelved] = []
    broken: list[str] = []
    for name in _folders(root / "apps"):
        match reader.app(name):
            case App() as app:
                apps.append(app)
            case Shelved() as without_chart:
                shelved.append(without_chart)
            case None:
                broken.append(name)
    archetypes = {name: reader.folder(f"archetypes/{name}") for name in _folders(root / "archetypes")}
    optional = (name for name in OPTIONAL_FILES if os.path.lexists(root / f"data/{name}.yaml"))
    data = {name: reader.data(name) for name in (*DATA_FILES, *optional)}
    catalog = Catalog(
        root=root,
        apps=tuple(apps),
        shelved=tuple(shelved),
        broken=tuple(broken),
        sound=not has_errors(reader.problems),
        archetypes=MappingProxyType(archetypes),
        data=MappingProxyType({name: document for name, document in data.items() if document}),
        ledger=reader.ledger(),
        sources=MappingProxyType(reader.sources),
    )
    return catalog, tuple(reader.problems)


def _folders(parent: Path) -> tuple[str, ...]:
    """Names of everything in a folder that may be an app; a link among them is a problem found later."""
    if not parent.is_dir() or parent.is_symlink():
        return ()
    return tuple(sorted(entry.name for entry in parent.iterdir() if not entry.name.startswith(".")))


class _Reader:
    """Reads files and collects the problems and the texts (for excerpts) as it goes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[Problem] = []
        self.sources: dict[str, str] = {}

    def app(self, name: str) -> App | Shelved | None:
        folder = f"apps/{name}"
        if (self.root / folder).is_symlink():
            self.problems.append(problem("layout.symlink", folder, message="the app folder is a symbolic link"))
            return None
        files = self.folder(folder)
        card = self._required(folder, files, "app.yaml", "app-card")
        if card and card.get("status") in UNLISTED and not any(path.startswith("chart/") for path in files):
            return Shelved(name, card, tuple(self._reports(name, folder, files)))
        chart = self._required(folder, files, "chart/Chart.yaml", "chart")
        manifest = self._required(folder, files, "chart/OlaresManifest.yaml", "manifest")
        values = self._required(folder, files, "chart/values.yaml", "values")
        i18n = dict(self._locales(folder, files))
        reports = tuple(self._reports(name, folder, files))
        if not (card and chart and manifest and values):
            return None
        return App(
            name,
            folder,
            MappingProxyType(files),
            card,
            chart,
            manifest,
            values,
            MappingProxyType(i18n),
            reports,
        )

    def folder(self, folder: str) -> dict[str, bytes]:
        found, problems = scan(self.root, folder)
        self.problems.extend(problems)
        return {file.path.removeprefix(f"{folder}/"): file.data for file in found}

    def data(self, name: str) -> Document | None:
        before = len(self.problems)
        document = self._file(f"data/{name}.yaml", name)
        return None if has_errors(self.problems[before:]) else document

    def ledger(self) -> Ledger:
        file, problems = read_file(self.root, ledgers.FILE)
        self.problems.extend(problems)
        if file is None:
            return ledgers.EMPTY
        before = len(self.problems)
        document = self._document(file, "ledger")
        # JSON is YAML here: the ledger gets the same positions and the same refusal of duplicate keys.
        broken = document is None or len(self.problems) > before
        return ledgers.EMPTY if broken or document is None else ledgers.from_json(document.data)

    def _file(self, path: str, schema_name: str) -> Document | None:
        file, problems = read_file(self.root, path)
        self.problems.extend(problems)
        if file is None:
            if not problems:
                self.problems.append(problem("layout.missing-file", path, message=f"{path} is missing"))
            return None
        return self._document(file, schema_name)

    def _required(self, folder: str, files: Mapping[str, bytes], path: str, schema_name: str) -> Document | None:
        full = f"{folder}/{path}"
        if path in files:
            return self._document(SourceFile(full, files[path]), schema_name)
        if not any(found.path == full for found in self.problems):
            self.problems.append(problem("layout.missing-file", full, message=f"{path} is missing"))
        return None

    def _locales(self, folder: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, Document]]:
        for path, data in files.items():
            match path.split("/"):
                case ["chart", "i18n", locale, "OlaresManifest.yaml"]:
                    document = self._document(SourceFile(f"{folder}/{path}", data), "i18n")
                    if document:
                        yield locale, document

    def _reports(self, name: str, folder: str, files: Mapping[str, bytes]) -> Iterator[Report]:
        for path, data in files.items():
            match path.split("/"):
                case ["bench", file] if file.endswith(".yaml"):
                    before = len(self.problems)
                    document = self._document(SourceFile(f"{folder}/{path}", data), "bench-report")
                    if document and len(self.problems) == before:
                        yield Report(file.removesuffix(".yaml"), name, document)

    def _document(self, file: SourceFile, schema_name: str) -> Document | None:
        text, problems = decode(file)
        self.problems.extend(problems)
        if text is None:
            return None
        self.sources[file.path] = text.text
        document, problems = parse(text)
        self.problems.extend(problems)
        if document is None:
            return None
        if not isinstance(document.data, dict):
            self.problems.append(problem("layout.not-a-mapping", file.path, message="no keys and values"))
            return None
        self.problems.extend(schema.validate(document, schema_name))
        return document
