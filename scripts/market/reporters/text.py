"""Problems for people: place, excerpt with a caret, reason and remedy; colours are rich markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.markup import escape

from market.problem import Problem, Severity

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}
WIDTH = 120
"""Characters of an excerpt; longer lines are cut around the caret."""


def report(problems: Sequence[Problem], sources: Mapping[str, str]) -> str:
    """Return rich markup; the caller's console decides on colour."""
    return "\n".join([*_blocks(problems, sources), _summary(problems)])


def _blocks(problems: Sequence[Problem], sources: Mapping[str, str]) -> Iterator[str]:
    for problem in problems:
        colour = COLOURS[problem.severity]
        place = f"{problem.path}:{problem.line}:{problem.column}"
        yield (
            f"[bold]{escape(_visible(place))}[/bold] [{colour}]{problem.severity}[/{colour}] "
            f"{escape(_visible(problem.message))} [dim]{escape(f'[{problem.rule}]')}[/dim]"
        )
        yield from _excerpt(problem, sources.get(problem.path, ""))
        if problem.why:
            yield f"  [dim]why[/dim] {escape(_visible(problem.why))}"
        if problem.fix:
            yield f"  [dim]fix[/dim] {escape(_visible(problem.fix))}"
        yield ""


def _excerpt(problem: Problem, source: str) -> Iterator[str]:
    lines = source.split("\n")
    if not source or not 1 <= problem.line <= len(lines):
        return
    text = lines[problem.line - 1].replace("\t", " ")
    start = max(0, min(problem.column - WIDTH // 2, len(text) - WIDTH))
    shown = _visible(text[start : start + WIDTH])
    gutter = f"{problem.line:>5}"
    yield f"[dim]{gutter} |[/dim] {escape(shown)}"
    yield f"[dim]{' ' * len(gutter)} |[/dim] {' ' * (problem.column - 1 - start)}[red]^[/red]"


def _summary(problems: Sequence[Problem]) -> str:
    if not problems:
        return "[green]no problem found[/green]"
    counts = Counter(problem.severity for problem in problems)
    files = len({problem.path for problem in problems})
    parts = [_plural(counts[severity], severity) for severity in Severity if counts[severity]]
    return f"{', '.join(parts)} in {_plural(files, 'file')}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 or word == Severity.ADVICE else f"{count} {word}s"


def _visible(text: str) -> str:
    """Replace what could steer a terminal or hide text (control and bidirectional characters)."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
