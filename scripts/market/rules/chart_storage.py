"""Family ``chart``: volumes, the folders behind them, and what is done to them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from market.catalog import Catalog
from market.objects import Part, mapping
from market.packaging import Package
from market.problem import Problem
from market.rendered import Path
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view, named
from market.rules.registry import declare, package_check
from market.scenario import SHARED_FOLDERS
from market.workloads import Container, Pod

OAC = "Olares framework/oac"

declare("chart.rolling-host-path", "error", "A folder of the host under a rolling update",
        why="A rolling update starts the new pod beside the old one, perhaps on a node that does not have the folder.",
        fix="Set `spec.strategy.type: Recreate`; in a StatefulSet `spec.updateStrategy.type: OnDelete`.",
        source=f"{OAC} CheckHostPath")  # fmt: skip
declare("chart.sub-path-expr", "error", "`subPathExpr` in a volume mount",
        why="Olares prepares the folders of a pod before their names could be computed, and would prepare wrong ones.",
        fix="Use `subPath` with a fixed name.",
        source=f"{OAC} CheckSubPathExpr")  # fmt: skip
declare("chart.recursive-chown", "warning", "`chown -R` on a folder of the host",
        why="It walks through every model file at every start, fails on the first one it may not change, and the pod "
            "then never starts. Olares sets the owner of these folders itself.",
        fix="Delete the command; files below a user's space belong to 1000:1000.",
        source=f"{OAC} CheckBlindRecursiveChown, on for pull requests")  # fmt: skip
declare("chart.upload-mount", "error", "Uploads go to a folder that no container mounts",
        why="Uploaded files would be lost with the pod.",
        fix="Mount a volume exactly at `options.upload.dest`.",
        source=f"{OAC} CheckUploadConfig")  # fmt: skip
declare("chart.missing-volume", "error", "A mount of a volume that the pod does not have",
        why="Kubernetes refuses the pod.",
        fix="Add the volume to `spec.volumes`, or correct the mount's name.",
        source="Kubernetes, pod validation")  # fmt: skip
declare("chart.unused-volume", "advice", "A volume that nothing mounts",
        why="It makes the reader look for its use, and a folder of the host is opened to the pod for nothing.",
        fix="Delete the volume.",
        source="this catalog")  # fmt: skip
declare("chart.host-path", "warning", "A folder of the host outside what Olares gives an app",
        why="The app could read or change files of the system and of other apps, and its files are in no backup.",
        fix="Put the folder below one of `.Values.userspace.appData`, `.appCache`, `.userData`, `.appCommon`, or "
            "`.Values.sharedlib`.",
        source="Olares documentation, system-injected variables")  # fmt: skip
declare("chart.missing-reference", "warning", "A ConfigMap or Secret that the chart does not have",
        why="The pod waits for it for ever unless something else makes it.",
        fix="Correct the name, add the object, or set `optional: true`.",
        source="Kubernetes, pod lifecycle")  # fmt: skip

_CHOWN = re.compile(
    r"(?:^|[;&|\n])[ \t]*chown[ \t]+(?:-[a-zA-Z]{1,9}[ \t]+){0,9}?-[a-zA-Z]{0,9}R[a-zA-Z]{0,9}"
    r"(?:[ \t]+-[a-zA-Z]{1,9}){0,9}[ \t]+([^\n;&|]*)"
)


@package_check
def volumes(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Volumes exist, lie where they may, and are treated as the platform expects."""
    yield from each_view(catalog, package, updates, mounts, host_paths, owners, uploads, referred)


def updates(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Workloads with host folders do not update by rolling."""
    for found in view.pods:
        key = {"Deployment": "strategy", "StatefulSet": "updateStrategy"}.get(found.object.kind)
        if key is None or found.object.get("spec", key, "type") not in (None, "", "RollingUpdate"):
            continue
        for volume in found.host_volumes:
            message = f"{found.object.title}: volume {volume.name} is a folder of the host"
            yield at_part("chart.rolling-host-path", volume, "hostPath", message=message)


def mounts(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Mounts name volumes of the pod and give fixed paths; every volume is mounted."""
    for found in view.pods:
        claims = Part(found.object, ("spec",)).parts("volumeClaimTemplates")
        known = {volume.name for volume in found.volumes} | {claim.text("metadata", "name") for claim in claims}
        used: set[str] = set()
        for container in found.all_containers:
            devices = container.parts("volumeDevices")
            for mount in (*container.mounts, *devices):
                used.add(mount.name)
                if mount.name and mount.name not in known:
                    message = f"{named(container)}: the pod has no volume {mount.name}"
                    yield at_part("chart.missing-volume", mount, "name", message=message)
                if mount.text("subPathExpr"):
                    message = f"{named(container)}: mount {mount.name}"
                    yield at_part("chart.sub-path-expr", mount, "subPathExpr", message=message)
        for volume in found.volumes:
            if volume.name and volume.name not in used:
                message = f"{found.object.title}: no container mounts {volume.name}"
                yield at_part("chart.unused-volume", volume, "name", message=message)


def host_paths(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Host folders lie below those that Olares gives; the checker's values name none of them."""
    if view.is_bare:
        return
    for found in view.pods:
        for volume in found.host_volumes:
            path = volume.text("hostPath", "path")
            if path and not _is_below(path, SHARED_FOLDERS):
                message = f"{found.object.title}: volume {volume.name} is {path}"
                yield at_part("chart.host-path", volume, "hostPath", "path", message=message)


def owners(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """No container changes owners through a whole host folder."""
    for found, container in view.containers:
        paths = _host_mounts(found, container)
        if not paths:
            continue
        words = tuple(word for _, word in container.words)
        at: Path = next((path for path, word in container.words if "chown" in word), container.path)
        for match in (found for script in (*words, " ".join(words)) for found in _CHOWN.finditer(script)):
            for target in match[1].split()[1:]:
                bare = target.strip("\"'").rstrip("/")
                if bare and not bare.startswith("-") and _is_below(bare, paths):
                    message = f"{named(container)}: recursive chown of {bare}"
                    yield Finding("chart.recursive-chown", message, container.object, at)


def uploads(subject: Subject, view: View) -> Iterator[Finding]:
    """The upload folder is a mount."""
    wanted = mapping(mapping(subject.manifest.get("options")).get("upload")).get("dest")
    if not isinstance(wanted, str) or not wanted:
        return
    mounted = {
        posixpath.normpath(mount.text("mountPath"))
        for found in view.pods if found.object.kind in ("Deployment", "StatefulSet")
        for container in found.containers for mount in container.mounts if mount.text("mountPath")
    }  # fmt: skip
    if posixpath.normpath(wanted) not in mounted:
        message = f"no container mounts a volume at {wanted}"
        document = subject.app.manifest_document
        yield at_document("chart.upload-mount", document, "options", "upload", "dest", message=message)


def referred(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """ConfigMaps and Secrets that pods refer to are rendered, or optional."""
    known = {(one.kind, one.name) for one in view.of("ConfigMap", "Secret")}
    for found in view.pods:
        for part, kind, key in _references(found):
            name = part.text(key)
            if name and part.get("optional") is not True and (kind, name) not in known:
                message = f"{found.object.title} refers to {kind} {name}, which the chart does not render"
                yield at_part("chart.missing-reference", part, key, message=message)


def _references(found: Pod) -> Iterator[tuple[Part, str, str]]:
    """Every reference of a pod to a ConfigMap or Secret, with the key that holds the name."""
    for volume in found.volumes:
        yield _below(volume, "configMap"), "ConfigMap", "name"
        yield _below(volume, "secret"), "Secret", "secretName"
        for source in volume.parts("projected", "sources"):
            yield _below(source, "configMap"), "ConfigMap", "name"
            yield _below(source, "secret"), "Secret", "name"
    for container in found.all_containers:
        for source in container.sources:
            yield _below(source, "configMapRef"), "ConfigMap", "name"
            yield _below(source, "secretRef"), "Secret", "name"
        for variable in container.environment:
            yield _below(variable, "valueFrom", "configMapKeyRef"), "ConfigMap", "name"
            yield _below(variable, "valueFrom", "secretKeyRef"), "Secret", "name"


def _below(part: Part, *path: str) -> Part:
    return Part(part.object, (*part.path, *path))


def _host_mounts(found: Pod, container: Container) -> tuple[str, ...]:
    names = {volume.name for volume in found.host_volumes}
    paths = (mount.text("mountPath").rstrip("/") for mount in container.mounts if mount.name in names)
    return tuple(path for path in paths if path)


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    clean = posixpath.normpath(path)
    return any(clean == folder or clean.startswith(f"{folder}/") for folder in folders)
