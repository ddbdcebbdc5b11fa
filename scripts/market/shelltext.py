"""The text of a shell script as tokens: words with their quotes taken apart, and operators.

Expansions are not evaluated here; each stays a fragment of its word. Rules: POSIX.1-2024, Shell Command
Language, sections 2.2 (quoting), 2.3 (token recognition), 2.6.2 (parameter expansion) and 2.7 (redirection).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from market.shelltoken import Fragment, Kind, Token

SCRIPT_LIMIT = 100_000
"""Characters of a script that are read; Kubernetes takes a whole object of at most 1.5 MiB."""
DEPTH_LIMIT = 20

_PARAMETER = re.compile(r"(?P<name>[A-Za-z_]\w*|[0-9]+|[@*?$!#-])(?P<index>\[[^\]]*\])?(?P<operator>:?[-=?+])?")
_OPERATORS = ("&&", "||", ";;", "\n", ";", "&", "|", "(", ")")
_REDIRECTION = re.compile(r"[0-9]*(?:<<-|<<<|<<|<>|>>|>\||>&|<&|&>>|&>|[<>])")
_PLAIN = re.compile(r"""[^\s;&|()<>\\'"$`]+""")
_PLAIN_VALUE = re.compile(r"""[^\\'"$`]+""")
_PLAIN_QUOTED = re.compile(r"""[^\\"$`]+""")
_ENDING = re.compile(r"[\s;&|()<>]")
_SPECIAL = re.compile(r"[A-Za-z_]\w*|[0-9@*?#!$-]")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def tokens(script: str) -> Iterator[Token]:
    """The tokens of a script in order; an unclosed quote ends with the text."""
    return _Lexer(script[:SCRIPT_LIMIT]).run()


class _Lexer:
    """One pass over the text."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self._text = text
        self._at = 0
        self._depth = depth
        self._documents: list[str] = []
        self._line = 0
        self._counted = 0

    def run(self) -> Iterator[Token]:
        while True:
            self._blanks()
            if self._at >= len(self._text):
                return
            line = self._count()
            operator = next((one for one in _OPERATORS if self._text.startswith(one, self._at)), None)
            redirection = _REDIRECTION.match(self._text, self._at)
            if redirection:
                self._redirect(redirection)
            elif operator:
                self._at += len(operator)
                if operator == "\n":
                    self._skip_documents()
                yield Token(Kind.OPERATOR, line, operator=operator)
            else:
                before = self._at
                fragments = self._word()
                self._at += self._at == before
                spaced = self._text[self._at : self._at + 1].isspace()
                yield Token(Kind.WORD, line, fragments=fragments, is_spaced=spaced)

    def _count(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def value(self) -> tuple[Fragment, ...]:
        """The whole text as one word, as the default of a parameter is read."""
        found: list[Fragment] = []
        while self._at < len(self._text):
            self._piece(found, _PLAIN_VALUE)
        return tuple(found)

    def _blanks(self) -> None:
        while self._at < len(self._text):
            if self._text.startswith("\\\n", self._at):
                self._at += 2
            elif self._text[self._at] == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif self._text[self._at] in " \t\r":
                self._at += 1
            else:
                return

    def _redirect(self, match: re.Match[str]) -> None:
        """Skip a redirection with its target; remember the end of a here-document."""
        self._at = match.end()
        self._blanks()
        target = "".join(fragment.text for fragment in self._word())
        if match[0].endswith(("<<", "<<-")):
            self._documents.append(target)

    def _skip_documents(self) -> None:
        for end in self._documents:
            while self._at < len(self._text):
                stop = self._text.find("\n", self._at)
                stop = len(self._text) if stop < 0 else stop
                line = self._text[self._at : stop]
                self._at = min(stop + 1, len(self._text))
                if line.strip("\t") == end:
                    break
        self._documents = []

    def _word(self) -> tuple[Fragment, ...]:
        found: list[Fragment] = []
        while self._at < len(self._text) and not _ENDING.match(self._text, self._at):
            self._piece(found, _PLAIN)
        return tuple(found)

    def _piece(self, found: list[Fragment], plain: re.Pattern[str]) -> None:
        char = self._text[self._at]
        if match := plain.match(self._text, self._at):
            self._at = match.end()
            _literal(found, match[0], quoted=False)
        elif char == "\\":
            self._escape(found)
        elif char == "'":
            self._single(found)
        elif char == '"':
            self._double(found)
        else:
            self._dollar(found, quoted=False)

    def _escape(self, found: list[Fragment]) -> None:
        following = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if following != "\n":
            _literal(found, following or "\\", quoted=True)

    def _single(self, found: list[Fragment]) -> None:
        end = self._text.find("'", self._at + 1)
        end = len(self._text) if end < 0 else end
        _literal(found, self._text[self._at + 1 : end], quoted=True)
        self._at = end + 1

    def _double(self, found: list[Fragment]) -> None:
        self._at += 1
        _literal(found, "", quoted=True)
        while self._at < len(self._text) and (char := self._text[self._at]) != '"':
            following = self._text[self._at + 1 : self._at + 2]
            if match := _PLAIN_QUOTED.match(self._text, self._at):
                self._at = match.end()
                _literal(found, match[0], quoted=True)
            elif char == "\\" and following and following in '$`"\\\n':
                self._at += 2
                _literal(found, "" if following == "\n" else following, quoted=True)
            elif char == "\\":
                self._at += 1
                _literal(found, char, quoted=True)
            else:
                self._dollar(found, quoted=True)
        self._at += 1

    def _dollar(self, found: list[Fragment], *, quoted: bool) -> None:
        text, start = self._text, self._at
        if text[start] == "`":
            end = text.find("`", start + 1)
            self._opaque(found, len(text) if end < 0 else end + 1, quoted)
        elif text.startswith("$(", start):
            self._opaque(found, _balanced(text, start + 1, "(", ")"), quoted)
        elif text.startswith("${", start):
            self._braced(found, _balanced(text, start + 1, "{", "}"), quoted)
        elif text.startswith("$'", start) and not quoted:
            self._ansi(found)
        elif match := _SPECIAL.match(text, start + 1):
            self._at = match.end()
            name = match[0]
            kind = Kind.OPAQUE if name in "?#!$-" else Kind.PARAMETER
            found.append(Fragment(kind, text[start : self._at], quoted, name, is_all=name in "@*"))
        else:
            self._at += 1
            _literal(found, "$", quoted=quoted)

    def _opaque(self, found: list[Fragment], end: int, quoted: bool) -> None:
        found.append(Fragment(Kind.OPAQUE, self._text[self._at : end], quoted))
        self._at = end

    def _braced(self, found: list[Fragment], end: int, quoted: bool) -> None:
        written = self._text[self._at : end]
        inside = written[2:-1] if written.endswith("}") else written[2:]
        match = _PARAMETER.match(inside)
        rest = inside[match.end() :] if match else ""
        index = (match["index"] or "") if match else ""
        if match is None or (rest and not match["operator"]) or index not in ("", "[@]", "[*]", "[0]"):
            self._opaque(found, end, quoted)
            return
        is_deep = self._depth >= DEPTH_LIMIT
        default = () if is_deep else _Lexer(rest, self._depth + 1).value()
        is_all = index in ("[@]", "[*]") or match["name"] in "@*"
        operator = match["operator"] or ""
        found.append(Fragment(Kind.PARAMETER, written, quoted, match["name"], operator, default, is_all))
        self._at = end

    def _ansi(self, found: list[Fragment]) -> None:
        """``$'...'`` of bash with its common escapes."""
        at, out = self._at + 2, ""
        while at < len(self._text) and self._text[at] != "'":
            if self._text[at] == "\\" and at + 1 < len(self._text):
                out += _ESCAPES.get(self._text[at + 1], self._text[at : at + 2])
                at += 2
            else:
                out += self._text[at]
                at += 1
        _literal(found, out, quoted=True)
        self._at = at + 1


def _literal(found: list[Fragment], text: str, *, quoted: bool) -> None:
    """Add literal text, to the fragment before it where that is of the same sort."""
    last = found[-1] if found else None
    if last is not None and last.kind is Kind.TEXT and last.quoted is quoted:
        found[-1] = Fragment(Kind.TEXT, last.text + text, quoted)
    else:
        found.append(Fragment(Kind.TEXT, text, quoted))


def _balanced(text: str, start: int, opening: str, closing: str) -> int:
    """The index after the bracket that closes the one at ``start``, quotes left aside."""
    depth, at, quote = 0, start, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)
