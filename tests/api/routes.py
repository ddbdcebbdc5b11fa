"""The routes of the described interface, with an address for each that exists on the market under test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from market.index.openapi import document

VERBS: Final = ("get", "post", "options")
DOCUMENT: Final = document()


@dataclass(frozen=True, slots=True)
class Route:
    """One path with its verbs; ``served_by`` is ``file``, ``worker`` or ``either``."""

    template: str
    verbs: tuple[str, ...]
    served_by: str
    item: Any

    @property
    def path(self) -> str:
        """An address that the market answers."""
        return re.sub(r"\{(\w+)\}", lambda match: self._example(match[1]), self.template)

    def matches(self, path: str) -> bool:
        """Whether an address is one of this route."""
        parts = re.split(r"\{(\w+)\}", self.template)
        patterns = (self._pattern(part) if index % 2 else re.escape(part) for index, part in enumerate(parts))
        return re.fullmatch("".join(patterns), path) is not None

    def _example(self, name: str) -> str:
        return str(self._parameter(name)["example"])

    def _pattern(self, name: str) -> str:
        pattern: str = self._parameter(name)["schema"]["pattern"]
        return f"(?:{pattern.removeprefix('^').removesuffix('$')})"

    def _parameter(self, name: str) -> Any:
        found = (resolved(parameter) for parameter in self.item["parameters"])
        return next(parameter for parameter in found if parameter["name"] == name and parameter["in"] == "path")


def resolved(node: Any) -> Any:
    """What a reference inside the document leads to; anything else as it is."""
    while "$ref" in node:
        found: Any = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def routes() -> Iterator[Route]:
    """Every path of the document."""
    for template, item in DOCUMENT["paths"].items():
        verbs = tuple(verb for verb in VERBS if verb in item)
        yield Route(template, verbs, item["x-served-by"], item)
