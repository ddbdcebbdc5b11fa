"""Family ``chart``: the workloads that Olares installs, counts, starts and stops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from market.catalog import App, Catalog
from market.objects import CLUSTER_KINDS, SCALED, KubeObject, mapping, sequence
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import (
    Finding,
    Subject,
    View,
    at_document,
    at_object,
    each_view,
    is_sound,
    objects_of,
    report,
)
from market.rules.registry import declare, package_check
from market.scenario import FIRST, SECOND, STARTED, STOPPED, Probe
from market.templates import Place, source_path

OAC = "Olares framework/oac"

declare("chart.main-workload", "error", "No workload carries the app's name",
        why="Olares finds an app's pods by the Deployment or StatefulSet that is named as the app.",
        fix="Name the main workload `{{ .Release.Name }}`: the release has the app's name.",
        source=f"{OAC} CheckDeploymentName")  # fmt: skip
declare("chart.workload-replicas", "error", "`workloadReplicas` does not list exactly the workloads",
        why="Olares installs with zero replicas first and starts the workloads that the manifest lists.",
        fix="Give `workloadReplicas` one entry for each rendered Deployment and StatefulSet, and no other.",
        source=f"{OAC} CheckWorkloadReplicas")  # fmt: skip
declare("chart.replica-value", "error", "values.yaml has no replica count for a workload",
        why="The platform's checker wants `workloads.<name>.replicaCount` for each entry of `workloadReplicas`.",
        fix="Add `workloads: {<name>: {replicaCount: 1}}` to values.yaml.",
        source=f"{OAC} checkWorkloadReplicaValues")  # fmt: skip
declare("chart.replica-count", "error", "A workload does not follow its replica count",
        why="Olares stops an app by rendering it with replicaCount 0. A fixed count, or `| default 1`, which takes "
            "0 for nothing, keeps the pods running: the app can never be stopped.",
        fix="Write `replicas: {{ .Values.workloads.<name>.replicaCount }}`, with `index` where the name has a hyphen.",
        source=f"{OAC} CheckWorkloadReplicasRendered")  # fmt: skip
declare("chart.replica-reference", "error", "A `replicas:` line that the platform's text scan does not know",
        why="One form of the checker reads templates as text: it wants `.Values.workloads.<name>.replicaCount` or "
            "`(index .Values.workloads \"<name>\").replicaCount` with a literal name on a `replicas:` line, and leaves "
            "alone a template without such a line. Another compares renderings. Both must pass.",
        fix="Write the name out, or let a template of _helpers.tpl write the whole `replicas: N` line: "
            "`{{- include \"...replicas\" . | nindent 2 }}`.",
        source=f"{OAC} chartscan.go checkWorkloadReplicaTemplates")  # fmt: skip
declare("chart.overlay-workload", "error", "An overlay gateway entrance names no workload",
        why="The gateway would lead nowhere.",
        fix="Name a rendered Deployment or StatefulSet in `overlayGateway.entrances[].workload`.",
        source=f"{OAC} CheckOverlayGatewayWorkloads")  # fmt: skip
declare("chart.release-name", "error", "Several installations of the app would collide",
        why="With `options.allowMultipleInstall` every installation has a release name of its own, which the main "
            "workload must carry.",
        fix="Name the workload exactly `{{ .Release.Name }}`.",
        source=f"{OAC} CheckReleaseNameWorkload")  # fmt: skip
declare("chart.fixed-name", "error", "An object of several installations with one name",
        why="Two installations of the app would both claim an object that lives outside their namespaces. The "
            "platform's checker takes every object without `metadata.namespace` for one.",
        fix="Put `{{ .Release.Name }}` into the name, or set `namespace: {{ .Release.Namespace }}`.",
        source=f"{OAC} CheckClusterScopedFixedNames")  # fmt: skip

_KIND_LINE = re.compile(r"^\s*kind:\s*[\"']?(Deployment|StatefulSet)[\"']?\s*$", re.MULTILINE)
_REPLICAS_LINE = re.compile(r"^\s*replicas:\s*(\S.*?)\s*$")
_REFERENCES = (
    re.compile(r"\.Values\.workloads\.([A-Za-z0-9_]+)\.replicaCount"),
    re.compile(r"index\s+\.Values\.workloads\s+\"([^\"]+)\"\s*\)\s*\.replicaCount"),
)


@package_check
def workloads(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Workloads, manifest and values agree on names and counts, in every rendering and by probing."""
    yield from each_view(catalog, package, main_workload, listed_workloads, overlay_workloads)
    subject = Subject(catalog, package)
    for finding in (*replica_values(subject), *replica_counts(subject), *references(subject), *collisions(subject)):
        yield report(subject, finding)


def main_workload(subject: Subject, view: View) -> Iterator[Finding]:
    """A Deployment or StatefulSet is named as the app."""
    if subject.manifest.get("olaresManifest.type") != "app":
        return
    names = {one.name for one in view.of(*SCALED)}
    if subject.app.name not in names:
        shown = ", ".join(sorted(names)) or "no Deployment or StatefulSet"
        message = f"no workload is named {subject.app.name}; the chart renders {shown}"
        yield at_document("chart.main-workload", subject.app.manifest_document, "metadata", "name", message=message)


def listed_workloads(subject: Subject, view: View) -> Iterator[Finding]:
    """``workloadReplicas`` has the rendered workloads for its keys."""
    document, rule = subject.app.manifest_document, "chart.workload-replicas"
    listed = mapping(subject.manifest.get("workloadReplicas"))
    rendered = {one.name: one for one in view.of(*SCALED)}
    for name in sorted(rendered.keys() - listed.keys()):
        yield at_document(rule, document, "workloadReplicas", message=f"workload {name} is missing", key=True)
    for name in sorted(listed.keys() - rendered.keys()):
        message = f"the chart renders no Deployment or StatefulSet {name}"
        yield at_document(rule, document, "workloadReplicas", name, message=message, key=True)


def overlay_workloads(subject: Subject, view: View) -> Iterator[Finding]:
    """Overlay gateway entrances lead to rendered workloads."""
    names = {one.name for one in view.of(*SCALED)}
    entrances = sequence(mapping(subject.manifest.get("overlayGateway")).get("entrances"))
    for index, entrance in enumerate(entrances):
        name = mapping(entrance).get("workload")
        if isinstance(name, str) and name and name not in names:
            yield at_document(
                "chart.overlay-workload", subject.app.manifest_document,
                "overlayGateway", "entrances", index, "workload", message=f"the chart renders no workload {name}",
            )  # fmt: skip


def replica_values(subject: Subject) -> Iterator[Finding]:
    """values.yaml holds the count of each listed workload."""
    document = subject.app.values_document
    for name in mapping(subject.manifest.get("workloadReplicas")):
        if "replicaCount" not in mapping(document.get("workloads", name)):
            message = f"`workloads.{name}.replicaCount` is missing"
            yield at_document("chart.replica-value", document, "workloads", name, message=message, key=True)


def replica_counts(subject: Subject) -> Iterator[Finding]:
    """Rendered with a count of 0, and of 1, each workload has that count."""
    for probe in (STOPPED, STARTED):
        for found in _probed(subject, probe):
            count = found.get("spec", "replicas")
            if found.kind in SCALED and (1 if count is None else count) != probe.replicas:
                shown = "no count, which means 1," if count is None else f"count {count}"
                message = f"{found.title} has {shown} where `replicaCount` is {probe.replicas}"
                yield at_object("chart.replica-count", found, "spec", "replicas", message=message)


def references(subject: Subject) -> Iterator[Finding]:
    """``replicas:`` lines of templates refer to a listed workload in a form that a text scan knows."""
    listed = mapping(subject.manifest.get("workloadReplicas"))
    for inside, text in templates(subject.catalog, subject.app):
        if not inside.lower().endswith((".yaml", ".yml")):
            continue
        for line, column, written in _replica_lines(text):
            name = next((match[1] for form in _REFERENCES if (match := form.search(written))), None)
            if name in listed:
                continue
            message = f"`{written}`" if name is None else f"`workloadReplicas` has no {name}"
            place = Place(source_path(subject.catalog, subject.app, inside), line, column)
            yield Finding("chart.replica-reference", message, place=place)


def collisions(subject: Subject) -> Iterator[Finding]:
    """Under two release names, the main workload has them and nothing outside the namespaces has one name."""
    if mapping(subject.manifest.get("options")).get("allowMultipleInstall") is not True:
        return
    first, second = (_probed(subject, probe) for probe in (FIRST, SECOND))
    names = {one.name for one in (*first, *second) if one.kind in SCALED}
    if not {FIRST.release, SECOND.release} <= names:
        rendering = subject.package.probes.get(FIRST)
        message = "no Deployment or StatefulSet is named as the release"
        if rendering and rendering.error:
            message = f"under another release name: {' '.join(rendering.error.split())[:300]}"
        at = ("options", "allowMultipleInstall")
        yield at_document("chart.release-name", subject.app.manifest_document, *at, message=message)
    taken = {(one.kind, one.name) for one in second if _is_outside(one)}
    for one in first:
        if _is_outside(one) and (one.kind, one.name) in taken:
            yield at_object("chart.fixed-name", one, "metadata", "name", message=f"{one.title} has a fixed name")


def templates(catalog: Catalog, app: App) -> Iterator[tuple[str, str]]:
    """The chart's templates, helpers included, by path inside the chart, with their texts."""
    for inside, data in sorted(catalog.chart_files(app).items()):
        if "templates" in inside.split("/")[:-1]:
            yield inside, data.decode("utf-8", "replace")


def _probed(subject: Subject, probe: Probe) -> tuple[KubeObject, ...]:
    rendering = subject.package.probes.get(probe)
    return objects_of(rendering) if rendering and is_sound(rendering) else ()


def _is_outside(found: KubeObject) -> bool:
    return found.kind in CLUSTER_KINDS or not found.namespace


def _replica_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """The first ``replicas:`` line of every document that names a scaled kind on a line of its own."""
    number = 1
    for document in re.split(r"(?m)^---\s*$", text):
        lines = document.split("\n")
        if _KIND_LINE.search(document):
            for offset, line in enumerate(lines):
                match = None if line.strip().startswith("#") else _REPLICAS_LINE.match(line)
                if match:
                    yield number + offset, len(line) - len(line.lstrip()) + 1, match[1]
                    break
        number += len(lines) - 1
