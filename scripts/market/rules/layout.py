"""Family ``layout``: the folder of an app and how its files agree with each other."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from market.catalog import App, Catalog
from market.problem import Problem
from market.rules.registry import app_check, catalog_check, declare, problem

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ICON_SIDE = 256
ICON_LIMIT = 512 * 1024
STORE_LOCALES = ("en-US", "fr-FR", "zh-CN")

declare("layout.name", "error", "The name stands differently in two places",
        why="Devices build file names and addresses from the name; all places must agree.",
        fix="Write the folder's name everywhere.",
        source="Olares framework/oac CheckConsistency NameMustSame1")  # fmt: skip
declare("layout.version", "error", "The version stands differently in two places",
        why="The device asks for `<name>-<version>.tgz`; with two versions there is no such file.",
        fix="Run `market bump NAME`, which edits every place.",
        source="Olares framework/oac CheckConsistency VersionMustSame1")  # fmt: skip
declare("layout.archetype", "error", "An archetype that does not exist, or templates beside one",
        why="An app takes its templates from its archetype or ships its own, never both.",
        fix="Name a folder of archetypes/, or drop `archetype:` and ship chart/templates/.")  # fmt: skip
declare("layout.icon", "error", "The icon is not a 256x256 PNG of at most 512 KiB",
        why="Stores show it at that size; others appear blurred or not at all.",
        fix="Run `market icons NAME`, or add such a PNG.",
        source="beclab/apps README, listing assets")  # fmt: skip
declare("layout.reserved-name", "error", "The name is reserved by the platform",
        why="Olares refuses apps whose names are those of its own parts.",
        fix="Choose another name.",
        source="Olares framework/oac isReservedWord")  # fmt: skip
declare("layout.reference", "error", "A reference to something that does not exist",
        why="A page or an index entry would point nowhere.",
        fix="Correct the reference, or add what it names.")  # fmt: skip
declare("layout.locale", "error", "Declared and existing languages differ",
        why="A language without texts falls back on the device in silence.",
        fix="Add chart/i18n/<locale>/OlaresManifest.yaml, or remove the locale from `spec.locale`.",
        source="Olares pull request 4061")  # fmt: skip
declare("layout.translation", "warning", "A language of the store without texts",
        why="Owners read the store in English, French or Chinese; where texts are missing the device shows English.",
        fix="Add chart/i18n/<locale>/OlaresManifest.yaml and name the locale in `spec.locale`.")  # fmt: skip
declare("layout.former-name", "error", "A former name that is in use",
        why="Links to the former name must arrive at exactly one app.",
        fix="Remove it from `formerly:`, or rename the other app.")  # fmt: skip
declare("layout.no-app", "error", "No app",
        why="An index without apps would empty every device's store.",
        fix="Check the folder: apps/<name>/ must exist.")  # fmt: skip

RESERVED = frozenset({
    "user", "system", "space", "default", "os", "kubesphere", "kube", "kubekey", "kubernetes", "gpu", "tapr",
    "bfl", "bytetrade", "project", "pod",
})  # fmt: skip


@app_check
def names(app: App) -> Iterator[Problem]:
    """Folder, Chart.yaml, manifest and reports carry the same name."""
    if app.name.lower() in RESERVED:
        yield problem("layout.reserved-name", app.folder, message=f"`{app.name}` is reserved")
    for document, path in (
        (app.chart_document, ("name",)),
        (app.manifest_document, ("metadata", "name")),
        (app.manifest_document, ("metadata", "appid")),
    ):
        found = document.get(*path)
        if isinstance(found, str) and found != app.name:
            message = f"`{'.'.join(path)}` is {found}, the folder is {app.name}"
            yield document.problem("layout.name", *path, message=message)
    for report in app.reports:
        if report.data["app"] != app.name:
            message = f"`app` is {report.data['app']}, the folder is {app.name}"
            yield report.document.problem("layout.name", "app", message=message)


@app_check
def versions(app: App) -> Iterator[Problem]:
    """Chart.yaml and manifest carry the same version."""
    found = app.manifest_document.get("metadata", "version")
    if isinstance(found, str) and isinstance(app.chart.get("version"), str) and found != app.version:
        message = f"`metadata.version` is {found}, Chart.yaml says {app.version}"
        yield app.manifest_document.problem("layout.version", "metadata", "version", message=message)


@app_check
def icon(app: App) -> Iterator[Problem]:
    """A published app has an icon that stores can show."""
    data, path = app.icon, f"{app.folder}/icon.png"
    if not data:
        if app.is_listed:
            yield problem("layout.icon", path, message="icon.png is missing")
    elif not data.startswith(PNG_SIGNATURE) or len(data) < 24:
        yield problem("layout.icon", path, message="this is not a PNG")
    elif len(data) > ICON_LIMIT:
        yield problem("layout.icon", path, message=f"{len(data)} bytes; an icon may have {ICON_LIMIT}")
    elif struct.unpack(">II", data[16:24]) != (ICON_SIDE, ICON_SIDE):
        width, height = struct.unpack(">II", data[16:24])
        yield problem("layout.icon", path, message=f"the icon is {width}x{height}")


@app_check
def locales(app: App) -> Iterator[Problem]:
    """Every declared language has its texts, and every text is declared."""
    declared = app.manifest_document.get("spec", "locale", default=[])
    if not isinstance(declared, list):
        return
    missing = [locale for locale in STORE_LOCALES if locale not in declared]
    if missing:
        message = f"no texts in {', '.join(missing)}"
        yield app.manifest_document.problem("layout.translation", "spec", "locale", message=message)
    for index, locale in enumerate(declared):
        if isinstance(locale, str) and locale not in app.i18n_documents:
            message = f"{locale} has no chart/i18n/{locale}/OlaresManifest.yaml"
            yield app.manifest_document.problem("layout.locale", "spec", "locale", index, message=message)
    for locale, document in app.i18n_documents.items():
        if locale not in declared:
            yield document.problem("layout.locale", message=f"{locale} is not in `spec.locale` of the manifest")


@catalog_check
def references(catalog: Catalog) -> Iterator[Problem]:
    """Archetypes, hardware, engines, prompts, categories and baselines exist."""
    if not catalog.apps and not catalog.broken:
        yield problem("layout.no-app", "apps", message="there is no app in apps/")
    for app in catalog.apps:
        yield from _archetype(catalog, app)
        yield from _card(catalog, app)
        yield from _categories(catalog, app)
        for report in app.reports:
            for key, known in ((("hardware",), _known(catalog, "hardware")),
                               (("protocol", "prompt"), _known(catalog, "prompts"))):  # fmt: skip
                value = report.document.get(*key)
                if known and value not in known:
                    message = f"`{'.'.join(key)}` is {value}; known: {', '.join(known)}"
                    yield report.document.problem("layout.reference", *key, message=message)


def _archetype(catalog: Catalog, app: App) -> Iterator[Problem]:
    own = [path for path in app.files if path.startswith("chart/templates/")]
    if app.archetype and app.archetype not in catalog.archetypes:
        message = f"there is no archetypes/{app.archetype}"
        yield app.card_document.problem("layout.archetype", "archetype", message=message)
    elif app.archetype and own:
        yield problem("layout.archetype", f"{app.folder}/{own[0]}",
                      message=f"templates of its own beside archetype {app.archetype}")  # fmt: skip
    elif not app.archetype and not own:
        yield app.card_document.problem("layout.archetype", message="neither an archetype nor chart/templates/")


def _card(catalog: Catalog, app: App) -> Iterator[Problem]:
    for path, name in ((("engine", "id"), "engines"), (("hardware",), "hardware")):
        known, value = _known(catalog, name), app.card_document.get(*path)
        if known and isinstance(value, str) and value not in known:
            message = f"`{'.'.join(path)}` is {value}; known: {', '.join(known)}"
            yield app.card_document.problem("layout.reference", *path, message=message)
    baseline = app.card_document.get("baseline")
    if isinstance(baseline, dict) and baseline.get("app") not in catalog.broken:
        other = catalog.app(str(baseline.get("app")))
        if other is None or other.report(str(baseline.get("report"))) is None:
            message = f"there is no report {baseline.get('report')} of {baseline.get('app')}"
            yield app.card_document.problem("layout.reference", "baseline", message=message)


def _categories(catalog: Catalog, app: App) -> Iterator[Problem]:
    if "categories" not in catalog.data:
        return
    known = [category["name"] for category in catalog.categories]
    found = app.manifest_document.get("metadata", "categories", default=[])
    for index, name in enumerate(found if isinstance(found, list) else []):
        if name not in known:
            message = f"category {name!r}; known: {', '.join(known)}"
            yield app.manifest_document.problem("layout.reference", "metadata", "categories", index, message=message)


def _known(catalog: Catalog, name: str) -> tuple[str, ...]:
    document = catalog.data.get(name)
    if document is None:
        return ()
    (entries,) = document.data.values()
    return tuple(entry["id"] for entry in entries)


@catalog_check
def former_names(catalog: Catalog) -> Iterator[Problem]:
    """A former name leads to one app only."""
    taken: dict[str, str] = {app.name: app.name for app in catalog.apps}
    for app in catalog.apps:
        for index, former in enumerate(app.card.get("formerly") or ()):
            name = former.get("name") if isinstance(former, dict) else None
            if not isinstance(name, str):
                continue
            if name in taken:
                message = f"{name} is a name of {taken[name]}"
                yield app.card_document.problem("layout.former-name", "formerly", index, message=message)
            taken[name] = app.name
