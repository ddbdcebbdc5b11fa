"""Family ``llm``: the server's options, against what its version knows."""

from __future__ import annotations

from collections.abc import Iterator

from market import combination
from market.catalog import Catalog
from market.flags import Standing, unknown_values
from market.options import Option
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, View
from market.rules.llm_views import at_option, at_origin, each_serving
from market.rules.registry import declare, package_check
from market.serving import Serving

SOURCE = "the engines' argument parsers, read at the versions that data/flags names"

declare("llm.unknown-option", "error", "An option that this version of the engine does not know",
        why="The server refuses the argument and never starts.",
        fix="Correct the spelling, or remove the option.",
        source=SOURCE)  # fmt: skip
declare("llm.doubtful-option", "warning", "An option or a value that is in no list of this engine",
        why="A server refuses an argument that it does not know. The list of a fork, or of versions outside "
            "those that were read, may lack an option that exists.",
        fix="Correct the spelling; if the option exists, add it to data/flags with its source.",
        source=SOURCE)  # fmt: skip
declare("llm.dropped-option", "error", "An option that this version of the engine has dropped",
        why="The server refuses the argument and never starts.",
        fix="Write the option that took its place.",
        source=SOURCE)  # fmt: skip
declare("llm.deprecated-option", "advice", "An option that the engine will drop",
        why="A later version refuses it.",
        fix="Write the option that takes its place.",
        source=SOURCE)  # fmt: skip
declare("llm.option-value", "error", "A value that the option does not take",
        why="The server refuses the value and never starts.",
        fix="Write one of the values that this version takes.",
        source=SOURCE)  # fmt: skip
declare("llm.missing-value", "error", "An option without its value",
        why="The server takes the next option for the value, or refuses the command line.",
        fix="Write the value after the option, as an entry of its own.",
        source=SOURCE)  # fmt: skip
declare("llm.repeated-option", "warning", "An option given twice",
        why="The last one wins, so the first one says what is not so.",
        fix="Keep one of them.",
        source="llama.cpp common/arg.cpp; Python argparse")  # fmt: skip
declare("llm.stray-argument", "error", "An argument that belongs to no option",
        why="llama-server refuses it; vLLM takes only the model there.",
        fix="Remove it, or put it after the option that it belongs to.",
        source="llama.cpp common/arg.cpp; vLLM entrypoints/openai/cli_args.py")  # fmt: skip
declare("llm.unresolved", "warning", "An argument that only the running container could tell",
        why="A variable that neither chart nor script sets may be empty; then the server gets an argument that "
            "nobody has seen, and no rule can look at it.",
        fix="Set the variable in the chart, or write the value.",
        source="design of this catalog")  # fmt: skip

REPEATABLE = frozenset((
    "--override-kv", "--override-tensor", "--lora", "--lora-scaled", "--control-vector",
    "--control-vector-scaled", "--logit-bias", "--middleware", "--dry-sequence-breaker",
))  # fmt: skip
"""Options that mean something each time they are given."""


@package_check
def command_line(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """The server knows every option, and every value."""
    yield from each_serving(catalog, package, known, values, repeated, arguments)


def known(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Options that the engine's version has."""
    explained = {name for one in combination.found_in(found) for name in combination.options_named(one)}
    for option in found.options.all:
        if option.variable or option.name in explained:
            continue
        if option.flag is None:
            yield _strange(found, option)
        else:
            yield from _aged(found, option)


def _strange(found: Serving, option: Option) -> Finding:
    is_sure = found.flags.covers(found.release)
    close = found.flags.similar(option.spelled)
    fix = f"Did you mean `{close}`?" if close else ""
    message = f"{_engine(found)} has no option `{option.spelled}`"
    if not is_sure:
        message = f"`{option.spelled}` is in no list of the options of {found.engine.id}"
    rule = "llm.unknown-option" if is_sure else "llm.doubtful-option"
    return at_option(rule, found, option, message=message, fix=fix)


def _aged(found: Serving, option: Option) -> Iterator[Finding]:
    assert option.flag is not None
    standing = found.flags.standing(option.flag, found.release)
    instead = f"Write `{option.flag.instead}`." if option.flag.instead else ""
    if standing is Standing.TOO_NEW:
        message = f"{_engine(found)} is older than `{option.spelled}`, first seen in {option.flag.span.since}"
        yield at_option("llm.unknown-option", found, option, message=message)
    elif standing in (Standing.GONE, Standing.REFUSED):
        message = f"{_engine(found)} no longer takes `{option.spelled}`"
        yield at_option("llm.dropped-option", found, option, message=message, fix=instead)
    elif found.flags.is_deprecated(option.flag, found.release):
        message = f"{_engine(found)} warns about `{option.spelled}`"
        yield at_option("llm.deprecated-option", found, option, message=message, fix=instead)


def values(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Values that the options take."""
    explained = {name for one in combination.found_in(found) for name in combination.options_named(one)}
    for option in found.options.all:
        if option.flag is None or option.is_unsure or option.name != option.flag.name:
            continue
        if option.is_short:
            message = f"`{option.spelled}` needs {'a value' if option.flag.values == 1 else 'more values'}"
            yield at_option("llm.missing-value", found, option, message=message)
        elif option.name not in explained:
            yield from _choice(found, option)


def _choice(found: Serving, option: Option) -> Iterator[Finding]:
    assert option.flag is not None
    for wrong, is_sure in unknown_values(found.flags, option.flag, option.values, found.release):
        known = [value for value, _ in option.flag.choices]
        taken = [one for one in known if not unknown_values(found.flags, option.flag, [one], found.release)]
        fix = f"It takes {', '.join(dict.fromkeys(taken))}."
        message = f"`{option.spelled}` does not take `{wrong}`"
        if is_sure:
            yield at_option("llm.option-value", found, option, message=message, fix=fix)
        else:
            message = f"`{wrong}` is in no list of what `{option.spelled}` takes"
            yield at_option("llm.doubtful-option", found, option, message=message, fix=fix)


def repeated(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Each option once."""
    seen: dict[str, Option] = {}
    for option in found.options.all:
        if option.variable or option.name in REPEATABLE:
            continue
        if option.name in seen:
            message = f"`{option.spelled}` was given before, as `{seen[option.name].spelled}`"
            yield at_option("llm.repeated-option", found, option, message=message)
        seen[option.name] = option


def arguments(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Every argument belongs to an option and is known."""
    allowed = 1 if found.is_vllm else 0
    for argument in found.options.rest[allowed:]:
        message = f"`{argument.text}` belongs to no option"
        yield at_origin("llm.stray-argument", found, argument.origin, message=message)
    for name, origin in found.line.unresolved:
        yield at_origin("llm.unresolved", found, origin, message=f"nothing in the chart says what `{name}` is")


def _engine(found: Serving) -> str:
    return f"{found.engine.id} {found.release.text}"
