"""Report YAML: keys in a fixed order, short mappings on one line, so that a run is a few lines of a diff."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 116

# A plain scalar that every YAML reader takes for the same text; anything else is quoted.
_PLAIN = re.compile(r"^(?:[A-Za-z][A-Za-z0-9_./+]*(?:[ -][A-Za-z0-9_./+]+)*|\d{4}-\d\d-\d\d)$")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan"})


def dump(data: Mapping[str, Any]) -> str:
    """A mapping of JSON values as YAML; reading it back gives equal data.

    Raises:
        TypeError: a value has no JSON form.
    """
    return "\n".join(_mapping(data, 0)) + "\n"


def _mapping(data: Mapping[str, Any], depth: int) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{'  ' * depth}{_scalar(key)}:", value, depth)


def _entry(head: str, value: Any, depth: int) -> Iterator[str]:
    """A key or dash with its value: on its line where it fits and is not a list of runs."""
    short = _flow(value)
    if not isinstance(value, Mapping | list | tuple) or not value:
        yield f"{head} {short}"
    elif isinstance(value, Mapping) and depth > 0 and len(head) + len(short) < WIDTH and not _holds_mapping(value):
        yield f"{head} {short}"
    elif isinstance(value, Mapping):
        yield head
        yield from _mapping(value, depth + 1)
    elif all(isinstance(item, int | float) for item in value) and len(head) + len(short) < WIDTH:
        yield f"{head} {short}"
    else:
        yield head
        yield from _sequence(value, depth + 1)


def _sequence(items: Sequence[Any], depth: int) -> Iterator[str]:
    dash = f"{'  ' * depth}-"
    for item in items:
        short = _flow(item)
        if not isinstance(item, Mapping) or not item:
            yield f"{dash} {short}"
        elif len(dash) + len(short) < WIDTH and not _holds_mapping(item):
            yield f"{dash} {short}"
        else:
            lines = list(_mapping(item, depth + 1))
            yield f"{dash} {lines[0].lstrip()}"
            yield from lines[1:]


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case str():
            plain = _PLAIN.match(value) and value.lower() not in _WORDS and "\n" not in value
            return value if plain else _quoted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise TypeError(f"{value} has no JSON form")
    text = repr(value)
    if "e" in text and "." not in text:  # YAML 1.1 takes 1e-05 for a text
        text = text.replace("e", ".0e")
    return text.replace("e", "e+") if "e" in text and "e-" not in text and "e+" not in text else text


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    # JSON lets these through; YAML does not, or folds them.
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _holds_mapping(value: Mapping[str, Any]) -> bool:
    return any(isinstance(item, Mapping | list | tuple) and item for item in value.values())
