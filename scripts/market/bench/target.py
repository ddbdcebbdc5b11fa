"""What is measured: endpoints with the configuration that each of them runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from market import schema
from market.catalog import App, Catalog
from market.configuration import options
from market.errors import InputError
from market.problem import Problem
from market.source import decode, read_file
from market.yamldoc import Document, parse

CONFIGURATION_KEYS = ("complete", "image", "context_tokens", "args", "env", "models")
MODEL_KEYS = ("role", "repo", "revision", "file", "bytes", "sha256")


class TargetError(InputError):
    """What to measure was not said rightly; the text is for whoever said it. Status 1."""


@dataclass(frozen=True, slots=True)
class Target:
    """One endpoint and what it runs, as the report will say it."""

    url: str
    app: str
    app_version: str
    configuration: Mapping[str, Any]
    name: str = ""
    model: str | None = None
    vision_loaded: bool | None = None

    @property
    def model_file(self) -> str | None:
        """The file of the target model, where the configuration names one."""
        files = [model.get("file") for model in self.configuration["models"] if model.get("role") == "target"]
        return str(files[0]).rpartition("/")[2] if files and files[0] else None

    @property
    def served_name(self) -> str | None:
        """The name under which the model is served, as the arguments set it."""
        found = options(self.configuration["args"])
        return found.get("--alias") or found.get("--served-model-name") or None


@dataclass(frozen=True, slots=True)
class Targets:
    """All targets of a bench, and what their file says of machine and author, if it does."""

    targets: tuple[Target, ...]
    hardware: str | None = None
    measured_by: str | None = None
    problems: tuple[Problem, ...] = field(default=())


def of_app(catalog: Catalog, name: str, url: str, model: str | None = None) -> Target:
    """The target that runs what an app ships.

    Raises:
        TargetError: there is no such app with a chart.
    """
    app = catalog.app(name)
    if app is None:
        known = ", ".join(sorted(one.name for one in catalog.apps))
        raise TargetError(f"there is no readable app {name}; there are {known}. Describe other servers with --config")
    models = app.values.get("models") or ()
    vision = any(one["role"] == "mmproj" for one in models) or bool((app.card.get("capabilities") or {}).get("vision"))
    return Target(url, name, app.version, configuration_of(app), model=model, vision_loaded=vision)


def configuration_of(app: App) -> dict[str, Any]:
    """The configuration that an app ships, in a report's words."""
    server = app.values.get("server") or {}
    found: dict[str, Any] = {
        "complete": True,
        "image": server.get("image", ""),
        "context_tokens": app.card.get("context_tokens"),
        "args": [str(item) for item in server.get("args") or ()],
    }
    if server.get("env"):
        found["env"] = {key: str(value) for key, value in server["env"].items()}
    found["models"] = [
        {key: model[key] for key in MODEL_KEYS if model.get(key)} for model in app.values.get("models") or ()
    ]
    return found


def of_file(catalog: Catalog, path: Path, url: str | None) -> Targets:
    """The targets of a --config file; ``url`` gives the address where the file has none.

    Faults of the file are problems with their places, and then there are no targets.

    Raises:
        TargetError: the file is not there.
    """
    file, problems = read_file(path.parent, path.name)
    if file is None and not problems:
        raise TargetError(f"there is no file {path}")
    text, more = decode(file) if file else (None, ())
    document, parsed = parse(text) if text else (None, ())
    found = [*problems, *more, *parsed]
    if document is not None:
        found += schema.validate(document, "bench-config")
        if not found:
            targets, found = _read(catalog, document, url)
            if not found:
                return Targets(targets, document.get("hardware"), document.get("measured_by"))
    return Targets((), problems=tuple(found))


def _read(catalog: Catalog, document: Document, url: str | None) -> tuple[tuple[Target, ...], list[Problem]]:
    targets: list[Target] = []
    problems: list[Problem] = []
    for index, entry in enumerate(document.data["configurations"]):
        path = ("configurations", index)
        address = entry.get("url") or url
        if not address:
            problems.append(document.problem("schema.missing-key", *path, message="`url` is missing",
                                             fix="Add `url:`, or give --url on the command line."))  # fmt: skip
            continue
        target = _one(catalog, entry, address)
        missing = [key for key in ("image", "args", "models") if key not in target.configuration]
        for key in missing:
            message = f"`{key}` is missing, and {entry['app']} is no app of the catalog that could say it"
            problems.append(document.problem("schema.missing-key", *path, message=message, fix=f"Add `{key}:`."))
        targets.append(target)
    names = [target.name for target in targets]
    for index, name in enumerate(names):
        if names.index(name) < index:
            problems.append(document.problem("schema.wrong-value", "configurations", index, "name",
                                             message=f"two configurations have the name {name!r}",
                                             fix="Give each its own; the reports' file names end in it."))  # fmt: skip
    return tuple(targets), problems


def _one(catalog: Catalog, entry: Mapping[str, Any], url: str) -> Target:
    app = catalog.app(entry["app"])
    shipped = configuration_of(app) if app else {"complete": False, "context_tokens": None}
    own = {key: entry[key] for key in CONFIGURATION_KEYS if key in entry}
    merged = {**shipped, **own}
    configuration = {key: merged[key] for key in CONFIGURATION_KEYS if key in merged}
    version = str(entry.get("app_version") or (app.version if app else "0.0.0"))
    return Target(url, entry["app"], version, configuration, str(entry.get("name", "")), entry.get("model"),
                  entry.get("vision_loaded"))  # fmt: skip


def mismatch(target: Target, model: str, model_file: str | None, window: int | None) -> Sequence[str]:
    """What a server says of itself that is not what the configuration says; one sentence each."""
    found = []
    if target.served_name and target.served_name != model and not target.model:
        found.append(f"{target.url} serves {model}, but the configuration's name for the model is {target.served_name}")
    if target.model_file and model_file and target.model_file != model_file:
        found.append(f"{target.url} has loaded {model_file}, but the configuration says {target.model_file}")
    stated = target.configuration.get("context_tokens")
    if stated and window and stated != window:
        found.append(f"{target.url} gives a request {window} tokens of context, but the configuration says {stated}")
    return found
