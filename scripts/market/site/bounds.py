"""How much an author's expression may do: a sandbox that bounds time and memory, not names alone.

Jinja's sandbox keeps an expression from reaching anything, but lets ``9**9**9**9`` run for ever. Here the syntax
tree is checked before anything runs, and its parts are bounded while they do: numbers by their size, texts and
lists by their weight, loops by their turns, filters and methods by name. A page that needs more is a program.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from types import BuiltinMethodType
from typing import Any, Final

from jinja2 import nodes
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import LRUCache
from jinja2.visitor import NodeTransformer

from market.site.figures import FigureError

LARGEST = 2**63
"""Whole numbers beyond this are no figure of a catalog; those within it cost the same, whatever is done to them."""
HEAVIEST = 100_000
"""Characters and elements of one text or list."""
TURNS = 2_000
"""Turns of all loops of a page together."""
NESTED = 2
"""Loops within loops."""
OUTPUT = 1_000_000
"""Characters that the expressions of a page may write."""
DIGITS = 12
"""Decimals that a figure can be written with."""

_NODES = frozenset({
    "Template", "TemplateData", "Output", "Name", "Const", "Getattr", "Getitem", "Slice", "Call", "Keyword", "Filter",
    "Test", "Tuple", "List", "Dict", "Pair", "Assign", "AssignBlock", "For", "If", "CondExpr", "Concat", "Compare",
    "Operand", "Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow", "Neg", "Pos", "Not", "And", "Or",
})  # fmt: skip
_FILTERS = frozenset({"abs", "capitalize", "default", "first", "float", "int", "join", "last", "length", "list",
                      "lower", "map", "max", "min", "sort", "sum", "upper"})  # fmt: skip
_TESTS = frozenset({"defined", "undefined", "none", "number", "string", "true", "false", "in"})
_METHODS = frozenset({"count", "endswith", "get", "index", "items", "keys", "lower", "partition", "removeprefix",
                      "removesuffix", "rpartition", "rsplit", "split", "startswith", "strip", "upper",
                      "values"})  # fmt: skip
_WORDS = {"Macro": "a macro", "CallBlock": "a call block", "FilterBlock": "a filter block", "Include": "include",
          "Import": "import", "FromImport": "import", "Extends": "extends", "Block": "a block"}  # fmt: skip


_CODE: Final = LRUCache(4096)


class Refusal(FigureError):  # noqa: N818 - told to the author as a list of faults
    """A template that holds what no page needs; ``faults`` are lines with what is wrong there."""

    def __init__(self, faults: Iterable[tuple[int, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(text for _, text in self.faults))


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox for one page or expression; it counts turns and output, so it serves no second one."""

    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=self._written, **options)
        self.filters = {name: FILTERS[name] for name in _FILTERS} | {
            "join": _joined, _CONCATENATED: _concatenated, _WEIGHED: weighed, _COUNTED: self._counted,
        }  # fmt: skip
        self.tests = {name: test for name, test in self.tests.items() if name in _TESTS}
        self._turns, self._output = 0, 0

    def compile(self, source: Any, *arguments: Any, **options: Any) -> Any:
        """Compile once a process: claims and pages are filled in for the rules first and for the site later.

        The source is a text, or the tree of an expression. Code holds nothing of the environment that made it; it
        meets the one that runs it.
        """
        if arguments or options:
            return super().compile(source, *arguments, **options)
        code = _CODE.get(key := repr(source))
        if code is None:
            code = _CODE[key] = super().compile(source)
        return code

    def _generate(self, source: nodes.Template, *arguments: Any, **options: Any) -> str:
        """Check and rewrite every template before code is made of it; Jinja's own hook for that.

        Raises:
            Refusal: it holds what is not allowed.
        """
        if found := tuple(faults(source)):
            raise Refusal(found)
        return super()._generate(_Bounds().visit(source), *arguments, **options)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute with numbers of a bounded size; texts are only joined."""
        if operator == "**":
            _check_power(left, right)
        elif operator != "+" and any(isinstance(side, str | bytes | list | tuple | Mapping) for side in (left, right)):
            raise FigureError(f"{operator} takes numbers, not texts or lists")
        result = super().call_binop(context, operator, _bounded(left), _bounded(right))
        return weighed(_bounded(result))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as in Jinja
        """Call a function of the page, or one of the methods of texts and mappings that only look."""
        name = getattr(__obj, "__name__", "")
        method = isinstance(__obj, BuiltinMethodType) or name in ("format", "format_map")
        if method and name not in _METHODS:
            raise FigureError(f"the method {name} cannot be used here; there are {', '.join(sorted(_METHODS))}")
        return super().call(__context, __obj, *args, **kwargs)

    def _counted(self, values: Any) -> Iterator[Any]:
        for value in values:
            self._turns += 1
            if self._turns > TURNS:
                raise FigureError(f"the loops of this page take more than {TURNS} turns")
            yield value

    def _written(self, value: Any) -> Any:
        if isinstance(value, list | tuple | set | dict):
            raise FigureError("a list cannot be written as it is; write its parts, or listing(…)")
        if isinstance(value, str):
            self._output += len(value)
        if self._output > OUTPUT:
            raise FigureError(f"the expressions of this page write more than {OUTPUT} characters")
        return value


_CONCATENATED, _WEIGHED, _COUNTED = "bound concatenated", "bound weighed", "bound counted"


class _Bounds(NodeTransformer):
    """Puts the bounds into a syntax tree, as filters whose names no author can write."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja's naming
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno, environment=node.environment)
        return self._through(parts, _CONCATENATED)

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return self._through(node, _WEIGHED)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return self._through(node, _WEIGHED)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return self._through(node, _WEIGHED) if node.ctx == "load" else node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.iter = self._through(node.iter, _COUNTED)
        return node

    @staticmethod
    def _through(node: nodes.Node, name: str) -> nodes.Filter:
        return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno, environment=node.environment)


def faults(tree: nodes.Node, loops: int = 0) -> Iterator[tuple[int, str]]:
    """What a syntax tree holds that no page needs: the line of each, and what it is."""
    name = type(tree).__name__
    if name not in _NODES:
        yield tree.lineno, f"{_WORDS.get(name, name)} cannot be used in a page"
        return
    if isinstance(tree, nodes.For):
        loops += 1
        if tree.recursive or loops > NESTED:
            yield tree.lineno, f"loops cannot be recursive, nor more than {NESTED} deep"
            return
    if isinstance(tree, nodes.Filter) and tree.name not in _FILTERS:
        yield tree.lineno, f"there is no filter {tree.name}; there are {', '.join(sorted(_FILTERS))}"
    if isinstance(tree, nodes.Test) and tree.name not in _TESTS:
        yield tree.lineno, f"there is no test {tree.name}; there are {', '.join(sorted(_TESTS))}"
    if isinstance(tree, nodes.Const) and isinstance(tree.value, int) and abs(tree.value) > LARGEST:
        yield tree.lineno, "a number of more than 18 digits is no figure of a catalog"
    for child in tree.iter_child_nodes():
        yield from faults(child, loops)


def weighed(value: Any) -> Any:
    """The same value, unless it is too heavy.

    Raises:
        FigureError: it holds more than ``HEAVIEST`` characters and elements, counted as it would be written.
    """
    left = HEAVIEST
    waiting = [value]
    while waiting:
        one = waiting.pop()
        left -= len(one) if isinstance(one, str) else 1
        if left < 0:
            raise FigureError(f"a text or list of more than {HEAVIEST} characters")
        if isinstance(one, list | tuple | set):
            waiting += one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
    return value


def digits(count: Any) -> int:
    """How many decimals to write.

    Raises:
        FigureError: it is no whole number from 0 to ``DIGITS``.
    """
    if isinstance(count, int) and 0 <= count <= DIGITS:
        return count
    raise FigureError(f"a figure has 0 to {DIGITS} decimals, not {weighed(count)!r}")


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > LARGEST:
        raise FigureError("a number of more than 18 digits is no figure of a catalog")
    return value


def _check_power(base: Any, exponent: Any) -> None:
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent > 0
    if whole and exponent * math.log2(max(abs(base), 2)) > math.log2(LARGEST):
        raise FigureError(f"{base} ** {exponent} is too large for a figure of a catalog")


def _concatenated(parts: list[Any]) -> str:
    return _joined(parts)


def _joined(parts: Iterable[Any], between: str = "") -> str:
    """Texts and numbers as one text of a bounded length."""
    texts = [_said(part) for part in parts]
    weighed([*texts, *[between] * len(texts)])
    return between.join(texts)


def _said(part: Any) -> str:
    if isinstance(part, list | tuple | set | dict):
        raise FigureError("a list cannot be part of a text; write its parts, or listing(…)")
    return str(part)
