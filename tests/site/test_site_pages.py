"""Generated pages: facts in the right words, contributors' text without effect."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from market.catalog import App, Catalog
from market.ledger import Ledger, Release
from market.site.download import table
from market.site.kept import Kept
from market.site.language import ENGLISH, FRENCH
from market.site.pages import Pages, front
from market.site.vega import Vega

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site.made import MakeApp, MakeReport

EVIL = '<script>alert(1)</script> "quoted" *star* {{ 7 * 7 }}'


def with_texts(app: App, **metadata: Any) -> App:
    """The app with a manifest of these texts, and no translations."""
    spec = {"fullDescription": EVIL, "upgradeDescription": EVIL}
    manifest = dataclasses.replace(app.manifest_document, data={"metadata": {"title": EVIL} | metadata, "spec": spec})
    return dataclasses.replace(app, manifest_document=manifest, i18n_documents={})


@pytest.fixture
def hostile(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> Catalog:
    """A catalog whose every text is an attack."""
    pair = {"en": EVIL, "fr": EVIL}
    report = make_report(
        runs=[1.5, 2.5], app_version=EVIL, notes=[pair], measured_by=EVIL,
        source=[{"title": EVIL, "url": "https://x.example/"}],
        configuration={"image": EVIL, "args": [f"--a{EVIL}", EVIL]},
        vision_check={"image": pair, "answer": EVIL, "note": pair},
    )  # fmt: skip
    app = make_app(
        reports=(report,), summary=pair, args=["--x", EVIL], formerly=[{"name": "old", "until": EVIL, "reason": pair}],
        vram={"parts": [{"name": pair, "gb": 1.0, "note": pair}], "note": pair},
        links=[{"title": EVIL, "url": "https://x.example/"}],
    )  # fmt: skip
    return dataclasses.replace(repository, apps=(with_texts(app),))


@pytest.mark.parametrize("language", [FRENCH, ENGLISH])
def test_contributors_text_has_no_effect(hostile: Catalog, language: Any) -> None:
    release = Release("demo", "1.0.0", "0" * 64, "0" * 64, 1, "2026-01-01T00:00:00Z", withdrawn=EVIL)
    pages = Pages(dataclasses.replace(hostile, ledger=Ledger({release.key: release})), language)
    for path, text in (
        pages.all() | {"board": pages.leaderboard(), "top": pages.macro("choices", pages.choices)}
    ).items():
        if not path.endswith((".csv", ".json")):  # data, which no browser renders
            assert "<script" not in text, path
    assert "{{ 7 * 7 }}" in pages.app(hostile.apps[0]), "braces stay braces"


def test_front_matter_is_one_escaped_yaml_text() -> None:
    text = 'a "b": <c> #d\n---\nhook: x'
    loaded = yaml.safe_load(f"title: {front(text)}\n")
    assert loaded == {"title": "a &quot;b&quot;: &lt;c&gt; #d\n---\nhook: x"}
    assert json.loads(front("é")) == "é"


def test_an_app_page_says_what_was_measured(french: Pages, english: Pages, repository: Catalog) -> None:
    app = repository.app("llamacppqwen36a3bone")
    assert app is not None
    page = french.app(app)
    for text in (
        "243,59",
        "± 2,65",
        "262\u202f144",
        "IC 95\u00a0%",
        "1,52\u00a0%",
        "--mmproj-gpu-swap",
        "17,20\u00a0Go",
    ):
        assert text in page, text
    for text in ("243.59", "± 2.65", "262,144", "95% CI", "1.52%", "17.20\u00a0GB"):
        assert text in english.app(app), text


def test_every_run_is_drawn_with_its_speed(repository: Catalog, tmp_path: Path) -> None:
    app = repository.app("llamacppqwen36a3bone")
    assert app is not None
    page = Pages(repository, FRENCH, artist=Vega(Kept(tmp_path))).app(app)
    speeds = [FRENCH.number(speed, 2) for report in app.reports for speed in report.speeds]
    drawn = re.findall(r"<title>Passe \d+\s: ([\d,]+)\stokens/s</title>", page)
    assert sorted(drawn) == sorted(speeds)


def test_summaries_are_marked_and_have_no_interval(repository: Catalog, tmp_path: Path) -> None:
    app = repository.app("llamacppqwen36beevisionone")
    assert app is not None
    page = Pages(repository, FRENCH, artist=Vega(Kept(tmp_path))).app(app)
    drawn = [report for report in app.reports if report.statistics.range is not None]
    assert page.count('class="oo-vega oo-vega--runs"') == len(drawn) > 0
    assert "résumé publié seul" in page
    assert "±" not in page
    assert "--oo-needle-wash" not in page
    assert "<dd>—</dd>" not in page, "what a summary cannot tell is left out"


def test_no_difference_is_said_in_words(english: Pages, repository: Catalog) -> None:
    app = repository.app("llamacppqwen36beevisionone")
    assert app is not None
    found = english.comparison(app)
    assert found is not None
    assert found.result is not None
    assert not found.result.shown
    page = english.app(app)
    assert "<strong>no difference shown</strong>" in page
    assert "Estimate: the deviation of at least one series" in page


def test_a_claim_that_was_wrong_stands_beside_the_figure(english: Pages, repository: Catalog) -> None:
    app = repository.app("vllmgemma426ba4bvisionone")
    assert app is not None
    assert "mean\u00a0250.54" in english.app(app)
    assert "Computed from the runs: mean\u00a0250.55." in english.app(app)


def test_an_app_that_is_not_offered_says_so(repository: Catalog, make_app: MakeApp, make_report: MakeReport) -> None:
    reason = {"en": "No arguments known.", "fr": "Aucun argument connu."}
    app = make_app(status="incomplete", reason=reason, reports=(make_report(runs=[1, 2]),))
    page = Pages(dataclasses.replace(repository, apps=(app,)), ENGLISH).app(app)
    assert "No arguments known." in page
    assert "{ #install }" not in page


def test_what_nobody_stated_is_said_in_the_language_of_the_page(
    repository: Catalog, make_app: MakeApp, make_report: MakeReport
) -> None:
    app = make_app(
        engine={"id": "llama-cpp", "version": "not stated"},
        model={"name": "Demo", "kind": "dense", "licence": "not stated"},
        reports=(make_report(runs=[1, 2], app_version="not stated"),),
    )
    catalog = dataclasses.replace(repository, apps=(app,), shelved=())
    french, english = Pages(catalog, FRENCH), Pages(catalog, ENGLISH)
    for page in (french.app(app), french.leaderboard()):
        assert "not stated" not in re.sub(r'data-words="[^"]*"', "", page)
        assert "version non précisée" in page
        assert "<code>non" not in page
    assert "<dd>non précisée</dd>" in french.app(app)
    assert "version not stated" in english.app(app)
    assert "<code>not stated" not in english.app(app)


def test_a_withdrawn_app_keeps_its_page_and_its_series(french: Pages, english: Pages, repository: Catalog) -> None:
    app = next(app for app in repository.shelved if app.name == "llamacppgemma426ba4bvisionone")
    assert app.reports
    page = english.all()[f"apps/{app.name}.md"]
    assert 'in favour of <a href="/en/apps/vllmgemma426ba4bvisionone/">Gemma 4 26B Vision MTP One</a>, which' in page
    assert "The app is not offered: nothing ships to compare with." in page
    assert 'au profit de <a href="/apps/vllmgemma426ba4bvisionone/">' in french.shelved(app)
    assert {row.report.id for row in english.rows if row.app is app} == {report.id for report in app.reports}
    assert f"apps/{app.name}/" in english.apps()
    assert app not in [row.app for row in english.headlines]


def test_old_names_lead_to_the_app(french: Pages, english: Pages) -> None:
    for pages, root in ((french, "/"), (english, "/en/")):
        page = pages.all()["apps/llamacppqwen36beellamavisionone/index.html"]
        target = f"{root}apps/llamacppqwen36beevisionone/"
        assert f'<meta http-equiv="refresh" content="0; url={target}">' in page
        assert f'{target}">' in page.split('rel="canonical"')[1].split("\n")[0]
        assert f'<a href="{target}">' in page
    assert "llamacppqwen36beellamavisionone" in french.all()["apps/llamacppqwen36beevisionone.md"]


def test_the_table_to_download_has_every_row_at_full_precision(french: Pages) -> None:
    rows = list(csv.DictReader(io.StringIO(table(french.rows, french.catalog))))
    assert len(rows) == len(french.rows)
    swap = next(row for row in rows if row["report"] == "2026-05-24-space-invaders-262k")
    assert (swap["mean_tokens_per_second"], swap["n"], swap["matches_shipped"]) == ("243.588", "10", "partial")
    assert (
        swap["runs"].split() == [str(speed) for speed in french.rows[0].report.speeds] or swap["runs"].count(" ") == 9
    )
    summary = next(row for row in rows if not row["runs"])
    assert (summary["rank"], summary["ci95_low"], summary["s_n_minus_1"]) == ("", "", "")


def test_releases_come_newest_first(repository: Catalog, make_app: MakeApp) -> None:
    releases = [
        Release(name, version, "0" * 64, "0" * 64, 2048, day)
        for name, version, day in (
            ("demo", "1.0.0", "2026-01-01T00:00:00Z"),
            ("demo", "1.1.0", "2026-02-01T00:00:00Z"),
            ("other", "9.9.9", "2026-03-01T00:00:00Z"),
        )
    ]
    ledger = Ledger({release.key: release for release in releases})
    app = make_app()
    page = Pages(dataclasses.replace(repository, apps=(app,), ledger=ledger), ENGLISH).app(app)
    assert page.index(">1.1.0<") < page.index(">1.0.0<")
    assert "9.9.9" not in page
    assert "1\u00a0February 2026" in page
