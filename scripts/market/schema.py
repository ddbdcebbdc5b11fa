"""JSON Schema validation with the place of every fault."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource

from market.errors import MarketError
from market.paths import SCHEMAS
from market.problem import Problem
from market.rules.registry import declare
from market.yamldoc import Document, Path

declare("schema.missing-key", "error", "A required key is missing",
        why="The catalog or the device needs this fact.",
        fix="Add the key.")  # fmt: skip
declare("schema.unknown-key", "error", "A key that nobody reads",
        why="A misspelt key is ignored in silence, and the fact it should carry is lost.",
        fix="Correct the spelling, or delete the key.")  # fmt: skip
declare("schema.wrong-type", "error", "A value of the wrong type",
        why="Devices ignore a value of another type in silence, or refuse the whole reply.",
        fix="Write a value of the type that is asked for; quote what must be a text.")  # fmt: skip
declare("schema.wrong-value", "error", "A value that is not allowed",
        why="The value is outside what the catalog or the platform accepts.",
        fix="Use one of the allowed values.")  # fmt: skip

_TYPE_NAMES = {
    "object": "keys and values", "array": "a list", "string": "a text", "integer": "a whole number",
    "number": "a number", "boolean": "true or false", "null": "nothing (null)",
}  # fmt: skip


def validate(document: Document, name: str) -> Iterator[Problem]:
    """Check a document against ``schema/<name>.schema.json``; each fault has its place."""
    for error in _validator(name).iter_errors(document.data):
        yield from _problems(document, error)


def type_faults(document: Document, name: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Places of values of a wrong type, with the types that are wanted there."""
    for error in _validator(name).iter_errors(document.data):
        if error.validator == "type":
            wanted: Any = error.validator_value
            yield tuple(error.absolute_path), tuple(wanted) if isinstance(wanted, list) else (wanted,)


def errors(data: Any, name: str) -> tuple[str, ...]:
    """Faults of data of our own making, as texts; used by self-checks."""
    found = _validator(name).iter_errors(data)
    return tuple(sorted(f"{error.json_path}: {error.message}" for error in found))


def names() -> tuple[str, ...]:
    """The names of all schemas."""
    return tuple(sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json")))


@cache
def load(name: str) -> Any:
    """Return a schema as data.

    Raises:
        MarketError: the schema is not there or not JSON: this checkout is damaged.
    """
    path = SCHEMAS / f"{name}.schema.json"
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise MarketError(f"cannot read {path.name}: {error}") from error


@cache
def _validator(name: str) -> Draft202012Validator:
    resources = [(f"{other}.schema.json", Resource.from_contents(load(other))) for other in names()]
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(load(name), registry=registry, format_checker=FormatChecker())


def _problems(document: Document, error: ValidationError) -> Iterator[Problem]:
    path: Path = tuple(error.absolute_path)
    match error.validator:
        case "required":
            yield from _missing(document, error, path)
        case "additionalProperties" | "unevaluatedProperties":
            yield from _unknown(document, error, path)
        case "type":
            yield _wrong_type(document, error, path)
        case "anyOf" | "oneOf" if error.context:
            inner = best_match(error.context)
            if inner is not None and inner.absolute_path != error.absolute_path:
                yield from _problems(document, inner)
            else:
                yield _wrong_value(document, error, path)
        case _:
            yield _wrong_value(document, error, path)


def _missing(document: Document, error: ValidationError, path: Path) -> Iterator[Problem]:
    # jsonschema reports one error per missing key, naming it in the message only.
    required: Any = error.validator_value
    instance: Any = error.instance
    for key in required:
        if key not in instance and repr(key) in error.message:
            hint = _description(error.schema, key)
            fix = f"Add `{key}:`" + (f" - {hint}" if hint else ".")
            message = f"`{_name(path, key)}` is missing"
            yield document.problem("schema.missing-key", *path, message=message, fix=fix)


def _unknown(document: Document, error: ValidationError, path: Path) -> Iterator[Problem]:
    schema: Any = error.schema
    instance: Any = error.instance
    known = sorted(schema.get("properties", {}))
    patterns = "patternProperties" in schema
    for key in instance:
        if key in known or (patterns and repr(key) not in error.message):
            continue
        close = difflib.get_close_matches(key, known, 1)
        fix = f"Did you mean `{close[0]}`?" if close else f"Known keys here: {', '.join(known)}."
        message = f"`{_name(path, key)}` is not a known key"
        yield document.problem("schema.unknown-key", *path, key, message=message, fix=fix, key=True)


def _wrong_type(document: Document, error: ValidationError, path: Path) -> Problem:
    wanted: Any = error.validator_value
    wanted = wanted if isinstance(wanted, list) else [wanted]
    names = " or ".join(_TYPE_NAMES.get(name, name) for name in wanted)
    found = _TYPE_NAMES[_json_type(error.instance)]
    message = f"`{_name(path)}` must be {names}, not {found}"
    quotable = "string" in wanted and isinstance(error.instance, int | float)
    fix = f'Quote it: "{document.marks[path].raw}".' if quotable else ""
    return document.problem("schema.wrong-type", *path, message=message, fix=fix)


def _wrong_value(document: Document, error: ValidationError, path: Path) -> Problem:
    value: Any = error.instance
    wanted: Any = error.validator_value
    shown, fix = _short(json.dumps(value, ensure_ascii=False), 60), ""
    match error.validator:
        case "enum":
            close = difflib.get_close_matches(str(value), [str(item) for item in wanted], 1)
            fix = f"Did you mean `{close[0]}`? " if close else ""
            fix += f"Allowed: {', '.join(str(item) for item in wanted)}."
            message = f"`{_name(path)}` is {shown}"
        case "pattern":
            message = f"`{_name(path)}` is {shown}, which does not match {wanted}"
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties":
            least = "at least" if str(error.validator).startswith("min") else "at most"
            message = f"`{_name(path)}` has {len(value)} of {least} {wanted}"
        case "const":
            message = f"`{_name(path)}` is {shown}, not {json.dumps(wanted)}"
        case "format":
            message = f"`{_name(path)}` is {shown}, which is not a valid {wanted}"
        case _:
            message = f"`{_name(path)}`: {_short(error.message, 200)}"
    hint = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    return document.problem("schema.wrong-value", *path, message=message, fix=fix or hint)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _description(schema: Any, key: str) -> str:
    return str(schema.get("properties", {}).get(key, {}).get("description", "")) if isinstance(schema, dict) else ""


def _name(path: Path, *more: str) -> str:
    text = ""
    for step in (*path, *more):
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the document"


def _json_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
