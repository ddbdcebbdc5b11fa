"""Results of other tools taken in as reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from market.bench import imports
from market.bench.imports import Imported, ResultError
from market.bench.series import ResumeError, ordered
from market.bench.session import OptionError, folder_of, hardware_entries, prompt_entries, source_of
from market.bench.target import Target, TargetError, Targets, of_app, of_file
from market.bench.yamltext import dump
from market.catalog import Catalog, load
from market.files import write_atomic
from market.problem import Problem

NOWHERE = "http://127.0.0.1"

Made = Sequence[tuple[Path, int]]


@dataclass(frozen=True, slots=True)
class Adoption:
    """The options of `market bench import` as they were given."""

    root: Path
    command: str
    file: Path
    form: str
    app: str | None
    config: Path | None
    prompt: str | None
    skip: int
    hardware: str
    measured_by: str
    source: str | None
    out: Path | None
    name: str
    date: datetime | None


def adopt(options: Adoption) -> tuple[Made, Sequence[Problem]]:
    """Write the reports that a result holds. Returns their paths with their numbers of runs.

    Raises:
        OptionError, TargetError, ResultError, ResumeError: see their texts.
    """
    catalog, _ = load(options.root)
    text = imports.load(options.file)
    found = imports.read(text, imports.guess(text) if options.form == "auto" else options.form)
    targets = _targets(catalog, options)
    if targets.problems:
        return (), targets.problems
    made = []
    for one in found:
        data = _report(one, targets.targets[0], _head(catalog, options, one), options)
        stem = one.stem if not options.name else options.name if len(found) == 1 else f"{options.name}-{one.stem}"
        path = folder_of(options.root, options.out)(targets.targets[0]) / f"{data['date']}-{stem}.yaml"
        if path.exists():
            raise ResumeError(f"{path} is already there; choose another --name")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, dump(data).encode())
        made.append((path, len(data.get("runs", ()))))
    return made, ()


def _targets(catalog: Catalog, options: Adoption) -> Targets:
    if options.config is not None:
        return of_file(catalog, options.config, NOWHERE)
    if options.app is None:
        raise OptionError("say what was measured: --app NAME, or --config FILE")
    return Targets((of_app(catalog, options.app, NOWHERE),))


def _head(catalog: Catalog, options: Adoption, one: Imported) -> dict[str, Any]:
    hardware, day = options.hardware, options.date.strftime("%Y-%m-%d") if options.date else one.date
    if hardware not in hardware_entries(catalog):
        known = ", ".join(hardware_entries(catalog))
        raise OptionError(f"--hardware {hardware} is not in data/hardware.yaml; there are {known}")
    if options.prompt is not None and options.prompt not in prompt_entries(catalog):
        raise OptionError(f"there is no prompt {options.prompt} in data/prompts.yaml")
    if day is None:
        raise OptionError("the file does not say when it was measured; give --date")
    source = list(source_of(catalog, options.source))
    return {"date": day, "hardware": hardware, "measured_by": options.measured_by, "source": source}


def _report(one: Imported, target: Target, head: dict[str, Any], options: Adoption) -> dict[str, Any]:
    if one.model_file and target.model_file and one.model_file != target.model_file:
        raise TargetError(f"{one.model_file} was measured, but the configuration says {target.model_file}")
    configuration = dict(target.configuration)
    if one.args:
        # The tool's settings were in force, not the app's.
        configuration |= {"complete": False, "args": list(one.args)}
    configuration.setdefault("context_tokens", None)
    measured, skip = dict(one.measured), options.skip
    protocol = {**one.protocol, **({"prompt": options.prompt} if options.prompt else {})}
    if skip:
        runs = list(measured.get("runs") or ())
        if len(runs) <= skip:
            raise ResultError(f"--skip {skip} leaves no run of {len(runs)}")
        measured |= {"warmups": runs[:skip], "runs": runs[skip:]}
        protocol["warmup"] = {"en": f"the file's first {skip}", "fr": f"les {skip} premières du fichier"}
    about = {"tool": f"market bench import, {one.form}", "command": options.command}
    return ordered({"app": target.app, "app_version": target.app_version, **head, "configuration": configuration,
                    "protocol": protocol, "bench": about, **measured})  # fmt: skip
