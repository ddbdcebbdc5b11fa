"""Authored pages: Markdown in which every figure is a Jinja expression over the catalog.

What an author can write between ``{{`` and ``}}``:

``report("app", "id")``
    One bench report. ``.mean .median .min .max .range .sd .half_width .low .high`` in tokens/s, ``.n``,
    ``.runs``, ``.cv`` and ``.acceptance`` as fractions, ``.context`` and ``.tokens_per_run`` in tokens,
    ``.date``, ``.version``, ``.image``, ``.published.mean`` (a claim) and ``.vision_check.swap_in_ms``.
``app("name")``
    One app. ``.title .version .context .image``, ``.download`` and ``.vram`` in decimal GB, ``.part(1)``
    for one memory part, ``.headline`` for the report that speaks for it.
``fmt(x, 2)``  ``signed(x, 2)``  ``percent(fraction, 1)``  ``pct(a, b, 1)``
    A number; with its sign; a fraction as a percentage; a relative to b, with its sign.
``change(a, b)``  ``days(a, b)``
    a relative to b as a fraction, and the days from date b to date a, to compute with.
``tokens(x)``  ``gb(x, 1)``  ``date(x)``  ``listing(runs, 2)``
    A count of tokens, a size in decimal GB, a date in words, numbers in a row.
``welch(a, b)``
    Two reports by Welch's test: ``.difference .low .high`` in tokens/s, ``.t``, ``.p``, ``.shown``,
    ``.estimated``, and ``.words``, which says "no difference shown" where that is so.
``link("app")``  ``rule("id")``  ``plot(report(…))``  ``board(8)``  ``leaderboard()``  ``choices()``  ``served()``
    A link to the page of an app or a rule, the dots of a series, the fastest apps by what they ship, all series,
    which app when, and what the market serves.
``columns()``
    The columns of the files to download.
``frontier()``  ``measured_on("machine")``
    The picture of speed against context with the series that nothing beats, and what was measured on a machine.
``usable("app")``  ``arguments(report(…))``  ``say(pair)``
    Decimal GB that the card leaves to programs, a report's options one a line, and the text of this
    language from a pair of the data files.
``cost``
    What devices ask of this market and what that costs (market.cost.Costs): ``.day("genB").runs``,
    ``.bill("v2", 1000).total``, ``.asked("genA")``, ``.ratio("details")``, ``.measured``, ``.prices``.
``market``  ``hardware["id"]``  ``engines["id"]``  ``prompts["id"]``
    The data files, as they are.

Nothing else is reachable, and nothing takes long: the environment is a sandbox with bounds (market.site.bounds), as
a pull request may change these pages.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from jinja2 import TemplateSyntaxError, Undefined
from jinja2.exceptions import SecurityError
from markupsafe import Markup

from market import cost as costs
from market.configuration import pairs
from market.problem import Problem
from market.site import figures, richtext, rulebook
from market.site.bounds import BoundedEnvironment, Refusal, digits
from market.site.download import COLUMNS
from market.site.figures import AppFigures, FigureError, ReportFigures
from market.site.language import Language, typeset
from market.site.pages import Pages, usable_gigabytes
from market.site.placeholder import Log, Unknown, current_line, reported_undefined
from market.site.words import words
from market.statistics import Comparison, welch


@dataclass(frozen=True, slots=True)
class Tested:
    """Welch's test of two reports, with its conclusion in words."""

    result: Comparison
    words: str

    @property
    def difference(self) -> float:
        """Difference of the means, tokens/s."""
        return self.result.difference

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval of the difference."""
        return self.result.interval[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval of the difference."""
        return self.result.interval[1]

    @property
    def t(self) -> float:
        """The test statistic."""
        return self.result.t

    @property
    def p(self) -> float:
        """Two-sided probability of such a difference without any."""
        return self.result.p

    @property
    def shown(self) -> bool:
        """Whether a difference is shown at the 5 % level."""
        return self.result.shown

    @property
    def estimated(self) -> bool:
        """Whether a deviation was estimated from a range."""
        return self.result.estimated


def render(
    text: str, path: str, pages: Pages, names: Mapping[str, Any] | None = None
) -> tuple[str | None, tuple[Problem, ...]]:
    """Fill in the expressions of one page. Every wrong one is a problem with its line; then there is no text.

    ``names`` are known beside those of this module's docstring.
    """
    log = Log(path, text)
    result = _guarded(log, lambda: _environment(pages, log, names).from_string(text).render())
    return (None if log.problems else typeset(str(result), pages.language)), tuple(log.problems)


def evaluate(expression: str, pages: Pages, names: Mapping[str, Any] | None = None) -> Any:
    """The value of one expression; ``None`` where it needs a name whose fault is reported elsewhere.

    Raises:
        FigureError: it cannot be filled in; the text says why.
    """
    log = Log("", expression)

    def run() -> Any:
        environment = _environment(pages, log, names)
        value = environment.compile_expression(expression, undefined_to_none=False)()
        # An unknown name reports itself when it is used.
        return str(value) if isinstance(value, Undefined) else value

    value = _guarded(log, run)
    if log.problems:
        raise FigureError(log.problems[0].message)
    return None if isinstance(value, Unknown) else value


def _environment(pages: Pages, log: Log, names: Mapping[str, Any] | None) -> BoundedEnvironment:
    environment = BoundedEnvironment(undefined=reported_undefined(log), keep_trailing_newline=True)
    environment.globals = _names(pages, log) | dict(names or {})
    return environment


def _guarded(log: Log, run: Callable[[], Any]) -> Any:
    """Run an author's template; what goes wrong is noted."""
    try:
        return run()
    except TemplateSyntaxError as error:
        log.add(error.lineno, f"not an expression: {error.message}")
    except Refusal as refusal:
        for line, text in refusal.faults:
            log.add(line, text)
    except FigureError as error:
        log.add(_line(error.__traceback__), str(error))
    except SecurityError as error:
        log.add(_line(error.__traceback__), f"not allowed here: {error}")
    except Exception as error:  # an author's mistake, whatever its type: the template is all that ran
        log.add(_line(error.__traceback__), f"{type(error).__name__}: {error}")
    return None


def _names(pages: Pages, log: Log) -> dict[str, Any]:
    """The names of the module's docstring."""
    catalog, language = pages.catalog, pages.language

    def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if any(isinstance(argument, Unknown) for argument in arguments):
                return Unknown()
            for argument in arguments:
                if isinstance(argument, Undefined):
                    str(argument)
                    return Unknown()
            try:
                return function(*arguments)
            except FigureError as error:
                log.add(current_line(), str(error))
                return Unknown()

        return call

    functions: dict[str, Callable[..., Any]] = {
        "report": lambda app, id: figures.find_report(catalog, app, id),
        "app": lambda name: AppFigures(figures.find_app(catalog, name), language),
        "fmt": lambda value, places=2: language.number(_known(value), digits(places)),
        "signed": lambda value, places=2: language.signed(_known(value), digits(places)),
        "percent": lambda value, places=1: language.percent(_known(value), digits(places)),
        "change": lambda a, b: _known(a) / _known(b) - 1,
        "days": lambda a, b: (dt.date.fromisoformat(a) - dt.date.fromisoformat(b)).days,
        "pct": lambda a, b, places=1: language.signed_percent(_known(a) / _known(b) - 1, digits(places)),
        "tokens": lambda value: language.number(_known(value)),
        "gb": lambda value, places=1: language.gigabytes(_known(value), digits(places)),
        "date": language.date,
        "listing": lambda values, places=2: _listing(values, digits(places), pages),
        "welch": lambda a, b: _tested(a, b, pages),
        "link": lambda name: f"[{_title(pages, name)}]({language.root}apps/{name}/)",
        "rule": lambda id: _rule(id, language),
        "plot": lambda found: _plot(found, pages),
        "board": lambda count=8: pages.macro("board", pages.headlines[:count]),
        "leaderboard": pages.leaderboard,
        "columns": lambda: pages.macro("columns", COLUMNS),
        "served": pages.served,
        "usable": lambda name: usable_gigabytes(catalog, figures.find_app(catalog, name)),
        "arguments": lambda found: "\n".join(f"{name} {value}".rstrip() for name, value in pairs(found.arguments)),
        "say": lambda pair: richtext.inline(pages.say.words.pick(pair)),
        "choices": lambda: pages.macro("choices", pages.choices),
        "frontier": pages.frontier,
        "measured_on": pages.measured_on,
    }
    data = {
        "market": catalog.market,
        "hardware": catalog.hardware,
        "engines": catalog.engines,
        "prompts": catalog.prompts,
        "cost": costs.of(catalog),
    }
    return {name: guarded(function) for name, function in functions.items()} | data


def _known(value: float | None) -> float:
    if value is None:
        raise FigureError("this figure is not known: the single runs were never published")
    return value


def _listing(values: Iterable[float], places: int, pages: Pages) -> str:
    return " · ".join(pages.language.number(value, places) for value in values)


def _rule(id: str, language: Language) -> str:
    if rulebook.find(id) is None:
        raise FigureError(f"no rule is called {id!r}")
    return f"[{id}]({language.root}rules/{id}/)"


def _title(pages: Pages, name: str) -> str:
    return AppFigures(figures.find_app(pages.catalog, name), pages.language).title


def _plot(found: ReportFigures, pages: Pages) -> Markup:
    row = next(row for row in pages.rows if row.report is found.report)
    return pages.gallery.runs(row)


def _tested(a: ReportFigures, b: ReportFigures, pages: Pages) -> Tested:
    result = welch(a.statistics, b.statistics)
    if result is None:
        raise FigureError("these reports cannot be compared: a spread is not known")
    t = words(pages.language)
    p = pages.say.probability(result.p) + (t("welch_estimated") if result.estimated else "")
    return Tested(result, str(t("welch_shown" if result.shown else "welch_not_shown", p=p)))


def _line(trace: TracebackType | None) -> int:
    """The line of the page in a traceback; Jinja has put its own lines there already."""
    line = 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
