"""The verification on the terminal: rich tables there, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from market.device.deviation import Deviation, count
from market.device.journal import Step
from market.device.verification import SeenApp, Verification

_HEADINGS = ("app", "title", "version", "categories", "chart", "sha256")


def render(result: Verification, console: Console) -> int:
    """Show a verification and return its exit status."""
    if console.is_terminal:
        _render_rich(result, console)
    else:
        for line in plain_lines(result):
            console.out(line, highlight=False)
    return result.exit_code


def plain_lines(result: Verification) -> list[str]:
    """Return the report as lines without colour or frames; times are left out so that runs compare."""
    lines = [f"{result.url} as a device on Olares {result.olares_version} sees it", ""]
    lines += ["  ".join(_cells(app)) for app in result.apps] or ["no app"]
    lines.append("")
    lines += [
        "  ".join(part for part in (_mark(step), step.mode, step.name, step.note) if part) for step in result.steps
    ]
    for deviation, modes in grouped(result.deviations).items():
        place = f"{', '.join(modes)}: {deviation.step}: {deviation.path}"
        lines += ["", f"{place}: {deviation.message}", f"    {deviation.why}"]
    return [clean(line) for line in [*lines, "", summary(result)]]


def grouped(deviations: Sequence[Deviation]) -> Mapping[Deviation, tuple[str, ...]]:
    """Join deviations that differ in nothing but the mode; the key is the first mode's."""
    first: dict[tuple[str, str, str, str], Deviation] = {}
    modes: dict[Deviation, tuple[str, ...]] = {}
    for deviation in deviations:
        same = (deviation.step, deviation.path, deviation.message, deviation.why)
        key = first.setdefault(same, deviation)
        modes[key] = (*modes.get(key, ()), deviation.mode)
    return modes


def summary(result: Verification) -> str:
    """Return the verdict in one sentence."""
    if result.passed:
        return f"passed: {count(len(result.apps), 'app')} in {', '.join(result.modes)}, no deviation"
    found = count(len(grouped(result.deviations)), "deviation")
    failed = sum(not step.passed for step in result.steps)
    return f"failed: {found}, {count(failed, 'step')} of {len(result.steps)} not passed"


def clean(text: str) -> str:
    """Replace control characters, which come from the network and could steer a terminal; line ends too."""
    joined = text.replace("\r", "").replace("\n", " ")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in joined)


def _render_rich(result: Verification, console: Console) -> None:
    console.print(Text(clean(f"{result.url} as a device on Olares {result.olares_version} sees it"), "bold"))
    apps = Table(*_HEADINGS)
    for app in result.apps:
        apps.add_row(*(Text(clean(cell)) for cell in _cells(app)))
    console.print(apps)
    console.print(_step_table(result))
    for deviation, modes in grouped(result.deviations).items():
        line = Text(f"✗ {', '.join(modes)} {deviation.step} ", "red")
        line.append(clean(f"{deviation.path}: "), "bold not red")
        line.append(clean(deviation.message), "not red")
        console.print(line)
        console.print(Text(f"  {clean(deviation.why)}", "dim"))
    console.print(Text(clean(summary(result)), "green" if result.passed else "red"))


def _step_table(result: Verification) -> Table:
    """Steps down, modes across."""
    table = Table("step", *result.modes)
    by_place = {(step.name, step.mode): step for step in result.steps}
    longest = max(result.modes, key=lambda mode: sum(step.mode == mode for step in result.steps))
    in_order = sorted(result.steps, key=lambda step: step.mode != longest)
    for name in dict.fromkeys(step.name for step in in_order):
        cells = [by_place.get((name, mode)) for mode in result.modes]
        table.add_row(name, *(_step_cell(step) for step in cells))
    return table


def _step_cell(step: Step | None) -> Text:
    if step is None:
        return Text("")
    mark = "✓" if step.passed else "✗"
    time = f"{step.seconds:.2f} s" if step.note != "not reached" else ""
    words = " ".join(part for part in (mark, time, clean(step.note)) if part)
    return Text(words, "green" if step.passed else "red")


def _cells(app: SeenApp) -> tuple[str, ...]:
    size = f"{app.chart_bytes} bytes" if app.chart_bytes else "none"
    categories = ", ".join(app.categories)
    return (app.name, app.title, app.version, categories, size, app.chart_sha256[:12])


def _mark(step: Step) -> str:
    return "ok  " if step.passed else "FAIL"
