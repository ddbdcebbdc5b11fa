"""Family ``olares``: the variables that users and the system set (`envs`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from market.catalog import Catalog
from market.packaging import Package
from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, platform_check, text_of
from market.rules.registry import declare, package_check, problem

PREFIX: Final = "OLARES_USER"
TYPES: Final = ("int", "bool", "url", "ip", "domain", "email", "string", "password", "quantity")

declare("olares.user-variable", "error", "A variable of the user by its own name",
        why="Names that start with OLARES_USER belong to the user's settings. An app of apiVersion v3 gives a "
            "variable a name of its own and takes the value from there.",
        fix="Declare the variable in `envs` under another name with `valueFrom.envName: OLARES_USER_…`, and use "
            "`.Values.olaresEnv.<name>`.",
        source="Olares framework/oac validateV3Envs, checkV3OLARESUserInChart")  # fmt: skip
declare("olares.variable-type", "warning", "A type of variable that Olares does not check",
        why="What users enter is checked by the type; an unknown type lets everything in.",
        fix=f"Use one of {', '.join(TYPES)}.",
        source="beclab/api env_validation.go; Olares manifest documentation 0.12.0, envs")  # fmt: skip
declare("olares.variable-override", "advice", "A value beside `valueFrom` that never counts",
        why="With `valueFrom` the referenced variable's value, type and form replace the app's own.",
        fix="Remove `value`, `default` and `type`, or remove `valueFrom`.",
        source="Olares manifest documentation 0.12.0, envs")  # fmt: skip

_REFERENCE: Final = re.compile(rf"\b{PREFIX}")


@manifest_check
def names(manifest: Manifest) -> Iterator[Problem]:
    """In apiVersion v3, variables have names of the app's own."""
    for index, variable in manifest.entries("envs") if manifest.api == "v3" else ():
        name = text_of(variable.get("envName"))
        if name.startswith(PREFIX):
            message = f"`envName` is {name}"
            yield manifest.problem("olares.user-variable", "envs", index, "envName", message=message)


@platform_check
def types(manifest: Manifest) -> Iterator[Problem]:
    """Variables have types that mean something."""
    for index, variable in manifest.entries("envs"):
        kind = text_of(variable.get("type"))
        if kind and kind not in TYPES:
            message = f"the type {kind!r} is not known"
            yield manifest.problem("olares.variable-type", "envs", index, "type", message=message)


@manifest_check
def overrides(manifest: Manifest) -> Iterator[Problem]:
    """A variable has a value of its own or another's, not both."""
    for index, variable in manifest.entries("envs"):
        if not isinstance(variable.get("valueFrom"), dict):
            continue
        for key in ("value", "default", "type"):
            if text_of(variable.get(key)):
                message = f"`{key}` beside `valueFrom`"
                yield manifest.problem("olares.variable-override", "envs", index, key, message=message, key=True)


def references(texts: Mapping[str, str]) -> Iterator[Problem]:
    """Find the user's variables in templates and values of an app of apiVersion v3, by shown path."""
    for path, text in sorted(texts.items()):
        match = _REFERENCE.search(text)
        if match:
            before = text[: match.start()]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            name = text[match.start() :].split(maxsplit=1)[0][:40]
            yield problem("olares.user-variable", path, line, column, message=f"the chart uses {name}")


@package_check
def chart_files(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """The chart of an app names no variable of the user."""
    app = package.app
    if Manifest(app.manifest_document).api != "v3":
        return
    shown = {}
    for path, data in catalog.chart_files(app).items():
        own = f"chart/{path}" in app.files
        folder = f"{app.folder}/chart" if own else f"archetypes/{app.archetype}"
        if path == "values.yaml" or (path.startswith("templates/") and path.endswith((".yaml", ".yml"))):
            shown[f"{folder}/{path}"] = data.decode("utf-8", "replace")
    yield from references(shown)
