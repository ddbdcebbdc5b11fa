"""From a place in rendered text back to the file and line that a contributor wrote.

Helm keeps no positions, so the line is found by comparison: a template line without actions renders to
itself, one with actions to something its literal text is part of. Where such a line takes its value from
values.yaml, the place is there, because that is what has to be edited.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from market.catalog import App, Catalog
from market.objects import KubeObject
from market.rendered import Path
from market.yamldoc import Document, walk

SHORTEST = 4
"""Characters of a value that is looked for in values.yaml by itself; shorter ones stand there by chance."""
LINE_LIMIT = 2000
"""Lines of a text beyond which no line is searched; comparing is quadratic at worst."""

_ACTION = re.compile(r"\{\{.*?\}\}")
_CONTROL = re.compile(r"\{\{-?\s*(?:if|else|end|range|with|define|block|/\*|\$\w+\s*:?=)")
_VARIABLE = re.compile(r"\$(\w+)\s*:=\s*\.Values((?:\.\w+)+)\s*-?\}\}")
_REFERENCE = re.compile(r"(?:\.Values|\$(?P<variable>\w+))(?P<path>(?:\.\w+)+)")
_REPLICAS = re.compile(r"index\s+\.Values\.workloads\s+(?:\.Release\.Name|\"(?P<name>[^\"]+)\")")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the repository; lines and columns count from 1."""

    path: str
    line: int = 1
    column: int = 1


def source_path(catalog: Catalog, app: App, template: str) -> str:
    """The file in the repository that a template path inside the chart comes from."""
    inside = template.removeprefix(f"{app.name}/")
    is_own = f"chart/{inside}" in app.files or not app.archetype
    if not is_own and inside in catalog.archetypes.get(app.archetype or "", {}):
        return f"archetypes/{app.archetype}/{inside}"
    return f"{app.folder}/chart/{inside}"


def source_text(catalog: Catalog, app: App, template: str) -> str:
    """The text of that file, or an empty one."""
    inside = template.removeprefix(f"{app.name}/")
    return catalog.chart_files(app).get(inside, b"").decode("utf-8", "replace")


def place(catalog: Catalog, app: App, found: KubeObject, path: Path = ()) -> Place:
    """Where the value at ``path`` of a rendered object was written, as well as can be told."""
    at = place_of_line(catalog, app, found.template, found.rendered, found.line(*path))
    source = source_text(catalog, app, found.template)
    written = source.split("\n")[at.line - 1]
    if "{{" in written and (value := _in_values(app, source, written, found, path)) is not None:
        return Place(app.values_document.path, *app.values_document.place(value))
    return at


def place_of_line(catalog: Catalog, app: App, template: str, rendered: str, line: int) -> Place:
    """Where a line of a rendered text was written, as well as can be told."""
    source = source_text(catalog, app, template)
    number = origins(source, rendered).get(line, 1)
    written = source.split("\n")[number - 1]
    return Place(source_path(catalog, app, template), number, len(written) - len(written.lstrip()) + 1)


@lru_cache(maxsize=32)
def origins(source: str, rendered: str) -> Mapping[int, int]:
    """The template line that each rendered line comes from, where one can be told."""
    written = [line.strip() for line in source.split("\n")]
    result = [line.strip() for line in rendered.split("\n")]
    if len(written) > LINE_LIMIT or len(result) > LINE_LIMIT:
        return MappingProxyType({})
    anchors = _anchors(written, result)
    bounds = sorted(anchors)
    found, before = {}, -1
    for index, text in enumerate(result):
        if index in anchors:
            before = anchors[index]
            found[index + 1] = before + 1
            continue
        position = bisect(bounds, index)
        after = anchors[bounds[position]] if position < len(bounds) else len(written)
        best = _best(written, text, before, after) if text else None
        if best is not None:
            found[index + 1] = best + 1
            before = best if before < best < after else before
    return MappingProxyType(found)


def _anchors(written: Sequence[str], result: Sequence[str]) -> Mapping[int, int]:
    """Lines that stand once in both texts, in the same order: rendered index to template index."""
    once = {line for line, count in Counter(written).items() if count == 1 and line and "{{" not in line}
    once &= {line for line, count in Counter(result).items() if count == 1}
    place = {line: index for index, line in enumerate(result) if line in once}
    tails: list[int] = []
    chains: list[tuple[tuple[int, int], Any]] = []
    for at, line in enumerate(written):
        if line in once:
            position = bisect(tails, place[line])
            chain = ((place[line], at), chains[position - 1] if position else None)
            tails[position : position + 1] = [place[line]]
            chains[position : position + 1] = [chain]
    anchors: dict[int, int] = {}
    link: Any = chains[-1] if chains else None
    while link:
        (index, at), link = link
        anchors[index] = at
    return anchors


def _best(written: Sequence[str], text: str, before: int, after: int) -> int | None:
    """The line that most likely made ``text``: between its neighbours' lines, else anywhere."""
    gap = range(before + 1, after)
    for lines in (gap, range(len(written))):
        literal = [(len(_ACTION.sub("", written[at])), -abs(at - before), at)
                   for at in lines if _could_make(written[at], text)]  # fmt: skip
        if literal and max(literal)[0]:
            return max(literal)[2]
        if lines is gap:
            # An include or a toYaml writes many lines.
            outputs: list[int] = [at for at in (*gap, before) if at >= 0 and _is_output(written[at])]
            if outputs:
                return outputs[0]
    return None


def _could_make(line: str, text: str) -> bool:
    """Whether the literal parts of a template line stand in ``text``, in their order."""
    first, *parts = _ACTION.split(line)
    if not parts:
        return line == text
    *middle, last = parts
    if not text.startswith(first) or not text.endswith(last):
        return False
    position = len(first)
    for part in middle:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return position + len(last) <= len(text)


def _is_output(line: str) -> bool:
    """Whether a line is an action alone that writes something, such as an include or a toYaml."""
    return "{{" in line and not _ACTION.sub("", line).strip() and not _CONTROL.match(line)


def _in_values(app: App, source: str, written: str, found: KubeObject, path: Path) -> Path | None:
    """The path in values.yaml that a line takes its value from."""
    values, value = app.values_document, found.get(*path)
    for reference in _references(app, source, written):
        for at in (reference, (*reference, *path[-1:]), (*reference, *path[-2:])):
            if at in values.marks and _same(values.get(*at), value):
                return at
    return None if isinstance(value, bool) or len(str(value)) < SHORTEST else _only(values, value, found, path)


def _references(app: App, source: str, written: str) -> Iterator[Path]:
    variables = {match[1]: match[2] for match in _VARIABLE.finditer(source)}
    for match in _REPLICAS.finditer(written):
        yield ("workloads", match["name"] or app.name, "replicaCount")
    for match in _REFERENCE.finditer(written):
        start = variables.get(match["variable"]) if match["variable"] else ""
        if start is not None:
            yield tuple((start + match["path"]).lstrip(".").split("."))


def _only(values: Document, value: Any, found: KubeObject, path: Path) -> Path | None:
    """The one place in values.yaml with this value; an environment variable's stands under its name."""
    same = [at for at, other, _ in walk(values) if at in values.marks and _same(other, value)]
    if path[-1:] == ("value",):
        name = found.get(*path[:-1], "name")
        same = [at for at in same if at[-1:] == (name,)] or same
    return same[0] if len(same) == 1 else None


def _same(one: Any, other: Any) -> bool:
    """Whether values.yaml holds what was rendered: a text that lost its quotes on the way is the template's."""
    return isinstance(one, (str, int, float)) and type(one) is type(other) and one == other
