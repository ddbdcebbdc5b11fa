"""What the rules of the family ``chart`` look at: the objects of every rendering of an app.

A rule that reads objects is a function from a view to findings. It runs on each rendering; what it finds in
all of them is reported once, what it finds in some names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from market.catalog import App, Catalog
from market.helm import Rendering
from market.objects import KubeObject, Part, objects
from market.packaging import Package
from market.problem import Problem
from market.rendered import Path, read
from market.rules.registry import problem
from market.templates import Place, place, place_of_line
from market.workloads import Container, Pod, pod
from market.yamldoc import Document


@dataclass(frozen=True, slots=True)
class View:
    """The objects of one rendering. ``mode`` is its accelerator, or empty where the chart is told none.

    ``is_bare`` says that the chart had only the values that the platform's checker gives.
    """

    label: str
    mode: str
    is_bare: bool
    objects: tuple[KubeObject, ...]

    @property
    def pods(self) -> tuple[Pod, ...]:
        """The pods of every workload."""
        return tuple(found for one in self.objects if (found := pod(one)))

    def of(self, *kinds: str) -> tuple[KubeObject, ...]:
        """The objects of these kinds."""
        return tuple(one for one in self.objects if one.kind in kinds)

    @property
    def containers(self) -> tuple[tuple[Pod, Container], ...]:
        """Every container, init containers included, with its pod."""
        return tuple((each, container) for each in self.pods for container in each.all_containers)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule broken in one rendering: at a path or a rendered line of an object, or at a place of a file."""

    rule: str
    message: str
    object: KubeObject | None = None
    path: Path = ()
    line: int = 0
    place: Place | None = None
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """The app that is looked at."""

    catalog: Catalog
    package: Package

    @property
    def app(self) -> App:
        """The app itself."""
        return self.package.app

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Its manifest."""
        return self.app.manifest


Check = Callable[[Subject, View], Iterator[Finding]]


def objects_of(rendering: Rendering) -> tuple[KubeObject, ...]:
    """The objects of a rendering, templates in order of their paths."""
    return tuple(
        found
        for template, text in sorted(rendering.documents.items())
        if is_manifest(template)
        for found in objects(template, text)
    )


def is_manifest(template: str) -> bool:
    """Whether Helm takes a template's output for objects (releaseutil SortManifests)."""
    return not template.rpartition("/")[2].startswith("_") and not template.endswith("NOTES.txt")


def is_sound(rendering: Rendering) -> bool:
    """Whether a rendering succeeded and is YAML; half of its objects would mislead every rule."""
    texts = (text for template, text in rendering.documents.items() if is_manifest(template))
    return not rendering.error and not any(read(text).error for text in texts)


def installations(package: Package) -> Iterator[View]:
    """A view of every installation that is sound."""
    for scenario, rendering in package.renderings.items():
        if is_sound(rendering):
            yield View(scenario.label, scenario.mode, False, objects_of(rendering))


def views(package: Package) -> tuple[View, ...]:
    """A view of every installation and of what the platform's checker renders, where that is sound."""
    checked = [
        View(probe.label, probe.mode, True, objects_of(rendering))
        for probe, rendering in package.probes.items()
        if probe.bare and is_sound(rendering)
    ]
    return (*installations(package), *checked)


def each_view(catalog: Catalog, package: Package, *checks: Check) -> Iterator[Problem]:
    """Run checks on every view and report each finding once."""
    subject = Subject(catalog, package)
    seen = views(package)
    found: dict[Problem, set[int]] = {}
    for index, view in enumerate(seen):
        for check in checks:
            for finding in check(subject, view):
                found.setdefault(report(subject, finding), set()).add(index)
    for one, where in found.items():
        only = _only(seen, where)
        yield replace(one, message=f"{one.message} ({only})") if only else one


def _only(seen: Sequence[View], where: set[int]) -> str:
    """In which renderings alone something was found; empty when in every installation."""
    installed = {index for index, view in enumerate(seen) if not view.is_bare}
    inside = installed & where
    if inside == installed:
        return ""
    if not inside:
        return "with the values of the platform's checker"
    modes = {seen[index].mode for index in inside}
    if inside == {index for index in installed if seen[index].mode in modes}:
        return f"accelerator {', '.join(sorted(modes))}"
    return "; ".join(seen[index].label for index in sorted(inside))


def report(subject: Subject, finding: Finding) -> Problem:
    """The problem that a finding is, at the place in the repository where it was written."""
    at, found = finding.place or Place(subject.app.folder), finding.object
    if found is not None and finding.line:
        at = place_of_line(subject.catalog, subject.app, found.template, found.rendered, finding.line)
    elif found is not None:
        at = place(subject.catalog, subject.app, found, finding.path)
    return problem(finding.rule, at.path, at.line, at.column, message=finding.message, fix=finding.fix)


def at_part(rule: str, part: Part, *path: str | int, message: str, fix: str = "") -> Finding:
    """A finding at a piece of an object."""
    return Finding(rule, message, part.object, (*part.path, *path), fix=fix)


def at_object(rule: str, found: KubeObject, *path: str | int, message: str, fix: str = "") -> Finding:
    """A finding at an object."""
    return Finding(rule, message, found, path, fix=fix)


def at_document(
    rule: str, document: Document, *path: str | int, message: str, fix: str = "", key: bool = False
) -> Finding:
    """A finding at a value, or at its key, in a contributor's file."""
    return Finding(rule, message, place=Place(document.path, *document.place(path, key)), fix=fix)


def named(container: Container) -> str:
    """How messages name a container."""
    return f"{container.object.title}, container {container.name or 'without a name'}"
