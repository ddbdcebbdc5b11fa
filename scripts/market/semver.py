"""Versions and version constraints as Olares reads them (Masterminds/semver v3.4, a Go library).

Two things differ from what one may expect. Versions are read leniently: ``1``, ``v1.2`` and ``1.2.3`` are
all versions. And a pre-release such as ``1.12.6-20260501`` (a daily build) satisfies a constraint only if
the constraint itself names one: hence the ``-0`` at the end of ``>=1.12.6-0``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import total_ordering
from typing import Final

_IDENTIFIERS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SUFFIX: Final = rf"(?:-(?P<pre>{_IDENTIFIERS}))?(?:\+(?P<build>{_IDENTIFIERS}))?"
_VERSION: Final = re.compile(rf"v?(?P<major>[0-9]+)(?:\.(?P<minor>[0-9]+))?(?:\.(?P<patch>[0-9]+))?{_SUFFIX}")
_LARGEST: Final = 2**64 - 1

_PART: Final = r"[0-9xX*|]+"
_OPERATOR: Final = r"=|!=|>=|=>|<=|=<|>|<|~>|~|\^|"
_WANTED: Final = (
    rf"v?(?P<major>{_PART})(?:\.(?P<minor>{_PART}))?(?:\.(?P<patch>{_PART}))?"
    rf"(?P<suffix>(?:-{_IDENTIFIERS})?)(?:\+{_IDENTIFIERS})?"
)
_BARE: Final = re.sub(r"\?P<\w+>", "?:", _WANTED)
_ONE: Final = re.compile(rf"\s*(?P<operator>{_OPERATOR})\s*(?:{_WANTED})\s*")
_RANGE: Final = re.compile(rf"\s*({_BARE})\s+-\s+({_BARE})\s*")
_GROUP: Final = re.compile(rf"\s*(?:{_OPERATOR})\s*{_BARE}\s*(?:(?:\s+|,\s*)(?:{_OPERATOR})\s*{_BARE}\s*)*")
_EACH: Final = re.compile(rf"(?:{_OPERATOR})\s*{_BARE}")


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A version. Build metadata plays no part in comparisons (Semantic Versioning 2.0.0, clause 10)."""

    major: int
    minor: int = 0
    patch: int = 0
    pre: str = ""

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.pre}" if self.pre else "")

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[int, int, int, tuple[tuple[int, int, str], ...]]:
        # Clause 11: numbers sort before texts, and any pre-release before the release itself.
        parts = tuple((0, int(part), "") if _is_number(part) else (1, 0, part) for part in self.pre.split(".") if part)
        return self.major, self.minor, self.patch, parts or ((2, 0, ""),)


def parse_version(text: str) -> Version:
    """Read a version as ``semver.NewVersion`` does.

    Raises:
        ValueError: it is not one; the text says why.
    """
    match = _VERSION.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a version such as 1.2.3")
    major, minor, patch = (int(match[name] or 0) for name in ("major", "minor", "patch"))
    if max(major, minor, patch) > _LARGEST:
        raise ValueError(f"{text!r} holds a number that is too large")
    pre = match["pre"] or ""
    if any(part.isascii() and part.isdigit() and part != "0" and part[0] == "0" for part in pre.split(".")):
        raise ValueError(f"{text!r} has a pre-release number with a leading zero")
    return Version(major, minor, patch, pre)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One part of a constraint; ``open_from`` is the first place left open: 0 major, 1 minor, 2 patch, 3 none."""

    operator: str
    version: Version
    open_from: int

    @property
    def is_open(self) -> bool:
        """Whether a place is missing or a wildcard."""
        return self.open_from < 3


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint: alternatives (``||``) of comparisons that must all hold."""

    alternatives: tuple[tuple[Comparison, ...], ...]

    def allows(self, version: Version) -> bool:
        """Whether a version satisfies the constraint."""
        return any(_all_hold(group, version) for group in self.alternatives)

    @property
    def allows_daily_builds(self) -> bool:
        """Whether every alternative names a pre-release and so can match one."""
        return all(_names_pre(group) for group in self.alternatives)


def parse_constraint(text: str) -> Constraint:
    """Read a constraint as ``semver.NewConstraint`` does.

    Raises:
        ValueError: it is not one; the text says which part.
    """
    rewritten = _RANGE.sub(r">= \1, <= \2", text)
    return Constraint(tuple(_group(part) for part in rewritten.split("||")))


def _group(text: str) -> tuple[Comparison, ...]:
    if not _GROUP.fullmatch(text):
        raise ValueError(f"{text.strip()!r} is not a constraint such as >=1.12.6-0")
    return tuple(_comparison(part) for part in _EACH.findall(text))


def _comparison(text: str) -> Comparison:
    match = _ONE.fullmatch(text)
    if not match:
        raise ValueError(f"{text.strip()!r} is not a comparison such as >=1.2.3")
    parts = [match["major"], match["minor"], match["patch"]]
    open_from = next((at for at, part in enumerate(parts) if part is None or part in "xX*"), 3)
    known = ".".join([*parts[:open_from], *"000"[open_from:]])
    return Comparison(match["operator"], parse_version(known + match["suffix"]), open_from)


def _all_hold(group: tuple[Comparison, ...], version: Version) -> bool:
    if version.pre and not _names_pre(group):
        return False
    return all(_HOLDS[one.operator](version, one) for one in group)


def _names_pre(group: tuple[Comparison, ...]) -> bool:
    return any(one.version.pre for one in group)


def _equal(version: Version, wanted: Comparison) -> bool:
    return _tilde(version, wanted) if wanted.is_open else version == wanted.version


def _not_equal(version: Version, wanted: Comparison) -> bool:
    other = wanted.version
    if wanted.open_from in (0, 3):
        return version != other
    if version.major != other.major:
        return True
    if wanted.open_from == 1:
        return False
    if version.minor != other.minor:
        return True
    return Version(0, pre=version.pre) != Version(0, pre=other.pre)


def _greater(version: Version, wanted: Comparison) -> bool:
    other = wanted.version
    if not wanted.is_open or (wanted.open_from == 0 and version.major == other.major):
        return version > other
    if version.major != other.major:
        return version.major > other.major
    return wanted.open_from == 2 and version.minor > other.minor


def _less(version: Version, wanted: Comparison) -> bool:
    return version < wanted.version


def _at_least(version: Version, wanted: Comparison) -> bool:
    return version >= wanted.version


def _at_most(version: Version, wanted: Comparison) -> bool:
    other = wanted.version
    if not wanted.is_open:
        return version <= other
    if version.major != other.major:
        return version.major < other.major
    return wanted.open_from == 1 or version.minor <= other.minor


def _tilde(version: Version, wanted: Comparison) -> bool:
    other = wanted.version
    if version < other:
        return False
    if wanted.open_from in (0, 3) and (other.major, other.minor, other.patch) == (0, 0, 0):
        return True
    return version.major == other.major and (wanted.open_from == 1 or version.minor == other.minor)


def _caret(version: Version, wanted: Comparison) -> bool:
    other = wanted.version
    if version < other or version.major != other.major:
        return False
    if other.major > 0 or wanted.open_from == 1:
        return True
    if other.minor > 0 or wanted.open_from == 2:
        return version.minor == other.minor
    return version.minor == 0 and version.patch == other.patch


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdigit()


_HOLDS: Final[dict[str, Callable[[Version, Comparison], bool]]] = {
    "": _equal, "=": _equal, "!=": _not_equal, ">": _greater, "<": _less, ">=": _at_least, "=>": _at_least,
    "<=": _at_most, "=<": _at_most, "~": _tilde, "~>": _tilde, "^": _caret,
}  # fmt: skip
