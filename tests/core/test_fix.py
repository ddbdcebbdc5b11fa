"""Corrections: right, complete, and quiet the second time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.fix import corrected, fix

CHART = """\
# What this is.
apiVersion: v2
name: demo
version: 1.10
# Of the software inside.
appVersion: 1.20 # two digits
type: application
description: Demo"""

FIXED = """\
# What this is.
apiVersion: v2
name: demo
version: "1.10"
# Of the software inside.
appVersion: "1.20" # two digits
description: Demo
type: application
"""


def test_everything_mechanical_is_corrected() -> None:
    text, done = corrected("\ufeff" + CHART.replace("\n", "\r\n"), "chart")
    assert text == FIXED
    assert done == ("line ends", "final newline", "quotes", "key order")


def test_a_second_run_changes_nothing() -> None:
    assert corrected(FIXED, "chart") == (FIXED, ())


def test_manifest_takes_the_charts_version_and_spells_locales() -> None:
    text = "metadata:\n  version: '1.0.0' # old\nspec:\n  locale: [en_us, 'fr-fr', zh-CN]\n"
    right = "metadata:\n  version: '1.0.1' # old\nspec:\n  locale: [en-US, 'fr-FR', zh-CN]\n"
    assert corrected(text, "manifest", "1.0.1")[0] == right
    assert corrected(right, "manifest", "1.0.1") == (right, ())


@pytest.mark.parametrize("name", ["app-card", "chart", "manifest", "values", "bench-report", "i18n"])
@given(st.text(st.sampled_from("abc:-[]{} \n#'\"01.\r\ufeffversionametd"), max_size=200))
def test_any_text_is_corrected_once(name: str, text: str) -> None:
    once, _ = corrected(text, name, "1.0.1")
    assert corrected(once, name, "1.0.1") == (once, ())


def test_a_sound_catalog_is_left_alone(catalog: Path) -> None:
    before = {path: path.read_bytes() for path in catalog.rglob("*.yaml")}
    assert fix(catalog) == ()
    assert {path: path.read_bytes() for path in catalog.rglob("*.yaml")} == before
