"""Folders of Olares apps outside this catalog's form: judged by the platform's rules for their form."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from market import foreign
from market.helm import render_all, render_here
from market.problem import Problem, Severity
from market.rules import examples

Change = Callable[[Path], None]


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    shutil.copytree(examples.FOLDER / "platform", tmp_path / "apps")
    return tmp_path / "apps"


def check(root: Path) -> list[Problem]:
    return [one for one in foreign.check(root, render_here).problems if one.rule != "olares.not-rendered"]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_a_folder_of_apps_is_told_from_a_catalog(apps: Path, tmp_path: Path) -> None:
    assert foreign.holds_apps(apps)
    assert not foreign.holds_apps(tmp_path)
    assert not foreign.holds_apps(examples.FOLDER / "base")
    (apps / "apps").mkdir()
    assert not foreign.holds_apps(apps)


def test_sound_apps_of_two_forms_have_no_problem_but_one_remark(apps: Path) -> None:
    judged = foreign.check(apps, render_all)
    assert [one.rule for one in judged.problems] == ["olares.not-rendered"]
    assert judged.is_sound
    assert judged.apps == ("demo", "legacy")
    assert "demo/OlaresManifest.yaml" in judged.sources


def test_a_listing_without_templates_is_told_once_and_not_an_app(apps: Path) -> None:
    for app in ("demo", "legacy"):
        shutil.rmtree(apps / app / "templates")
    judged = foreign.check(apps, render_here)
    assert [(one.rule, one.path) for one in judged.problems] == [("olares.not-rendered", ".")]


def test_one_chart_without_templates_among_others_is_incomplete(apps: Path) -> None:
    shutil.rmtree(apps / "demo" / "templates")
    (problem,) = check(apps)
    assert (problem.rule, problem.path) == ("layout.missing-file", "demo/templates/")


@pytest.mark.parametrize("name", ["Chart.yaml", "values.yaml", "OlaresManifest.yaml"])
def test_a_missing_file_is_missed(apps: Path, name: str) -> None:
    (apps / "legacy" / name).unlink()
    assert [(one.rule, one.path) for one in check(apps)] == [("layout.missing-file", f"legacy/{name}")]


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a list\n", "olaresManifest.version: '0.12.0'\n"])
def test_a_manifest_without_content_is_an_error(apps: Path, text: str) -> None:
    (apps / "demo" / "OlaresManifest.yaml").write_text(text, "utf-8")
    assert any(one.severity is Severity.ERROR and one.path == "demo/OlaresManifest.yaml" for one in check(apps))


@pytest.mark.parametrize("text", ["", "\ufeff", "# Olares fills these in.\n\n"])
def test_values_may_be_empty(apps: Path, text: str) -> None:
    (apps / "legacy" / "values.yaml").write_text(text, "utf-8")
    assert check(apps) == []


def test_a_problem_of_one_kind_of_owner_says_so(apps: Path) -> None:
    edit(apps / "legacy" / "OlaresManifest.yaml", "limitedMemory: 128Mi", "limitedMemory: 12Mi")
    (problem,) = check(apps)
    assert (problem.rule, problem.line, problem.column) == ("olares.limit-below-request", 31, 18)
    assert problem.message.endswith("(owner is not the admin)")


def test_a_problem_of_every_owner_is_reported_once(apps: Path) -> None:
    edit(apps / "legacy" / "OlaresManifest.yaml", "title: Legacy\n  description", "title: ''\n  description")
    (problem,) = check(apps)
    assert (problem.rule, problem.line) == ("schema.wrong-value", 5)
    assert "owner" not in problem.message


def test_names_and_versions_must_agree(apps: Path) -> None:
    (apps / "demo").rename(apps / "other")
    edit(apps / "legacy" / "Chart.yaml", "version: 1.0.0", "version: 1.0.1")
    found = {(one.rule, one.path) for one in check(apps)}
    assert found == {
        ("layout.name", "other/Chart.yaml"),
        ("layout.name", "other/OlaresManifest.yaml"),
        ("layout.version", "legacy/OlaresManifest.yaml"),
    }


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("  developer: demo\n", "  developer: &who demo\n  submitter2: *who\n", "yaml.alias"),
        ("  developer: demo\n", "  developer: demo\n  developer: demo\n", "yaml.duplicate-key"),
        ("  developer: demo\n", "  developer: !!str demo\n", "yaml.tag"),
    ],
)
def test_yaml_that_the_platform_does_not_mind_is_no_error(apps: Path, old: str, new: str, rule: str) -> None:
    edit(apps / "demo" / "OlaresManifest.yaml", old, new)
    found = check(apps)
    assert rule in {one.rule for one in found}
    assert all(one.severity is Severity.WARNING for one in found)


def test_windows_files_are_read_and_remarked_on(apps: Path) -> None:
    for path in (apps / "legacy" / "OlaresManifest.yaml", apps / "legacy" / "values.yaml"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert {(one.rule, one.severity) for one in check(apps)} == {
        ("yaml.byte-order-mark", Severity.ADVICE),
        ("yaml.carriage-return", Severity.ADVICE),
    }


def test_numbers_are_texts_where_the_platform_makes_them_texts(apps: Path) -> None:
    manifest = apps / "demo" / "OlaresManifest.yaml"
    edit(manifest, "olaresManifest.version: '0.12.0'", "olaresManifest.version: 0.12.0")
    edit(manifest, "requiredCpu: 500m", "requiredCpu: 0.5")
    assert check(apps) == []


def test_a_folder_that_keeps_a_retired_name_is_no_app(apps: Path) -> None:
    (apps / "gone").mkdir()
    (apps / "gone" / ".remove").touch()
    assert check(apps) == []
    assert "gone" in foreign.check(apps, render_here).apps


def test_links_out_of_the_folder_are_not_followed(apps: Path) -> None:
    (apps / "demo" / "values.yaml").unlink()
    (apps / "demo" / "values.yaml").symlink_to("/etc/passwd")
    (apps / "linked").symlink_to("/etc")
    judged = foreign.check(apps, render_here)
    assert {one.rule for one in judged.problems} == {"layout.symlink", "layout.missing-file", "olares.not-rendered"}
    assert judged.apps == ("demo", "legacy")


@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("  icon: https://market.example/demo.png\n", "  icon: demo.png\n", "schema.wrong-value", 8),
        ("  version: 1.0.0\n", "  version: first\n", "schema.wrong-value", 9),
        ("  host: demo\n", "  host: d\n", "schema.wrong-value", 14),
        ("  port: 8080\n", "  port: -1\n", "schema.wrong-value", 15),
        ("  port: 8080\n", '  port: "8080"\n', "schema.wrong-type", 15),
        ("  authLevel: private\n", "  authLevel: Private\n", "schema.wrong-value", 17),
        ("apiVersion: 'v3'\n", "apiVersion: 'V3'\n", "schema.wrong-value", 3),
        ("  demo: 1\n", "", "schema.wrong-type", 18),
        ("    requiredDisk: 1Gi\n", "", "schema.missing-key", 33),
        ("    requiredDisk: 1Gi\n", "    requiredDisk: 1 Gi\n", "schema.wrong-value", 38),
        ("  - amd64\n", "  - x86\n", "schema.wrong-value", 31),
        ("    type: system\n", "    type: os\n", "schema.wrong-value", 45),
        ("  description: A demonstration.\n", "", "schema.missing-key", 5),
        ("  appData: true\n", "  appData: yes please\n", "schema.wrong-type", 21),
    ],
)
def test_what_the_platform_refuses_is_an_error(apps: Path, old: str, new: str, rule: str, line: int) -> None:
    edit(apps / "demo" / "OlaresManifest.yaml", old, new)
    errors = [(one.rule, one.line) for one in check(apps) if one.severity is Severity.ERROR]
    assert (rule, line) in errors
