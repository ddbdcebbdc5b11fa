"""Authored pages: what an expression gives, and how a wrong one is reported."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from market.catalog import Catalog, load
from market.site import expressions
from market.site.pages import Pages
from market.site.rules import authored_pages, measured, twins, typed_figures

SWAP = 'report("llamacppqwen36a3bone", "2026-05-24-space-invaders-262k")'
TEXT = 'report("llamacppqwen36a3btextone", "2026-05-21-space-invaders-32k")'
GEMMA = 'report("vllmgemma426ba4bvisionone", "2026-05-23-space-invaders-64k")'
WIDE = 'report("llamacppqwen36beevisionone", "2026-05-15-space-invaders-200k")'
NARROW = 'report("llamacppqwen36beevisionone", "2026-05-15-space-invaders-128k")'


@pytest.mark.parametrize(
    ("expression", "in_french", "in_english"),
    [
        (f"fmt({SWAP}.mean)", "243,59", "243.59"),
        (f"fmt({SWAP}.half_width)", "2,65", "2.65"),
        (f"fmt({SWAP}.sd)", "3,70", "3.70"),
        (f"percent({SWAP}.cv, 2)", "1,52\u00a0%", "1.52%"),
        (f"fmt({SWAP}.low) ~ ' ' ~ fmt({SWAP}.high)", "240,94 246,23", "240.94 246.23"),
        (f"fmt({GEMMA}.mean) ~ ' ' ~ fmt({GEMMA}.published.mean)", "250,55 250,54", "250.55 250.54"),
        (f"percent({TEXT}.acceptance)", "86,6\u00a0%", "86.6%"),
        (f"pct({SWAP}.mean, {GEMMA}.published.mean)", "\u22122,8\u00a0%", "\u22122.8%"),
        (f"{SWAP}.vision_check.swap_in_ms + {SWAP}.vision_check.swap_out_ms", "753", "753"),
        (f"tokens({SWAP}.context)", "262\u202f144", "262,144"),
        (f"date({SWAP}.date)", "24\u00a0mai 2026", "24\u00a0May 2026"),
        (f"welch({WIDE}, {NARROW}).shown", "False", "False"),
        (
            f"welch({WIDE}, {NARROW}).words",
            "aucune différence montrée (p\u00a0=\u00a00,15, estimé)",
            "no difference shown (p\u00a0=\u00a00.15, estimated)",
        ),
        (
            f"welch({SWAP}, {GEMMA}).words",
            "différence montrée (p\u00a0&lt;\u00a00,001)",
            "difference shown (p\u00a0&lt;\u00a00.001)",
        ),
        (f"fmt(welch({SWAP}, {TEXT}).t)", "\u22123,80", "\u22123.80"),
        ('gb(app("llamacppqwen36beellamaone").vram, 2)', "25,05\u00a0Go", "25.05\u00a0GB"),
        ('gb(usable("llamacppqwen36a3bone"), 2)', "25,15\u00a0Go", "25.15\u00a0GB"),
        ("market.origin[:8]", "https://", "https://"),
    ],
)
def test_figures(french: Pages, english: Pages, expression: str, in_french: str, in_english: str) -> None:
    for pages, wanted in ((french, in_french), (english, in_english)):
        text, problems = expressions.render("{{ " + expression + " }}", "docs/x.md", pages)
        assert problems == ()
        assert text == wanted


@pytest.mark.parametrize(
    ("page", "line", "column", "message"),
    [
        ('a\n\nb {{ report("llamacppqwen36a3bon", "x").mean }}', 3, 3, "did you mean 'llamacppqwen36a3bone'"),
        ('{{ fmt(report("llamacppqwen36a3bone", "2026-05-24-space-invaders-262").mean) }}', 1, 1, "did you mean"),
        ("a\n{{ fmt(" + SWAP + ".average) }}", 2, 1, "average"),
        ("{{ fmt(1) }}\n{{ frmt(1) }}", 2, 1, "'frmt' is undefined"),
        ("{{ fmt(" + WIDE + ".sd) }}", 1, 1, "not known"),
        ("a\n{{ fmt(1, }}", 2, 1, "not an expression"),
        ("{{ fmt('x') }}", 1, 1, "ConversionSyntax"),
        ('{{ app("llamacppqwen36a3bone").part(9) }}', 1, 1, "4 memory parts"),
    ],
)
def test_a_wrong_expression_has_its_place(french: Pages, page: str, line: int, column: int, message: str) -> None:
    text, problems = expressions.render(page, "docs/fr/x.md", french)
    assert text is None
    (found,) = problems
    assert (found.rule, found.path, found.line, found.column) == ("site.expression", "docs/fr/x.md", line, column)
    assert message in found.message


def test_every_wrong_expression_is_reported_at_once(french: Pages) -> None:
    page = '{{ report("a", "b").mean }}\n{{ fmt(report("c", "d").mean, 2) }}\n{{ app("e").title }}\n{{ nothing }}'
    _, problems = expressions.render(page, "x.md", french)
    assert [found.line for found in problems] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "attack",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ report.__globals__ }}",
        "{{ market.__class__ }}",
        "{% include '/etc/passwd' %}",
        "{{ lipsum.__globals__.os }}",
        "{{ cycler.__init__ }}",
    ],
)
def test_a_page_reaches_nothing_else(french: Pages, attack: str) -> None:
    text, problems = expressions.render(attack, "x.md", french)
    assert text is None
    assert problems


def test_titles_from_manifests_are_inert(french: Pages, repository: Catalog) -> None:
    app = repository.apps[0]
    evil = dataclasses.replace(app.manifest_document, data={"metadata": {"title": "*x* <b> [y](http://z) `c` {{ 1 }}"}})
    catalog = dataclasses.replace(
        repository, apps=(dataclasses.replace(app, manifest_document=evil, i18n_documents={}),)
    )
    pages = dataclasses.replace(french, catalog=catalog)
    text, problems = expressions.render('{{ app("' + app.name + '").title }}', "x.md", pages)
    assert problems == ()
    assert text == r"\*x\* &lt;b&gt; \[y\]\(http\://z\) \`c\` \{\{ 1 \}\}"


def test_typed_figures_are_found(french: Pages) -> None:
    known = measured(french)
    page = (
        "débit {{ fmt(" + SWAP + ".mean, 2) }}\n\nce fut 243,59 tokens/s, jamais 243.44 ni 250,55 ; mais 0.1.2 et 24,3"
    )
    found = list(typed_figures(page, "docs/fr/x.md", known))
    assert [(problem.line, problem.message.split()[0]) for problem in found] == [
        (3, "243,59"), (3, "243.44"), (3, "250,55"),
    ]  # fmt: skip
    assert found[0].column == page.split("\n")[2].index("243,59") + 1


def test_the_pages_of_the_repository_are_sound(repository: Catalog) -> None:
    assert list(authored_pages(repository)) == []


def test_a_damaged_page_is_found_by_the_rules(root: Path, tmp_path: Path) -> None:
    catalog = shutil.copytree(root, tmp_path / "catalog")
    (catalog / "docs/fr/method.md").write_text("# Méthode\n\nPresque 243,59.\n\n{{ app('none') }}\n", "utf-8")
    (catalog / "docs/en/alone.md").write_text("# Alone\n", "utf-8")
    found = [(problem.rule, problem.path, problem.line) for problem in authored_pages(load(catalog)[0])]
    assert found == [
        ("site.expression", "docs/fr/method.md", 5),
        ("site.typed-figure", "docs/fr/method.md", 3),
        ("site.twin", "docs/fr/alone.md", 1),
    ]


def test_twins_of_the_repository(repository: Catalog) -> None:
    assert list(twins(repository.root)) == []
