"""Chart archives: the same bytes everywhere, and bytes that Helm and tar read."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.archive import GZIP_HEADER, pack
from market.helm import load_archive
from market.paths import PROJECT

CHART = {
    "Chart.yaml": b"apiVersion: v2\nname: demo\nversion: 1.0.0\ndescription: d\ntype: application\n",
    "values.yaml": b"a: 1\n",
    "templates/x.yaml": b"kind: ConfigMap\n",
}
SCRIPT = f"""
from market.archive import pack
archive = pack("demo", "1.0.0", {CHART!r})
print(archive.sha256, archive.tar_sha256)
"""


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True), st.binary(max_size=70_000), max_size=4)
)
def test_gzip_and_tar_read_it_back(files: dict[str, bytes]) -> None:
    archive = pack("demo", "1.0.0", files)
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive.data))) as tar:
        found = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
        assert all(member.mtime == 0 and member.mode == 0o644 and not member.uname for member in tar)
    assert found == {f"demo/{path}": data for path, data in files.items()}
    assert archive.data.startswith(GZIP_HEADER)


def test_order_does_not_matter() -> None:
    assert pack("demo", "1.0.0", CHART) == pack("demo", "1.0.0", dict(reversed(CHART.items())))


def test_helm_loads_it() -> None:
    info = load_archive(pack("demo", "1.0.0", CHART).data)
    assert (info.name, info.version, info.api_version) == ("demo", "1.0.0", "v2")


def pythons() -> list[str]:
    """This interpreter, and every other supported one of the machine."""
    versions = Path.home() / ".pyenv" / "versions"
    others = sorted(str(path) for minor in (11, 12, 13) for path in versions.glob(f"3.{minor}.*/bin/python"))
    return [sys.executable, *others]


@pytest.mark.parametrize("python", pythons())
def test_bytes_do_not_depend_on_the_interpreter_or_its_surroundings(python: str) -> None:
    wrong = {
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "PYTHONPATH": str(PROJECT / "scripts"),
    }
    found = subprocess.run(
        [python, "-c", SCRIPT], env={**os.environ, **wrong}, umask=0o077, capture_output=True, check=True, text=True,
    )  # fmt: skip
    archive = pack("demo", "1.0.0", CHART)
    assert found.stdout.split() == [archive.sha256, archive.tar_sha256]
