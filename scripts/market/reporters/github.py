"""Problems as GitHub annotations.

GitHub shows ten annotations of each level in a step and drops the rest, so the first ten are annotated and
the step summary holds all of them (GitHub, actions/toolkit, problem matchers, limitations).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from market.problem import Problem, Severity

LIMIT = 10
SUMMARY_LIMIT = 900_000
"""Characters of the step summary; GitHub takes 1 MiB."""
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


def report(problems: Sequence[Problem], sources: Mapping[str, str]) -> str:  # noqa: ARG001
    """Workflow commands, at most ten a level."""
    lines: list[str] = []
    for severity in Severity:
        own = [problem for problem in problems if problem.severity is severity]
        lines.extend(_annotation(problem) for problem in own[:LIMIT])
        if len(own) > LIMIT:
            lines.append(f"{len(own) - LIMIT} more of level {LEVELS[severity]}: see the step summary")
    return "\n".join(lines)


def summary(problems: Sequence[Problem]) -> str:
    """The step summary: a Markdown table of all problems and how to see them on one's own machine."""
    if not problems:
        return "### `market check` found no problem\n"
    rows = list(_rows(problems))
    head = f"### `market check` found {len(problems)} problems\n\n"
    foot = "\nReproduce locally: `make install && .venv/bin/market check`\n"
    table = ["| place | level | problem | fix |", "| --- | --- | --- | --- |"]
    length = len(head) + len(foot)
    for row in rows:
        length += len(row) + 1
        if length > SUMMARY_LIMIT:
            table.append(f"| ... | | {len(rows) - len(table) + 2} more | run it locally |")
            break
        table.append(row)
    return head + "\n".join(table) + "\n" + foot


def _annotation(problem: Problem) -> str:
    properties = ",".join(
        f"{key}={_property(str(value))}"
        for key, value in (
            ("file", problem.path), ("line", problem.line), ("col", problem.column), ("title", problem.rule),
        )
    )  # fmt: skip
    text = "\n".join(part for part in (problem.message, problem.why, problem.fix) if part)
    return f"::{LEVELS[problem.severity]} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _rows(problems: Sequence[Problem]) -> Iterator[str]:
    for problem in problems:
        place = f"{problem.path}:{problem.line}:{problem.column}"
        cells = (place, LEVELS[problem.severity], f"{problem.message} ({problem.rule})", problem.fix)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("`", "\\`").replace("\n", " ").replace("\r", " ")
