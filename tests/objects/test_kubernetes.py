"""Kubernetes' schemas."""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest

from market.kubernetes import VERSION, faults


def deployment(**spec: Any) -> dict[str, Any]:
    container = {"name": "a", "image": "b"} | spec.pop("container", {})
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]} | spec.pop("pod", {})}
    body = {"selector": {"matchLabels": {"a": "b"}}, "template": template} | spec
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": body}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (deployment(), []),
        (deployment(container={"env": [{"name": "A", "value": 8}]}),
         [("spec.template.spec.containers.0.env.0.value", False)]),
        (deployment(container={"image": None, "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}), []),
        (deployment(container={"resources": {"limits": {"cpu": True}}}),
         [("spec.template.spec.containers.0.resources.limits.cpu", False)]),
        (deployment(status={}, strategi={}), [("spec.status", True), ("spec.strategi", True)]),
        (deployment(pod={"enableServiceLink": True, "containers": 7}),
         [("spec.template.spec.containers", False), ("spec.template.spec.enableServiceLink", True)]),
        ({"apiVersion": "apps/v1", "kind": "Deployment", "MANIFEST": 1}, [("MANIFEST", True)]),
        ({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"targetPort": "http"}]}},
         [("spec.ports.0", False)]),
        ({"apiVersion": "traefik.io/v1alpha1", "kind": "IngressRoute", "spec": 7}, []),
        ({"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "spec": 7}, []),
        ({"apiVersion": "v1", "kind": "../../../../etc/passwd"}, []),
        ({"apiVersion": "../v1", "kind": "Pod"}, []),
        ({"apiVersion": ["v1"], "kind": "Pod"}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_faults_have_a_path_and_a_weight(data: dict[str, Any], expected: list[tuple[str, bool]]) -> None:
    found = sorted((".".join(map(str, fault.path)), fault.is_strict) for fault in faults(data))
    assert found == expected


@pytest.mark.parametrize("data", [deployment(), deployment(replicas="two"), deployment(pod={"volumes": {}})])
@pytest.mark.parametrize("strict", [True, False])
def test_the_package_itself_agrees(data: dict[str, Any], strict: bool) -> None:
    try:
        kubernetes_validate.validate(data, VERSION, strict=strict)
    except kubernetes_validate.ValidationError:
        is_valid = False
    else:
        is_valid = True
    assert is_valid == (not [fault for fault in faults(data) if strict or not fault.is_strict])


def test_a_deep_object_is_refused_without_a_traceback() -> None:
    inner: dict[str, Any] = {"type": "object"}
    for _ in range(600):
        inner = {"type": "object", "properties": {"a": inner}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": inner}}]
    names = {"plural": "as", "kind": "A"}
    spec = {"group": "x.y", "names": names, "scope": "Namespaced", "versions": versions}
    data = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    assert [fault.message for fault in faults(data)] == ["nested too deep to be validated"]
