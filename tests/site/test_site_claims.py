"""The page of claims: recomputed from the reports, in both languages, and refused when a verdict does not follow."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from market.catalog import Catalog, load
from market.claims import Verdict
from market.site import claimed
from market.site.claimed import Claimed, Judged
from market.site.pages import Pages
from market.site.rules import published_claims


def read(pages: Pages) -> Claimed:
    found = claimed.read(pages)
    assert found is not None
    return found


def by_id(pages: Pages) -> dict[str, Judged]:
    return {one.claim.id: one for group in read(pages).published for one in group.judged}


def test_the_claims_of_the_repository_are_sound(repository: Catalog) -> None:
    assert list(published_claims(repository)) == []


@pytest.mark.parametrize(
    ("id", "printed", "recomputed", "verdict"),
    [
        ("swap-mean", "243.59 tokens/s", "243.588 tokens/s", "holds"),
        ("swap-range", "13.79 tokens/s", "13.79 tokens/s", "holds"),
        ("swap-deviation", "≈ 4 tokens/s", "3.70 tokens/s", "rounds"),
        ("swap-loss", "−2.8%", "−0.86%", "wrong"),
        ("swap-lost", "7 tokens/s", "2.12 tokens/s", "wrong"),
        ("swap-board-gemma", "250.54 tokens/s", "250.80 tokens/s", "wrong"),
        ("swap-time", "≈ 750 ms", "753 ms", "rounds"),
        ("swap-context", "4 times", "4 times", "holds"),
        ("swap-usable", "23.4 GB", "25.15 GB", "wrong"),
        ("swap-lossless", "", "", "superseded"),
        ("bee-faster", "+4.4%", "+4.36%", "not-shown"),
        ("bee-context", "−23%", "−23.7%", "wrong"),
        ("bee-memory-262", "≈ 26 GB", "25.98 GB", "rounds"),
        ("bee-text-memory", "≈ 24.3 GB", "25.05 GB", "wrong"),
        ("bee-window", "200,000 tokens", "200,000 tokens", "holds"),
        ("bee-percentiles", "", "", "unverifiable"),
        ("mtp-deviation", "2.54 tokens/s", "1.339 tokens/s", "wrong"),
        ("gemma-dflash-window", "128K", "16K", "wrong"),
    ],
)
def test_figures_and_verdicts(english: Pages, id: str, printed: str, recomputed: str, verdict: str) -> None:
    one = by_id(english)[id]
    assert (one.printed.replace("\u00a0", " "), one.recomputed.replace("\u00a0", " ")) == (printed, recomputed)
    assert one.claim.verdict.value == verdict


def test_the_page_has_every_claim_in_the_language_of_its_reader(french: Pages, english: Pages) -> None:
    for pages, figure in ((french, "−0,86\u00a0%"), (english, "−0.86%")):
        text = claimed.pages_of(pages)["claims.md"]
        assert figure in text
        for id, one in by_id(pages).items():
            assert f'id="{id}"' in text
            assert one.text
            assert "{{" not in one.text + one.note
        counts = read(pages).counts
        assert sum(counts.values()) == len(by_id(pages)) > 90
        assert all(counts.values())


def test_reports_of_a_claim_have_names_of_their_own(french: Pages, english: Pages) -> None:
    several = 0
    for pages in (french, english):
        found = claimed.read(pages)
        assert found is not None
        for group in found.published:
            for one in group.judged:
                named = found.called(one)
                assert tuple(report for report, _ in named) == one.reports
                names = [name for _, name in named]
                reports = {(report.app.name, report.report.id) for report in one.reports}
                assert len(set(names)) == len(reports), one.claim.id
                several += any(name.count(",") > 1 for name in names)
    assert several, "some claim has two reports of one app and day"


def test_reports_and_rules_are_linked(french: Pages) -> None:
    found = by_id(french)
    assert [report.report.id for report in found["swap-loss"].reports] == [
        "2026-05-24-space-invaders-262k", "2026-05-21-space-invaders-262k",
    ]  # fmt: skip
    assert [app.app.name for app in found["bee-margin"].apps] == ["llamacppqwen36beevisionone"]
    assert '<a href="/rules/llm.gpu-swap-lost-mtp/"' in found["swap-lossless"].note


@pytest.fixture
def damaged(root: Path, tmp_path: Path) -> Callable[..., list[tuple[str, int, str]]]:
    """Replace texts in a copy of the claims and say what the check finds."""
    copy = shutil.copytree(root, tmp_path / "catalog")

    def check(*edits: tuple[str, str]) -> list[tuple[str, int, str]]:
        path = copy / claimed.FILE
        text = (root / claimed.FILE).read_text("utf-8")
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        path.write_text(text, "utf-8")
        return [(found.rule, found.line, found.message) for found in published_claims(load(copy)[0])]

    return check


def line_of(root: Path, text: str) -> int:
    return (root / claimed.FILE).read_text("utf-8").split(text)[0].count("\n") + 1


def test_a_verdict_that_does_not_follow_stops_the_build(
    damaged: Callable[..., list[tuple[str, int, str]]], root: Path
) -> None:
    old = 'printed: "243.59"\n    unit: tokens/s\n    compute: swap.mean\n    verdict: holds'
    (found,) = damaged((old, old.replace("243.59", "245.59")))
    assert found[0] == "site.claim"
    assert found[1] == line_of(root, old) + 3
    assert found[2] == (
        "swap-mean: the verdict is holds, the recomputed figure gives wrong: 245.59 was printed, 243.588 is recomputed"
    )


def test_a_changed_run_changes_a_verdict(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "catalog")
    path = copy / "apps/llamacppqwen36a3bone/bench/2026-05-24-space-invaders-262k.yaml"
    path.write_text(path.read_text("utf-8").replace("tokens_per_second: 251.39", "tokens_per_second: 261.39"), "utf-8")
    found = {one.message.split(":")[0] for one in published_claims(load(copy)[0]) if one.rule == "site.claim"}
    assert {"swap-mean", "swap-range"} <= found


@pytest.mark.parametrize(
    ("old", "new", "rule", "message"),
    [
        ("compute: swap.range", "compute: swap.rage", "site.expression", "rage"),
        ("compute: swap.range", "compute: swap.date", "site.expression", "gives str, not a number"),
        ("compute: swap.range", "compute: swap.range > 1", "site.expression", "gives bool, not a number"),
        ("compute: swap.range", "compute: swap.__class__", "site.expression", ""),
        ("compute: swap.range", 'compute: "swap.range +"', "site.expression", "not an expression"),
        ("test: welch(wide, narrow)", "test: wide.mean", "site.expression", "gives float, not a test; write welch"),
        ("app: dflashqwen36one, report: 2026-05-04-space", "app: dflashqwen36one, report: 2026-05-04-spice",
         "site.expression", "did you mean '2026-05-04-space-invaders-32k'"),
        ("swap_app: {app: llamacppqwen36a3bone}", "swap_app: {app: llamacppqwen36a3bon}", "site.expression",
         "did you mean 'llamacppqwen36a3bone'"),
        ("en: It rounds to 24.", "en: It rounds to {{ fmt(swap.none) }}.", "site.expression", "none"),
        ("en: It rounds to 24.", "en: It is 243.59.", "site.typed-figure", "243.59 is a figure of"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_has_its_place(
    damaged: Callable[..., list[tuple[str, int, str]]], root: Path, old: str, new: str, rule: str, message: str
) -> None:
    found = damaged((old, new))
    assert [one[0] for one in found] == [rule]
    assert message in found[0][2]
    assert found[0][1] == line_of(root, old)


def test_an_unknown_source_is_a_mistake(damaged: Callable[..., list[tuple[str, int, str]]]) -> None:
    found = damaged(("  gemma-reply:\n", "  gemma-answer:\n"))
    assert [one[0] for one in found] == ["site.expression"]
    assert "gemma-turbo3: there is no source gemma-reply" in found[0][2]


def test_every_verdict_has_words(english: Pages) -> None:
    for verdict in Verdict:
        assert english.say.words(f"verdict_{verdict.value}")
        assert english.say.words(f"verdict_{verdict.value}_long")
