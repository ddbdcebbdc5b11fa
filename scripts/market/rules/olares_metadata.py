"""Family ``olares``: who the app says it is (`metadata`, `spec.locale`, versions)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from market import language_tag
from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, name_of, platform_check, text_of
from market.rules.registry import declare
from market.yamldoc import Path

TITLE_BYTES: Final = 30

declare("olares.title-length", "error", "A title over 30 bytes",
        why="The platform counts bytes, not characters: accented letters count two, Chinese ones three.",
        fix="Shorten the title.",
        source="Olares framework/oac validateAppMetaData and validateEntranceValue, ozzo Length")  # fmt: skip
declare("olares.reserved-appid", "error", "An appid of the platform itself",
        why="An app with the id of a system app would shadow it when it is installed and routed.",
        fix="Write the app's own name, or leave `appid` out. (Sources disagree on whether it may stay: the "
            "documentation of form 0.12.0 removes it, `market upload` wants it equal to the name; the "
            "checker accepts both.)",
        source="Olares framework/oac validateMetadataAppID, reservedSystemAppIDs")  # fmt: skip
declare("olares.category", "advice", "A category that Olares 1.12 does not show",
        why="The store lists the app under no heading. Sources disagree: the pull-request check still has the "
            "categories of Olares 1.11, and most apps of the official catalog break it.",
        fix="Use AI, Creativity, Developer Tools, Fun, Lifestyle, Productivity_v112 or Utilities_v112.",
        source="Olares manifest documentation 0.12.0, categories")  # fmt: skip
declare("olares.locale", "error", "A language tag that is not BCP 47 in its usual spelling",
        why="Texts are looked up by the exact tag; `en_US` or `en-us` finds nothing.",
        fix="Write it as in en-US: language in lower case, region in upper case, a hyphen between them.",
        source="Olares framework/oac validateLocaleList")  # fmt: skip
declare("olares.number-as-text", "warning", "A number that changes when it becomes a text",
        why="YAML reads it as a number first: an unquoted 1.10 arrives as 1.1.",
        fix="Put it in quotes.",
        source="sigs.k8s.io/yaml, which Olares reads manifests with")  # fmt: skip
declare("olares.app-version", "advice", "`appVersion` and `spec.versionName` differ",
        why="Both name the version of the software inside; a reader sees one or the other.",
        fix="Write the same version in Chart.yaml and in the manifest.",
        source="Olares manifest documentation 0.12.0, spec.versionName; a convention")  # fmt: skip

RESERVED_IDS: Final = frozenset({
    "market", "auth", "citus", "desktop", "did", "docs", "files", "fsnotify", "headscale", "infisical",
    "intentprovider", "ksserver", "message", "mongo", "monitoring", "notifications", "profile", "redis", "recommend",
    "seafile", "search", "search-admin", "settings", "systemserver", "tapr", "vault", "video", "zinc", "accounts",
    "control-hub", "dashboard", "nitro", "olares-app",
})  # fmt: skip
CATEGORIES: Final = frozenset({
    "AI", "Creativity", "Developer Tools", "Fun", "Lifestyle", "Productivity_v112", "Utilities_v112",
    "Blockchain", "Utilities", "Social Network", "Entertainment", "Productivity", "Data", "Developer",
    "Multimedia",
})  # fmt: skip
"""The headings of Olares 1.12, then those of 1.11, which older devices still show."""

_TEXTS: Final = re.compile(
    r"olaresManifest\.version|metadata\.version|spec\.versionName"
    r"|spec\.(accelerator\[\d+\]\.)?(required|limited)\w+|options\.dependencies\[\d+\]\.version"
)


@manifest_check
def title_lengths(manifest: Manifest) -> Iterator[Problem]:
    """Titles fit their field in bytes; those over 30 characters are found by the schema already."""
    places: list[Path] = [("metadata", "title")]
    places += [("entrances", index, "title") for index, _ in manifest.entries("entrances")]
    for path in places:
        title = manifest.text(*path)
        size = len(title.encode("utf-8", "replace"))
        if len(title) <= TITLE_BYTES < size:
            message = f"`{name_of(path)}` has {size} bytes in {len(title)} characters"
            yield manifest.problem("olares.title-length", *path, message=message)


@manifest_check
def reserved_ids(manifest: Manifest) -> Iterator[Problem]:
    """The appid is none of the platform's."""
    appid = manifest.text("metadata", "appid").strip()
    if appid in RESERVED_IDS:
        message = f"`{appid}` is the id of a system app"
        yield manifest.problem("olares.reserved-appid", "metadata", "appid", message=message)


@platform_check
def categories(manifest: Manifest) -> Iterator[Problem]:
    """Categories are ones that some Olares shows."""
    for index, name in enumerate(manifest.list("metadata", "categories")):
        if isinstance(name, str) and name not in CATEGORIES:
            message = f"{name!r} is no category of Olares"
            yield manifest.problem("olares.category", "metadata", "categories", index, message=message)


@manifest_check
def locales(manifest: Manifest) -> Iterator[Problem]:
    """Language tags are valid, in canonical spelling, and stand there once."""
    seen = set()
    for index, tag in enumerate(manifest.list("spec", "locale")):
        if not isinstance(tag, str):
            continue
        canonical = language_tag.canonical(tag)
        if canonical is None:
            message, fix = f"{tag!r} is not a language tag", ""
        elif canonical != tag:
            message, fix = f"{tag!r} is written {canonical!r}", f"Write {canonical}."
        elif tag in seen:
            message, fix = f"{tag} stands there twice", "Delete one of them."
        else:
            seen.add(tag)
            continue
        yield manifest.problem("olares.locale", "spec", "locale", index, message=message, fix=fix)


@platform_check
def numbers_as_texts(manifest: Manifest) -> Iterator[Problem]:
    """Versions and quantities written as numbers keep their spelling."""
    for path, mark in manifest.document.marks.items():
        value = manifest.get(*path)
        if not mark.plain or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if text_of(value) != mark.raw and _TEXTS.fullmatch(name_of(path)):
            message = f"`{name_of(path)}` is {mark.raw}, which becomes {text_of(value)!r}"
            fix = f'Write "{mark.raw}", in quotes.'
            yield manifest.problem("olares.number-as-text", *path, message=message, fix=fix)


@manifest_check
def app_versions(manifest: Manifest) -> Iterator[Problem]:
    """Chart.yaml and manifest name the same version of the software."""
    stated = text_of(manifest.chart.get("appVersion")) if manifest.chart else ""
    named = manifest.text("spec", "versionName")
    if stated and named and stated != named:
        message = f"`spec.versionName` is {named}, Chart.yaml's appVersion is {stated}"
        yield manifest.problem("olares.app-version", "spec", "versionName", message=message)
