"""GPU memory in one unit."""

from __future__ import annotations

import pytest

from market import vram


def parts(*sizes: object) -> dict[str, object]:
    return {"vram": {"parts": [{"name": {"en": "part"}, "gb": size} for size in sizes]}}


def test_the_published_budgets_fit_once_they_are_in_one_unit() -> None:
    """The write-up of May 2026 prints 24.3 for these parts and a budget of 24; the card has 25.65 such GB."""
    card = vram.card_mebibytes({"gpu": {"vram_mib": 24463}})
    text_only = vram.estimate(parts(14.5, 1.85, 8.2, 0.5))
    with_images = vram.estimate(parts(14.5, 1.85, 0.93, 8.2, 0.5))
    assert card is not None
    assert text_only is not None
    assert with_images is not None
    assert text_only.gigabytes == pytest.approx(25.05)
    assert text_only.mebibytes == 23890
    assert text_only.mebibytes < card < with_images.mebibytes
    assert card * vram.MIB / vram.GB == pytest.approx(25.651, abs=5e-4)


def test_a_card_as_sold_is_counted_in_gib() -> None:
    assert vram.card_mebibytes({"gpu": {"vram_gb": 32}}) == 32768
    assert vram.card_mebibytes({"gpu": {}}) is None
    assert vram.card_mebibytes({}) is None


@pytest.mark.parametrize(("text", "expected"), [
    ("24300m", 24300), ("24300M", 24300), ("24g", 24576), ("0m", 0), ("25480396800", 24300), ("1048575", 0),
    ("1024k", 1), ("24Gi", None), ("", None), ("-1", None), ("m", None), ("1.5g", None),
])  # fmt: skip
def test_hami_counts_in_binary_units(text: str, expected: int | None) -> None:
    assert vram.limit_mebibytes(text) == expected


def test_file_sizes() -> None:
    assert vram.file_size({"gigabytes": 17.2}) == 17_200_000_000
    assert vram.file_size({"gigabytes": 17.2, "bytes": 17_189_869_000}) == 17_189_869_000
    assert vram.file_size({"gigabytes": "17"}) is None
    assert vram.file_size({"bytes": True}) is None
    assert vram.files_size([{"gigabytes": 1}, {}, {"bytes": 5}]) == 1_000_000_005


@pytest.mark.parametrize("card", [
    {}, {"vram": None}, {"vram": []}, {"vram": {"parts": "x"}}, parts(None), parts(True), parts("x"), parts(-1),
    {"vram": {"parts": [None, {}]}},
])  # fmt: skip
def test_no_parts_no_estimate(card: dict[str, object]) -> None:
    assert vram.estimate(card) is None
