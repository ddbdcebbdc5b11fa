"""Claims and what follows from a recomputed figure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.claims import Claim, Verdict, claims, contradiction, judge, sources

TEXTS = {"en": "x", "fr": "x"}


def claim(printed: str = "", verdict: Verdict = Verdict.HOLDS, **more: object) -> Claim:
    return Claim("id", TEXTS, "post", verdict, printed=printed, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("243.59", 243.588, Verdict.HOLDS),
        ("250.54", 250.548, Verdict.WRONG),
        ("-23", -23.706, Verdict.WRONG),
        ("-1", -1.032, Verdict.HOLDS),
        ("+4.4", 4.3636, Verdict.HOLDS),
        ("~4", 3.699, Verdict.ROUNDS),
        ("~8", 8.0, Verdict.HOLDS),
        ("~1.5", 0.833, Verdict.WRONG),
        ("80", 79.5, Verdict.HOLDS),
        ("80", 79.49, Verdict.WRONG),
        ("-0.5", 0.5, Verdict.WRONG),
    ],
)
def test_a_figure_holds_when_it_rounds_to_what_was_printed(printed: str, value: float, verdict: Verdict) -> None:
    assert judge(claim(printed), value) is verdict


def test_a_tolerance_says_that_a_figure_was_cut_off() -> None:
    assert judge(claim("107", tolerance=1.0), 107.54) is Verdict.ROUNDS
    assert judge(claim("107", tolerance=1.0), 108.01) is Verdict.WRONG
    assert judge(claim("107", tolerance=1.0), 107.0) is Verdict.HOLDS


def test_a_difference_that_no_test_shows_does_not_hold() -> None:
    assert judge(claim("+4.4"), 4.36, shown=False) is Verdict.NOT_SHOWN
    assert judge(claim("+4.4"), 4.36, shown=True) is Verdict.HOLDS
    assert judge(claim("+4.4"), 9.9, shown=False) is Verdict.WRONG


@given(st.decimals(-1000, 1000, places=2), st.floats(-0.0049, 0.0049))
def test_whatever_rounds_to_the_printed_figure_is_the_same_figure(printed: object, off: float) -> None:
    text = f"{printed}"
    assert judge(claim(text), float(text) + off) is Verdict.HOLDS


@pytest.mark.parametrize(
    ("stated", "follows", "is_sound"),
    [
        (Verdict.HOLDS, Verdict.HOLDS, True),
        (Verdict.HOLDS, Verdict.ROUNDS, False),
        (Verdict.WRONG, Verdict.HOLDS, False),
        (Verdict.UNVERIFIABLE, Verdict.HOLDS, False),
        (Verdict.SUPERSEDED, Verdict.HOLDS, True),
        (Verdict.SUPERSEDED, Verdict.WRONG, False),
        (Verdict.NOT_SHOWN, Verdict.NOT_SHOWN, True),
        (Verdict.HOLDS, None, False),
        (Verdict.NOT_SHOWN, None, False),
        (Verdict.WRONG, None, True),
        (Verdict.UNVERIFIABLE, None, True),
    ],
)
def test_a_stated_verdict_must_be_the_one_that_follows(
    stated: Verdict, follows: Verdict | None, is_sound: bool
) -> None:
    assert (contradiction(claim("1", stated), follows) == "") is is_sound


def test_reading_the_file() -> None:
    data = {
        "sources": {"post": {"title": TEXTS}},
        "names": {},
        "claims": {
            "a": {
                "claim": TEXTS, "source": "post", "printed": "~-2.80", "unit": "percent", "compute": "x",
                "basis": "printed", "verdict": "wrong",
            },
            "b": {"claim": TEXTS, "source": "post", "verdict": "unverifiable", "note": TEXTS},
        },
    }  # fmt: skip
    first, second = claims(data)
    assert (first.figure, first.decimals, first.is_signed, first.is_approximate) == (-2.8, 2, True, True)
    assert (first.margin, first.is_from_print) == (0.005, True)
    assert first.in_unit(-0.028) == pytest.approx(-2.8)
    assert (second.verdict, second.printed, second.compute) == (Verdict.UNVERIFIABLE, "", "")
    assert sources(data)["post"].url == ""
