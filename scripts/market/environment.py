"""The environment variables of a container, as Kubernetes sets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Environment = Mapping[str, str | None]
"""Variables; ``None`` where a variable is set, but to something that the chart does not say."""


def environment(container: Mapping[str, Any], resources: Iterable[Mapping[str, Any]] = ()) -> dict[str, str | None]:
    """The variables of a container, in the order and with the expansion that Kubernetes gives them."""
    maps = {
        (str(one.get("kind")), str(_dict(one.get("metadata")).get("name"))): one
        for one in resources
        if isinstance(one, Mapping)
    }
    found: dict[str, str | None] = {}
    for source in _list(container.get("envFrom")):
        prefix = _dict(source).get("prefix")
        for key, content in _source(_dict(source), maps).items():
            found[f"{prefix if isinstance(prefix, str) else ''}{key}"] = content
    for entry in _list(container.get("env")):
        variable = _dict(entry)
        name, value = variable.get("name"), variable.get("value")
        if not isinstance(name, str):
            continue
        if isinstance(value, str):
            found[name] = expand(value, found)[0]
        else:
            found[name] = _reference(_dict(variable.get("valueFrom")), maps)
    return found


def expand(text: str, variables: Environment) -> tuple[str, tuple[str, ...]]:
    """Expand ``$(NAME)`` as Kubernetes does, and say which names stay: ``$$`` is a dollar sign.

    Source: k8s.io/kubernetes third_party/forked/golang/expansion.
    """
    out: list[str] = []
    unknown: list[str] = []
    at, last = 0, text.rfind(")")
    while at < len(text):
        if text[at] != "$" or at + 1 == len(text):
            out.append(text[at])
            at += 1
        elif text[at + 1] == "$":
            out.append("$")
            at += 2
        elif text[at + 1] == "(" and at < last:
            end = text.index(")", at)
            name = text[at + 2 : end]
            value = variables.get(name)
            out.append(f"$({name})" if value is None else value)
            unknown += [name] if value is None else []
            at = end + 1
        else:
            out.append(text[at : at + 2])
            at += 2
    return "".join(out), tuple(unknown)


def _source(source: Mapping[str, Any], maps: Mapping[tuple[str, str], Any]) -> dict[str, str | None]:
    """The variables of one entry of envFrom."""
    for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if key in source:
            found = _dict(maps.get((kind, str(_dict(source[key]).get("name")))))
            return {str(name): _content(found, str(name)) for name in _keys(found)}
    return {}


def _reference(source: Mapping[str, Any], maps: Mapping[tuple[str, str], Any]) -> str | None:
    """The value of an entry of env that refers to a key of a ConfigMap."""
    wanted = _dict(source.get("configMapKeyRef"))
    found = _dict(maps.get(("ConfigMap", str(wanted.get("name")))))
    return _content(found, str(wanted.get("key")))


def _keys(found: Mapping[str, Any]) -> Iterable[str]:
    return {**_dict(found.get("data")), **_dict(found.get("stringData"))}


def _content(found: Mapping[str, Any], key: str) -> str | None:
    """A key of a ConfigMap. What a Secret holds stays unknown: it must not reach a message."""
    value = _dict(found.get("data")).get(key) if found.get("kind") == "ConfigMap" else None
    return value if isinstance(value, str) else None


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()
