"""The files to download, and what is asked of a series: engine, memory, capabilities."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from market.catalog import Catalog
from market.site import facets
from market.site.download import COLUMNS, document, table
from market.site.language import ENGLISH, FRENCH
from market.site.leaderboard import Row, rows
from market.site.presentation import breakable, jointed
from market.statistics import summarise

if TYPE_CHECKING:
    from tests.site.made import MakeApp, MakeReport


@pytest.fixture
def make_row(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> Any:
    """Make the one row of a catalog with one report."""

    def make(card: dict[str, Any] | None = None, **report: Any) -> Row:
        app = make_app(reports=(make_report(**({"runs": [1.0, 2.0]} | report)),), **(card or {}))
        (row,) = rows(dataclasses.replace(repository, apps=(app,), shelved=()))
        return row

    return make


def test_both_files_say_the_same(repository: Catalog) -> None:
    found = rows(repository)
    lines = list(csv.DictReader(io.StringIO(table(found, repository))))
    data = json.loads(document(found, repository))
    assert len(lines) == len(data["rows"]) == len(found)
    assert list(data["columns"]) == list(lines[0]) == [column.name for column in COLUMNS]
    for line, row in zip(lines, data["rows"], strict=True):
        for name, text in line.items():
            value = row[name]
            if isinstance(value, list):
                assert text.split() == [str(item) for item in value]
            elif isinstance(value, bool):
                assert text == str(value).lower()
            else:
                assert text == ("" if value is None else str(value)), name


def test_the_figures_in_the_file_follow_from_the_runs_in_it(repository: Catalog) -> None:
    for row in json.loads(document(rows(repository), repository))["rows"]:
        if len(row["runs"]) < 2:
            assert row["ci95_low"] is None or not row["runs"]
            continue
        found = summarise(row["runs"])
        assert row["n"] == found.n
        assert row["mean_tokens_per_second"] == pytest.approx(found.mean, rel=1e-11)
        assert row["s_n_minus_1"] == pytest.approx(found.deviation, rel=1e-11)
        assert found.interval is not None
        assert (row["ci95_low"], row["ci95_high"]) == pytest.approx(found.interval, rel=1e-11)


def test_every_column_is_explained_and_every_amount_has_a_unit() -> None:
    described = {column.name: column for column in COLUMNS}
    assert len(described) == len(COLUMNS)
    assert all(column.meaning for column in COLUMNS)
    for column in COLUMNS:
        if column.name.endswith(("_tokens", "_per_second", "_gb")):
            assert column.unit, column.name


def test_the_engine_is_that_of_the_measured_image(repository: Catalog, make_row: Any) -> None:
    def measured_on(image: str) -> facets.Engine:
        return facets.engine(make_row(configuration={"image": image}), repository)

    exact = measured_on("ghcr.io/ggml-org/llama.cpp:server-cuda13-b8740")
    assert (exact.id, exact.version) == ("llama-cpp", "b8740")
    pinned = measured_on("ghcr.io/ggml-org/llama.cpp:server-cuda13-b8740@sha256:" + "0" * 64)
    assert pinned == exact
    related = measured_on("docker.io/vllm/vllm-openai:v9.9.9")
    assert (related.id, related.version) == ("vllm", "v9.9.9")
    assert measured_on("not published").id == "llama-cpp", "the app's own"
    assert facets.image_parts("registry:5000/a/b") == ("registry:5000/a/b", "", "")


def test_memory_counts_where_nothing_that_sizes_it_differs(make_row: Any) -> None:
    card = {"vram": {"parts": [{"name": {"en": "a", "fr": "a"}, "gb": 5.5}, {"name": {"en": "b", "fr": "b"}, "gb": 1}]}}
    assert facets.memory(make_row(card)) == facets.Memory(6.5, measured=False)
    assert facets.memory(make_row(card, configuration={"context_tokens": 8192})) is None
    assert facets.memory(make_row(card, configuration={"args": ["--cache-type-k", "q8_0"]})) is None
    assert facets.memory(make_row(card, configuration={"args": ["--threads", "8"]})) is not None
    assert facets.memory(make_row()) is None


def test_a_measured_peak_counts_whatever_differs(
    repository: Catalog, make_app: MakeApp, make_report: MakeReport
) -> None:
    report = make_report(runs=[1.0, 2.0], configuration={"context_tokens": 8192})
    report.data["runs"][0]["gpu"] = {"vram_peak_mib": 1000}
    report.data["runs"][1]["gpu"] = {"vram_peak_mib": 2000}
    (row,) = rows(dataclasses.replace(repository, apps=(make_app(reports=(report,)),), shelved=()))
    assert facets.memory(row) == facets.Memory(2000 * 1024**2 / 1e9, measured=True)


def test_capabilities_are_those_of_the_measurement(make_row: Any) -> None:
    able = {"capabilities": {"text": True, "vision": True, "audio": False, "tools": None, "thinking": True}}
    assert facets.capabilities(make_row(able)) == {"vision": True, "audio": False, "tools": None, "thinking": True}
    off = make_row(able, protocol={"vision_loaded": False, "thinking": False})
    assert facets.capabilities(off) == {"vision": False, "audio": False, "tools": None, "thinking": False}


def test_long_names_break_after_their_own_signs_only() -> None:
    assert str(breakable("llama.cpp:a-b_c")) == "llama.<wbr>cpp:<wbr>a-<wbr>b_<wbr>c"
    assert str(breakable("<i>")) == "&lt;i&gt;"
    assert str(breakable("")) == ""


def test_a_bare_name_may_break_where_its_parts_meet() -> None:
    assert str(jointed("llamacppgemma4visionone")) == "llamacpp<wbr>gemma4<wbr>vision<wbr>one"
    assert str(jointed("Gemma 4 <One>")) == "Gemma 4 &lt;One&gt;"


def test_short_dates() -> None:
    assert FRENCH.short_date("2026-06-01") == "01/06/2026"
    assert ENGLISH.short_date("2026-06-01") == "1\u00a0Jun\u00a02026"
