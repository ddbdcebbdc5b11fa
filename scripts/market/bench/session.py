"""From command-line choices to a bench that is ready to run."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from market.bench import gpu, prompts, serverlog, vision
from market.bench.endpoint import Endpoint, base_of
from market.bench.plan import Cell, Settings, cells, depths
from market.bench.request import DEFAULT_SAMPLING, Asking
from market.bench.runner import Bench, Header, Subject
from market.bench.screen import Quiet
from market.bench.target import Target, Targets, mismatch, of_app, of_file
from market.catalog import Catalog, load
from market.errors import InputError
from market.paths import PROJECT
from market.problem import Problem


class OptionError(InputError):
    """An option is not as it should be; the text says which and why. Status 1."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of `market bench run` as they were given."""

    root: Path
    command: str
    url: str | None
    app: str | None
    config: Path | None
    model: str | None
    prompt_ids: Sequence[str]
    runs: int
    warmup: int
    tokens: int | None
    depth_list: str
    concurrency: int
    seed: int
    vary_seed: bool
    sampling_texts: Sequence[str]
    thinking: str
    ignore_eos: bool
    prompt_cache: str
    vision: bool
    server_log: Path | None
    hardware: str
    measured_by: str
    source: str | None
    out: Path | None
    name: str
    resume: bool
    keep_going: bool
    gpu: int
    no_gpu: bool
    key_from: str
    timeout: float
    date: datetime | None


@dataclass(slots=True)
class Session:
    """A bench that is ready, or the problems that keep it from being so."""

    bench: Bench
    cells: Sequence[Cell]
    choices: Choices
    problems: Sequence[Problem] = ()

    @property
    def total(self) -> int:
        """Runs to come, warm-ups included."""
        settings = self.bench.settings
        return (settings.runs + settings.warmups) * len(self.cells) * len(self.bench.subjects)

    def measure(self) -> int:
        """Run it. The status: 0, or 1 where a series stopped early or the vision check failed.

        Raises:
            EndpointFault, ResumeError, ValueError: see ``Bench.run``.
        """
        log = serverlog.Tail(self.choices.server_log) if self.choices.server_log else None
        for remark in dict.fromkeys(subject.remark for subject in self.bench.subjects if subject.remark):
            self.bench.screen.note(remark)
        self.bench.run(self.cells)
        sound = all(job.series.alarm is None for job in self.bench.jobs)
        if self.choices.vision:
            for job in self.bench.jobs[: len(self.bench.subjects)]:
                if job.series.runs:
                    sound = vision.check(self.bench, job, log) and sound
        return 0 if sound else 1


def open_session(choices: Choices) -> Session:
    """Read the catalog, ask every endpoint what it is, and make the bench.

    Raises:
        OptionError, TargetError: the choices are at fault.
        EndpointFault: an endpoint cannot be asked.
    """
    catalog, _ = load(choices.root)
    settings = _settings(choices)
    chosen = _cells(catalog, choices)
    targets = _targets(catalog, choices)
    header = header_of(catalog, choices, targets)
    if targets.problems:
        return Session(Bench((), settings, header, Quiet()), chosen, choices, targets.problems)
    key = os.environ.get(choices.key_from)
    subjects = [_subject(target, choices, key) for target in targets.targets]
    return Session(Bench(subjects, settings, header, Quiet(), choices.resume), chosen, choices)


@cache
def _own() -> Catalog:
    """This tool's own catalog, for a folder that has no data of its own."""
    return load(PROJECT)[0]


def prompt_entries(catalog: Catalog) -> Mapping[str, Mapping[str, object]]:
    """The catalog's prompts, or this tool's own where the folder has none."""
    return catalog.prompts if "prompts" in catalog.data else _own().prompts


def hardware_entries(catalog: Catalog) -> Mapping[str, Mapping[str, object]]:
    """The catalog's hardware, or this tool's own where the folder has none."""
    return catalog.hardware if "hardware" in catalog.data else _own().hardware


def header_of(catalog: Catalog, choices: Choices, targets: Targets) -> Header:
    """What all reports say alike.

    Raises:
        OptionError: the hardware is unknown or the source is no https address.
    """
    hardware = targets.hardware or choices.hardware
    known = hardware_entries(catalog)
    if hardware not in known:
        raise OptionError(f"--hardware {hardware} is not in data/hardware.yaml; there are {', '.join(known)}. Add your "
                          "machine there, with role: community")  # fmt: skip
    return Header(
        date=(choices.date or datetime.now(UTC)).strftime("%Y-%m-%d"),
        hardware=hardware,
        measured_by=targets.measured_by or choices.measured_by,
        source=source_of(catalog, choices.source),
        command=choices.command,
        folder=folder_of(choices.root, choices.out),
        name=choices.name,
    )


def source_of(catalog: Catalog, url: str | None) -> Sequence[Mapping[str, Any]]:
    """Where a reader finds the figures.

    Raises:
        OptionError: it is no https address.
    """
    if url is not None and not url.startswith("https://"):
        raise OptionError(f"--source {url} is not an https address")
    default = catalog.market["repository"] if "market" in catalog.data else _own().market["repository"]
    title = {"en": "Measured with market bench", "fr": "Mesuré avec market bench"}
    return [{"title": title, "url": url or str(default)}]


def folder_of(root: Path, out: Path | None) -> Callable[[Target], Path]:
    """Where a target's reports go."""
    return lambda target: out or root / "apps" / target.app / "bench"


def sampling_of(texts: Sequence[str]) -> Mapping[str, float]:
    """Read KEY=NUMBER.

    Raises:
        OptionError: one is not of that form.
    """
    if not texts:
        return DEFAULT_SAMPLING
    found: dict[str, float] = {}
    for text in texts:
        key, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not key.isidentifier() or not math.isfinite(value):
            raise OptionError(f"--sampling {text}: write KEY=NUMBER, such as temperature=0.6")
        found[key] = int(value) if value == int(value) and key in ("top_k", "seed") else value
    return found


def _settings(choices: Choices) -> Settings:
    thinking = {"on": True, "off": False}.get(choices.thinking)
    asking = Asking(sampling_of(choices.sampling_texts), choices.seed, choices.vary_seed, choices.ignore_eos, thinking,
                    "allow" if choices.prompt_cache == "allow" else "defeat")  # fmt: skip
    return Settings(choices.runs, choices.warmup, choices.tokens, choices.concurrency, asking, choices.keep_going)


def _cells(catalog: Catalog, choices: Choices) -> Sequence[Cell]:
    entries = prompt_entries(catalog)
    try:
        chosen = [prompts.find(entries, id) for id in choices.prompt_ids or ("space-invaders-html",)]
        return cells(chosen, depths(choices.depth_list))
    except ValueError as error:
        raise OptionError(str(error)) from None


def _targets(catalog: Catalog, choices: Choices) -> Targets:
    for url in filter(None, [choices.url]):
        _checked(url)
    if choices.config is not None:
        found = of_file(catalog, choices.config, choices.url)
        for target in found.targets:
            _checked(target.url)
        return found
    if not choices.url or not choices.app:
        raise OptionError("say what to measure: --url URL --app NAME, or --config FILE")
    return Targets((of_app(catalog, choices.app, choices.url, choices.model),))


def _checked(url: str) -> None:
    try:
        base_of(url)
    except ValueError as error:
        raise OptionError(str(error)) from None


def _subject(target: Target, choices: Choices, key: str | None) -> Subject:
    endpoint = Endpoint(target.url, key, choices.timeout)
    identity = endpoint.identify(target.model or choices.model or _served(endpoint, target))
    unlike = mismatch(target, identity.model, identity.model_file, identity.context_tokens)
    if unlike:
        raise OptionError("; ".join(unlike) + ". A report must say what was measured: start the server as configured, "
                          "or describe it with --config")  # fmt: skip
    if choices.no_gpu or not endpoint.is_local:
        return Subject(target, endpoint, identity)
    return Subject(target, endpoint, identity, gpu.find(choices.gpu), gpu.missing())


def _served(endpoint: Endpoint, target: Target) -> str | None:
    """The configuration's own name of the model where the server has it, else its first."""
    name = target.served_name
    return name if name and name in endpoint.models() else None
