"""The front matter of a page: read it, and put facts for the theme into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any, Final

import yaml

_FENCED: Final = re.compile(r"\A---\n(.*?)^---\n", re.S | re.M)
# A key with all lines of its text, which are indented or empty.
_DESCRIPTION: Final = re.compile(r"^description:.*\n(?:[ \t]+.*\n|[ \t]*\n)*", re.M)
# What YAML does not allow even inside quotes.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def read(text: str) -> Mapping[str, Any]:
    """The front matter of a page; empty where it has none."""
    found = _FENCED.match(text)
    data = yaml.load(found[1], yaml.CSafeLoader) if found else None
    return data if isinstance(data, dict) else {}


def alone(text: str) -> str:
    """The front matter of a page as it stands there, without the page."""
    found = _FENCED.match(text)
    return found[0] if found else ""


def extended(text: str, values: Mapping[str, Any]) -> str:
    """The page with further keys in its front matter; keys without a value are left out."""
    lines = "".join(f"{key}: {_UNPRINTABLE.sub('', _json(value))}\n" for key, value in values.items() if value)
    if text.startswith("---\n"):
        return f"---\n{lines}{text[4:]}"
    return f"---\n{lines}---\n\n{text}" if lines else text


def quoted(text: str) -> str:
    """The page with a description that the theme can print between quotes, as it prints it without escaping."""
    found = _FENCED.match(text)
    given = read(text).get("description")
    if found is None or not isinstance(given, str):
        return text
    safe = _attribute(plain(given))
    if safe == " ".join(given.split()):
        return text
    rest = _DESCRIPTION.sub("", found[1])
    return f"---\ndescription: {_json(safe)}\n{rest}---\n{text[found.end() :]}"


def plain(text: str) -> str:
    """A text of the front matter as a reader sees it: one line, without the escapes that the theme needs."""
    return " ".join(unescape(text).split())


def _attribute(text: str) -> str:
    return escape(text, quote=False).replace('"', "&quot;")


def _json(value: Any) -> str:
    # YAML reads JSON, but would take the halves of a JSON surrogate pair for two characters.
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
