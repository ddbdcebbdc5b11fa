"""Expressions that would run for ever, or fill the memory: each is refused at once, at its place."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from market.site import expressions
from market.site.bounds import HEAVIEST, BoundedEnvironment, Refusal
from market.site.figures import FigureError
from market.site.pages import Pages

DOUBLED = "{% set a = 'aaaaaaaaaa' %}" + "{% set a = a ~ a %}" * 60
HOSTILE = {
    "{{ 9**9**9**9**9 }}": "too large for a figure",
    "{{ (9**9)**(9**9) }}": "too large for a figure",
    "{{ 2 ** 100000000 }}": "too large for a figure",
    "{% set n = 9 ** 9 %}{{ n ** n }}": "too large for a figure",
    "{{ 4000000000 * 4000000000 * 4000000000 }}": "more than 18 digits",
    "{{ " + "9" * 400 + " }}": "more than 18 digits",
    "{{ 'a' * 1000000000 }}": "* takes numbers",
    "{{ [1] * 1000000000 }}": "* takes numbers",
    "{{ '%999999999d' % 1 }}": "% takes numbers",
    "{{ '{:999999999}'.format(1) }}": "the method format cannot be used",
    "{{ 'a'.ljust(1000000000) }}": "the method ljust cannot be used",
    "{{ 'a'.join(['b', 'c']) }}": "the method join cannot be used",
    "{{ 'a' | center(1000000000) }}": "there is no filter center",
    "{{ '%999999999d' | format(1) }}": "there is no filter format",
    "{{ 'a' | bound_weighed }}": "there is no filter bound_weighed",
    "{{ 1 is divisibleby(3) }}": "there is no test divisibleby",
    "{{ range(1000000000) | list }}": "'range' is undefined",
    "{{ lipsum(1000000000) }}": "'lipsum' is undefined",
    "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}": "a macro cannot be used",
    "{% for a in [[1]] recursive %}{{ loop(a) }}{{ loop(a) }}{% endfor %}": "loops cannot be recursive",
    DOUBLED + "{{ a }}": "a text or list of more than",
    DOUBLED.replace("~", "+") + "{{ a }}": "a text or list of more than",
    DOUBLED.replace("a ~ a", "[a, a]") + "{{ a }}": "a text or list of more than",
    DOUBLED.replace("a ~ a", "(a, a)") + "{{ a | join }}": "a text or list of more than",
    DOUBLED.replace("a ~ a", "{1: a, 2: a}") + "{{ a }}": "a text or list of more than",
    DOUBLED.replace("a ~ a", "[a, a] | join('b')") + "{{ a }}": "a text or list of more than",
    "{% set a %}aaaaaaaaaa{% endset %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60: "write more than",
    "{% set a = [1, 2] %}{{ a }}": "a list cannot be written",
    "{% for a in '" + "a" * 3000 + "' %}{% endfor %}": "more than 2000 turns",
    "{% for a in '" + "a" * 60 + "' %}{% for b in '" + "b" * 60 + "' %}.{% endfor %}{% endfor %}": "2000 turns",
    "{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}": "nor more than 2 deep",
}  # fmt: skip

PROGRAM = """
import json, sys
from market.site.bounds import BoundedEnvironment
for template in json.load(sys.stdin):
    environment = BoundedEnvironment()
    environment.globals = {}
    try:
        said = environment.from_string(template).render()
    except Exception as error:
        said = f"refused: {error}"
    print(json.dumps(said[:300] or "nothing"), flush=True)
"""


def test_each_is_refused_at_once() -> None:
    """In a process of its own, so that one that got through would fail this test and not hang all of them."""
    made = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(list(HOSTILE)), capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip
    said = [json.loads(line) for line in made.stdout.splitlines()]
    assert len(said) == len(HOSTILE), made.stderr
    for (template, wanted), answer in zip(HOSTILE.items(), said, strict=True):
        shown = f"{template[:80]}: {answer}"
        # An undefined name writes nothing here, and is told by the pages' own environment.
        assert wanted in answer or (wanted.endswith("is undefined") and "undefined" in answer), shown


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("{{ 2 ** 10 }} {{ 2 ** 0.5 > 1.41 }} {{ 2 ** -1 }} {{ (-3) ** 3 }}", "1024 True 0.5 -27"),
        ("{{ 7 // 2 }} {{ 7 % 4 }} {{ 1 / 4 }} {{ -3 + 1 }} {{ 3 * 4 - 2 }}", "3 3 0.25 -2 10"),
        ("{{ 'a' ~ 1 ~ none ~ 2.5 }} {{ 'a' + 'b' }}", "a1None2.5 ab"),
        ("{{ [1, 2.5, 3] | sum }} {{ ('a', 'b') | join('-') }} {{ 'x/y:z'.rpartition(':')[2] }}", "6.5 a-b z"),
        ("{% for a, b in [(1, 2), (3, 4)] %}{{ a * b }}{{ ', ' if not loop.last }}{% endfor %}", "2, 12"),
        ("{% set t %}1 2 3{% endset %}{{ t.split() | map('float') | list | max }}", "3.0"),
        ("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}{{ v }}{% else %}none{% endfor %}", "a1b2"),
    ],
)
def test_what_a_page_needs_is_left(template: str, written: str) -> None:
    assert BoundedEnvironment().from_string(template).render() == written


def test_weight_is_that_of_the_written_text() -> None:
    fits = BoundedEnvironment().from_string("{{ a ~ a }}")
    assert len(fits.render(a="x" * (HEAVIEST // 2 - 2))) == HEAVIEST - 4
    with pytest.raises(FigureError, match="a text or list of more than"):
        fits.render(a="x" * HEAVIEST)


def test_all_that_is_refused_by_its_form_is_told_at_once() -> None:
    with pytest.raises(Refusal) as caught:
        BoundedEnvironment().from_string("{{ 'a'|format }}\n{% macro f() %}{% endmacro %}\n\n{{ 'a' | center(9) }}")
    assert [line for line, _ in caught.value.faults] == [1, 2, 4]


@pytest.mark.parametrize(
    ("page", "line", "column", "message"),
    [
        ("a\n\nb {{ 9**9**9**9 }}", 3, 3, "387420489 ** 9 is too large"),
        ("a\n{{ 9 ** 99999 }}", 2, 1, "9 ** 99999 is too large"),
        ("a\n{{ fmt(1, 999999999) }}", 2, 1, "a figure has 0 to 12 decimals, not 999999999"),
        ("{{ fmt(1) }}\n{{ 'a' * 999999999 }}", 2, 1, "* takes numbers"),
    ],
)
def test_refusal_has_its_place(french: Pages, page: str, line: int, column: int, message: str) -> None:
    text, problems = expressions.render(page, "docs/fr/x.md", french)
    assert text is None
    (found,) = problems
    assert (found.rule, found.path, found.line, found.column) == ("site.expression", "docs/fr/x.md", line, column)
    assert message in found.message


@pytest.mark.parametrize("expression", ["9**9**9**9", "2**999999", "[1] * 999999999", "'a'.zfill(999999999)"])
def test_claims_are_bounded_too(english: Pages, expression: str) -> None:
    with pytest.raises(FigureError):
        expressions.evaluate(expression, english)
