"""Pods and Services among rendered objects, as typed views; as tolerant as those of ``market.objects``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from market.objects import KubeObject, Part, mapping, sequence
from market.rendered import Path

POD_PATHS: Mapping[str, Path] = {
    "Pod": (),
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
"""Where the pod of each kind of workload stands."""
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


@dataclass(frozen=True, slots=True)
class Container(Part):
    """A container; ``is_init`` says that it runs before the others."""

    is_init: bool = False

    @property
    def image(self) -> str:
        """The image reference."""
        return self.text("image")

    @property
    def words(self) -> tuple[tuple[Path, str], ...]:
        """Command and arguments in order, each with its path in the object."""
        return tuple(
            ((*self.path, key, index), word)
            for key in ("command", "args")
            for index, word in enumerate(sequence(self.get(key)))
            if isinstance(word, str)
        )

    @property
    def environment(self) -> tuple[Part, ...]:
        """Environment variables: name, value, valueFrom."""
        return self.parts("env")

    @property
    def sources(self) -> tuple[Part, ...]:
        """envFrom."""
        return self.parts("envFrom")

    @property
    def ports(self) -> tuple[Part, ...]:
        """Declared ports."""
        return self.parts("ports")

    @property
    def mounts(self) -> tuple[Part, ...]:
        """volumeMounts."""
        return self.parts("volumeMounts")

    @property
    def probes(self) -> tuple[Part, ...]:
        """The probes it has."""
        return tuple(Part(self.object, (*self.path, key)) for key in PROBES if mapping(self.get(key)))

    def resource(self, side: str, name: str) -> Any:
        """``resources.<side>.<name>`` as written: side is requests or limits."""
        return self.get("resources", side, name)


@dataclass(frozen=True, slots=True)
class Pod(Part):
    """A pod or the pod template of a workload; ``path`` is that of its metadata and spec."""

    @property
    def labels(self) -> Mapping[str, Any]:
        """Its labels."""
        return mapping(self.get("metadata", "labels"))

    @property
    def containers(self) -> tuple[Container, ...]:
        """Containers, without the init containers."""
        return tuple(Container(self.object, part.path) for part in self.parts("spec", "containers"))

    @property
    def init_containers(self) -> tuple[Container, ...]:
        """Init containers."""
        return tuple(Container(self.object, part.path, True) for part in self.parts("spec", "initContainers"))

    @property
    def all_containers(self) -> tuple[Container, ...]:
        """Init containers and containers."""
        return self.init_containers + self.containers

    @property
    def volumes(self) -> tuple[Part, ...]:
        """Its volumes."""
        return self.parts("spec", "volumes")

    @property
    def host_volumes(self) -> tuple[Part, ...]:
        """The volumes that are folders of the host."""
        return tuple(volume for volume in self.volumes if isinstance(volume.get("hostPath"), dict))


@dataclass(frozen=True, slots=True)
class Service(Part):
    """A Service."""

    @property
    def selector(self) -> Mapping[str, Any]:
        """The labels it selects pods by; without any, it selects none."""
        return mapping(self.get("spec", "selector"))

    @property
    def ports(self) -> tuple[Part, ...]:
        """Its ports: port, targetPort, name, protocol."""
        return self.parts("spec", "ports")


def pod(found: KubeObject) -> Pod | None:
    """The pod that an object makes, if it is a workload."""
    path = POD_PATHS.get(found.kind)
    return None if path is None else Pod(found, path)


def service(found: KubeObject) -> Service | None:
    """The object as a Service, if it is one."""
    return Service(found, ()) if found.kind == "Service" else None
