"""Language tags: valid ones in canonical spelling, everything else refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.language_tag import canonical


@pytest.mark.parametrize("tag", ["en", "en-US", "zh-Hans-CN", "zh-CN", "es-419", "sl-IT-nedis", "haw-US", "de-CH-1996"])
def test_canonical_tags_stay_as_they_are(tag: str) -> None:
    assert canonical(tag) == tag


@pytest.mark.parametrize(
    ("written", "meant"),
    [("en_US", "en-US"), ("EN-us", "en-US"), ("zh-hans-cn", "zh-Hans-CN"), ("iw-IL", "he-IL"), ("en-UK", "en-GB")],
)
def test_other_spellings_have_one_canonical_form(written: str, meant: str) -> None:
    assert canonical(written) == meant


@pytest.mark.parametrize("tag", ["", "english", "e", "qq", "en-", "en-XX", "en-USA", "en US", "-US", "en--US", "中文"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    assert canonical(tag) is None


@given(st.text(max_size=12))
def test_the_canonical_form_is_its_own(tag: str) -> None:
    once = canonical(tag)
    assert once is None or canonical(once) == once
