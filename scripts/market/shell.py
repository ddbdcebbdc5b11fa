"""What a shell script would run, without running it.

It reads the part of the shell language that start scripts of containers use: quoting, line continuations,
comments, assignments, parameter expansion, lists, here-documents and, as in bash, arrays. Commands come in the
order of the text, as if every branch were taken once; what depends on a branch, a command or a loop is kept as
written and named as unknown. Rules: POSIX.1-2024, Shell Command Language, sections 2.2 to 2.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from market.shelltext import Fragment, Kind, Token, tokens

Value = str | list[str] | None
"""A variable: a text, an array, or a value that cannot be known."""

_OPENING = frozenset(("if", "while", "until", "for", "case", "select"))
_CLOSING = frozenset(("fi", "done", "esac"))
_LEADING = frozenset(("then", "else", "elif", "do", "!", "{", "}", "time", "[["))
_HEADERS = frozenset(("for", "case", "select", "function"))
_DECLARING = frozenset(("export", "readonly", "local", "declare", "typeset"))
_BRANCHING = frozenset(("&&", "||"))


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command. ``line`` counts from 0 in the script; ``unknown`` names what could not be told."""

    text: str
    line: int = 0
    unknown: tuple[str, ...] = ()


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
        self._variables: dict[str, Value] = dict(environment)
        self._exported: set[str] = set(environment)
        self._unsure: set[str] = set()
        self._positional = positional
        self._depth = 0
        self._branch = False

    def end(self, pending: list[Token], operator: str) -> None:
        """The command of ``pending`` ends with ``operator``."""
        if self.array is not None:
            self._items.extend(word for token in pending for word in self._words(token))
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
            own[name] = self._joined(name, value, adds, own)
            at += 1
        words = [word for token in pending[at:] for word in self._words(token)]
        if not words:
            self._assign(own)
        elif [word.text for word in words[:2]] == ["set", "--"]:
            self._positional = (*self._positional[:1], *(word.text for word in words[2:]))
        elif words[0].text in _DECLARING:
            self._declare(pending[at + 1 :], words[0].text)
        else:
            environment = {name: self._text(name) for name in sorted(self._exported)}
            environment.update((name, _plain(value)) for name, value in own.items())
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
            self._variables[header[0].plain] = None

    def _declare(self, tokens_: Sequence[Token], word: str) -> None:
        for token in tokens_:
            if (parts := token.assignment) is not None:
                self._assign({parts[0]: self._joined(*_swap(parts), {})})
                name = parts[0]
            else:
                name = token.plain
            if word == "export" and name:
                self._exported.add(name)

    def _assign(self, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            if (self._depth or self._branch) and self._variables.get(name) != value:
                self._unsure.add(name)
            elif not self._depth:
                self._unsure.discard(name)
            self._variables[name] = value

    def _assign_array(self, array: Token) -> None:
        name = array.fragments[0].text.removesuffix("=")
        adds, name = name.endswith("+"), name.removesuffix("+")
        before = self._variables.get(name) if adds else []
        kept = before if isinstance(before, list) else [before] if before else []
        self._assign({name: [*kept, *(word.text for word in self._items)]})
        self._items, self.array = [], None

    def _joined(self, name: str, fragments: Sequence[Fragment], adds: bool, own: Mapping[str, Value]) -> Value:
        """The value of an assignment; ``None`` once a part of it is unknown."""
        text, unknown = self._one(fragments)
        if unknown:
            return None
        before = own.get(name, self._variables.get(name)) if adds else ""
        return None if before is None and name in self._variables else f"{_plain(before) or ''}{text}"

    def _one(self, fragments: Sequence[Fragment]) -> tuple[str, tuple[str, ...]]:
        """Fragments as a single text, without splitting."""
        texts, unknown = [], []
        for part in fragments:
            values, missing = self._values(part)
            texts.append(" ".join(values))
            unknown += missing
        return "".join(texts), tuple(unknown)

    def _words(self, token: Token) -> Iterable[Word]:
        """The fields that a token expands to (POSIX 2.6.5)."""
        fields: list[str] = []
        current: str | None = None
        unknown: list[str] = []
        for part in token.fragments:
            values, missing = self._values(part)
            unknown += missing
            if part.kind is Kind.TEXT or part.quoted:
                for index, value in enumerate(values):
                    if index:
                        fields.append(current or "")
                        current = ""
                    current = (current or "") + value
                continue
            text = " ".join(values)
            pieces = text.split()
            if text[:1].isspace() and current is not None:
                fields.append(current)
                current = None
            for index, piece in enumerate(pieces):
                if index:
                    fields.append(current or "")
                    current = ""
                current = (current or "") + piece
            if text[-1:].isspace() and pieces and current is not None:
                fields.append(current)
                current = None
        if current is not None:
            fields.append(current)
        return [Word(text, token.line, tuple(unknown)) for text in fields]

    def _values(self, part: Fragment) -> tuple[list[str], list[str]]:
        """What a fragment expands to, and what in it is unknown."""
        if part.kind is Kind.TEXT:
            return [part.text], []
        if part.kind is Kind.OPAQUE:
            return [part.text], [part.text]
        value, known = self._lookup(part.name)
        if part.operator.endswith("+"):
            return self._alternative(part, bool(value) if ":" in part.operator else value is not None)
        is_missing = known and (value is None or (":" in part.operator and not _plain(value)))
        if is_missing and part.operator in ("-", ":-", "=", ":="):
            text, unknown = self._one(part.default)
            if part.operator.endswith("="):
                self._assign({part.name: None if unknown else text})
            return [text], list(unknown)
        if not known or value is None:
            return [part.text], [part.name]
        missing = [part.name] if part.name in self._unsure else []
        if isinstance(value, list):
            return (value if part.is_all else value[:1]), missing
        return [value], missing

    def _alternative(self, part: Fragment, is_set: bool) -> tuple[list[str], list[str]]:
        if not is_set:
            return [""], []
        text, unknown = self._one(part.default)
        return [text], list(unknown)

    def _lookup(self, name: str) -> tuple[Value, bool]:
        """A variable's value, and whether it is known at all: an unset variable is known to be unset."""
        if name in ("@", "*"):
            return list(self._positional[1:]), True
        if name.isdigit():
            index = int(name)
            return (self._positional[index], True) if index < len(self._positional) else ("", True)
        if name in self._variables:
            value = self._variables[name]
            return value, value is not None
        return None, name.replace("_", "a").isalnum()

    def _text(self, name: str) -> str | None:
        return _plain(self._variables.get(name))


def _plain(value: Value) -> str | None:
    return value[0] if isinstance(value, list) and value else value if isinstance(value, str) else None


def _swap(parts: tuple[str, bool, tuple[Fragment, ...]]) -> tuple[str, tuple[Fragment, ...], bool]:
    name, adds, value = parts
    return name, value, adds
