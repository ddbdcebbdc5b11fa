"""The examples of the rules: for each rule an edit that breaks it, an edit that does not, and the places.

One file a rule, ``examples/<rule>.yaml``. It is test, documentation and specification in one: the tests
apply it to a small complete catalog (or, for manifests outside this catalog's form, to a small folder of
Olares apps), and the rule pages of the site show its edits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from market.errors import MarketError
from market.source import decode, read_file
from market.yamldoc import parse

FOLDER = Path(__file__).parent / "examples"
BASES = {"catalog": "base", "platform": "platform"}

Variant = Literal["fail", "pass"]
Form = Literal["catalog", "platform"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem stands; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a file of the base: what stands there, what breaks the rule, what does not."""

    file: str
    find: str
    breaking: str
    sound: str

    def text(self, variant: Variant) -> str:
        """The text of a variant."""
        return self.breaking if variant == "fail" else self.sound


@dataclass(frozen=True, slots=True)
class Extra:
    """A file to make or take away. ``kind`` says what ``value`` is; see ``market.rules.stage``."""

    file: str
    kind: str
    value: Any
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """The example of one rule. ``also`` are rules that the breaking variant cannot help breaking too."""

    rule: str
    form: Form
    edits: tuple[Edit, ...]
    extras: tuple[Extra, ...]
    expect: tuple[Place, ...]
    also: tuple[str, ...]
    keeps_ledger: bool

    @property
    def base(self) -> Path:
        """The folder that the edits apply to."""
        return FOLDER / BASES[self.form]


def names() -> tuple[str, ...]:
    """The rules that have an example."""
    return tuple(sorted(path.name.removesuffix(".yaml") for path in FOLDER.glob("*.yaml")))


@cache
def load(rule: str) -> Example:
    """Read the example of a rule.

    Raises:
        MarketError: there is none, or it is not as it should be; a bug of ours.
    """
    data = _read(rule)
    known = {"form", "edits", "files", "ledger", "expect", "also"}
    if set(data) - known:
        raise MarketError(f"example {rule}: unknown keys {sorted(set(data) - known)}")
    return Example(
        rule=rule,
        form=data.get("form", "catalog"),
        edits=tuple(_edit(rule, entry) for entry in data.get("edits", ())),
        extras=tuple(extra for entry in data.get("files", ()) for extra in _extras(rule, entry)),
        expect=tuple(
            sorted((Place(**entry) for entry in data["expect"]), key=lambda at: (at.file, at.line, at.column))
        ),
        also=tuple(data.get("also", ())),
        keeps_ledger=data.get("ledger") == "keep",
    )


def _read(rule: str) -> Mapping[str, Any]:
    file, problems = read_file(FOLDER, f"{rule}.yaml")
    text = decode(file)[0] if file else None
    document, more = parse(text) if text else (None, ())
    if document is None or problems or more or not isinstance(document.data, dict):
        found = "; ".join(f"{one.path}:{one.line}: {one.message}" for one in (*problems, *more))
        raise MarketError(f"example {rule} cannot be read: {found or 'there is no such file'}")
    return document.data


def _edit(rule: str, entry: Mapping[str, Any]) -> Edit:
    find = entry["find"]
    edit = Edit(entry["file"], find, entry.get("fail", find), entry.get("pass", find))
    if edit.breaking == find and edit.sound == find:
        raise MarketError(f"example {rule}: an edit of {edit.file} changes nothing")
    return edit


def _extras(rule: str, entry: Mapping[str, Any]) -> Iterator[Extra]:
    """Texts stand under ``fail`` and ``pass``; every other kind belongs to the variant of ``when``."""
    file = entry["file"]
    for variant in ("fail", "pass"):
        if variant in entry:
            yield Extra(file, "text", entry[variant], (variant,))
    special = set(entry) - {"file", "fail", "pass", "when"}
    chosen: dict[str, tuple[Variant, ...]] = {"fail": ("fail",), "pass": ("pass",), "both": ("fail", "pass")}
    for kind in sorted(special):
        yield Extra(file, kind, entry[kind], chosen[entry.get("when", "fail")])
    if not special and not {"fail", "pass"} & set(entry):
        raise MarketError(f"example {rule}: nothing is said about {file}")
