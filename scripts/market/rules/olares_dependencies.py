"""Family ``olares``: what the app depends on (`options.dependencies`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, text_of
from market.rules.registry import declare
from market.semver import Constraint, Version, parse_constraint, parse_version

declare("olares.platform-dependency", "error", "No dependency on Olares itself",
        why="From form 0.12.0 on the platform refuses a manifest that does not say which Olares it needs.",
        fix='Add `{name: olares, type: system, version: ">=1.12.6-0"}` to `options.dependencies`.',
        source="Olares framework/oac validateOlaresDependency")  # fmt: skip
declare("olares.platform-version", "error", "A range of Olares versions that does not fit the manifest",
        why="The manifest would be offered to an Olares that cannot read it. The platform tries versions just "
            "outside the range that fits, and refuses a constraint that lets one in.",
        fix="Write the range that the message names.",
        source="Olares framework/oac validateOlaresDependency, olaresDepConstraintRule")  # fmt: skip
declare("olares.daily-build", "warning", "A range that leaves out daily builds of Olares",
        why="Daily builds are pre-releases such as 1.12.6-20260501; they match a constraint only if it names a "
            "pre-release itself.",
        fix="End the version in -0, as in >=1.12.6-0.",
        source="Olares manifest documentation 0.12.0, dependencies; Masterminds/semver")  # fmt: skip
declare("olares.constraint", "warning", "A version constraint that cannot be read",
        why="The platform cannot tell whether the dependency is there.",
        fix='Write a constraint such as ">=1.0.0-0".',
        source="Masterminds/semver NewConstraint, which Olares reads constraints with")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Window:
    """The Olares versions that a manifest may ask for, and samples just outside."""

    constraint: str
    outside: tuple[Version, ...]


BEFORE_V3: Final = Window(">=1.12.3-0,<1.12.6", tuple(map(parse_version, ("1.12.2", "1.12.6", "2.0.0"))))
SINCE_V3: Final = Window(">=1.12.6-0", tuple(map(parse_version, ("1.12.5", "1.12.0", "0.1.0"))))


@manifest_check
def platform(manifest: Manifest) -> Iterator[Problem]:
    """The dependency on Olares is there and covers the versions that can read the manifest."""
    at, entry = _platform_entry(manifest)
    if entry is None:
        if manifest.is_modern and isinstance(manifest.get("options", default={}), dict):
            yield manifest.problem("olares.platform-dependency", "options", "dependencies", key=True,
                                   message="no entry with `name: olares` and `type: system`")  # fmt: skip
        return
    text = text_of(entry.get("version"))
    path = ("options", "dependencies", at, "version")
    try:
        constraint = parse_constraint(text)
    except ValueError as error:
        if text and manifest.is_modern:
            yield manifest.problem("olares.platform-version", *path, message=str(error))
        return
    if manifest.is_modern and manifest.api in ("v1", "v2", "v3"):
        yield from _fits(manifest, constraint, text, at)
    if not constraint.allows_daily_builds:
        yield manifest.problem("olares.daily-build", *path, message=f"{text} matches no daily build")


@manifest_check
def constraints(manifest: Manifest) -> Iterator[Problem]:
    """Every other constraint can be read; that on Olares is judged by itself in form 0.12.0."""
    at, _ = _platform_entry(manifest)
    for index, entry in manifest.entries("options", "dependencies"):
        text = text_of(entry.get("version"))
        if not text or (index == at and manifest.is_modern):
            continue
        try:
            parse_constraint(text)
        except ValueError as error:
            path = ("options", "dependencies", index, "version")
            yield manifest.problem("olares.constraint", *path, message=str(error))


def _platform_entry(manifest: Manifest) -> tuple[int, Mapping[str, Any] | None]:
    for index, entry in manifest.entries("options", "dependencies"):
        if entry.get("name") == "olares" and entry.get("type") == "system":
            return index, entry
    return -1, None


def _fits(manifest: Manifest, constraint: Constraint, text: str, at: int) -> Iterator[Problem]:
    reasons = tuple(_needs_v3(manifest))
    window = SINCE_V3 if manifest.api == "v3" or reasons else BEFORE_V3
    admitted = [str(version) for version in window.outside if constraint.allows(version)]
    if admitted:
        cause = f"apiVersion {manifest.api}" if manifest.api == "v3" or not reasons else ", ".join(reasons)
        message = f"{text} lets in Olares {', '.join(admitted)}; {cause} needs {window.constraint}"
        fix = f'Write "{window.constraint}".'
        path = ("options", "dependencies", at, "version")
        yield manifest.problem("olares.platform-version", *path, message=message, fix=fix)


def _needs_v3(manifest: Manifest) -> Iterator[str]:
    """Fields that only Olares 1.12.6 and later honour."""
    if manifest.list("spec", "accelerator"):
        yield "spec.accelerator"
    if manifest.get("workloadReplicas"):
        yield "workloadReplicas"
    if manifest.is_set("overlayGateway", "enable") or manifest.list("overlayGateway", "entrances"):
        yield "overlayGateway"
    for path in (("options", "LLMGatewaySupported"), ("options", "templateOnly"), ("options", "shared"),
                 ("permission", "appCommon")):  # fmt: skip
        if manifest.is_set(*path):
            yield ".".join(path)
