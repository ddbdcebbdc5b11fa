"""Family ``olares``: the form a manifest is written in, and the keys that the form has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from market import schema
from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, name_of, platform_check
from market.rules.registry import declare, problem
from market.semver import Version
from market.source import SourceText
from market.yamldoc import Path

OLDEST: Final = Version(0, 7, 2)
TYPES: Final = ("app", "middleware", "recommend")
REMOVED: Final = (
    (Version(0, 9), ("options", "analytics"), "Delete it."),
    (Version(0, 9), ("tailscaleAcls",), "Write `tailscale.acls`."),
    (Version(0, 11), ("permission", "sysData"), "Delete it."),
    (Version(0, 12), ("options", "appScope"), "Delete it; a shared app sets `options.shared`."),
    (Version(0, 12), ("spec", "subCharts"), "Delete it; apiVersion v3 has one chart."),
)

declare("olares.manifest-version", "warning", "A form of manifest that Olares cannot place",
        why="The form decides how the manifest is read; one that is not a version counts as the oldest, and "
            "below 0.7.2 nothing is installed.",
        fix='Write "0.12.0".',
        source="Olares framework/oac isLegacyVersion; olares-chart skill, versioning.md")  # fmt: skip
declare("olares.manifest-type", "warning", "A type of app that Olares does not know",
        why="Only apps of type `app` and `middleware` are shown in the store.",
        fix="Write `olaresManifest.type: app`.",
        source="Olares manifest documentation 0.12.0, olaresManifest.type")  # fmt: skip
declare("olares.api-version-v2", "warning", "apiVersion v2",
        why="From 1.12.6 on Olares neither shows nor installs apps of apiVersion v2.",
        fix="Move to form 0.12.0 with apiVersion v3.",
        source="Olares manifest documentation 0.12.0, apiVersion")  # fmt: skip
declare("olares.template-syntax", "error", "A template action in a manifest of form 0.12.0",
        why="From form 0.12.0 on the manifest is read as it stands, so that `{{` is refused anywhere outside "
            "quoted texts and block texts, in comments too.",
        fix="Write the value out, or put the text in quotes or in a block that starts with `|`.",
        source="Olares framework/oac checkNoTemplateSyntax")  # fmt: skip
declare("olares.removed-field", "warning", "A field that this form no longer has",
        why="It is ignored, or the app is refused when it is installed.",
        fix="Delete it.",
        source="Olares manifest documentation 0.12.0, changelog and deprecated fields")  # fmt: skip
declare("olares.unknown-key", "advice", "A key that Olares does not read",
        why="The platform drops it without a word, and what it says is lost.",
        fix="Correct the spelling or the place, or delete the key.",
        source="beclab/api manifest types; Olares framework/oac validateMetadataFields")  # fmt: skip

_QUOTED: Final = re.compile(r"\"(?:\\.|[^\"\\])*(?:\"|$)|'(?:''|[^'])*(?:'|$)|(?P<comment>#)")
_DELIMITER: Final = re.compile(r"\{\{|\}\}")
_BLOCK: Final = re.compile(r"[|>][ \t+\-0-9]*(?:#.*)?$")


@platform_check
def forms(manifest: Manifest) -> Iterator[Problem]:
    """Form, type and apiVersion are ones that a present Olares reads."""
    form, kind = manifest.text("olaresManifest.version"), manifest.text("olaresManifest.type")
    if form and (manifest.version is None or manifest.version < OLDEST):
        message = f"the form is {form!r}"
        yield manifest.problem("olares.manifest-version", "olaresManifest.version", message=message)
    if kind not in TYPES:
        message = f"the type is {kind!r}" if kind else "no `olaresManifest.type`"
        yield manifest.problem("olares.manifest-type", "olaresManifest.type", message=message)
    if manifest.api == "v2":
        yield manifest.problem("olares.api-version-v2", "apiVersion", message="the app is of apiVersion v2")


@platform_check
def removed_fields(manifest: Manifest) -> Iterator[Problem]:
    """Fields that the manifest's form has left behind."""
    for since, path, fix in REMOVED:
        if manifest.version and manifest.version >= since and manifest.get(*path) is not None:
            message = f"`{name_of(path)}` was removed in form {since}"
            yield manifest.problem("olares.removed-field", *path, message=message, fix=fix, key=True)


@manifest_check
def own_template_syntax(manifest: Manifest) -> Iterator[Problem]:
    """No template action stands outside the texts of a modern manifest."""
    if manifest.is_modern:
        yield from template_syntax(manifest.document.source)


def template_syntax(source: SourceText) -> Iterator[Problem]:
    """Find the delimiters of template actions outside quoted and block texts, one problem a line."""
    block: int | None = None
    for number, line in enumerate(source.text.split("\n"), 1):
        indent = len(line) - len(line.lstrip(" "))
        if block is not None and (indent > block or not line.strip(" ")):
            continue
        bare = _bare(line)
        block = indent if _BLOCK.search(bare.partition("#")[0]) else None
        found = _DELIMITER.search(bare)
        if found:
            message = f"`{found[0]}` outside a text"
            yield problem("olares.template-syntax", source.path, number, found.start() + 1, message=message)


def _bare(line: str) -> str:
    """The line with its quoted texts blanked out; a comment stays, as the platform looks into it."""
    pieces, at = [], 0
    while match := _QUOTED.search(line, at):
        if match["comment"]:
            break
        pieces += [line[at : match.start()], " " * len(match[0])]
        at = match.end()
    return "".join([*pieces, line[at:]])


@manifest_check
def free_keys(manifest: Manifest) -> Iterator[Problem]:
    """Where this catalog's schema leaves keys free, they are keys that the platform reads."""
    if not isinstance(manifest.document.data, dict):
        return
    for path, found in _unknown(manifest.document.data, schema.load("platform-manifest"), ()):
        if _is_free(path):
            yield _stray(manifest, path, found)


@platform_check
def other_keys(manifest: Manifest) -> Iterator[Problem]:
    """Every other key is one that the platform reads."""
    if not isinstance(manifest.document.data, dict):
        return
    for path, found in _unknown(manifest.document.data, schema.load("platform-manifest"), ()):
        if not _is_free(path):
            yield _stray(manifest, path, found)


_FREE: Final = re.compile(
    r"(ports|tailscale|middleware|overlayGateway|options\.(policies|conflicts|upload)|spec\.supportClient"
    r"|envs\[\d+\]\.options)\b.+"
)


def _is_free(path: Path) -> bool:
    return bool(_FREE.fullmatch(name_of(path)))


def _unknown(value: Any, rule: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Paths of keys that a schema does not name, each with the keys it names there."""
    rule = _resolved(rule)
    known = rule.get("properties")
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _unknown(entry, rule.get("items", {}), (*path, index))
    elif isinstance(value, dict):
        rest = rule.get("additionalProperties", {})
        for key, entry in value.items():
            if known and key not in known and not rest:
                yield (*path, key), known
            else:
                yield from _unknown(entry, (known or {}).get(key, rest), (*path, key))


def _stray(manifest: Manifest, path: Path, known: Mapping[str, Any]) -> Problem:
    key = str(path[-1])
    folded = {name.casefold(): name for name in known}
    close = [folded[key.casefold()]] if key.casefold() in folded else difflib.get_close_matches(key, known, 1)
    homes = _homes().get(key.casefold(), ())
    if close:
        fix = f"Did you mean `{close[0]}`?"
    elif homes:
        fix = f"Did you mean {' or '.join(f'`{home}`' for home in homes)}?"
    else:
        fix = f"Known keys here: {', '.join(sorted(known))}."
    message = f"`{name_of(path)}` is not a key that Olares reads"
    return manifest.problem("olares.unknown-key", *path, message=message, fix=fix, key=True)


@cache
def _homes() -> Mapping[str, tuple[str, ...]]:
    """Where keys belong, by their names in lower case: sections of the manifest only, not lists in them."""
    homes: dict[str, tuple[str, ...]] = {}
    sections = schema.load("platform-manifest")["properties"]
    for name, rule in sections.items():
        homes[name.casefold()] = (*homes.get(name.casefold(), ()), name)
        for key in _resolved(rule).get("properties", {}):
            homes[key.casefold()] = (*homes.get(key.casefold(), ()), f"{name}.{key}")
    return homes


def _resolved(rule: Any) -> Any:
    reference = rule.get("$ref", "")
    return schema.load("platform-manifest")["$defs"][reference.rpartition("/")[2]] if reference else rule
