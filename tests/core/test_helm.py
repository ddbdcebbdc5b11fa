"""The Helm engine on charts that mean harm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from market.archive import pack
from market.errors import HelmError
from market.helm import OVER_LIMIT, load_archive, render_all

CHART = b"apiVersion: v2\nname: demo\nversion: 1.0.0\n"


def chart(template: bytes) -> bytes:
    files = {"Chart.yaml": CHART, "values.yaml": b"a: 1\n", "templates/x.yaml": template}
    return pack("demo", "1.0.0", files).data


GOOD = chart(b"a: {{ .Values.a | quote }}\n")


@pytest.mark.parametrize(
    ("template", "error"),
    [
        (b"{{ range until 2000000000 }}x{{ end }}", OVER_LIMIT),
        (b"{{ range until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}", OVER_LIMIT),
        (b'{{ repeat 2000000000 "xxxxxxxxxx" }}', OVER_LIMIT),
        (b'{{ repeat 9000000 "x" }}', "characters, over"),
        (b'{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}', "error calling include"),
        (b"{{ .Values.b.c }}", "nil pointer"),
        (b"{{ if }}", "missing value for if"),
    ],
)
def test_a_harmful_chart_harms_only_itself(template: bytes, error: str) -> None:
    before, bad, after = render_all([(GOOD, "demo", {}), (chart(template), "demo", {}), (GOOD, "demo", {"a": 2})])
    assert before.documents == {"demo/templates/x.yaml": 'a: "1"\n'}
    assert error in bad.error
    assert not bad.documents
    assert after.documents == {"demo/templates/x.yaml": 'a: "2"\n'}


def test_what_is_no_archive_is_refused() -> None:
    with pytest.raises(HelmError):
        load_archive(b"not a chart")
    (rendering,) = render_all([(b"not a chart", "demo", {})])
    assert rendering.error


def test_nothing_of_the_machine_reaches_a_chart() -> None:
    template = b'a: {{ .Files.Get "/etc/passwd" | quote }}\nb: {{ getHostByName "localhost" | quote }}\n'
    (rendering,) = render_all([(chart(template), "demo", {})])
    assert rendering.documents == {"demo/templates/x.yaml": 'a: ""\nb: ""\n'}


@pytest.mark.parametrize("broken", ["import os; os._exit(3)", "raise ImportError", "raise OSError('libc')"])
def test_an_engine_that_cannot_start_is_no_fault_of_a_chart(tmp_path: Path, broken: str) -> None:
    (tmp_path / "helm_python.py").write_text(broken)
    program = "from market.helm import render_all\nif __name__ == '__main__':\n    render_all([(b'', 'demo', {})])\n"
    (tmp_path / "main.py").write_text(program)
    done = subprocess.run(
        [sys.executable, tmp_path / "main.py"], env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr.endswith("MarketError: the Helm engine (helm-python-sdk) cannot be started on this machine\n")
