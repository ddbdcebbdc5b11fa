"""Family ``chart``: what a pod may do to the machine and the cluster, and what it reveals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from market.catalog import Catalog
from market.helm import NAMESPACE
from market.objects import KubeObject, mapping, sequence, text
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_object, at_part, each_view, named
from market.rules.registry import declare, package_check
from market.scenario import STAND_IN
from market.workloads import Container

OAC = "Olares framework/oac"

declare("chart.root-image", "error", "A third-party image with the rights of root",
        why="The platform's checker refuses it: only images of beclab/ may run as root or privileged.",
        fix="Drop `privileged`, `runAsUser: 0` and `runAsNonRoot: false`; files below a user's space belong to 1000.",
        source=f"{OAC} CheckSecurityContextForNonBeclabImage")  # fmt: skip
declare("chart.privileged", "warning", "A privileged container",
        why="It can do anything to the machine and every app on it. The checker lets images of beclab/ through, yet "
            "no AI server needs it: GPUs come through the device plugin.",
        fix="Drop `privileged: true`; add the one capability that is needed.",
        source="Kubernetes Pod Security Standards, baseline")  # fmt: skip
declare("chart.host-namespace", "error", "A pod in the network, process or IPC namespace of the host",
        why="On the host's network the app answers beside Olares' sign-in, to everyone who reaches the machine; in "
            "the other namespaces it sees the processes and memory of all apps.",
        fix="Drop `hostNetwork`, `hostPID` and `hostIPC`; open a port with `ports` in the manifest.",
        source="Kubernetes Pod Security Standards, baseline")  # fmt: skip
declare("chart.namespace", "error", "An object in a namespace that the app does not have",
        why="Olares installs an app in a namespace of its own; only `user-system-*` may hold other objects, and no "
            "workloads.",
        fix="Write `namespace: {{ .Release.Namespace }}`.",
        source=f"{OAC} CheckResourceNamespace")  # fmt: skip
declare("chart.cluster-rights", "error", "A service account that may change nodes or network policies",
        why="With these rights an app can leave its isolation.",
        fix="Take the verbs create, update, patch, delete and deletecollection on `nodes` and `networkpolicies`, "
            "and wildcards that include them, out of the role.",
        source=f"{OAC} CheckServiceAccountRules")  # fmt: skip
declare("chart.image-tag", "error", "An image without a fixed version",
        why="A released version must install the same software on every device and day; the measured figures of the "
            "site belong to one build.",
        fix="Name a version tag or a digest; never `latest`.",
        source="this catalog")  # fmt: skip
declare("chart.image-digest", "advice", "An image named by a tag alone",
        why="Whoever owns the repository can move a tag to another build; a digest cannot be moved.",
        fix="Append the digest: `image:tag@sha256:...`.",
        source="this catalog")  # fmt: skip
declare("chart.clear-secret", "warning", "A secret in the clear",
        why="Everyone who downloads the chart can read it, and so can everyone who sees the pod.",
        fix="Ask for it with `envs` of type password, and read it from a Secret with `secretKeyRef`.",
        source="Olares authoring guide, secrets")  # fmt: skip

FORBIDDEN_VERBS = frozenset(("create", "update", "patch", "delete", "deletecollection", "*"))
FORBIDDEN_RESOURCES = frozenset(("nodes", "networkpolicies", "*"))
LONGEST = 20_000
"""Characters of a value that are searched for tokens."""
_TOKENS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|glpat-[A-Za-z0-9_-]{20,}|nvapi-[A-Za-z0-9_-]{20,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_SECRET_NAME = re.compile(
    r"(?i)(?:^|[_-])(?:token|password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)$"
)
_SECRET_OPTION = re.compile(r"(?i)^--?[\w.-]*(?:token|password|passwd|secret|api-?key)$")
_NO_SECRET = frozenset(("", "none", "null", "empty", "false", "true", "no", "0", "1", "dummy", "not-needed", "local"))


@package_check
def rights(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Containers, pods and roles keep to what an app may do."""
    yield from each_view(catalog, package, root_images, hosts, namespaces, roles, images, secrets)


def root_images(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Images that are not the platform's own do not run as root."""
    for found, container in view.containers:
        context = ("securityContext",)
        if container.get(*context, "privileged") is True and _is_trusted(container.image):
            message = f"{named(container)}: {_short(container.image)} is privileged"
            yield at_part("chart.privileged", container, *context, "privileged", message=message)
        if _is_trusted(container.image):
            continue
        for key, bad in (("privileged", True), ("runAsUser", 0), ("runAsNonRoot", False)):
            message = f"{named(container)}: {_short(container.image)} with `{key}: {str(bad).lower()}`"
            if _is(container.get(*context, key), bad):
                yield at_part("chart.root-image", container, *context, key, message=message)
            elif key != "privileged" and _is(found.get("spec", *context, key), bad):
                yield at_part("chart.root-image", found, "spec", *context, key, message=f"{message} of the pod")


def hosts(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Pods stay in namespaces of their own."""
    for found in view.pods:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if found.get("spec", key) is True:
                message = f"{found.object.title}: `{key}: true`"
                yield at_part("chart.host-namespace", found, "spec", key, message=message)


def namespaces(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Objects stand in the release's namespace."""
    for found in view.objects:
        if found.namespace in ("", NAMESPACE):
            continue
        is_workload = found.kind in ("Deployment", "StatefulSet", "DaemonSet")
        if is_workload or not found.namespace.startswith("user-system-"):
            message = f"{found.title} in namespace {found.namespace}"
            yield at_object("chart.namespace", found, "metadata", "namespace", message=message)


def roles(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Roles bound to a service account do not reach nodes and network policies."""
    bound = {
        text(found.get("roleRef", "name")) for found in view.of("RoleBinding", "ClusterRoleBinding") if _binds(found)
    }
    for found in view.of("Role", "ClusterRole"):
        for index, rule in enumerate(sequence(found.get("rules")) if found.name in bound else ()):
            verbs, resources = (
                sorted(allowed & {entry for entry in sequence(mapping(rule).get(key)) if isinstance(entry, str)})
                for key, allowed in (("verbs", FORBIDDEN_VERBS), ("resources", FORBIDDEN_RESOURCES))
            )
            if verbs and resources:
                message = f"{found.title} grants {', '.join(verbs)} on {', '.join(resources)}"
                yield at_object("chart.cluster-rights", found, "rules", index, message=message)


def images(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Images have a version that cannot change."""
    for _, container in view.containers:
        image = container.image
        name, _, digest = image.partition("@")
        tag = name.rpartition("/")[2].partition(":")[2]
        if not image or digest:
            continue
        if tag in ("", "latest"):
            message = f"{named(container)}: {image} has {'the tag latest' if tag else 'no tag'}"
            yield at_part("chart.image-tag", container, "image", message=message)
        else:
            yield at_part("chart.image-digest", container, "image", message=f"{image} has no digest")


def secrets(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """No token or password is written out in environment, command, arguments or files."""
    if view.is_bare:
        return
    for _, container in view.containers:
        for variable in container.environment:
            value = variable.text("value")
            if _TOKENS.search(value[:LONGEST]) or (_SECRET_NAME.search(variable.name) and _is_secret(value)):
                message = f"{named(container)}: variable {variable.name} has its value written out"
                yield at_part("chart.clear-secret", variable, "value", message=message)
        yield from _secret_words(container)
    for found in view.of("ConfigMap", "Secret"):
        for key in ("data", "stringData"):
            for name, value in mapping(found.get(key)).items():
                if isinstance(value, str) and _TOKENS.search(value[:LONGEST]):
                    message = f"{found.title}: {name} holds a token"
                    yield at_object("chart.clear-secret", found, key, name, message=message)


def _secret_words(container: Container) -> Iterator[Finding]:
    before = ""
    for path, word in container.words:
        option, sign, value = word.partition("=")
        shown = option if sign else before
        is_named = _SECRET_OPTION.match(shown) and _is_secret(value if sign else word)
        if is_named or _TOKENS.search(word[:LONGEST]):
            message = f"{named(container)}: {f'the value of {shown}' if is_named else 'a token'} is written out"
            yield Finding("chart.clear-secret", message, container.object, path)
        before = word


def _is_secret(value: str) -> bool:
    """Whether a value may be one: no stand-in, number, reference, path or option."""
    is_other = value.isdecimal() or STAND_IN in value or value.startswith(("$", "/", "-", "<", "["))
    return not is_other and value.lower() not in _NO_SECRET


def _short(image: str) -> str:
    """An image reference without its digest."""
    return image.partition("@")[0] or "no image"


def _is_trusted(image: str) -> bool:
    return image.startswith("beclab/") or "/beclab/" in image


def _is(value: object, bad: object) -> bool:
    """Equality that keeps booleans and numbers apart."""
    return type(value) is type(bad) and value == bad


def _binds(found: KubeObject) -> bool:
    return any(mapping(entry).get("kind") == "ServiceAccount" for entry in sequence(found.get("subjects")))
