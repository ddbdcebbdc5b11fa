"""Kubernetes' own schemas, bundled and offline (package kubernetes-validate).

The package loads its 1.4 MB of definitions for every object. Here they are loaded once for each form and
kept with one validator a kind, so that a catalog is validated in the time of its objects alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from market.errors import MarketError
from market.objects import mapping
from market.rendered import Path

VERSION = "1.33"
_NAME = re.compile(r"[A-Za-z0-9]{1,60}")
_API_VERSION = re.compile(r"(?:([A-Za-z0-9-]{1,60})(?:\.[A-Za-z0-9.-]{1,60})?/)?([a-z0-9]{1,20})")


@dataclass(frozen=True, slots=True)
class Fault:
    """A place of an object that its schema does not allow; ``is_strict`` when only the strict form minds."""

    path: Path
    message: str
    is_strict: bool


def faults(data: Mapping[str, Any]) -> Iterator[Fault]:
    """What the schema of an object's kind finds wrong; nothing where Kubernetes has no such kind.

    Raises:
        MarketError: the schemas are not installed.
    """
    kind, api_version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(api_version, str):
        return
    strict = _validator(kind, api_version, True)
    if strict is None:
        return
    try:
        found = list(strict.iter_errors(data))
        lenient = _validator(kind, api_version, False) if found else None
        serious = {_key(error) for error in lenient.iter_errors(data)} if lenient else set()
    except RecursionError:
        yield Fault((), "nested too deep to be validated", False)
        return
    for error in found:
        is_strict, path = _key(error) not in serious, tuple(error.absolute_path)
        unknown = _unknown(error)
        for name in unknown:
            yield Fault((*path, name), "there is no such field", is_strict)
        if not unknown:
            yield Fault(path, _message(error), is_strict)


@cache
def _validator(kind: str, api_version: str, strict: bool) -> Draft202012Validator | None:
    version = _API_VERSION.fullmatch(api_version)
    if not _NAME.fullmatch(kind) or not version:
        return None
    group = f"{version[1]}-" if version[1] else ""
    schema = _load(_folder(strict), f"{kind.lower()}-{group}{version[2]}.json")
    return None if schema is None else Draft202012Validator(schema, registry=_definitions(strict))


@cache
def _definitions(strict: bool) -> Registry[Any]:
    contents = _load(_folder(strict), "_definitions.json")
    if contents is None:
        raise MarketError(f"kubernetes-validate has no definitions for Kubernetes {VERSION}")
    resource: Resource[Any] = Resource.from_contents(contents, DRAFT202012)
    empty: Registry[Any] = Registry()
    return empty.with_resources([(contents["$id"], resource)])


def _folder(strict: bool) -> Traversable:
    bundled = files("kubernetes_validate") / "kubernetes-json-schema"
    return bundled / f"v{VERSION}.0-local{'-strict' if strict else ''}"


def _load(folder: Traversable, name: str) -> Any:
    try:
        return json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        return None


def _key(error: ValidationError) -> tuple[Any, ...]:
    return (tuple(error.absolute_path), error.validator)


def _unknown(error: ValidationError) -> tuple[str, ...]:
    """The fields that an object has and its schema does not."""
    if error.validator != "additionalProperties" or error.validator_value is not False:
        return ()
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    return tuple(name for name in mapping(error.instance) if name not in known)


def _message(error: ValidationError) -> str:
    text = " ".join(error.message.split())
    return text if len(text) <= 200 else f"{text[:197]}..."
