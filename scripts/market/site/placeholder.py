"""What stands in for a wrong part of an expression, so that a page is read to its end and every fault is told."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn

from jinja2 import Undefined

from market.problem import Problem
from market.rules.registry import declare, problem
from market.site.figures import FigureError

declare("site.expression", "error", "An expression that cannot be filled in",
        why="Every figure of a page comes from a bench report; a page with a wrong reference has a hole.",
        fix="Correct the name; scripts/market/site/expressions.py lists what can be written.")  # fmt: skip

_PLACEHOLDER = "?"


@dataclass
class Log:
    """Problems of one page, found while it is rendered."""

    path: str
    text: str
    problems: list[Problem] = field(default_factory=list)

    def add(self, line: int, message: str) -> None:
        """Note a wrong expression on this line of the page."""
        source = self.text.split("\n")[line - 1 : line]
        column = source[0].find("{{") + 1 if source and "{{" in source[0] else 1
        self.problems.append(problem("site.expression", self.path, line, column, message=message))


def reported_undefined(log: Log) -> type[Undefined]:
    """A class of undefined values that report their use and let the page go on to its next mistake."""

    class Reported(Undefined):
        def _report(self, *_args: object, **_kwargs: object) -> str:
            log.add(current_line(), self._undefined_message)
            return _PLACEHOLDER

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        def _fail_with_undefined_error(self, *_args: Any, **_kwargs: Any) -> NoReturn:
            raise FigureError(self._undefined_message)

        __str__ = __call__ = __getitem__ = _report  # type: ignore[assignment]

    return Reported


class Unknown:
    """What an unknown app or report gives: everything about it is unknown too, and already reported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _key: object) -> Unknown:
        return self

    def __call__(self, *_args: object, **_kwargs: object) -> Unknown:
        """Return the same again."""
        return self

    def __str__(self) -> str:
        return _PLACEHOLDER

    def _same(self, _other: object) -> Unknown:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same


def current_line() -> int:
    """The line of the page whose expression is running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return int(template.get_corresponding_lineno(frame.f_lineno))
        frame = frame.f_back
    return 1
