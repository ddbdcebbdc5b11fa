"""The `helm` command itself on every chart as it is packaged: another build of Helm than the one we render with."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from market import scenario as scenarios
from market.catalog import App, load
from market.packaging import archive
from market.paths import PROJECT

CATALOG, _ = load(PROJECT)


def helm() -> str:
    """The command on PATH, or the one that .ci/run builds from its Go module."""
    found = shutil.which("helm") or shutil.which("helm", path=str(PROJECT / "build" / "tools"))
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("helm is missing: .ci/run builds it with `go install helm.sh/helm/v3/cmd/helm`")
        pytest.skip("helm is not installed on this machine; CI builds it")
    return found


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([helm(), *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[App, Path]:
    app: App = request.param
    path = tmp_path / f"{app.name}-{app.version}.tgz"
    path.write_bytes(archive(CATALOG, app).data)
    return app, path


def values(app: App, folder: Path) -> list[Path]:
    """A values file for each scenario."""
    paths = []
    for number, scenario in enumerate(scenarios.scenarios(app.manifest)):
        path = folder / f"values{number}.yaml"
        path.write_text(yaml.safe_dump(scenarios.values(app.manifest, scenario)), "utf-8")
        paths.append(path)
    return paths


@pytest.mark.parametrize("packed", CATALOG.apps, indirect=True, ids=lambda app: app.name)
def test_helm_lints_and_templates_it(packed: tuple[App, Path], tmp_path: Path) -> None:
    app, path = packed
    for own in values(app, tmp_path):
        linted = run("lint", path, "--values", own)
        assert linted.returncode == 0, linted.stdout + linted.stderr
        made = run("template", app.name, path, "--namespace", "app-namespace", "--values", own)
        assert made.returncode == 0, made.stderr
        kinds = {document["kind"] for document in yaml.safe_load_all(made.stdout) if document}
        assert {"Deployment", "Service"} <= kinds
