"""What the rules of the family ``llm`` look at: the model server of every rendering of an app."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from market.argv import Origin
from market.catalog import Catalog
from market.objects import text
from market.options import Option
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view
from market.serving import Serving, serving

Check = Callable[[Serving, View], Iterator[Finding]]


def each_serving(catalog: Catalog, package: Package, *checks: Check) -> Iterator[Problem]:
    """Run checks on the server of every installation, where there is one that can be read."""

    def run(subject: Subject, view: View) -> Iterator[Finding]:
        found = None if view.is_bare else serving(subject.catalog, subject.app, view.pods, view.objects)
        for check in checks if found else ():
            assert found is not None
            yield from check(found, view)

    yield from each_view(catalog, package, run)


def at_option(rule: str, found: Serving, option: Option, *, message: str, fix: str = "") -> Finding:
    """A finding at an option, or at the variable that set it."""
    if option.variable:
        return at_variable(rule, found, option.variable, message=message, fix=fix)
    return at_origin(rule, found, option.origin, message=message, fix=fix)


def at_origin(rule: str, found: Serving, origin: Origin, *, message: str, fix: str = "") -> Finding:
    """A finding at the place that an argument comes from: an entry, or a line of a script."""
    if origin.line is None:
        return at_part(rule, found.container, *origin.path, message=message, fix=fix)
    start = found.container.object.line(*found.container.path, *origin.path)
    lines = found.container.object.rendered.split("\n")
    opening = lines[start - 1].rstrip() if start <= len(lines) else ""
    # The text of a block scalar starts on the line after its mark.
    is_block = opening.endswith(("|", "|-", "|+", ">", ">-", ">+"))
    path = (*found.container.path, *origin.path)
    return Finding(rule, message, found.container.object, path, line=start + is_block + origin.line, fix=fix)


def at_variable(rule: str, found: Serving, name: str, *, message: str, fix: str = "") -> Finding:
    """A finding at an environment variable: in values.yaml where it comes from there, else in the template."""
    stated = found.app.values_document.get("server", "env", name)
    if isinstance(stated, str) and stated == found.environment.get(name):
        return at_document(rule, found.app.values_document, "server", "env", name, message=message, fix=fix)
    for entry in found.container.environment:
        if entry.name == name:
            return at_part(rule, entry, "value", message=message, fix=fix)
    return at_part(rule, found.container, message=message, fix=fix)


def at_model(rule: str, found: Serving, role: str, *, message: str, fix: str = "") -> Finding:
    """A finding at the model file with a role in values.yaml."""
    values = found.app.values_document
    for index, model in enumerate(values.get("models", default=[])):
        if isinstance(model, dict) and model.get("role") == role:
            key = "file" if isinstance(model.get("file"), str) else "repo"
            return at_document(rule, values, "models", index, key, message=message, fix=fix)
    return at_document(rule, values, "models", message=message, fix=fix)


def at_pointer(rule: str, found: Serving, pointer: str, *, message: str, fix: str = "") -> Finding | None:
    """A finding at what a pointer of data/incompatibilities.yaml names, or ``None`` where it is not there."""
    kind, colon, name = pointer.partition(":")
    if kind == "env" and colon:
        is_set = any(entry.name == name for entry in found.container.environment)
        return at_variable(rule, found, name, message=message, fix=fix) if is_set else None
    if kind == "model" and colon:
        return at_model(rule, found, name, message=message, fix=fix)
    if pointer == "image":
        return at_part(rule, found.container, "image", message=message, fix=fix)
    if pointer == "host-path":
        volume = next(iter(found.pod.host_volumes), None)
        return None if volume is None else at_part(rule, volume, "hostPath", "path", message=message, fix=fix)
    option = found.option(pointer)
    return None if option is None else at_option(rule, found, option, message=message, fix=fix)


def at_card(rule: str, found: Serving, *path: str | int, message: str, fix: str = "") -> Finding:
    """A finding at a fact of the app card."""
    return at_document(rule, found.app.card_document, *path, message=message, fix=fix)


def shown(option: Option | None) -> str:
    """An option as messages show it."""
    if option is None:
        return "nothing"
    return f"`{' '.join((option.spelled, *option.values))}`" if len(option.values) < 3 else f"`{option.spelled} …`"


def card_text(found: Serving, *path: str) -> str:
    """A text of the app card, or an empty one."""
    return text(found.app.card_document.get(*path))
