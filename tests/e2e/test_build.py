"""`market build` as a command: deterministic, complete or not at all, and clear about bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MARKET = Path(sys.executable).with_name("market")


def market(catalog: Path, *arguments: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
    umask = int(surroundings.pop("UMASK", "022"), 8)
    return subprocess.run(
        [MARKET, *arguments], cwd=catalog, env={**os.environ, **surroundings}, umask=umask, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def modes(folder: Path) -> set[str]:
    return {oct(path.stat().st_mode & 0o777) for path in folder.rglob("*") if path.is_file()}


def test_two_builds_are_the_same_byte_for_byte(catalog: Path, tmp_path: Path) -> None:
    first = market(catalog, "build", "--out", str(tmp_path / "a"), "--work", str(tmp_path / "wa"), UMASK="022",
                   TZ="UTC", LC_ALL="C.UTF-8", PYTHONHASHSEED="1")  # fmt: skip
    assert first.returncode == 0, first.stdout + first.stderr
    second = market(catalog, "build", "--out", str(tmp_path / "b"), "--work", str(tmp_path / "wb"), UMASK="077",
                    TZ="Asia/Tokyo", LC_ALL="C", PYTHONHASHSEED="99")  # fmt: skip
    assert second.returncode == 0, second.stdout + second.stderr
    one, other = content(tmp_path / "a"), content(tmp_path / "b")
    assert one.keys() == other.keys()
    assert [path for path in one if one[path] != other[path]] == []
    assert modes(tmp_path / "a") == modes(tmp_path / "b") == {"0o644"}


def test_four_faults_in_four_apps_are_all_named_and_nothing_is_written(catalog: Path) -> None:
    one, two, three, four = sorted(path.parts[-3] for path in (catalog / "apps").glob("*/chart/values.yaml"))[:4]
    (catalog / f"apps/{one}/chart/OlaresManifest.yaml").unlink()
    manifest = catalog / f"apps/{two}/chart/OlaresManifest.yaml"
    manifest.write_text(manifest.read_text().replace("spec:\n", "spec:\n\tlanguage: []\n", 1))
    card = catalog / f"apps/{three}/app.yaml"
    card.write_text(card.read_text() + "statsu: published\n")
    values = catalog / f"apps/{four}/chart/values.yaml"
    values.write_text(values.read_text().replace("  port: ", "  port: a", 1))
    found = market(catalog, "check", "--format", "json")
    assert found.returncode == 1
    errors = [one for one in json.loads(found.stdout)["problems"] if one["severity"] == "error"]
    named = {(one["path"].split("/")[1], one["rule"]) for one in errors}
    assert {(one, "layout.missing-file"), (two, "yaml.tab"), (three, "schema.unknown-key"),
            (four, "schema.wrong-type")} <= named  # fmt: skip
    assert all(one["line"] >= 1 and one["column"] >= 1 and one["fix"] and one["why"] for one in errors)
    built = market(catalog, "build")
    assert built.returncode == 1
    assert not (catalog / "dist").exists()
    assert "Traceback" not in built.stdout + built.stderr


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_every_form_tells_the_same_places(catalog: Path, form: str) -> None:
    card = sorted((catalog / "apps").glob("llama*/app.yaml"))[0]
    text = card.read_text() + "statsu: published\n"
    card.write_text(text)
    line = text.count("\n")
    found = market(catalog, "check", "--format", form)
    assert found.returncode == 1
    assert f"{card.parent.name}/app.yaml" in found.stdout
    assert {"text": f"app.yaml:{line}:1", "json": f'"line": {line}', "github": f"line={line},col=1",
            "sarif": f'"startLine": {line}'}[form] in found.stdout  # fmt: skip


def test_a_released_chart_cannot_change_in_silence(catalog: Path, tmp_path: Path) -> None:
    values = sorted((catalog / "apps").glob("*/chart/values.yaml"))[0]
    name = values.parts[-3]
    values.write_bytes(values.read_bytes() + b"#")
    built = market(catalog, "build", "--no-site", "--out", str(tmp_path / "dist"))
    assert built.returncode == 1
    assert f"market bump {name}" in built.stdout
    assert not (tmp_path / "dist").exists()
    bumped = market(catalog, "bump", name, "--now", "2026-12-01T00:00:00Z")
    assert bumped.returncode == 0, bumped.stdout + bumped.stderr
    again = market(catalog, "build", "--no-site", "--out", str(tmp_path / "dist"), "--previous", "ab" * 32)
    assert again.returncode == 0, again.stdout + again.stderr
    status = json.loads((tmp_path / "dist/api/status").read_bytes())
    assert (status["previous"], status["commit"], status["dirty"]) == ("ab" * 32, None, False)
    assert status["apps"][name]["released"] == status["released"] == "2026-12-01T00:00:00Z"
    info = json.loads((tmp_path / "dist/api/v1/appstore/info").read_bytes())
    (changed,) = [app for app in info["data"]["apps"].values() if app["name"] == name]
    assert changed["updated_at"] == "2026-12-01T00:00:00.000000000Z"
    assert info["data"]["latest"][0] == name


def test_a_previous_hash_that_is_none_is_refused(catalog: Path, tmp_path: Path) -> None:
    refused = market(catalog, "build", "--no-site", "--out", str(tmp_path / "dist"), "--previous", "v1.0")
    assert refused.returncode == 1
    assert "'v1.0' is no catalog hash" in refused.stderr
    assert not (tmp_path / "dist").exists()


def test_a_failed_build_leaves_the_old_one_alone(catalog: Path, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    assert market(catalog, "build", "--no-site", "--out", str(out)).returncode == 0
    before = content(out)
    card = sorted((catalog / "apps").glob("llama*/app.yaml"))[0]
    card.write_text("status: [\n")
    assert market(catalog, "build", "--no-site", "--out", str(out)).returncode == 1
    assert content(out) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_fault_of_the_environment_is_status_two(catalog: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    found = market(catalog, "build", "--no-site", "--out", str(blocked / "dist"))
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert market(catalog, "verify", "http://127.0.0.1:9").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [("new", "x[/y]", "--like", "nobody"), ("bump", "no[/body]"), ("render", "no[bold]body")],
)
def test_input_that_looks_like_markup_is_quoted_as_it_is(catalog: Path, arguments: tuple[str, ...]) -> None:
    found = market(catalog, *arguments)
    assert found.returncode == 1
    assert "Traceback" not in found.stderr
    assert arguments[1] in found.stderr
