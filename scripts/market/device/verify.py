"""Verify a market as a device meets it: sync, sync again, download again, in every generation's way."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from market.device.client import HttpTransport, normalise
from market.device.folder import FolderTransport
from market.device.journal import Journal
from market.device.report import render
from market.device.resync import SAME_BYTES, SECOND_SYNC, again_the_same, second_sync
from market.device.state import MODES, State
from market.device.sync import STEPS, Options, Round, sync
from market.device.transport import Transport
from market.device.verification import SeenApp, Verification, seen_apps
from market.errors import MarketError

Progress = Callable[[str], None]


class UnreachableError(MarketError):
    """The market gave no answer at all; nothing can be said about it."""


def verify(
    url: str,
    modes: Sequence[str] = MODES,
    olares_version: str = "1.12.6",
    *,
    seed: int = 1,
    progress: Progress = lambda _: None,
    options: Options | None = None,
) -> Verification:
    """Verify a live market, as every given generation of the device.

    Raises:
        UnreachableError: the first request got no answer.
        ValueError: a mode is not one of ``MODES``.
    """
    base = normalise(url)
    market = HttpTransport(base)
    query = {"version": olares_version}
    probe = market.get("/api/v1/appstore/hash", query)
    if not probe.answered and not probe.redirects:
        raise UnreachableError(f"{base} cannot be reached: {probe.fault}")
    chosen = options or Options(olares_version, seed)
    return verify_market(market, base, modes, chosen, progress)


def verify_folder(
    folder: Path,
    modes: Sequence[str] = MODES,
    olares_version: str = "1.12.6",
    *,
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> Verification:
    """Verify a built folder with the same decoders and steps, before it is put in place.

    Raises:
        ValueError: a mode is not one of ``MODES``.
    """
    options = Options(olares_version, seed, pauses=(0.0, 0.0))
    return verify_market(FolderTransport(folder), str(folder), modes, options, progress)


def verify_market(
    market: Transport, name: str, modes: Sequence[str], options: Options, progress: Progress
) -> Verification:
    """Verify whatever answers like a market; ``name`` stands for it in the report."""
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown:
        raise ValueError(f"unknown mode {unknown[0]}; the modes are {', '.join(MODES)}")
    journals = []
    apps: tuple[SeenApp, ...] = ()
    for mode in dict.fromkeys(modes):
        journal = Journal(mode, progress)
        first = _verify_mode(market, mode, options, journal)
        journals.append(journal)
        found = seen_apps(tuple(first.state.rows.values()), first.charts)
        apps = max(apps, found, key=len)
    return Verification(
        name,
        options.olares_version,
        tuple(dict.fromkeys(modes)),
        tuple(step for journal in journals for step in journal.steps),
        apps,
        tuple(deviation for journal in journals for deviation in journal.deviations),
    )


def _verify_mode(market: Transport, mode: str, options: Options, journal: Journal) -> Round:
    first = sync(market, State(mode), options, journal)
    if first.finished:
        journal.step(SECOND_SYNC, lambda: second_sync(market, first, options, journal))
        journal.step(SAME_BYTES, lambda: again_the_same(market, first))
    done = {step.name for step in journal.steps}
    for name in (*STEPS[mode], SECOND_SYNC, SAME_BYTES):
        if name not in done:
            journal.skip(name)
    return first


def run(url: str, modes: Sequence[str], olares_version: str, as_json: bool, console: Console) -> int:
    """Verify a market and show the result; the entry point of ``market verify``.

    Returns the exit status: 0 nothing to object to, 1 deviations, 2 the market cannot be reached.
    """
    try:
        if as_json or not console.is_terminal:
            result = verify(url, modes, olares_version)
        else:
            with console.status("") as status:
                result = verify(url, modes, olares_version, progress=status.update)
    except UnreachableError as error:
        text = json.dumps({"passed": False, "unreachable": str(error)}) if as_json else f"market: {error}"
        console.out(text, highlight=False)
        return 2
    if as_json:
        console.out(json.dumps(result.as_dict(), ensure_ascii=False, indent=2), highlight=False)
        return result.exit_code
    return render(result, console)
