"""Family ``chart``: from an entrance over its Service to a port that a container listens on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.catalog import Catalog
from market.objects import Part, mapping, sequence
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view, named
from market.rules.registry import declare, package_check
from market.workloads import Container, Pod, Service, service

declare("chart.entrance-host", "error", "An entrance leads to no Service",
        why="Olares sends an entrance's requests to the Service named in `host`; without it the app never opens.",
        fix="Write the name of a Service of the chart, or name the Service as the entrance says.",
        source="Olares authoring guide, entrances; holds for every app of the official catalog")  # fmt: skip
declare("chart.entrance-port", "error", "An entrance leads to a port that its Service does not have",
        why="The Service is found, but nothing answers: the app never opens.",
        fix="Write one of the Service's ports (`port`, not `targetPort`).",
        source="Olares authoring guide, entrances; holds for every app of the official catalog")  # fmt: skip
declare("chart.service-selector", "error", "A Service that selects no pod",
        why="Its requests are answered by nobody.",
        fix="Let `spec.selector` name labels that the pod template has.",
        source="Kubernetes, Services")  # fmt: skip
declare("chart.target-port", "error", "A Service leads to a port that no container names",
        why="A `targetPort` given by name must be the name of a container port; nothing listens otherwise.",
        fix="Give the container port this name, or write the number.",
        source="Kubernetes, Services")  # fmt: skip
declare("chart.undeclared-port", "advice", "A Service or a probe uses a port that no container declares",
        why="Kubernetes takes a number as it is, so a wrong one shows only when nothing answers.",
        fix="Add `ports: [{containerPort: ...}]` to the container, or correct the number.",
        source="this catalog")  # fmt: skip
declare("chart.probe-port", "error", "A probe of a port name that the container does not have",
        why="The probe never succeeds, so Kubernetes restarts the container for ever or never sends it requests.",
        fix="Name a port that the container declares, or write the number.",
        source="Kubernetes, probes")  # fmt: skip

HANDLERS = ("httpGet", "tcpSocket", "grpc")


@package_check
def paths(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Entrances, Services, container ports and probes fit together."""
    yield from each_view(catalog, package, entrances, services, probes)


def entrances(subject: Subject, view: View) -> Iterator[Finding]:
    """Host and port of each entrance are those of a rendered Service.

    Apps of the type middleware are left out: an operator makes their Services after installation. Shared
    entrances have hosts that Olares makes.
    """
    if subject.manifest.get("olaresManifest.type") != "app":
        return
    document, known = subject.app.manifest_document, _services(view)
    for index, entrance in enumerate(sequence(subject.manifest.get("entrances"))):
        host, port = mapping(entrance).get("host"), mapping(entrance).get("port")
        if not isinstance(host, str):
            continue
        if host not in known:
            shown = ", ".join(sorted(known)) or "none"
            message = f"there is no Service {host}; the chart renders: {shown}"
            yield at_document("chart.entrance-host", document, "entrances", index, "host", message=message)
            continue
        ports = [found.get("port") for one in known[host] for found in one.ports]
        if isinstance(port, int) and port not in ports:
            shown = ", ".join(str(found) for found in ports) or "none"
            message = f"Service {host} has no port {port}; it has: {shown}"
            yield at_document("chart.entrance-port", document, "entrances", index, "port", message=message)


def services(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Each Service selects a pod, and its ports lead to container ports."""
    for one in (found for group in _services(view).values() for found in group):
        if not one.selector or one.text("spec", "type") == "ExternalName":
            continue
        selected = [pod for pod in view.pods if one.selector.items() <= pod.labels.items()]
        if not selected:
            labels = ", ".join(f"{key}={value}" for key, value in one.selector.items())
            message = f"no pod of the chart has the labels {labels}"
            yield at_part("chart.service-selector", one, "spec", "selector", message=message)
            continue
        for port in one.ports:
            yield from _target(port, selected)


def probes(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Each probe asks a port that its container declares."""
    for _, container in view.containers:
        for probe in container.probes:
            for handler in HANDLERS:
                port = probe.get(handler, "port")
                if port is None or _is_elsewhere(probe, handler) or _declares(container, port):
                    continue
                is_name = isinstance(port, str) and not port.isdigit()
                rule = "chart.probe-port" if is_name else "chart.undeclared-port"
                declared = ", ".join(_shown(found) for found in container.ports) or "none"
                message = f"{named(container)}: there is no port {port}; declared: {declared}"
                yield at_part(rule, probe, handler, "port", message=message)


def _services(view: View) -> dict[str, list[Service]]:
    found: dict[str, list[Service]] = {}
    for one in view.objects:
        if (made := service(one)) is not None:
            found.setdefault(made.object.name, []).append(made)
    return found


def _target(port: Part, selected: list[Pod]) -> Iterator[Finding]:
    """Where a Service's port leads: ``targetPort``, or the port's own number."""
    target = port.get("targetPort")
    target = port.get("port") if target is None else target
    containers = [container for pod in selected for container in pod.containers]
    if target is None or any(_declares(container, target) for container in containers):
        return
    where = "targetPort" if port.get("targetPort") is not None else "port"
    if isinstance(target, str) and not target.isdigit():
        yield at_part("chart.target-port", port, where, message=f"no container port is named {target}")
    else:
        yield at_part("chart.undeclared-port", port, where, message=f"no container declares port {target}")


def _declares(container: Container, port: Any) -> bool:
    """Whether a container declares a port, by name or number; a number may come as a text."""
    return any(
        port == found.name
        or str(port)
        == str(
            found.get(
                "containerPort",
            )
        )
        for found in container.ports
    )


def _is_elsewhere(probe: Part, handler: str) -> bool:
    return bool(probe.text(handler, "host"))


def _shown(port: Part) -> str:
    number = port.get("containerPort")
    return f"{number} ({port.name})" if port.name else f"{number}"
