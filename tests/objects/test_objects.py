"""Typed views of rendered objects, on good ones and on anything at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market import scenario
from market.catalog import Catalog
from market.helm import Rendering
from market.objects import KubeObject, objects
from market.packaging import Package
from market.rules import (
    chart_files,
    chart_network,
    chart_objects,
    chart_permissions,
    chart_render,
    chart_resources,
    chart_security,
    chart_storage,
    chart_workloads,
)
from market.scenario import Scenario
from market.source import SourceText
from market.workloads import pod, service
from market.yamldoc import parse

Packager = Callable[[Mapping[Scenario, Mapping[str, str]]], Package]
ADMIN, OTHER = Scenario("admin", "nvidia"), Scenario("owner", "nvidia")
POD_KINDS = ("Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob")


def only(text: str) -> KubeObject:
    (found,) = objects("demo/templates/x.yaml", text)
    return found


def test_a_deployment_is_seen_with_its_containers(rendered: Package) -> None:
    (texts,) = {rendering.documents["demo/templates/server.yaml"] for who, rendering in rendered.renderings.items()
                if who.mode == "nvidia"}  # fmt: skip
    deployment, web = objects("demo/templates/server.yaml", texts)
    assert (deployment.kind, deployment.name, deployment.namespace) == ("Deployment", "demo", "app-namespace")
    assert deployment.api_version == "apps/v1"
    found = pod(deployment)
    assert found is not None
    assert found.labels == {"app": "demo"}
    (container,) = found.containers
    assert container.image == "docker.io/demo/server:1.0"
    assert [word for _, word in container.words] == ["--model", "/data/model.gguf"]
    assert {one.name: one.get("value") for one in container.environment} == {
        "HOME": "/tmp", "MODE": "fast", "THREADS": "8192",
    }  # fmt: skip
    assert container.resource("limits", "cpu") == "2"
    assert [port.get("containerPort") for port in container.ports] == [8000]
    assert [mount.text("mountPath") for mount in container.mounts] == ["/data"]
    assert [volume.text("hostPath", "path") for volume in found.host_volumes] == ["/olares/userdata/appdata"]
    seen = service(web)
    assert seen is not None
    assert seen.selector == {"app": "demo"}
    assert service(deployment) is None
    assert pod(web) is None


def test_every_kind_of_workload_has_a_pod() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"initContainers": [{"name": "i"}], "containers": [{}]}}
    for kind in POD_KINDS:
        wrapped: dict[str, Any] = {"spec": {"template": template}}
        if kind == "Pod":
            wrapped = template
        if kind == "CronJob":
            wrapped = {"spec": {"jobTemplate": wrapped}}
        found = pod(only(json.dumps({"kind": kind, **wrapped})))
        assert found is not None
        assert [(one.name, one.is_init) for one in found.all_containers] == [("i", True), ("", False)]
        assert found.labels == {"a": "b"}


def test_items_of_a_list_are_objects_of_their_own() -> None:
    inner = "  - kind: List\n    items:\n      - kind: B\n        metadata: {name: b}\n"
    text = f"kind: List\nitems:\n  - kind: A\n  - 7\n{inner}"
    found = objects("demo/templates/x.yaml", text)
    assert [(one.kind, one.index) for one in found] == [("A", 0), ("B", 1)]
    assert found[1].line("metadata", "name") == 8


def test_what_is_missing_or_odd_is_empty() -> None:
    found = only("kind: [x]\nmetadata: 7\nspec: {template: {spec: {containers: {a: 1}, volumes: [1, {name: [2]}]}}}\n")
    assert (found.kind, found.name, found.namespace) == ("", "", "")
    assert found.get("spec", "template", "spec", "volumes", 9) is None
    assert found.line("spec", "nothing") == 3
    assert objects("demo/templates/x.yaml", "7\n---\n[1]\n---\n") == ()


words = st.sampled_from([
    "kind", "apiVersion", "metadata", "name", "namespace", "labels", "annotations", "spec", "template", "jobTemplate",
    "containers", "initContainers", "image", "command", "args", "env", "value", "valueFrom", "secretKeyRef", "optional",
    "envFrom", "configMapRef", "resources", "requests", "limits", "cpu", "memory", "ports", "containerPort", "port",
    "targetPort", "selector", "matchLabels", "volumes", "hostPath", "path", "volumeMounts", "mountPath", "subPathExpr",
    "securityContext", "privileged", "runAsUser", "livenessProbe", "httpGet", "strategy", "updateStrategy", "type",
    "replicas", "rules", "verbs", "resources", "subjects", "roleRef", "items", "data", "projected", "sources",
])  # fmt: skip
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "demo", "apps/v1", "v1", "http", "8000", "500m", "-1", "1e99", "/data", "a:latest", "x@y",
                     "nodes", "chown -R 1:1 /data", "--api-key", "hf_abcdefghijklmnopqrstuvwxyz", *POD_KINDS,
                     "Service", "Role", "RoleBinding", "List", "ServiceAccount"]),
)  # fmt: skip
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=6), max_leaves=40
)


def part(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A mapping with the fields, some of which are missing or of another kind than they should be."""
    return st.fixed_dictionaries({name: mostly(strategy) for name, strategy in fields.items()}).map(
        lambda made: {name: value for name, value in made.items() if value is not None}
    )


def several(entry: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(mostly(entry), min_size=1, max_size=2)


def mostly(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda dice: leaves if dice == 9 else strategy)


keys = part(name=leaves, optional=leaves)
amounts = part(cpu=leaves, memory=leaves)
container = part(
    name=leaves, image=leaves, command=several(leaves), args=several(leaves),
    env=several(part(name=st.just("API_KEY"), value=leaves, valueFrom=part(secretKeyRef=keys, configMapKeyRef=keys))),
    envFrom=several(part(secretRef=keys, configMapRef=keys)), resources=part(requests=amounts, limits=amounts),
    ports=several(part(name=leaves, containerPort=leaves)), livenessProbe=part(httpGet=part(port=leaves, host=leaves)),
    volumeMounts=several(part(name=st.just("data"), mountPath=st.just("/data"), subPathExpr=leaves)),
    securityContext=part(privileged=leaves, runAsUser=leaves, runAsNonRoot=leaves),
)  # fmt: skip
volume = part(
    name=st.just("data"), hostPath=part(path=leaves | st.just("/olares/share/lib/x")), secret=part(secretName=leaves),
    projected=part(sources=several(part(secret=keys, configMap=keys))),
)  # fmt: skip
template = part(
    metadata=part(labels=anything),
    spec=part(containers=several(container), initContainers=several(container), volumes=several(volume),
              securityContext=part(runAsUser=leaves, runAsNonRoot=leaves), hostNetwork=leaves),
)  # fmt: skip
metadata = part(name=leaves, namespace=leaves, labels=anything, annotations=anything)
shaped = st.one_of(
    st.fixed_dictionaries({
        "apiVersion": st.just("apps/v1"), "kind": st.sampled_from(POD_KINDS), "metadata": metadata,
        "spec": part(template=template, replicas=leaves, strategy=part(type=leaves), updateStrategy=part(type=leaves),
                     selector=anything, volumeClaimTemplates=several(part(metadata=metadata))),
    }),
    st.fixed_dictionaries({
        "apiVersion": st.just("v1"), "kind": st.sampled_from(["Service", "ConfigMap", "Secret"]), "metadata": metadata,
        "spec": part(selector=part(app=leaves), ports=several(part(port=leaves, targetPort=leaves)), type=leaves),
        "data": anything,
    }),
    st.fixed_dictionaries({
        "apiVersion": st.just("rbac.authorization.k8s.io/v1"), "kind": st.sampled_from(["Role", "ClusterRoleBinding"]),
        "metadata": metadata, "roleRef": part(name=leaves), "subjects": several(part(kind=st.just("ServiceAccount"))),
        "rules": several(part(verbs=several(st.just("patch")), resources=several(st.just("nodes")))),
    }),
)  # fmt: skip
manifests = st.fixed_dictionaries({
    "olaresManifest.type": st.just("app") | leaves,
    "metadata": anything,
    "entrances": anything | st.lists(st.fixed_dictionaries({"host": leaves, "port": leaves}), max_size=2),
    "workloadReplicas": anything | st.dictionaries(st.sampled_from(["demo", "other"]), leaves),
    "overlayGateway": anything | st.fixed_dictionaries({"entrances": st.lists(anything, max_size=2)}),
    "spec": anything | st.fixed_dictionaries({"accelerator": anything | st.lists(st.fixed_dictionaries({
        "mode": st.just("nvidia") | leaves, "limitedCpu": leaves, "requiredGPUMemory": leaves}), max_size=2)}),
    "permission": anything, "options": anything | st.fixed_dictionaries({
        "allowMultipleInstall": st.just(True), "upload": anything | st.fixed_dictionaries({"dest": leaves})}),
    "envs": anything,
})  # fmt: skip
CHECKS = (
    chart_files.lint, chart_files.contents, chart_render.renders, chart_objects.shapes, chart_workloads.workloads,
    chart_resources.amounts, chart_network.paths, chart_storage.volumes, chart_permissions.folders,
    chart_security.rights,
)  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(shaped | anything, max_size=4), anything, manifests)
def test_no_rule_ever_raises(
    small: Catalog, packager: Packager, documents: list[Any], other: Any, manifest: dict[str, Any]
) -> None:
    text = "\n---\n".join(json.dumps(document) for document in documents)
    templates = {"demo/templates/server.yaml": text, "demo/templates/gone.yaml": json.dumps(other)}
    made = packager({ADMIN: templates, OTHER: templates | {"demo/templates/NOTES.txt": "no: yaml: here"}})
    document, _ = parse(SourceText("apps/demo/chart/OlaresManifest.yaml", json.dumps(manifest)))
    assert document is not None
    app = replace(made.app, manifest_document=document)
    probes = {probe: Rendering(templates) for probe in (*scenario.probes(manifest), scenario.FIRST, scenario.SECOND)}
    for probe in probes:
        json.dumps(scenario.probe_values(manifest, probe))
    package = Package(app, made.archive, made.renderings, probes)
    for problem in (found for check in CHECKS for found in check(small, package)):
        assert problem.path
        assert problem.line >= 1
        assert problem.column >= 1
        assert problem.message
