"""Ten faults in six files of two apps: ten errors in one run, in file and line order, in every form."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

MARKET = Path(sys.executable).with_name("market")
ONE, TWO = "llamacppqwen36a3bone", "vllmgemma426ba4bvisionone"
FAULTS = (
    (f"{ONE}/app.yaml", "kind: mixture-of-experts", "kind: mixture-of-expert", "schema.wrong-value"),
    (f"{ONE}/app.yaml", "hardware: olares-one", "hardware: olares-on", "layout.reference"),
    (f"{ONE}/app.yaml", "links:\n", "colour: red\nlinks:\n", "schema.unknown-key"),
    (f"{ONE}/bench/2026-06-05-space-invaders-262k.yaml", "measured_by: aamsellem", 'measured_by: ""',
     "schema.wrong-value"),
    (f"{ONE}/chart/OlaresManifest.yaml", "openMethod: window", "openMethod: windows", "schema.wrong-value"),
    (f"{ONE}/chart/OlaresManifest.yaml", "spec:\n", "spec:\n  colour: red\n", "schema.unknown-key"),
    (f"{TWO}/app.yaml", "parameters_billion: 26", "parameters_billion: many", "schema.wrong-type"),
    (f"{TWO}/chart/i18n/fr-FR/OlaresManifest.yaml", "  title:", "  title: a\n  title:", "yaml.duplicate-key"),
    (f"{TWO}/chart/i18n/fr-FR/OlaresManifest.yaml", "spec:\n", "spec:\n  langue: fr\n", "schema.unknown-key"),
    (f"{TWO}/chart/values.yaml", "server:\n", "server:\n  gpu: 1\n", "schema.unknown-key"),
)  # fmt: skip


def market(catalog: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MARKET, *arguments], cwd=catalog, capture_output=True, text=True, check=False)


@pytest.fixture
def damaged(catalog: Path) -> Path:
    """The catalog with the ten faults, whose new content stands in the ledger as if it were meant."""
    for file, before, after, _ in FAULTS:
        path = catalog / "apps" / file
        text = path.read_text("utf-8")
        assert text.count(before) >= 1, (file, before)
        path.write_text(text.replace(before, after, 1), "utf-8")
    bumped = market(catalog, "bump", "--renew", "--now", "2026-12-01T00:00:00Z", ONE, TWO)
    assert bumped.returncode == 0, bumped.stderr
    return catalog


def places(damaged: Path, form: str) -> list[tuple[str, int, int]]:
    found = market(damaged, "check", "--format", form)
    assert found.returncode == 1, found.stderr
    match form:
        case "json":
            errors = [one for one in json.loads(found.stdout)["problems"] if one["severity"] == "error"]
            return [(one["path"], one["line"], one["column"]) for one in errors]
        case "sarif":
            results = [one for one in json.loads(found.stdout)["runs"][0]["results"] if one["level"] == "error"]
            at = [one["locations"][0]["physicalLocation"] for one in results]
            return [
                (one["artifactLocation"]["uri"], one["region"]["startLine"], one["region"]["startColumn"]) for one in at
            ]
        case "github":
            pattern = re.compile(r"^::error file=(.*?),line=(\d+),col=(\d+),", re.M)
        case _:
            pattern = re.compile(r"^(\S+?):(\d+):(\d+) error ", re.M)
    return [(path, int(line), int(column)) for path, line, column in pattern.findall(found.stdout)]


def test_ten_faults_are_ten_errors_in_order_in_every_form(damaged: Path) -> None:
    found = market(damaged, "check", "--format", "json")
    errors = [one for one in json.loads(found.stdout)["problems"] if one["severity"] == "error"]
    expected = sorted((f"apps/{file}", rule) for file, _, _, rule in FAULTS)
    assert sorted((one["path"], one["rule"]) for one in errors) == expected, errors
    by_form = {form: places(damaged, form) for form in ("text", "json", "github", "sarif")}
    assert by_form["json"] == sorted(by_form["json"])
    assert len(set(map(tuple, by_form.values()))) == 1, by_form
