"""Rendered Kubernetes objects as typed views.

A view takes any JSON value: what is missing or of another kind is empty, so that a rule asks its own
question and leaves shapes to the schema. Every part knows the object and the path it stands at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from market.rendered import Path, read
from market.yamldoc import value_at

SCALED = ("Deployment", "StatefulSet")
"""The workloads that Olares counts, starts and stops."""
CLUSTER_KINDS = frozenset({
    "APIService", "CSIDriver", "CSINode", "ClusterIssuer", "ClusterRole", "ClusterRoleBinding",
    "CustomResourceDefinition", "IngressClass", "MutatingWebhookConfiguration", "Namespace", "Node",
    "PersistentVolume", "PriorityClass", "RuntimeClass", "StorageClass", "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "VolumeAttachment",
})  # fmt: skip
"""Kinds that live outside namespaces."""


@dataclass(frozen=True, slots=True)
class KubeObject:
    """One object: ``template`` and ``rendered`` are the path inside the chart and the text it comes from,
    ``base`` is the object's path in its document, ``index`` its number in the text."""

    template: str
    rendered: str = field(repr=False)
    data: Mapping[str, Any] = field(repr=False)
    lines: Mapping[Path, int] = field(repr=False)
    base: Path = ()
    index: int = 0

    def get(self, *path: str | int) -> Any:
        """The value at ``path``, or ``None``."""
        return value_at(self.data, path)

    def line(self, *path: str | int) -> int:
        """The line of ``path`` in the rendered text, or of its nearest parent."""
        full = (*self.base, *path)
        return next((self.lines[full[:end]] for end in range(len(full), -1, -1) if full[:end] in self.lines), 1)

    @property
    def kind(self) -> str:
        """``kind``, or an empty text."""
        return text(self.get("kind"))

    @property
    def api_version(self) -> str:
        """``apiVersion``, or an empty text."""
        return text(self.get("apiVersion"))

    @property
    def name(self) -> str:
        """``metadata.name``, or an empty text."""
        return text(self.get("metadata", "name"))

    @property
    def namespace(self) -> str:
        """``metadata.namespace``, or an empty text."""
        return text(self.get("metadata", "namespace"))

    @property
    def title(self) -> str:
        """How messages name it."""
        return f"{self.kind or 'object'} {self.name or 'without a name'}"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an object: the data at ``path``."""

    object: KubeObject
    path: Path

    @property
    def data(self) -> Mapping[str, Any]:
        """The piece's own keys and values."""
        return mapping(self.object.get(*self.path))

    def text(self, *path: str | int) -> str:
        """The text at ``path`` below this piece, or an empty one."""
        return text(self.object.get(*self.path, *path))

    def get(self, *path: str | int) -> Any:
        """The value at ``path`` below this piece, or ``None``."""
        return self.object.get(*self.path, *path)

    def parts(self, *path: str | int) -> tuple[Part, ...]:
        """The mappings in the list at ``path`` below this piece."""
        entries = sequence(self.get(*path))
        return tuple(
            Part(self.object, (*self.path, *path, index))
            for index, entry in enumerate(entries)
            if isinstance(entry, dict)
        )

    @property
    def name(self) -> str:
        """``name``, or an empty text."""
        return self.text("name")


def objects(template: str, rendered: str) -> tuple[KubeObject, ...]:
    """The objects that a template rendered to; the items of a List each count as one."""
    found = (
        one
        for item in read(rendered).items
        if isinstance(item.data, dict)
        for one in _flatten(KubeObject(template, rendered, item.data, item.lines))
    )
    return tuple(replace(one, index=index) for index, one in enumerate(found))


def _flatten(found: KubeObject) -> Iterator[KubeObject]:
    entries = found.data.get("items")
    if found.kind != "List" or not isinstance(entries, list):
        yield found
        return
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield from _flatten(replace(found, data=entry, base=(*found.base, "items", index)))


def text(value: Any) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it holds keys, else nothing."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> tuple[Any, ...]:
    """The entries of a list, else none."""
    return tuple(value) if isinstance(value, list) else ()
