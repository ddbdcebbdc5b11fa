"""What the archetypes make of every app: objects that Kubernetes accepts and Olares can run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from market import archive, helm, quantity, scenario

ROOT = Path(__file__).parents[2]
APPS = sorted(path.parent.parent.name for path in (ROOT / "apps").glob("*/chart/values.yaml"))
KUBERNETES = "1.33"


def document(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text("utf-8")))


@cache
def manifest(name: str) -> dict[str, Any]:
    return document(ROOT / "apps" / name / "chart" / "OlaresManifest.yaml")


@cache
def packed(name: str) -> bytes:
    app = ROOT / "apps" / name
    folders = [app / "chart", ROOT / "archetypes" / document(app / "app.yaml")["archetype"]]
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    return archive.pack(name, manifest(name)["metadata"]["version"], files).data


def objects(name: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    rendered = helm.render(packed(name), name, values)
    return [item for text in rendered.values() for item in yaml.safe_load_all(text) if item]


def deployment(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    (found,) = [item for item in objects(name, values) if item["kind"] == "Deployment"]
    return found


def containers(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    pod = found["spec"]["template"]["spec"]
    return [*pod["initContainers"], *pod["containers"]]


def installations(name: str) -> dict[str, dict[str, Any]]:
    """Values of real installations, and of checkers that know less than a device."""
    found = {each.label: scenario.values(manifest(name), each) for each in scenario.scenarios(manifest(name))}
    anyone = next(iter(found.values()))
    found["with a token"] = anyone | {"olaresEnv": {"HF_TOKEN": 'hf_"x\\y', "HF_ENDPOINT": "https://hub.example/"}}
    found["with nothing"] = {}
    found["with null"] = {"userspace": None, "olaresEnv": None}
    return found


@pytest.mark.parametrize("name", APPS)
def test_kubernetes_accepts_every_object(name: str) -> None:
    for values in installations(name).values():
        for item in objects(name, values):
            kubernetes_validate.validate(item, KUBERNETES, strict=True)


@pytest.mark.parametrize("name", APPS)
def test_names_are_those_that_the_manifest_promises(name: str) -> None:
    for label, values in installations(name).items():
        found = {(item["kind"], item["metadata"]["name"]) for item in objects(name, values)}
        expected = {("Deployment", name), ("Service", name), ("ConfigMap", f"{name}-download")}
        assert found == expected | ({("Secret", f"{name}-hub")} if label == "with a token" else set())
    (service,) = [item for item in objects(name, {}) if item["kind"] == "Service"]
    (entrance,) = manifest(name)["entrances"]
    assert (entrance["host"], entrance["port"]) == (name, service["spec"]["ports"][0]["port"])
    # A Deployment's selector can never change; this is the one of all versions published so far.
    assert service["spec"]["selector"] == {"io.kompose.service": name}
    assert deployment(name, {})["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]


@pytest.mark.parametrize("name", APPS)
@pytest.mark.parametrize("count", [0, 1])
def test_the_platform_starts_and_stops_it(name: str, count: int) -> None:
    found = deployment(name, {"workloads": {name: {"replicaCount": count}}})
    assert found["spec"]["replicas"] == count
    assert found["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize("name", APPS)
def test_nothing_runs_as_root(name: str) -> None:
    found = deployment(name, {})
    pod = found["spec"]["template"]["spec"]["securityContext"]
    assert pod["runAsNonRoot"] is True
    assert pod["runAsUser"] > 0
    for container in containers(found):
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert not {"runAsUser", "runAsNonRoot", "privileged"} & security.keys()


@pytest.mark.parametrize("name", APPS)
def test_requests_fit_the_manifest(name: str) -> None:
    found = deployment(name, {})
    (accelerator,) = manifest(name)["spec"]["accelerator"]
    for container in containers(found):
        resources = container["resources"]
        for kind in ("cpu", "memory"):
            assert quantity.parse(resources["requests"][kind]) <= quantity.parse(resources["limits"][kind])
    servers = found["spec"]["template"]["spec"]["containers"]
    for kind in ("cpu", "memory"):
        for side, stated in (("requests", "required"), ("limits", "limited")):
            total = sum(quantity.parse(server["resources"][side][kind]) for server in servers)
            assert total <= quantity.parse(accelerator[f"{stated}{kind.capitalize()}"])
    megabytes = int(servers[0]["resources"]["limits"]["nvidia.com/gpumem"])
    assert f"{megabytes}Mi" == accelerator["requiredGPUMemory"]
    assert "nvidia.com/gpumem" not in servers[0]["resources"]["requests"]


@pytest.mark.parametrize("name", APPS)
def test_the_token_is_in_the_secret_only(name: str) -> None:
    values = installations(name)["with a token"]
    for item in objects(name, values):
        if item["kind"] == "Secret":
            assert item["stringData"] == {"token": 'hf_"x\\y'}
        else:
            assert "hf_" not in yaml.safe_dump(item)


@pytest.mark.parametrize("name", APPS)
def test_the_server_gets_exactly_the_arguments_of_the_values(name: str) -> None:
    server = document(ROOT / "apps" / name / "chart" / "values.yaml")["server"]
    (found,) = deployment(name, {})["spec"]["template"]["spec"]["containers"]
    assert (found["command"], found["args"]) == (server["command"], server["args"])
    environment = {entry["name"]: entry["value"] for entry in found["env"]}
    assert environment | server["env"] == environment


@pytest.mark.parametrize("name", APPS)
def test_models_lie_in_the_folder_that_apps_share(name: str) -> None:
    values = next(iter(installations(name).values()))
    volumes = {volume["name"]: volume for volume in deployment(name, values)["spec"]["template"]["spec"]["volumes"]}
    assert volumes["common"]["hostPath"] == {"path": values["userspace"]["appCommon"], "type": "DirectoryOrCreate"}
    assert manifest(name)["permission"] == {"appCommon": True}
