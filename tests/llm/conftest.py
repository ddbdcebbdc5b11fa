"""What the tests of servers and combinations start from."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from market.catalog import Catalog, load
from market.objects import objects
from market.rules import examples
from market.serving import Serving, serving
from market.workloads import pod


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The catalog of the examples, with the engines of the repository."""
    root = tmp_path_factory.mktemp("base") / "catalog"
    shutil.copytree(examples.FOLDER / "base", root)
    catalog, problems = load(root)
    assert not problems
    return catalog


@pytest.fixture
def make(base: Catalog, tmp_path: Path) -> Callable[..., Serving]:
    """Make what an app serves: card facts over those of the demo app, and the server's arguments."""

    def build(
        arguments: Sequence[str] = (),
        *,
        engine: str = "llama-cpp",
        version: str = "b9310",
        image: str = "docker.io/demo/server:1",
        card: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        models: Sequence[Mapping[str, object]] = (),
        init: Sequence[Mapping[str, object]] = (),
        volumes: Sequence[Mapping[str, object]] = (),
    ) -> Serving:
        root = tmp_path / "catalog"
        if root.exists():
            shutil.rmtree(root)
        shutil.copytree(base.root, root)
        folder = root / "apps/demo"
        facts = yaml.safe_load((folder / "app.yaml").read_text("utf-8"))
        facts |= {"engine": {"id": engine, "version": version}, **(card or {})}
        (folder / "app.yaml").write_text(yaml.safe_dump(facts), "utf-8")
        values = yaml.safe_load((folder / "chart/values.yaml").read_text("utf-8"))
        values["models"] = [*values["models"], *models]
        (folder / "chart/values.yaml").write_text(yaml.safe_dump(values), "utf-8")
        catalog, _ = load(root)
        is_vllm = engine.startswith("vllm")
        container = {
            "name": "server",
            "image": image,
            "command": ["vllm", "serve"] if is_vllm else ["/app/llama-server"],
            "args": list(arguments),
            "env": [{"name": name, "value": value} for name, value in (env or {}).items()],
        }
        spec = {"containers": [container], "initContainers": list(init), "volumes": list(volumes)}
        rendered = yaml.safe_dump({"kind": "Deployment", "spec": {"template": {"spec": spec}}})
        found = objects("templates/deployment.yaml", rendered)
        pods = [one for each in found if (one := pod(each))]
        served = serving(catalog, catalog.apps[0], pods, found)
        assert served is not None
        return served

    return build
