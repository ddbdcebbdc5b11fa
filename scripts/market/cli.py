"""The `market` command. Exit status: 0 done, 1 the input is at fault, 2 we or the environment are."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console

from market import bump as bumping
from market.bench.commands import bench
from market.errors import InputError, MarketError
from market.problem import Problem
from market.progress import Progress, Shown, Silent
from market.provenance.commands import difference, keys, manifest, verify
from market.publish.commands import COMMANDS as PUBLISHING
from market.reporters import REPORTERS, github

INPUT_FAULT = 1
FAULT = 2


class Group(click.Group):
    """A group whose faults are one sentence on standard error and status 1 or 2, never a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command; ``--debug`` before it lets tracebacks through."""
        try:
            return super().main(*args, **kwargs)
        except InputError as error:
            _fail(str(error), INPUT_FAULT)
        except MarketError as error:
            _fail(str(error))
        except (OSError, MemoryError) as error:
            if "--debug" in sys.argv:
                raise
            _fail(f"{type(error).__name__}: {error}")
        except Exception as error:
            if "--debug" in sys.argv:
                raise
            _fail(f"a bug of ours, please report it ({type(error).__name__}: {error}); --debug shows where")


def _fail(text: str, status: int = FAULT) -> NoReturn:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print("market: ", style="red", end="")
    # The text may quote input, and square brackets there are no markup.
    console.print(text, markup=False)
    sys.exit(status)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--catalog", "root", type=click.Path(file_okay=False, exists=True, path_type=Path),
              default=Path(), help="Folder that holds apps/ (default: this one).")  # fmt: skip
@click.option("--debug", is_flag=True, help="Show a traceback when this program fails.")
@click.version_option(package_name="olares-one-market")
@click.pass_context
def main(context: click.Context, root: Path, debug: bool) -> None:  # noqa: ARG001
    """Check, build, try and publish the Olares One Market."""
    context.obj = root.resolve()


@main.command()
@click.option("--format", "form", type=click.Choice(sorted(REPORTERS)), default="text", show_default=True)
@click.option("--catalog", "other", type=click.Path(file_okay=False, exists=True, path_type=Path),
              help="Another catalog, or any folder of Olares apps.")  # fmt: skip
@click.option("--fix", "fixing", is_flag=True, help="First correct what has only one right answer.")
@click.pass_obj
def check(root: Path, form: str, other: Path | None, fixing: bool) -> None:
    """Report everything that is wrong with the catalog, in one run."""
    from market import check as checking  # noqa: PLC0415
    from market import fix, foreign  # noqa: PLC0415

    folder, progress = (other or root).resolve(), _progress(form == "text")
    if foreign.holds_apps(folder):
        judged = checking.check_foreign(folder, progress)
        _report(judged.problems, judged.sources, form)
        sys.exit(0 if judged.is_sound else 1)
    for fixed in fix.fix(folder) if fixing else ():
        _console(stderr=True).print(f"fixed {fixed.path}: {', '.join(fixed.corrections)}", highlight=False)
    checked = checking.check(folder, progress)
    _report(checked.problems, checked.catalog.sources, form)
    sys.exit(0 if checked.is_sound else 1)


@main.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("dist"), show_default=True)
@click.option("--work", type=click.Path(path_type=Path), default=Path("build"), show_default=True,
              help="Folder for intermediate files.")  # fmt: skip
@click.option("--site/--no-site", default=True, help="Render the site as well.")
@click.option("--previous", metavar="HASH", help="Hash of the catalog that is published now, for /api/status.")
@click.option("--format", "form", type=click.Choice(sorted(REPORTERS)), default="text", show_default=True)
@click.pass_obj
def build(root: Path, out: Path, work: Path, site: bool, previous: str | None, form: str) -> None:
    """Check the catalog and write market and site to a folder, completely or not at all."""
    from market import origin  # noqa: PLC0415
    from market.build import build as build_all  # noqa: PLC0415

    whence = origin.read(root, previous)
    built = build_all(root, out.absolute(), work.absolute(), _progress(form == "text"), site, whence)
    if built.checked.problems:
        _report(built.checked.problems, built.checked.catalog.sources, form)
    if not built.written:
        _console().print(f"nothing was written to {out}", style="red", highlight=False)
        sys.exit(1)
    _console().print(f"wrote {len(built.checked.catalog.listed)} apps to {out}", highlight=False)


@main.command()
@click.argument("name")
@click.option("--like", required=True, metavar="APP", help="The app to start from.")
@click.pass_obj
def new(root: Path, name: str, like: str) -> None:
    """Start an app folder from a similar app: same files, new name, version 0.1.0, no measurement."""
    from market.scaffold import scaffold  # noqa: PLC0415

    for path in scaffold(root, name, like):
        _console().print(path, highlight=False)
    _console().print(f"Now edit them, then run: market icons {name}; market bump {name} --keep; market check")


@main.command()
@click.argument("names", nargs=-1, required=True, metavar="APP...")
@click.option("--part", type=click.Choice(bumping.PARTS), default="patch", show_default=True)
@click.option("--to", "version", help="The version to set, instead of a part to raise.")
@click.option("--keep", is_flag=True, help="Keep the version; only record it in the ledger.")
@click.option("--renew", is_flag=True, help="Replace a ledger entry that never left this checkout.")
@click.option("--now", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ"]), help="Release time in UTC (default: the clock).")
@click.pass_obj
def bump(root: Path, names: Sequence[str], part: str, version: str | None, keep: bool, renew: bool,
         now: datetime | None) -> None:  # fmt: skip
    """Raise the version of apps in every place it stands, and record it in the ledger."""
    moment = now.replace(tzinfo=UTC) if now else datetime.now(UTC)
    for name in names:
        app = bumping.find(root, name)
        if not (keep or renew):
            bumping.set_version(app, root, version or bumping.next_version(app.version, part))
    for made in bumping.record(root, names, moment, renew):
        _console().print(f"recorded {made.name} {made.version} ({made.size} bytes)", highlight=False)


@main.command()
@click.argument("name", metavar="APP")
@click.pass_obj
def render(root: Path, name: str) -> None:
    """Print what Helm makes of an app's chart, in every scenario."""
    from market.catalog import load  # noqa: PLC0415
    from market.packaging import package  # noqa: PLC0415

    catalog, _ = load(root)
    app = catalog.app(name)
    if app is None:
        raise InputError(f"there is no readable app {name}; run `market check`")
    (packaged,) = package(catalog, [app])
    failed = False
    for scenario, rendering in packaged.renderings.items():
        click.echo(f"# --- {scenario.label}")
        failed |= bool(rendering.error)
        click.echo(rendering.error or "\n".join(text for _, text in sorted(rendering.documents.items())))
    sys.exit(1 if failed else 0)


@main.command()
@click.option("--dist", type=click.Path(path_type=Path), default=Path("dist"), show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8787, show_default=True)
def serve(dist: Path, port: int) -> None:
    """Serve a built market and site from the real Workers runtime on localhost."""
    from market.runtime import serve as serve_dist  # noqa: PLC0415

    if not dist.is_dir():
        raise MarketError(f"there is no {dist}; run `market build` first")
    # A plain SIGTERM would end this process alone and leave the runtime behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with serve_dist(dist.absolute(), port, Path(".wrangler").absolute()) as served:
        console = _console()
        for label, path in (
            ("site", "/"),
            ("leaderboard", "/leaderboard/"),
            ("market", "/api/v1/appstore/info"),
        ):
            console.print(f"{label:<12}{served.url}{path}", highlight=False)
        console.print(f"Try it as a device: market verify {served.url}    (Ctrl-C stops)", highlight=False)
        with suppress(KeyboardInterrupt):
            signal.pause()


@main.command()
@click.argument("names", nargs=-1, metavar="[APP]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if an icon is out of date.")
@click.pass_obj
def icons(root: Path, names: Sequence[str], only_check: bool) -> None:
    """Draw the icons of apps (default: of all) from their cards."""
    from market import icons as drawing  # noqa: PLC0415
    from market.files import write_atomic  # noqa: PLC0415
    from market.yamldoc import Document  # noqa: PLC0415

    cards: dict[str, Document] = drawing.cards(root, names)
    stale = [name for name, card in sorted(cards.items()) if drawing.is_stale(root, name, card)]
    for name in stale:
        if not only_check:
            write_atomic(root / "apps" / name / "icon.png", drawing.png(cards[name].data))
        _console().print(f"{'out of date' if only_check else 'drew'} apps/{name}/icon.png", highlight=False)
    sys.exit(1 if only_check and stale else 0)


@main.command()
@click.pass_obj
def stats(root: Path) -> None:
    """Print for each app the latest measurement and whether it holds for what ships."""
    from market import overview  # noqa: PLC0415
    from market.catalog import load  # noqa: PLC0415

    catalog, problems = load(root)
    if not catalog.sound:
        _report(problems, catalog.sources, "text")
        sys.exit(1)
    console = Console(width=None if sys.stdout.isatty() else 180)
    console.print(overview.table(catalog))
    console.print(overview.totals(catalog), highlight=False, soft_wrap=True)


@main.command()
@click.argument("url")
@click.option("--out", type=click.Path(path_type=Path), default=Path("preview.html"), show_default=True)
def preview(url: str, out: Path) -> None:
    """Write a page with every store entry of a market, in each language, to look at."""
    from market.device import preview as entries  # noqa: PLC0415
    from market.files import write_atomic  # noqa: PLC0415

    tags, details = entries.fetch(url)
    write_atomic(out.absolute(), entries.page(url, tags, details).encode())
    _console().print(f"wrote {len(details)} apps to {out}", highlight=False)


@main.command()
@click.argument("rule", required=False)
@click.pass_obj
def explain(root: Path, rule: str | None) -> None:
    """Explain a rule with its example, or list all rules."""
    from market import check as _families  # noqa: F401, PLC0415 - importing it registers the rules
    from market import explain as explaining  # noqa: PLC0415
    from market.rules import registry  # noqa: PLC0415

    console = _console()
    if rule is None:
        for known in registry.rules():
            console.print(f"{known.id:<28} {known.severity:<8} {known.title}", highlight=False, markup=False)
        return
    found = registry.find(rule)
    if found is None:
        console.print(f"there is no rule {rule}; `market explain` lists them", highlight=False, markup=False)
        sys.exit(1)
    for line in explaining.explanation(found, explaining.address(root, found.id)):
        console.print(line, highlight=False)


main.add_command(bench)
main.add_command(difference)
main.add_command(keys)
main.add_command(manifest)
main.add_command(verify)
for _command in PUBLISHING:
    main.add_command(_command)


def _console(stderr: bool = False) -> Console:
    return Console(stderr=stderr, soft_wrap=True)


def _progress(shown: bool) -> Progress:
    return Shown(Console(stderr=True, highlight=False)) if shown else Silent()


def _report(problems: Sequence[Problem], sources: Mapping[str, str], form: str) -> None:
    text = REPORTERS[form](problems, sources)
    if form == "text":
        _console().print(text, highlight=False)
    else:
        click.echo(text)
    if form == "github" and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(github.summary(problems))


if __name__ == "__main__":
    main()
