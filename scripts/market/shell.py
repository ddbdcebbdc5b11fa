"""What a shell script would run, without running it.

It reads the part of the shell language that start scripts of containers use: quoting, line continuations,
comments, assignments, parameter expansion, lists, here-documents and, as in bash, arrays. Commands come in the
order of the text, as if every branch were taken once; what depends on a branch, a command or a loop is kept as
written and named as unknown. Rules: POSIX.1-2024, Shell Command Language, sections 2.2 to 2.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from market.shelltext import tokens
from market.shelltoken import Fragment, Kind, Token
from market.shellvalues import Value, Variables, Word, plain

_OPENING = frozenset(("if", "while", "until", "for", "case", "select"))
_CLOSING = frozenset(("fi", "done", "esac"))
_LEADING = frozenset(("then", "else", "elif", "do", "!", "{", "}", "time", "[["))
_HEADERS = frozenset(("for", "case", "select", "function"))
_DECLARING = frozenset(("export", "readonly", "local", "declare", "typeset"))
_BRANCHING = frozenset(("&&", "||"))


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command with the variables that are set for it alone or exported before it."""

    words: tuple[Word, ...]
    environment: Mapping[str, str | None] = field(default_factory=dict)


def commands(
    script: str, environment: Mapping[str, str | None] | None = None, positional: Sequence[str] = ()
) -> tuple[Command, ...]:
    """The simple commands of a script, in order.

    ``environment`` has ``None`` for a variable that is set to something unknown. ``positional`` are $0, $1 and
    so on. Nothing is raised: text that is no shell script gives what can be read of it.
    """
    reader = _Reader(dict(environment or {}), tuple(positional))
    pending: list[Token] = []
    for token in tokens(script):
        if token.kind is Kind.WORD:
            pending.append(token)
        elif token.operator == "(" and _is_array(pending):
            reader.array = pending.pop()
            reader.run(pending)
            pending = []
        else:
            reader.end(pending, token.operator)
            pending = []
    reader.end(pending, "")
    return tuple(reader.found)


def _is_array(pending: Sequence[Token]) -> bool:
    """Whether the parenthesis after these tokens opens the values of ``NAME=(``."""
    if not pending or pending[-1].is_spaced:
        return False
    last = pending[-1].fragments
    return len(last) == 1 and last[0].kind is Kind.TEXT and last[0].text.endswith("=") and not last[0].quoted


class _Reader:
    """Variables and commands so far."""

    def __init__(self, environment: dict[str, str | None], positional: tuple[str, ...]) -> None:
        self.found: list[Command] = []
        self.array: Token | None = None
        self._items: list[Word] = []
        self._variables = Variables(environment, positional)
        self._exported: set[str] = set(environment)
        self._depth = 0
        self._branch = False

    def end(self, pending: list[Token], operator: str) -> None:
        """The command of ``pending`` ends with ``operator``."""
        if self.array is not None:
            self._items.extend(word for token in pending for word in self._variables.words(token))
            if operator == "\n":
                # A line break separates the values of an array; it does not end the command.
                return
            self._assign_array(self.array)
        else:
            self.run(pending)
        self._branch = operator in _BRANCHING

    def run(self, pending: Sequence[Token]) -> None:
        """Evaluate one command: blocks, assignments, then the words."""
        at = self._blocks(pending)
        if at is None:
            return
        own: dict[str, Value] = {}
        while at < len(pending) and (parts := pending[at].assignment) is not None:
            name, adds, value = parts
            own[name] = self._variables.joined(name, value, adds, own)
            at += 1
        words = [word for token in pending[at:] for word in self._variables.words(token)]
        if not words:
            self._assign(own)
        elif [word.text for word in words[:2]] == ["set", "--"]:
            before = self._variables.positional[:1] or ("",)
            self._variables.positional = (*before, *(word.text for word in words[2:]))
        elif words[0].text in _DECLARING:
            self._declare(pending[at + 1 :], words[0].text)
        else:
            environment = {name: self._variables.text(name) for name in sorted(self._exported)}
            environment.update((name, plain(value)) for name, value in own.items())
            self.found.append(Command(tuple(words), environment))

    def _blocks(self, pending: Sequence[Token]) -> int | None:
        """Skip reserved words; the index of the first other one, or ``None`` when the command is a header."""
        for at, token in enumerate(pending):
            word = token.plain
            if word in _OPENING:
                self._depth += 1
            elif word in _CLOSING:
                self._depth = max(0, self._depth - 1)
            elif word not in _LEADING:
                return None if word in _HEADERS else at
            if word in _HEADERS:
                self._forget(pending[at + 1 :])
                return None
        return len(pending)

    def _forget(self, header: Sequence[Token]) -> None:
        """The variable of a loop has many values."""
        if header and header[0].plain:
            self._variables.assign({header[0].plain: None})

    def _declare(self, tokens_: Sequence[Token], word: str) -> None:
        for token in tokens_:
            if (parts := token.assignment) is not None:
                self._assign({parts[0]: self._variables.joined(*_swap(parts), {})})
                name = parts[0]
            else:
                name = token.plain
            if word == "export" and name:
                self._exported.add(name)

    def _assign(self, values: Mapping[str, Value]) -> None:
        self._variables.is_certain = not (self._depth or self._branch)
        self._variables.assign(values)

    def _assign_array(self, array: Token) -> None:
        name = array.fragments[0].text.removesuffix("=")
        adds, name = name.endswith("+"), name.removesuffix("+")
        before = self._variables.value(name) if adds else []
        kept = before if isinstance(before, list) else [before] if before else []
        self._assign({name: [*kept, *(word.text for word in self._items)]})
        self._items, self.array = [], None


def _swap(parts: tuple[str, bool, tuple[Fragment, ...]]) -> tuple[str, tuple[Fragment, ...], bool]:
    name, adds, value = parts
    return name, value, adds
