"""The scripts' arithmetic and figures against Python's, in the browser that runs them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright
from scipy import stats
from tests.site.served import served

from market.catalog import Catalog
from market.paths import PROJECT
from market.site.board import series
from market.site.language import LANGUAGES, Language
from market.site.leaderboard import rows
from market.statistics import Summary, t_quantile, welch

CHROMIUM = Path("/usr/bin/chromium")
WELCH = """async ([pairs]) => {
  const { welch } = await import("/statistics.js");
  const series = ([n, mean, deviation, estimated]) => ({ n, mean, deviation, estimated: estimated === 1 });
  return pairs.map(([a, b]) => {
    const found = welch(series(a), series(b));
    return found && [found.difference, found.low, found.high, found.t, found.degrees, found.p, found.shown];
  });
}"""

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page that can import the scripts."""
    folder = tmp_path_factory.mktemp("scripts")
    for script in (PROJECT / "theme" / "assets").glob("*.js"):
        (folder / script.name).write_bytes(script.read_bytes())
    (folder / "index.html").write_text("<!doctype html><title>scripts</title>")
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address + "/")
        yield page
        browser.close()


def as_list(summary: Summary) -> list[Any]:
    return [summary.n, summary.mean, summary.deviation, int(summary.estimated)]


def test_every_pair_of_the_catalog_is_compared_as_python_does(page: Page, repository: Catalog) -> None:
    summaries = [row.statistics for row in rows(repository)]
    pairs = list(itertools.combinations(summaries, 2))
    found = page.evaluate(WELCH, [[[as_list(a), as_list(b)] for a, b in pairs]])
    compared = 0
    for (a, b), told in zip(pairs, found, strict=True):
        wanted = welch(a, b)
        assert (told is None) == (wanted is None)
        if wanted is None:
            continue
        compared += 1
        numbers = [wanted.difference, *wanted.interval, wanted.t, wanted.degrees, wanted.p]
        assert told[:6] == pytest.approx(numbers, rel=1e-9, abs=1e-12)
        assert told[6] is wanted.shown
    assert compared > 100


def test_welch_agrees_with_scipy(page: Page) -> None:
    draw = random.Random(7)
    pairs = [
        [[draw.randint(2, 40), draw.uniform(1, 400), draw.uniform(0.01, 30), 0] for _ in range(2)] for _ in range(300)
    ]
    for (a, b), told in zip(pairs, page.evaluate(WELCH, [pairs]), strict=True):
        wanted = stats.ttest_ind_from_stats(a[1], a[2], a[0], b[1], b[2], b[0], equal_var=False)
        assert told[3] == pytest.approx(wanted.statistic, rel=1e-12)
        assert told[5] == pytest.approx(wanted.pvalue, rel=1e-8, abs=1e-300)
        error = abs((a[1] - b[1]) / told[3])
        half = stats.t.ppf(0.975, told[4]) * error
        assert told[1:3] == pytest.approx([told[0] - half, told[0] + half], rel=1e-9, abs=1e-9)


def test_the_interval_of_a_mean_agrees(page: Page) -> None:
    found = page.evaluate(
        """async (sizes) => {
          const { interval } = await import("/statistics.js");
          return sizes.map((n) => interval({ n, mean: 100, deviation: 3 })[1] - 100);
        }""",
        list(range(2, 60)),
    )
    assert found == pytest.approx([t_quantile(0.975, n - 1) * 3 / n**0.5 for n in range(2, 60)], rel=1e-9)


def test_what_cannot_be_tested_is_not(page: Page) -> None:
    pairs = [[[1, 5, None, 0], [9, 5, 1, 0]], [[9, 5, None, 0], [9, 5, 1, 0]], [[3, 5, 0, 0], [3, 6, 0, 0]]]
    assert page.evaluate(WELCH, [pairs]) == [None, None, None]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_numbers_are_written_as_the_pages_write_them(page: Page, language: Language) -> None:
    draw = random.Random(11)
    values = [0, -0.004, 0.005, 1.005, 2.675, -1234567.891, 999.995, 262144, 243.588, -0.5, 1e-7, 12345678.5]
    values += [draw.uniform(-5000, 5000) for _ in range(200)]
    told = page.evaluate(
        """async ([language, values]) => {
          const { figuresOf } = await import("/figures.js");
          const { number, signed, percent, signedPercent } = figuresOf(language);
          return values.map((v) => [number(v, 2), number(v), signed(v, 2), percent(v, 1), signedPercent(v, 1)]);
        }""",
        [language.code, values],
    )
    for value, texts in zip(values, told, strict=True):
        assert texts == [
            language.number(value, 2), language.number(value), language.signed(value, 2), language.percent(value, 1),
            language.signed_percent(value, 1),
        ], value  # fmt: skip


def test_a_row_carries_what_a_comparison_needs(repository: Catalog) -> None:
    for row in rows(repository):
        assert series(row).startswith(f"[{row.statistics.n},")
