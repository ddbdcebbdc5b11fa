"""The `bench` commands. Exit status: 0 measured, 1 input or series at fault, 2 endpoint or environment, 130 stopped."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console

from market.errors import InputError

if TYPE_CHECKING:
    from market.bench.runner import Bench
    from market.catalog import Catalog
    from market.report import Report

INTERRUPTED = 130


@click.group()
def bench() -> None:
    """Measure an endpoint, compare and import reports."""


@bench.command()
@click.option("--url", help="Base address of the server, e.g. http://127.0.0.1:8080.")
@click.option("--app", help="The app whose shipped configuration the server runs.")
@click.option("--config", type=click.Path(dir_okay=False, path_type=Path),
              help="File that describes configurations instead (bench-config.schema.json).")  # fmt: skip
@click.option("--model", help="Model to ask for (default: the first one that the server lists).")
@click.option(
    "--prompt", "prompt_ids", multiple=True, metavar="ID", help="Prompt of data/prompts.yaml; may be repeated."
)
@click.option("-n", "--runs", type=click.IntRange(1, 200), default=10, show_default=True, help="Measured runs.")
@click.option("--warmup", type=click.IntRange(0, 20), default=2, show_default=True, help="Runs before, not counted.")
@click.option("--tokens", type=click.IntRange(2), help="Tokens a run (default: the prompt's own).")
@click.option("--depth", "depth_list", default="0", show_default=True, metavar="LIST",
              help="Tokens before the prompt: e.g. 0,8k,32k,128k,full.")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1, 256), default=1, show_default=True, help="Streams at once.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--vary-seed", is_flag=True, help="Count the seed up, so that each run is another text.")
@click.option("--sampling", "sampling_texts", multiple=True, metavar="KEY=NUMBER",
              help="Sampling instead of temperature 0.6, top_p 0.95, top_k 20, min_p 0; may be repeated.")  # fmt: skip
@click.option("--thinking", type=click.Choice(["on", "off", "server"]), default="server", show_default=True)
@click.option("--ignore-eos", is_flag=True, help="Generate the full length whatever the model says.")
@click.option("--prompt-cache", type=click.Choice(["defeat", "allow"]), default="defeat", show_default=True)
@click.option("--vision", is_flag=True, help="Afterwards ask about two pictures, and measure text again.")
@click.option("--server-log", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="The server's log, to read swap times from.")  # fmt: skip
@click.option("--hardware", default="olares-one", show_default=True, help="Key of data/hardware.yaml.")
@click.option("--by", "measured_by", default=lambda: os.environ.get("USER", "unknown"), show_default="$USER",
              help="Who measures, as the report will say.")  # fmt: skip
@click.option("--source", metavar="URL", help="Where the figures are published (default: the catalog's repository).")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder (default: apps/APP/bench).")
@click.option("--name", default="", help="Name of the report's file, after the date (default: the prompt).")
@click.option("--resume", is_flag=True, help="Go on with a bench that was cut short.")
@click.option("--keep-going", is_flag=True, help="Note drift, two speeds or a short answer, and measure on.")
@click.option("--gpu", type=click.IntRange(0), default=0, show_default=True, help="Index of the GPU to watch.")
@click.option("--no-gpu", is_flag=True, help="Watch no GPU.")
@click.option("--key-from", default="MARKET_BENCH_KEY", show_default=True, metavar="VARIABLE",
              help="Environment variable that holds the API key.")  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(1), default=600.0, show_default=True, help="Seconds of silence allowed."
)
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="Date of the report (default: today, UTC).")
@click.pass_obj
def run(root: Path | None, /, **options: Any) -> None:
    """Measure one or more servers and write their reports."""
    from market.bench import interruption  # noqa: PLC0415
    from market.bench.faults import EndpointFault  # noqa: PLC0415
    from market.bench.screen import Shown, show  # noqa: PLC0415
    from market.bench.session import Choices, open_session  # noqa: PLC0415

    console = Console(stderr=False)
    choices = Choices(root=_root(root), command=_command(), **options)
    try:
        session = open_session(choices)
    except InputError as error:
        _refuse(str(error))
    except EndpointFault as error:
        _refuse(str(error), 2)
    if session.problems:
        _report(session.problems)
    status, fault = 0, None
    with Shown(console, session.total) as screen:
        session.bench.screen = screen
        try:
            with interruption.noted() as session.bench.between:
                status = session.measure()
        except (InputError, ValueError) as error:
            _refuse(str(error))
        except EndpointFault as error:
            fault = error
        except KeyboardInterrupt:
            status = INTERRUPTED
    series = [job.series for job in session.bench.jobs]
    show(console, series)
    for one in series:
        if one.runs:
            console.print(f"wrote {one.path} ({len(one.runs)} of {one.planned} runs)", highlight=False, soft_wrap=True)
    if fault or status == INTERRUPTED:
        _stopped(fault, session.bench, choices.command)
    sys.exit(status)


@bench.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.pass_obj
def compare(root: Path | None, a: str, b: str) -> None:
    """Compare two reports. Each is a file, or APP/REPORT of the catalog."""
    from market.bench.comparison import compare as compare_reports  # noqa: PLC0415
    from market.bench.comparison import magnitude  # noqa: PLC0415
    from market.bench.picture import dots  # noqa: PLC0415

    catalog = _catalog(_root(root))
    first, second = _find(catalog, a), _find(catalog, b)
    found = compare_reports(first, second)
    console = Console(soft_wrap=True, highlight=False)
    for label, report in (("A", first), ("B", second)):
        stated = report.statistics
        spread = f" ± {stated.half_width:.2f}" if stated.half_width is not None else ""
        mark = ", s estimated from the range" if stated.estimated else ""
        console.print(
            f"{label}  {report.app}/{report.id}: {stated.mean:.2f}{spread} tokens/s (n = {stated.n}{mark})",
            markup=False,
        )
    console.print(f"A - B  {first.statistics.mean - second.statistics.mean:+.2f} tokens/s ({found.percent:+.1f} %)")
    if found.test:
        low, high = found.test.interval
        console.print(f"95 % interval of the difference  {low:+.2f} to {high:+.2f} tokens/s", markup=False)
        console.print(
            f"Welch's test  t = {found.test.t:.3f}, {found.test.degrees:.1f} degrees of freedom, p = {found.test.p:.4f}"
        )
    if found.effect is not None:
        console.print(f"effect (Hedges' g)  {found.effect:+.2f}, {magnitude(found.effect)}")
    console.print(found.verdict, style="bold", markup=False)
    for line in found.unlike:
        console.print(f"not alike: {line}", style="yellow", markup=False)
    for line in dots({"A": first.speeds, "B": second.speeds}):
        console.print(line, markup=False)


@bench.command()
@click.argument("app", metavar="APP")
@click.pass_obj
def history(root: Path | None, app: str) -> None:
    """Show an app's reports by date, each against the one before it that measured the same."""
    from market.bench.history import entries  # noqa: PLC0415
    from market.bench.picture import dots  # noqa: PLC0415

    catalog = _catalog(_root(root))
    found = catalog.app(app)
    if found is None:
        _refuse(f"there is no readable app {app}")
    console = Console(soft_wrap=True, highlight=False)
    listed = entries(found)
    if not listed:
        console.print(f"{app} has no report yet; `market bench run` writes one")
        return
    for entry in listed:
        stated = entry.report.statistics
        spread = f" ± {stated.half_width:.2f}" if stated.half_width is not None else ""
        version, hardware = entry.report.data["app_version"], entry.report.data["hardware"]
        console.print(f"{entry.report.id}  version {version}, {hardware}, "
                      f"{stated.mean:.2f}{spread} tokens/s (n = {stated.n}), shipped configuration: "
                      f"{entry.agreement.verdict}", markup=False)  # fmt: skip
        if entry.pairing and entry.before:
            console.print(
                f"    against {entry.before.id}: {entry.pairing.percent:+.1f} %. {entry.pairing.verdict}", markup=False
            )
    for line in dots({entry.report.id: entry.report.speeds for entry in listed}):
        console.print(line, markup=False)


@bench.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", "llama-bench", "vllm", "llama-log"]),
    default="auto",
    show_default=True,
)
@click.option("--app", help="The app whose configuration was measured.")
@click.option("--config", type=click.Path(dir_okay=False, path_type=Path), help="File that describes it instead.")
@click.option("--prompt", help="Prompt that was sent, where the file does not say.")
@click.option("--skip", type=click.IntRange(0), default=0, show_default=True, help="First runs that were warm-up.")
@click.option("--hardware", default="olares-one", show_default=True)
@click.option("--by", "measured_by", default=lambda: os.environ.get("USER", "unknown"), show_default="$USER")
@click.option("--source", metavar="URL")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--name", default="")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="Date of the measurement, where the file does not say.")
@click.pass_obj
def import_(root: Path | None, /, **options: Any) -> None:
    """Make reports from llama-bench JSON, a `vllm bench serve` result or a llama-server log."""
    from market.bench.adoption import Adoption, adopt  # noqa: PLC0415

    try:
        made, problems = adopt(Adoption(root=_root(root), command=_command(), **options))
    except InputError as error:
        _refuse(str(error))
    if problems:
        _report(problems)
    for path, count in made:
        click.echo(f"wrote {path} ({count} runs)" if count else f"wrote {path} (a summary: the file holds no runs)")


def _root(root: Path | None) -> Path:
    return root if isinstance(root, Path) else Path.cwd()


def _command() -> str:
    """The command as it was typed, for the report; keys never stand in it."""
    return shlex.join(["market", *sys.argv[1:]])


def _catalog(root: Path) -> Catalog:
    from market.catalog import load  # noqa: PLC0415

    return load(root)[0]


def _find(catalog: Catalog, text: str) -> Report:
    from market.bench.lookup import find  # noqa: PLC0415

    try:
        report, problems = find(catalog, text)
    except InputError as error:
        _refuse(str(error))
    if report is None:
        _report(problems)
    return report


def _refuse(text: str, status: int = 1) -> NoReturn:
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"market: {text}", markup=False, style="red")
    sys.exit(status)


def _report(problems: Sequence[Any]) -> NoReturn:
    from market.reporters import REPORTERS  # noqa: PLC0415

    click.echo(REPORTERS["text"](problems, {}), err=True)
    sys.exit(1)


def _stopped(fault: Exception | None, measured: Bench, command: str) -> NoReturn:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"market: {fault}" if fault else "market: stopped", markup=False, style="red")
    kept = sum(len(job.series.runs) for job in measured.jobs)
    broken = next((entry for job in measured.jobs for entry in job.series.data.get("faults") or ()), None)
    if broken and broken.get("pieces"):
        seen = f"{broken['pieces']} pieces of text in {broken['received_ms']:.0f} ms"
        first = (
            f", the first after {broken['time_to_first_token_ms']:.0f} ms" if "time_to_first_token_ms" in broken else ""
        )
        console.print(f"of the broken run there had come: {seen}{first}", markup=False)
    if kept:
        again = command if "--resume" in command else f"{command} --resume"
        console.print(f"{kept} finished runs are kept; go on with: {again}", markup=False)
    sys.exit(2 if fault else INTERRUPTED)
