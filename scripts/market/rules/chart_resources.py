"""Family ``chart``: processor and memory that containers ask for, against what the manifest announces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from market.catalog import Catalog
from market.objects import SCALED, KubeObject, mapping, sequence
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view, named
from market.rules.registry import declare, package_check
from market.workloads import Container, pod

SOURCE = "Olares framework/oac CheckResourceLimits"

declare("chart.resources", "error", "A container without processor or memory, requested or limited",
        why="The platform's checker refuses the app; without limits one app can starve all others of the machine.",
        fix="Set cpu and memory under both `resources.requests` and `resources.limits`.",
        source=SOURCE)  # fmt: skip
declare("chart.quantity", "error", "An amount that is no quantity",
        why="Kubernetes refuses the whole object.",
        fix="Write a number of 0 or more with an optional unit: \"500m\", \"4\", 24Gi.",
        source="Kubernetes resource.Quantity")  # fmt: skip
declare("chart.resource-order", "error", "A request over its limit",
        why="Kubernetes refuses such a pod.",
        fix="Lower the request or raise the limit.",
        source=SOURCE)  # fmt: skip
declare("chart.envelope", "error", "The containers need more than the manifest announces",
        why="Olares decides by the manifest whether an app fits on the machine; the sums of all containers must "
            "stay within it, separately for each accelerator.",
        fix="Raise the amount of this `spec.accelerator` entry, or lower what the containers ask for.",
        source=SOURCE)  # fmt: skip

declare("chart.gpu-annotation", "warning", "GPU memory without a workload that gets a GPU",
        why="Olares hands a GPU only to workloads that carry the annotation on the Deployment or StatefulSet itself; "
            "without it the server runs on the processor, or not at all.",
        fix="Add `applications.app.bytetrade.io/gpu-inject: \"true\"` to the workload's `metadata.annotations`.",
        source="Olares app-service, admission webhook for GPUs")  # fmt: skip

GPU_ANNOTATION = "applications.app.bytetrade.io/gpu-inject"
_QUANTITY = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?P<unit>[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?")
_FACTORS = {
    **{unit: Decimal(10) ** power for unit, power in zip("num kMGTPE", range(-9, 19, 3), strict=True)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
NAMES = ("cpu", "memory")
ENVELOPE = {
    ("requests", "cpu"): "requiredCpu",
    ("limits", "cpu"): "limitedCpu",
    ("requests", "memory"): "requiredMemory",
    ("limits", "memory"): "limitedMemory",
}
AUTOMATIC = "-1"
"""An amount that Olares computes when it installs; allowed in templates."""
LONGEST = 40
"""Characters of a quantity; no amount on earth needs as many."""


@package_check
def amounts(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Every container says what it needs, and together they keep to the manifest."""
    yield from each_view(catalog, package, quantities, containers, envelope, graphics)


def quantities(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Every amount can be read."""
    for _, container in view.containers:
        for side in ("requests", "limits"):
            for name, value in mapping(container.get("resources", side)).items():
                if (size := amount(value)) is None or size < 0:
                    message = f"{named(container)}: `{side}.{name}` is {value!r}"
                    yield at_part("chart.quantity", container, "resources", side, name, message=message)


def containers(subject: Subject, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Requests and limits are there and in order."""
    for container in _counted(view):
        for name in NAMES:
            request, limit = (amount(container.resource(side, name)) for side in ("requests", "limits"))
            for side, value in (("requests", request), ("limits", limit)):
                if value == 0 or container.resource(side, name) is None:
                    message = f"{named(container)}: no `{side}.{name}`"
                    yield at_part("chart.resources", container, "resources", side, message=message)
            if request and limit and request > limit:
                shown = f"{container.resource('requests', name)} of {name}, limit {container.resource('limits', name)}"
                message = f"{named(container)}: requests {shown}"
                yield at_part("chart.resource-order", container, "resources", "requests", name, message=message)


def envelope(subject: Subject, view: View) -> Iterator[Finding]:
    """Per accelerator, the sums over the containers stay within the manifest's entry."""
    document = subject.app.manifest_document
    entries = sequence(mapping(subject.manifest.get("spec")).get("accelerator"))
    for index, entry in enumerate(entries):
        if not view.mode or mapping(entry).get("mode") != view.mode:
            continue
        for (side, name), key in ENVELOPE.items():
            allowed = None if entry.get(key) == AUTOMATIC else amount(entry.get(key))
            total = sum((amount(one.resource(side, name)) or Decimal(0) for one in _counted(view)), Decimal(0))
            if allowed is not None and total > allowed:
                message = f"`{key}` is {entry[key]}, the containers' `{side}.{name}` add up to {shown(total, name)}"
                yield at_document("chart.envelope", document, "spec", "accelerator", index, key, message=message)


def graphics(subject: Subject, view: View) -> Iterator[Finding]:
    """Where the manifest asks for GPU memory, a workload gets a GPU."""
    document = subject.app.manifest_document
    for index, entry in enumerate(sequence(mapping(subject.manifest.get("spec")).get("accelerator"))):
        needs_gpu = mapping(entry).get("mode") == view.mode and amount(mapping(entry).get("requiredGPUMemory"))
        if needs_gpu and not any(_is_annotated(found) for found in view.of(*SCALED)):
            message = f"no Deployment or StatefulSet has the annotation {GPU_ANNOTATION}"
            at = ("spec", "accelerator", index, "requiredGPUMemory")
            yield at_document("chart.gpu-annotation", document, *at, message=message, key=True)


def _is_annotated(found: KubeObject) -> bool:
    return bool(found.get("metadata", "annotations", GPU_ANNOTATION) == "true")


def _counted(view: View) -> Iterator[Container]:
    """The containers that the platform counts: those of Deployments and StatefulSets, init containers not."""
    for found in view.of(*SCALED):
        workload = pod(found)
        yield from workload.containers if workload else ()


def amount(value: Any) -> Decimal | None:
    """A rendered quantity in cores or bytes, or ``None`` where it is none."""
    written = str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    match = _QUANTITY.fullmatch(written) if len(written) <= LONGEST else None
    if match is None:
        return None
    unit = match["unit"] or ""
    if unit[:1] in ("e", "E") and len(unit) > 1 and unit != "Ei":
        return Decimal(written)
    return Decimal(written.removesuffix(unit)) * (_FACTORS[unit] if unit else 1)


def shown(value: Decimal, name: str) -> str:
    """An amount in the unit that charts write it in: cores, or the largest whole binary unit."""
    if name == "cpu":
        return f"{value.normalize():f}"
    for power, unit in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        scaled = value / 1024**power
        if scaled >= 1 and scaled == int(scaled):
            return f"{scaled.normalize():f}{unit}"
    return f"{value.normalize():f}"
