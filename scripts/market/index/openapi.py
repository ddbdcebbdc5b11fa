"""The description of the market's HTTP interface (OpenAPI 3.1), made self-contained for whoever reads it."""

from __future__ import annotations

from typing import Any

import yaml

from market import schema
from market.errors import MarketError
from market.paths import SCHEMAS

FILE = SCHEMAS / "openapi.yaml"
_SUFFIX = ".schema.json"


def document() -> dict[str, Any]:
    """The document with every schema that it names by file among its components.

    Raises:
        MarketError: the file or one of the schemas is missing or damaged.
    """
    try:
        written: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise MarketError(f"cannot read {FILE.name}: {error}") from error
    named: set[str] = set()
    whole: dict[str, Any] = _resolved(written, named)
    embedded = {name: {key: value for key, value in schema.load(name).items() if key != "$schema"} for name in named}
    whole["components"]["schemas"] |= embedded
    return whole


def _resolved(node: Any, named: set[str]) -> Any:
    """A copy in which references to files lead to components; ``named`` collects them."""
    match node:
        case {"$ref": str(target)} if target.endswith(_SUFFIX):
            name = target.removesuffix(_SUFFIX)
            named.add(name)
            return {"$ref": f"#/components/schemas/{name}"}
        case dict():
            return {key: _resolved(value, named) for key, value in node.items()}
        case list():
            return [_resolved(value, named) for value in node]
        case _:
            return node
