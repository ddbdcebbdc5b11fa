"""Family ``chart``: rendered objects as such: shape, names, Kubernetes' own schemas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from market.catalog import Catalog
from market.kubernetes import VERSION, Fault, faults
from market.objects import objects
from market.packaging import Package
from market.problem import Problem
from market.rendered import read
from market.rules.chart_views import Finding, Subject, View, at_object, each_view
from market.rules.registry import declare, package_check

declare("chart.schema", "error", "An object that Kubernetes refuses",
        why="A value has the wrong type, or a required one is missing: the installation fails.",
        fix="Correct the value; a text such as \"8000\" or \"true\" needs quotes: `{{ ... | quote }}`.",
        source=f"Kubernetes {VERSION} API schemas (kubernetes-validate)")  # fmt: skip
declare("chart.unknown-field", "warning", "A field that Kubernetes does not know",
        why="Kubernetes drops it without a word, so what it was meant to do does not happen.",
        fix="Correct its name or its indentation, or delete it.",
        source=f"Kubernetes {VERSION} API schemas (kubernetes-validate), strict form")  # fmt: skip
declare("chart.no-object", "error", "Rendered YAML that is no object",
        why="Helm sends it to the cluster, which refuses it: an object has `apiVersion`, `kind` and `metadata.name`.",
        fix="Complete the object; keep texts that are none out of templates/, or begin their names with `_`.",
        source="Kubernetes API conventions; Olares framework/oac helm dry run")  # fmt: skip
declare("chart.duplicate-object", "error", "The same object twice",
        why="The cluster keeps one of the two, or Helm stops the installation.",
        fix="Rename or delete one of them.",
        source="Helm, resource conflicts")  # fmt: skip
declare("chart.duplicate-key", "error", "A rendered mapping with the same key twice",
        why="The last one wins without a word; server-side validation refuses the object.",
        fix="Keep one of them; look for an include or a toYaml that adds the same key.",
        source="Kubernetes server-side field validation")  # fmt: skip


@package_check
def shapes(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """What templates render to are objects, each once, as Kubernetes wants them."""
    yield from each_view(catalog, package, identities, duplicates, keys, schemas)


def identities(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Each object says what it is and what it is called."""
    for found in view.objects:
        missing = [
            field
            for field, value in (
                ("apiVersion", found.api_version), ("kind", found.kind),
                ("metadata.name", found.name or found.get("metadata", "generateName")),
            )
            if not value
        ]  # fmt: skip
        if missing:
            message = f"{found.title}: no {', no '.join(missing)}"
            yield at_object("chart.no-object", found, message=message)


def duplicates(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """No two objects of a kind have one name in one namespace."""
    seen: set[tuple[str, ...]] = set()
    for found in view.objects:
        identity = (found.api_version.rpartition("/")[0], found.kind, found.namespace, found.name)
        if found.kind and found.name and identity in seen:
            message = f"{found.title} was rendered before"
            yield at_object("chart.duplicate-object", found, "metadata", "name", message=message)
        seen.add(identity)


def keys(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """No mapping has a key twice."""
    done: set[str] = set()
    for found in view.objects:
        for line, key in read(found.rendered).duplicates if found.template not in done else ():
            yield Finding("chart.duplicate-key", f"key {key} stands there twice", found, line=line)
        done.add(found.template)


def schemas(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Kubernetes' schemas allow each object; what the checker leaves out may be null."""
    for found in view.objects:
        for fault in () if view.is_bare else _faults(found.template, found.rendered)[found.index]:
            rule = "chart.unknown-field" if fault.is_strict else "chart.schema"
            where = ".".join(str(step) for step in fault.path) or "the object"
            message = f"{found.title}, {where}: {fault.message}"
            yield at_object(rule, found, *fault.path, message=message)


@lru_cache(maxsize=64)
def _faults(template: str, rendered: str) -> tuple[tuple[Fault, ...], ...]:
    """The faults of every object of a text; both owners often have the same text."""
    return tuple(tuple(faults(found.data)) for found in objects(template, rendered))
