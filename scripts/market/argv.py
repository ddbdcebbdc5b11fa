"""The server's real argument vector, from a rendered container.

Kubernetes expands ``$(NAME)`` in command and arguments; a container may then start a shell whose script builds
the command line. Both are followed here without running anything, and every argument keeps the place that it
comes from. What only running could tell, such as a variable of the image, is named as unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from market import shell
from market.environment import Environment, environment, expand

Path = tuple[str | int, ...]
SHELLS = frozenset(("sh", "bash", "ash", "dash", "zsh", "busybox"))
WRAPPERS = frozenset((
    "exec", "env", "nohup", "nice", "ionice", "time", "timeout", "tini", "dumb-init", "numactl", "taskset", "stdbuf",
    "setsid", "catatonit", "chrt", "command",
))  # fmt: skip
"""Programs that start the program named after their own options."""
MODULES = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "vllm.entrypoints.cli.main": "vllm",
    "sglang.launch_server": "sglang",
}
"""Servers that Python runs as a module."""
PROGRAMS = {
    "llama-server": "llama-server",
    "llama_server": "llama-server",
    "vllm": "vllm",
    "tabbyapi": "tabbyapi",
    "tabby-api": "tabbyapi",
}
NESTING_LIMIT = 4


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text stands: a path inside the container and, in a script, the line counted from 0."""

    path: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. ``unknown`` names what in it could not be told; its text then keeps the reference."""

    text: str
    origin: Origin
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a container starts.

    ``server`` is the kind of program (``llama-server``, ``vllm``, ``tabbyapi``, ``sglang``), or empty when it is
    the image's own entry point or a script of the image. ``arguments`` come after the program and its
    subcommand. ``is_found`` is false when a script starts no program that is known.
    """

    server: str
    program: str
    arguments: tuple[Argument, ...]
    environment: Environment = field(default_factory=dict)
    is_found: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments' texts."""
        return tuple(argument.text for argument in self.arguments)

    @property
    def unresolved(self) -> tuple[tuple[str, Origin], ...]:
        """Names that could not be resolved, each with the place where it is used."""
        return tuple((name, argument.origin) for argument in self.arguments for name in argument.unknown)


def command_line(container: Mapping[str, Any], resources: Iterable[Mapping[str, Any]] = ()) -> CommandLine:
    """The command line of a container; ``resources`` are ConfigMaps and Secrets of the same rendering."""
    variables = environment(container, resources)
    vector = [
        _expanded(word, Origin((key, index)), variables)
        for key in ("command", "args")
        for index, word in enumerate(_list(container.get(key)))
        if isinstance(word, str)
    ]
    has_command = any(isinstance(word, str) for word in _list(container.get("command")))
    found = _server(vector, variables, 0)
    if found is not None:
        return found
    program = vector[0].text if vector and has_command else ""
    return _guess(program, vector[1:] if has_command else vector, variables)


def _expanded(word: str, origin: Origin, variables: Environment) -> Argument:
    text, unknown = expand(word, variables)
    return Argument(text, origin, unknown)


def _server(vector: Sequence[Argument], variables: Environment, depth: int) -> CommandLine | None:
    """The server that a vector starts, through wrappers and shells; ``None`` when it names none."""
    vector, variables = _unwrapped(vector, variables)
    if not vector:
        return None
    program = vector[0].text
    name = program.rpartition("/")[2]
    if name in SHELLS and depth < NESTING_LIMIT:
        return _script(vector, variables, depth)
    if name.startswith("python") or name == "uv":
        return _module(vector, variables)
    kind = PROGRAMS.get(name)
    if kind is None and name == "server" and "/" in program:
        kind = "llama-server"
    if kind is None:
        return None
    rest = vector[1:]
    if kind == "vllm":
        if not rest or rest[0].text != "serve":
            return None
        rest = rest[1:]
    return CommandLine(kind, program, tuple(rest), variables)


def _unwrapped(vector: Sequence[Argument], variables: Environment) -> tuple[Sequence[Argument], Environment]:
    """Drop wrappers with their options, and take over the variables that ``env`` sets."""
    while vector and vector[0].text.rpartition("/")[2] in WRAPPERS:
        wrapper, at = vector[0].text.rpartition("/")[2], 1
        while at < len(vector):
            name, equals, value = vector[at].text.partition("=")
            if wrapper == "env" and equals and name.isidentifier():
                variables = {**variables, name: None if vector[at].unknown else value}
            elif not vector[at].text.startswith("-") and not _is_amount(vector[at].text):
                break
            at += 1
        vector = vector[at:]
    return vector, variables


def _is_amount(text: str) -> bool:
    """Whether a word is a number with a unit, as ``nice -n 5`` and ``timeout 30s`` take one."""
    return text[:1].isdigit() and text.rstrip("smhd").replace(".", "").isdigit()


def _module(vector: Sequence[Argument], variables: Environment) -> CommandLine | None:
    for at, argument in enumerate(vector[1:], 1):
        name = argument.text.rpartition("/")[2]
        is_module = vector[at - 1].text == "-m"
        kind = MODULES.get(argument.text) if is_module else PROGRAMS.get(name)
        if kind is None and name == "main.py" and "tabby" in argument.text.lower():
            kind = "tabbyapi"
        if kind is not None:
            rest = vector[at + 1 :]
            if rest and rest[0].text == "serve":
                rest = rest[1:]
            return CommandLine(kind, argument.text, tuple(rest), variables)
    return None


def _script(vector: Sequence[Argument], variables: Environment, depth: int) -> CommandLine | None:
    """The last known server among the commands of a shell's script."""
    at = next((index for index, one in enumerate(vector[1:], 1) if _takes_script(one.text)), None)
    if at is None or at + 1 >= len(vector):
        return None
    script, rest = vector[at + 1], vector[at + 2 :]
    origin = script.origin
    found = None
    for command in shell.commands(script.text, variables, [argument.text for argument in rest]):
        line = origin.line or 0
        words = [Argument(one.text, Origin(origin.path, line + one.line), one.unknown) for one in command.words]
        found = _server(words, {**variables, **command.environment}, depth + 1) or found
    return found or CommandLine("", vector[0].text, (), variables, is_found=False)


def _takes_script(option: str) -> bool:
    """Whether an option of a shell says that the script is the next word: -c, -lc, -ec, -euxc."""
    return option.startswith("-") and not option.startswith("--") and option.endswith("c") and option.isascii()


def _guess(program: str, rest: Sequence[Argument], variables: Environment) -> CommandLine:
    """An entry point of the image: its arguments tell the server at best."""
    if rest and rest[0].text == "serve":
        return CommandLine("vllm", program, tuple(rest[1:]), variables)
    is_found = bool(rest) and rest[0].text.startswith("-")
    return CommandLine("", program, tuple(rest), variables, is_found)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()
