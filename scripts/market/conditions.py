"""The parts of a condition of data/incompatibilities.yaml, each a question to what an app serves.

A question whose answer is not known is answered with no: nothing is claimed on a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from market.engine import Release
from market.objects import mapping
from market.serving import Serving

COMMIT = 7
"""Characters of a commit that are enough to tell it."""

Condition = Mapping[str, Any]


def holds(condition: Condition, serving: Serving) -> bool:
    """Whether every part of a condition holds."""
    return all(_PARTS[key](wanted, serving) for key, wanted in condition.items())


def _engine(wanted: Sequence[str], serving: Serving) -> bool:
    return serving.engine.is_a(*wanted)


def _exactly(wanted: Sequence[str], serving: Serving) -> bool:
    return serving.engine.id in wanted


def _version(wanted: Mapping[str, Any], serving: Serving) -> bool:
    return all(_VERSION_PARTS[key](text, serving) for key, text in wanted.items())


def _any_version(wanted: Sequence[str], serving: Serving) -> bool:
    version = serving.release.text
    return any(one == version or _is_commit(one, version) for one in wanted)


def _is_commit(one: str, other: str) -> bool:
    """Whether two texts begin the same commit."""
    length = min(len(one), len(other))
    is_hex = all(char in "0123456789abcdef" for char in one + other)
    return length >= COMMIT and is_hex and one[:length] == other[:length]


def _order(serving: Serving, text: str) -> int | None:
    return serving.release.compare(Release(text, serving.engine.dates.get(text, "")))


def _from(text: str, serving: Serving) -> bool:
    order = _order(serving, text)
    return order is not None and order >= 0


def _before(text: str, serving: Serving) -> bool:
    order = _order(serving, text)
    return order is not None and order < 0


def _up_to(text: str, serving: Serving) -> bool:
    order = _order(serving, text)
    return order is not None and order <= 0


def _released_from(date: str, serving: Serving) -> bool:
    """By the date of the version, or of a snapshot of the option list that is not younger."""
    release = serving.release
    if release.date:
        return release.date >= date
    older = [one for one in serving.flags.timeline if (order := release.compare(one)) is not None and order >= 0]
    return any(one.date >= date for one in older if one.date)


def _released_before(date: str, serving: Serving) -> bool:
    release = serving.release
    if release.date:
        return release.date < date
    younger = [one for one in serving.flags.timeline if (order := release.compare(one)) is not None and order <= 0]
    return any(one.date < date for one in younger if one.date)


def _image(wanted: Sequence[str], serving: Serving) -> bool:
    return _like(serving.image.removeprefix("docker.io/"), wanted)


def _model(wanted: Mapping[str, Sequence[str]], serving: Serving) -> bool:
    model = mapping(serving.card.get("model"))
    return all(isinstance(model.get(key), str) and _like(model[key], patterns) for key, patterns in wanted.items())


def _files(wanted: Sequence[Mapping[str, Any]], serving: Serving) -> bool:
    return all(any(_is_file(one, model) for model in serving.models) for one in wanted)


def _is_file(wanted: Mapping[str, Any], model: Mapping[str, Any]) -> bool:
    return model.get("role") == wanted["role"] and all(
        isinstance(model.get(key), str) and _like(model[key], wanted[key]) for key in ("repo", "file") if key in wanted
    )


def _has(wanted: Sequence[str], serving: Serving) -> bool:
    return all(serving.options.has(name) for name in wanted)


def _lacks(wanted: Sequence[str], serving: Serving) -> bool:
    return not any(serving.options.has(name) for name in wanted)


def _disabled(wanted: Sequence[str], serving: Serving) -> bool:
    return all((found := serving.option(name)) is not None and found.is_off for name in wanted)


def _options(wanted: Mapping[str, Sequence[str]], serving: Serving) -> bool:
    return all(
        (value := serving.options.value(name)) is not None and _like(value, patterns)
        for name, patterns in wanted.items()
    )


def _environment(wanted: Mapping[str, Sequence[str]], serving: Serving) -> bool:
    return all(
        (value := serving.environment.get(name)) is not None and _like(value, patterns)
        for name, patterns in wanted.items()
    )


def _unset(wanted: Sequence[str], serving: Serving) -> bool:
    return not any(name in serving.environment for name in wanted)


def _speculation(wanted: Sequence[str], serving: Serving) -> bool:
    return any(_like(method, wanted) for method in serving.speculation or ())


def _kv(wanted: Sequence[str], serving: Serving) -> bool:
    return any(_like(kind, wanted) for kind in serving.kv_cache or ())


def _capabilities(wanted: Mapping[str, bool], serving: Serving) -> bool:
    stated = mapping(serving.card.get("capabilities"))
    return all(stated.get(name) is value for name, value in wanted.items())


def _thinking(wanted: bool, serving: Serving) -> bool:
    """By the options, and where these leave it open by the card."""
    found = serving.thinking
    if found is None:
        found = mapping(serving.card.get("capabilities")).get("thinking")
    return found is wanted


def _numbers(wanted: Mapping[str, Mapping[str, Any]], serving: Serving) -> bool:
    return all(_is_amount(name, tests, serving) for name, tests in wanted.items())


def _is_amount(name: str, tests: Mapping[str, Any], serving: Serving) -> bool:
    value = serving.numbers.get(name)
    for test, bound in tests.items():
        limit = serving.numbers.get(bound) if isinstance(bound, str) else bound
        if value is None or limit is None or not _COMPARISONS[test](value, limit):
            return False
    return True


def _host_paths(wanted: Mapping[str, Sequence[str]], serving: Serving) -> bool:
    return any(
        all(_like(volume.text("hostPath", key), patterns) for key, patterns in wanted.items())
        for volume in serving.pod.host_volumes
    )


def _init_containers(wanted: bool, serving: Serving) -> bool:
    return bool(serving.pod.init_containers) is wanted


def _like(text: str, patterns: Sequence[str]) -> bool:
    """Whether a text fits one of the patterns; case counts for nothing, * stands for any characters."""
    return any(fnmatchcase(text.lower(), pattern.lower()) for pattern in patterns)


_PARTS: Mapping[str, Callable[[Any, Serving], bool]] = {
    "engine": _engine, "exactly": _exactly, "version": _version, "image": _image, "model": _model,
    "files": _files, "has": _has, "lacks": _lacks, "disabled": _disabled, "options": _options,
    "environment": _environment, "unset": _unset, "speculation": _speculation, "kv": _kv,
    "capabilities": _capabilities, "thinking": _thinking, "numbers": _numbers,
    "host_paths": _host_paths, "init_containers": _init_containers,
}  # fmt: skip
_VERSION_PARTS: Mapping[str, Callable[[Any, Serving], bool]] = {
    "any_of": _any_version, "from": _from, "before": _before, "up_to": _up_to,
    "released_from": _released_from, "released_before": _released_before,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "above": lambda value, limit: value > limit,
    "below": lambda value, limit: value < limit,
    "at_least": lambda value, limit: value >= limit,
    "at_most": lambda value, limit: value <= limit,
}
