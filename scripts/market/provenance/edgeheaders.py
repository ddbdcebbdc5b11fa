"""The headers that a built folder's ``_headers`` gives to its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Path patterns, ``*`` standing for anything, with the headers of the paths that match."""

    rules: tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]

    def of(self, path: str) -> dict[str, str]:
        """The headers of a path, names in lower case."""
        return {name: value for pattern, own in self.rules if pattern.fullmatch(path) for name, value in own.items()}


def parse(text: str) -> Rules:
    """Read a ``_headers`` file: a pattern at the start of a line, its headers indented below it."""
    rules: list[tuple[re.Pattern[str], dict[str, str]]] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            pattern = ".*".join(re.escape(part) for part in line.strip().split("*"))
            rules.append((re.compile(pattern), {}))
        elif rules:
            name, _, value = line.strip().partition(":")
            rules[-1][1][name.lower()] = value.strip()
    return Rules(tuple(rules))
