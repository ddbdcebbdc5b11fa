"""Is what was measured what ships? A report's configuration against the chart's values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from market.catalog import App, Shelved
from market.report import Report

# Short forms of llama.cpp options; both forms stand in published command lines.
ALIASES: Final = {
    "-m": "--model", "-c": "--ctx-size", "-ngl": "--n-gpu-layers", "--gpu-layers": "--n-gpu-layers",
    "-fa": "--flash-attn", "-b": "--batch-size", "-ub": "--ubatch-size", "-t": "--threads",
    "-np": "--parallel", "-ctk": "--cache-type-k", "-ctv": "--cache-type-v", "-md": "--spec-draft-model",
    "--model-draft": "--spec-draft-model", "-ngld": "--spec-draft-ngl", "-a": "--alias",
}  # fmt: skip

# Where the server listens and what it is called has no part in its speed.
INDIFFERENT: Final = frozenset({"--host", "--port", "--alias", "--served-model-name", "--no-webui", "--metrics"})

# Files lie in other folders on other machines; the models are compared by repository and file instead.
FILES: Final = frozenset({"--model", "--mmproj", "--spec-draft-model", "--tokenizer"})

CONTEXT_OPTIONS: Final = frozenset({"--ctx-size", "--max-model-len"})


Entry = App | Shelved
"""What has a page: an app with a chart, or one without, which is no longer or not yet offered."""


class Verdict(StrEnum):
    """What can be said about a measured configuration and the shipped one."""

    SAME = "same"
    PARTIAL = "partial"
    DIFFERS = "differs"
    UNSHIPPED = "unshipped"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was measured otherwise than it ships; ``None`` means absent."""

    kind: str
    subject: str
    measured: str | None
    shipped: str | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """The verdict with what differs.

    ``PARTIAL``: nothing differs, but not everything was published. ``UNSHIPPED``: the app is not offered.
    """

    verdict: Verdict
    differences: tuple[Difference, ...]


def pairs(arguments: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read an argument vector as options with their values, as written; a bare option has an empty value."""
    found: list[tuple[str, str]] = []
    for argument in arguments:
        head, equals, value = argument.partition("=")
        if _is_option(head):
            found.append((head, value if equals else ""))
        elif found:
            name, before = found[-1]
            found[-1] = (name, f"{before} {argument}".strip())
    return tuple(found)


def options(arguments: Sequence[str]) -> dict[str, str]:
    """Read an argument vector as options with their values, each under its long name."""
    return {ALIASES.get(name, name): value for name, value in pairs(arguments)}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a server runs, as far as known. ``is_complete`` says that the whole argument vector is known."""

    image: str | None
    context_tokens: int | None
    args: tuple[str, ...]
    models: tuple[Mapping[str, Any], ...]
    is_complete: bool


def measured(report: Report) -> Setup:
    """What a report measured."""
    found = report.configuration
    args = tuple(str(item) for item in found.get("args") or ())
    models = tuple(found.get("models") or ())
    return Setup(found.get("image"), report.context_tokens, args, models, bool(found.get("complete")))


def shipped(app: App) -> Setup:
    """What an app installs today."""
    server = app.values.get("server") or {}
    args = tuple(str(item) for item in server.get("args") or ())
    models = tuple(app.values.get("models") or ())
    return Setup(server.get("image"), app.card.get("context_tokens"), args, models, True)


@lru_cache(maxsize=4096)
def compare(app: Entry, report: Report) -> Agreement:
    """Compare what a report measured with what the app ships; once for each pair, as every page asks."""
    if isinstance(app, Shelved):
        return Agreement(Verdict.UNSHIPPED, ())
    before = measured(report)
    if differences := changes(before, shipped(app)):
        return Agreement(Verdict.DIFFERS, differences)
    return Agreement(Verdict.SAME if before.is_complete else Verdict.PARTIAL, ())


def changes(before: Setup, after: Setup) -> tuple[Difference, ...]:
    """What differs between two setups; what one of them does not tell is no difference.

    ``before`` stands in ``Difference.measured``, ``after`` in ``Difference.shipped``.
    """
    return (
        *_image(before.image, after.image),
        *_context(before.context_tokens, after.context_tokens),
        *_models(before, after),
        *_arguments(before, after),
    )


def _is_option(text: str) -> bool:
    return text.startswith("-") and len(text) > 1 and not text[1:2].isdigit()


def _image(before: str | None, now: str | None) -> Iterator[Difference]:
    if isinstance(before, str) and isinstance(now, str) and not _same_image(before, now):
        yield Difference("image", "image", before, now)


def _same_image(before: str, now: str) -> bool:
    """Compare names and tags, and digests only where both have one: a pinned tag is still the same build."""
    (one, _, digest), (other, _, other_digest) = _bare(before).partition("@"), _bare(now).partition("@")
    return one == other and (digest == other_digest or not digest or not other_digest)


def _bare(image: str) -> str:
    return image.removeprefix("docker.io/").removeprefix("library/")


def _context(before: int | None, now: int | None) -> Iterator[Difference]:
    if before and now and before != now:
        yield Difference("context", "context", str(before), str(now))


def _models(one: Setup, other: Setup) -> Iterator[Difference]:
    now = {model["role"]: model for model in other.models}
    before = {model["role"]: model for model in one.models}
    for role, model in before.items():
        if role in now and _file(model) != _file(now[role]):
            yield Difference("model", role, _file(model), _file(now[role]))
        elif role not in now and (now or other.is_complete):
            yield Difference("model", role, _file(model), None)
    # A role that is only there now counts once the files of before are known: it was not loaded then.
    for role, model in now.items():
        if before and role not in before:
            yield Difference("model", role, None, _file(model))


def _file(model: Mapping[str, Any]) -> str:
    return "/".join(str(model[key]) for key in ("repo", "file") if model.get(key))


def _arguments(one: Setup, other: Setup) -> Iterator[Difference]:
    before, now = _telling(options(one.args)), _telling(options(other.args))
    # An option that only one side has is a difference where the other side is known to the last option.
    left_out = (set() if other.is_complete else before.keys() - now.keys()) | (
        set() if one.is_complete else now.keys() - before.keys()
    )
    for name in sorted((before.keys() | now.keys()) - left_out):
        if _value(before.get(name)) != _value(now.get(name)):
            yield Difference("argument", name, before.get(name), now.get(name))


def _telling(found: Mapping[str, str]) -> dict[str, str]:
    # The window has a field of its own, so the option that sets it would only repeat the difference.
    left_out = INDIFFERENT | FILES | CONTEXT_OPTIONS
    return {name: value for name, value in found.items() if name not in left_out}


def _value(text: str | None) -> Any:
    """A value as data where it is JSON (``--speculative-config``), so that spacing does not count."""
    if text and text[:1] in "{[":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
