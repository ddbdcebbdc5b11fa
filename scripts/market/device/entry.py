"""The device's field mapping of a detail object (ApplicationInfoEntry): what it takes, what it drops.

The device maps by type assertion: a value of a wrong type is ignored without a word. ``read_entry`` maps
the same way and says what was ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from market.device.deviation import Fault, key_path

IGNORED = "the device ignores a field of a wrong type without a word"

_BYTES = re.compile(r"[0-9]+")
_CORES = re.compile(r"[0-9]+(\.[0-9]+)?")
_REQUIRED = ("id", "name", "version", "title", "description", "icon", "categories", "supportArch")

Check = Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text_or_locales(value: object) -> bool:
    return _is_text(value) or (isinstance(value, dict) and all(map(_is_text, value.values())))


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _is_sub_chart(value: object) -> bool:
    return isinstance(value, dict) and _is_text(value.get("name")) and isinstance(value.get("shared"), bool)


def _is_price(value: object) -> bool:
    """Prices are decoded into a struct: one wrong type drops the whole price."""
    if not isinstance(value, dict):
        return False
    paid = value.get("paid") or {}
    prices = paid.get("price") or [] if isinstance(paid, dict) else None
    return _list_of(_is_object)(prices) and all(type(price.get("product_price", 0)) is int for price in prices or ())


def _kinds(kind: str, check: Check, keys: str) -> dict[str, tuple[str, Check]]:
    return dict.fromkeys(keys.split(), (kind, check))


FIELDS: Mapping[str, tuple[str, Check]] = {
    **_kinds(
        "a string",
        _is_text,
        "id appID name cfgType chartName icon title description version apiVersion versionName promoteVideo"
        " subCategory developer submitter doc website featuredImage sourceCode target namespace"
        " lastCommitHash updated_at requiredMemory requiredDisk requiredGPU requiredCPU limitedMemory"
        " limitedDisk limitedGPU limitedCPU modelSize",
    ),
    **_kinds("a string or an object of strings", _is_text_or_locales, "fullDescription upgradeDescription"),
    **_kinds(
        "an array of strings",
        _list_of(_is_text),
        "categories appLabels promoteImage screenshots tags locale supportArch",
    ),
    **_kinds(
        "an object",
        _is_object,
        "supportClient permission middleware options tailscale i18n metadata",
    ),
    **_kinds(
        "an array of objects",
        _list_of(_is_object),
        "entrances ports envs license legal versionHistory",
    ),
    "subCharts": ("an array of {name: string, shared: bool}", _list_of(_is_sub_chart)),
    "rating": ("a number", _is_number),
    "onlyAdmin": ("true or false", lambda value: isinstance(value, bool)),
    "price": ("a price object with whole product prices", _is_price),
}
"""Keys of the detail object, the JSON type that each takes, and the test for it."""

_BY_LOWER = {key.lower(): key for key in FIELDS}
_FIGURES: Mapping[str, tuple[re.Pattern[str], str]] = {
    **dict.fromkeys(
        (f"{kind}{what}" for kind in ("required", "limited") for what in ("Memory", "Disk", "GPU")),
        (_BYTES, "bytes as decimal digits"),
    ),
    **dict.fromkeys(("requiredCPU", "limitedCPU"), (_CORES, 'cores as decimal digits ("4", "0.5")')),
}


def read_entry(detail: Mapping[str, Any], path: str) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """Map a detail object as the device does; the faults name what it ignored or lacks.

    Null counts as absent. The result holds the accepted fields only.
    """
    present = {key: value for key, value in detail.items() if value is not None}
    entry = {key: value for key, value in present.items() if key in FIELDS and FIELDS[key][1](value)}
    faults = [
        *(_wrong_type(key, path) for key in present if key in FIELDS and key not in entry),
        *(_wrong_case(key, path) for key in present if key not in FIELDS and key.lower() in _BY_LOWER),
        *(_missing(key, path) for key in _REQUIRED if _is_empty(present.get(key))),
        *_figures(entry, path),
    ]
    return entry, tuple(faults)


def _is_empty(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def nul_path(value: object, path: str) -> str:
    """Return the path of the first string (or key) that holds a NUL, or an empty text."""
    if isinstance(value, str):
        return path if "\0" in value else ""
    if isinstance(value, Mapping):
        children = ((key_path(path, str(key)), key, child) for key, child in value.items())
        return next((place for at, key, child in children if (place := nul_path([key, child], at))), "")
    if isinstance(value, list):
        return next((found for child in value if (found := nul_path(child, path))), "")
    return ""


def _wrong_type(key: str, path: str) -> Fault:
    return Fault(key_path(path, key), f"expected {FIELDS[key][0]}", IGNORED)


def _wrong_case(key: str, path: str) -> Fault:
    right = _BY_LOWER[key.lower()]
    return Fault(key_path(path, key), f'the key is spelled "{right}"', "the device matches this key exactly")


def _missing(key: str, path: str) -> Fault:
    why = {
        "version": "the device skips an app without a version",
        "supportArch": "the store hides an app that names no architecture",
        "categories": "the store lists the app in no category",
    }.get(key, "the store shows a gap or a stand-in")
    return Fault(key_path(path, key), f"{key} is missing or empty", why)


def _figures(entry: Mapping[str, Any], path: str) -> list[Fault]:
    why = "the device reads resource figures as plain decimal text"
    return [
        Fault(key_path(path, key), f'expected {wanted}, found "{entry[key]}"', why)
        for key, (pattern, wanted) in _FIGURES.items()
        if entry.get(key) and not pattern.fullmatch(entry[key])
    ]
