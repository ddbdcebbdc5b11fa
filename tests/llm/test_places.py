"""Where a finding about an option is shown: at the line of the start script that gives it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from market import helm
from market.catalog import load
from market.packaging import package
from market.rules import examples, llm, registry

assert llm.THEMES

DEPLOYMENT = "archetypes/small-server/templates/deployment.yaml"
PLAIN = """          command:
            {{- toYaml .Values.server.command | nindent 12 }}
          args:
            {{- toYaml .Values.server.args | nindent 12 }}
"""
SCRIPT = """          command: ["/bin/sh", "-c"]
          args:
            - |
              set -e
              # The model first.
              exec /app/llama-server \\
                --model "/models/demo/Demo-8B-GGUF/Demo-8B-Q4_K_M.gguf" \\
                --alias {{ .Values.server.alias }} --host 0.0.0.0 --port {{ .Values.server.port }} \\
                --ctx-size "${CTX_SIZE:-32768}" \\
                --mlock --jinja
"""
QUOTED = """          command: ["/bin/sh", "-c"]
          args: ["exec llama-server -m /m/Demo-8B-Q4_K_M.gguf -c 32768 -a demo-8b --host :: --port 8000 --mlock"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(examples.FOLDER / "base", tmp_path / "catalog")
    return tmp_path / "catalog"


def judged(root: Path, text: str) -> list[tuple[str, int, str]]:
    path = root / DEPLOYMENT
    template = path.read_text("utf-8")
    assert template.count(PLAIN) == 1
    path.write_text(template.replace(PLAIN, text), "utf-8")
    catalog, problems = load(root)
    assert not problems
    found = registry.run(catalog, package(catalog, catalog.apps, helm.render_here))
    return [(one.path, one.line, one.rule) for one in found if one.rule.startswith("llm.")]


@pytest.mark.parametrize("text", [SCRIPT, QUOTED], ids=["block", "quoted"])
def test_an_option_in_a_script_is_shown_on_its_line(text: str, root: Path) -> None:
    found = judged(root, text)
    lines = (root / DEPLOYMENT).read_text("utf-8").split("\n")
    expected = next(number for number, line in enumerate(lines, 1) if "--mlock" in line)
    assert found == [(DEPLOYMENT, expected, "llm.mlock-host")]


def test_a_default_of_a_script_counts_as_what_is_served(root: Path) -> None:
    found = judged(root, SCRIPT.replace("32768", "96000"))
    assert ("apps/demo/app.yaml", 15, "llm.context") in found


def test_a_variable_that_only_the_image_could_set_is_pointed_out(root: Path) -> None:
    found = judged(root, SCRIPT.replace("--mlock", "--threads $THREADS"))
    assert [(path, rule) for path, _, rule in found] == [(DEPLOYMENT, "llm.unresolved")]
