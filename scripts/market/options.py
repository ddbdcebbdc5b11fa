"""An argument vector as options with their values, by the list of what the engine's server knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from market.argv import Argument, Origin
from market.flags import MANY, Flag, FlagList

_ON = frozenset(("1", "true", "on", "enabled", "yes"))


@dataclass(frozen=True, slots=True)
class Option:
    """One option as given. ``name`` is the catalog's spelling, ``is_off`` says that it was switched off.

    ``flag`` is ``None`` for an option that the list does not have; its values are then a guess.
    ``variable`` names the environment variable that set it, if one did.
    """

    name: str
    spelled: str
    values: tuple[str, ...]
    origin: Origin
    flag: Flag | None
    is_off: bool = False
    is_short: bool = False
    is_unsure: bool = False
    variable: str = ""

    @property
    def value(self) -> str:
        """Its first value, or an empty text."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class Options:
    """All options of a command line in order, and the arguments that belong to none."""

    all: tuple[Option, ...]
    rest: tuple[Argument, ...]

    def last(self, *names: str) -> Option | None:
        """The option that counts among these: servers let the last one win, arguments before variables."""
        return next((one for one in reversed(self.all) if one.name in names), None)

    def has(self, *names: str) -> bool:
        """Whether one of these options is given and not switched off."""
        found = self.last(*names)
        return found is not None and not found.is_off

    def value(self, *names: str) -> str | None:
        """The value of the option that counts, ``None`` when it is absent or cannot be told."""
        found = self.last(*names)
        return found.value if found is not None and found.values and not found.is_unsure else None

    def number(self, *names: str) -> float | None:
        """The value as a number, with the suffixes k, m and g (decimal) and K, M and G (binary) of vLLM."""
        return number(self.value(*names) or "")


_SUFFIXES = {"k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}


def number(text: str) -> float | None:
    """A number with an optional suffix, ``None`` where it is none."""
    factor = _SUFFIXES.get(text[-1:], 1)
    digits = text[:-1] if factor != 1 else text
    bare = digits.removeprefix("-").replace(".", "", 1)
    return float(digits) * factor if bare.isascii() and bare.isdigit() and len(digits) < 20 else None


def read(
    arguments: Sequence[Argument], flags: FlagList, environment: Mapping[str, str | None] | None = None
) -> Options:
    """Read an argument vector, and the variables that stand for options, in the order in which they count."""
    found = list(_variables(flags, environment or {}))
    rest: list[Argument] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if not _is_option(argument.text):
            rest.append(argument)
            at += 1
            continue
        option, at = _option(arguments, at, flags)
        found.append(option)
    return Options(tuple(found), tuple(rest))


def _option(arguments: Sequence[Argument], at: int, flags: FlagList) -> tuple[Option, int]:
    argument = arguments[at]
    spelled, equals, joined = argument.text.partition("=") if flags.uses_equals else (argument.text, "", "")
    flag = flags.find(spelled)
    following = arguments[at + 1 :]
    if equals:
        taken: list[Argument] = []
    elif flag is None or flag.values == MANY:
        taken = list(_until_option(following, flags))
        # A list without values is short; an unknown option may well be a switch.
    else:
        taken = list(_count(following, flag.values, flags))
    values = (joined,) if equals else tuple(one.text for one in taken)
    wanted = 0 if flag is None else 1 if flag.values == MANY else flag.values
    option = Option(
        name=_name(spelled, flag),
        spelled=spelled,
        values=values,
        origin=argument.origin,
        flag=flag,
        is_off=flag is not None and _plain(spelled) in flag.negative,
        is_short=len(values) < wanted,
        is_unsure=bool(argument.unknown) or any(one.unknown for one in taken),
    )
    return option, at + 1 + len(taken)


def _count(following: Sequence[Argument], count: int, flags: FlagList) -> Iterator[Argument]:
    """The next values; another option in their place means that one is missing."""
    for one in following[:count]:
        if flags.find(one.text) is not None and one.text.startswith("--"):
            return
        yield one


def _until_option(following: Sequence[Argument], flags: FlagList) -> Iterator[Argument]:
    for one in following:
        if _is_option(one.text) or flags.find(one.text) is not None:
            return
        yield one


def _variables(flags: FlagList, environment: Mapping[str, str | None]) -> Iterator[Option]:
    """Options that environment variables set, as llama.cpp reads them."""
    for name, value in environment.items():
        flag = flags.by_variable(name)
        if flag is None:
            continue
        is_off = flag.values == 0 and value is not None and value.lower() not in _ON
        values = () if flag.values == 0 or value is None else (value,)
        yield Option(flag.name, flag.name, values, Origin(("env",)), flag, is_off,
                     is_unsure=value is None, variable=name)  # fmt: skip


def _name(spelled: str, flag: Flag | None) -> str:
    """The catalog's spelling; a key behind a dot stays, as it sets only a part."""
    if flag is None:
        return _plain(spelled)
    head, dot, key = spelled.partition(".")
    is_key = dot and _plain(head) in flag.spellings and spelled not in flag.spellings
    return f"{flag.name}.{key}" if is_key else flag.name


def _plain(spelled: str) -> str:
    return spelled.replace("_", "-") if spelled.startswith("--") else spelled


def _is_option(text: str) -> bool:
    """Whether an argument is an option: negative numbers are values."""
    return len(text) > 1 and text[0] == "-" and not (text[1].isdigit() or text[1] == ".")
