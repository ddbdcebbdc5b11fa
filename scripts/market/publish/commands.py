"""The commands of publishing: publish, rollback, releases, archive check."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from market.errors import InputError
from market.problem import Severity
from market.progress import Shown
from market.publish.session import Session, deployment, private_folder, session

if TYPE_CHECKING:
    from market.progress import Progress
    from market.provenance.statement import Statement
    from market.publish.content import Content
    from market.publish.deployment import Deployment

Function = Callable[..., Any]


def _options(function: Function) -> Function:
    """The options of commands that deploy."""
    for option in (
        click.option("--local", type=click.Path(file_okay=False, path_type=Path),
                     help="Rehearse: deploy to this folder instead of Cloudflare."),
        click.option("--url", help="Where devices reach what is deployed (default: origin in data/market.yaml)."),
        click.option("--take-over", is_flag=True, help="Pass over another publisher that is known to be dead."),
        click.option("--dry-run", is_flag=True, help="Show what would change and write nothing."),
    ):  # fmt: skip
        function = option(function)
    return function


@click.command()
@_options
@click.option("--prepare", "prepare_only", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Only build the release into this folder.")  # fmt: skip
@click.option("--prepared", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="DIR",
              help="Publish what --prepare built.")  # fmt: skip
@click.option("--site/--no-site", default=True, help="Render the site as well.")
@click.pass_obj
def publish(root: Path, local: Path | None, url: str | None, take_over: bool, dry_run: bool,
            prepare_only: Path | None, prepared: Path | None, site: bool) -> None:  # fmt: skip
    """Publish the commit that is checked out; run it again after any failure."""
    from market.publish import steps  # noqa: PLC0415

    if prepare_only:
        _prepare(root, prepare_only, deployment(root, local, url), site)
        return
    with session(root, local, url, take_over, signs=not dry_run) as running:
        with _prepared(running, prepared, site) as made:
            _inspect(running, made)
            if dry_run:
                _plan(running, made)
                return
            outcome = steps.publish(made, running.current, running.means)
        word = "is live" if outcome.is_new else "is live already"
        running.console.print(
            f"release {outcome.serial} {word}: {len(made.charts)} apps, {outcome.charts} charts new in the archive, "
            f"catalog {made.catalog[:12]}", highlight=False,
        )  # fmt: skip


@click.command()
@_options
@click.argument("wanted", required=False, metavar="[SERIAL|HASH]")
@click.pass_obj
def rollback(root: Path, wanted: str | None, local: Path | None, url: str | None, take_over: bool,
             dry_run: bool) -> None:  # fmt: skip
    """Release the files of an older release again (default: the one before what is live)."""
    from market.publish import rollback as going_back  # noqa: PLC0415
    from market.publish import steps  # noqa: PLC0415

    with session(root, local, url, take_over, signs=not dry_run) as running, private_folder() as folder:
        past = going_back.target(running.current, wanted, running.means)
        with running.means.progress.step(f"take release {past.serial} out of the archive"):
            restored = going_back.restore(past, running.means, folder)
        if dry_run:
            _plan(running, restored)
            return
        outcome = steps.publish(restored, running.current, running.means)
        word = f"is live, with the files of release {past.serial}" if outcome.is_new else "has these files and is live"
        running.console.print(f"release {outcome.serial} {word}", highlight=False)


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Releases to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.pass_obj
def releases(root: Path, limit: int, as_json: bool) -> None:
    """List what was released when, from which commit, and what each release changed."""
    import json  # noqa: PLC0415

    from market.publish import history, listing  # noqa: PLC0415

    with session(root, None, None, False, signs=False) as running:
        found = history.releases(running.means.store, running.current, limit) if running.current else ()
        if as_json:
            click.echo(json.dumps(listing.data(found), ensure_ascii=False, indent=2))
            return
        for line in listing.lines(found) or ["nothing was released yet"]:
            running.console.print(line, highlight=False, markup=False)


@click.group()
def archive() -> None:
    """The archive of everything that was ever released."""


@archive.command("check")
@click.option("--repair", "repairing", is_flag=True, help="Put back charts that a released commit still gives.")
@click.pass_obj
def check_archive(root: Path, repairing: bool) -> None:
    """Compare ledger and archive; name what is missing or altered."""
    from market.catalog import load  # noqa: PLC0415
    from market.publish import rebuilding, retention  # noqa: PLC0415

    with session(root, None, None, False, signs=False) as running:
        ledger, store = load(root)[0].ledger, running.means.store
        faults = retention.check(store, ledger, running.current, running.means.keys)
        repaired: tuple[str, ...] = ()
        if repairing:
            repaired = retention.repair(store, faults, lambda broken: rebuilding.rebuild(root, broken))
        for fault in faults:
            said = "repaired" if fault.key in repaired else fault.message
            running.console.print(f"{fault.key}: {said}", highlight=False, markup=False)
        left = [fault for fault in faults if fault.key not in repaired]
        running.console.print(
            f"{len(ledger.releases)} charts in the ledger, {len(faults)} faults, {len(repaired)} repaired",
            highlight=False,
        )
    if left:
        sys.exit(1)


COMMANDS: tuple[click.Command, ...] = (publish, rollback, releases, archive)


def _prepare(root: Path, folder: Path, deployment: Deployment, site: bool) -> None:
    """Build a release that follows the one that is live; this needs no credentials."""
    from market.provenance import envelope, keys  # noqa: PLC0415
    from market.provenance.untrusted import UntrustedError  # noqa: PLC0415

    signed = deployment.live()
    try:
        current = envelope.open_(signed, keys.trusted(root)) if signed is not None else None
    except UntrustedError:
        current = None
    made = _build(root, folder.absolute(), current, Shown(Console(stderr=True, highlight=False)), site)
    Console(soft_wrap=True).print(f"prepared release {made.id[:12]} in {folder}", highlight=False)


def _build(root: Path, folder: Path, current: Statement | None, progress: Progress, site: bool) -> Content:
    from market.publish import preparation  # noqa: PLC0415
    from market.reporters import REPORTERS  # noqa: PLC0415

    try:
        return preparation.prepare(root, folder, current, progress, site)
    except preparation.UnsoundError as unsound:
        errors = [problem for problem in unsound.checked.problems if problem.severity is Severity.ERROR]
        text = REPORTERS["text"](errors, unsound.checked.catalog.sources)
        Console(soft_wrap=True).print(text, highlight=False)
        raise InputError("the catalog has problems; nothing was published") from None


@contextmanager
def _prepared(running: Session, prepared: Path | None, site: bool) -> Iterator[Content]:
    from market.publish import content  # noqa: PLC0415

    if prepared is not None:
        yield content.read(prepared.absolute())
        return
    current = running.current.statement if running.current else None
    with private_folder() as private:
        yield _build(running.root, private, current, running.means.progress, site)


def _inspect(running: Session, made: Content) -> None:
    from market.publish import preparation  # noqa: PLC0415

    current = running.current.statement if running.current else None
    preparation.inspect(made, running.root, current, running.means.progress)


def _plan(running: Session, made: Content) -> None:
    """Print what publishing this content would do."""
    from market.publish import difference, snapshot, steps  # noqa: PLC0415
    from market.publish.content import CHARTS  # noqa: PLC0415

    store, current = running.means.store, running.current
    before = snapshot.manifest(store, current.manifest) if current else None
    there = store.list(CHARTS)
    new = [path for path in made.charts if path not in there]
    console = running.console
    console.print(f"current: release {current.serial}, catalog {current.statement.catalog[:12]}" if current
                  else "current: none", highlight=False)  # fmt: skip
    if current is not None and steps.stands(made, current, running.means):
        console.print("nothing to do: this is live", highlight=False)
        return
    commit = (made.commit or "none")[:12]
    console.print(
        f"would archive {len(new)} of {len(made.charts)} charts, then release {made.id[:12]} with catalog "
        f"{made.catalog[:12]} of commit {commit}", highlight=False,
    )  # fmt: skip
    for line in difference.between(before, made.manifest).lines():
        console.print(line, highlight=False, markup=False)
