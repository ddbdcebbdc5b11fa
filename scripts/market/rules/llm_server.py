"""Family ``llm``: where the server listens and what it answers to, against Service, probes and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.catalog import Catalog
from market.objects import Part
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view, named
from market.rules.llm_views import at_option, each_serving, shown
from market.rules.registry import declare, package_check
from market.serving import Serving, command_lines, engine_of
from market.workloads import Container, service

Target = tuple[Part, tuple[str, ...], int]
"""A piece of an object that leads to a port: where in it, and to which one."""
LLAMA_PATHS = frozenset(("/health", "/v1/health", "/v1/models", "/models", "/props", "/metrics", "/slots", "/"))
VLLM_PATHS = frozenset(("/health", "/ping", "/version", "/v1/models", "/metrics", "/load"))
LOCAL = frozenset(("127.0.0.1", "localhost", "::1"))

declare("llm.no-server", "warning", "No model server in the chart's containers",
        why="No rule can look at the options of a server that it does not find.",
        fix="Start the engine's own program, by `command` and `args` or in a shell script that names it.",
        source="design of this catalog")  # fmt: skip
declare("llm.port", "error", "The server listens on another port than the chart says",
        why="Service and probes lead nowhere, and the app never becomes ready.",
        fix="Give the server, the container port and `server.port` one number.",
        source="llama.cpp tools/server/README.md (default 8080); vLLM serve (default 8000)")  # fmt: skip
declare("llm.host", "error", "The server listens to its own container only",
        why="llama-server listens on 127.0.0.1 by default: neither probes nor other apps reach it.",
        fix="Set `--host 0.0.0.0`.",
        source="llama.cpp tools/server/README.md")  # fmt: skip
declare("llm.probe-path", "warning", "A probe of a path that the server does not have",
        why="The server answers 404, and the app never becomes ready or is restarted again and again.",
        fix="Probe /health, which answers 503 while the model loads and 200 after.",
        source="llama.cpp tools/server/README.md; vLLM entrypoints/openai/api_server.py")  # fmt: skip
declare("llm.alias", "error", "The model's name stands differently in two places",
        why="Pages and other apps use `server.alias`; the server answers to another name.",
        fix="Write the same name under `server.alias` and after `--alias` or `--served-model-name`.",
        source="design of this catalog: one home for every fact")  # fmt: skip


@package_check
def listening(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Whoever calls the server reaches it."""
    yield from each_view(catalog, package, is_found)
    yield from each_serving(catalog, package, port, host, probes, alias)


def is_found(subject: Subject, view: View) -> Iterator[Finding]:
    """The engine's server is among the containers."""
    engine = engine_of(subject.catalog, subject.app)
    if view.is_bare or engine is None or not engine.is_a("llama-cpp", "vllm") or not view.pods:
        return
    lines = command_lines(view.pods, view.objects)
    kinds = {line.server for _, _, line in lines if line.is_found}
    if not kinds & {"", "vllm" if engine.is_a("vllm") else "llama-server"}:
        container = lines[0][1] if lines else None
        message = f"no container starts the server of {engine.id}"
        if container is None:
            yield at_document("llm.no-server", subject.app.card_document, "engine", "id", message=message)
        else:
            yield at_part("llm.no-server", container, "command", message=message)


def port(found: Serving, view: View) -> Iterator[Finding]:
    """One port for server, Service, probes and values; a declared container port by itself opens nothing."""
    option = found.option("--port")
    if option is not None and option.is_unsure:
        return
    number = found.options.number("--port")
    listens = int(number) if number is not None else 8000 if found.is_vllm else 8080
    said = f"the server listens on {listens}" + ("" if option else ", its default")
    stated = found.app.values_document.get("server", "port")
    if isinstance(stated, int) and stated != listens:
        # Service and probes follow `server.port`: one finding says it all.
        message = f"{said}, `server.port` is {stated}"
        if option is not None:
            yield at_option("llm.port", found, option, message=message)
        else:
            yield at_document("llm.port", found.app.values_document, "server", "port", message=message)
        return
    for part, path, target in (*_services(found, view), *_probes(found)):
        if target != listens:
            message = f"{part.object.title} leads to port {target}, {said}"
            yield at_part("llm.port", part, *path, message=message)


def _services(found: Serving, view: View) -> Iterator[Target]:
    """Where the Services that select the server's pod lead to."""
    for each in view.of("Service"):
        entry = service(each)
        if entry is None or not entry.selector or not _selects(entry.selector, found):
            continue
        for one in entry.ports:
            key = "targetPort" if "targetPort" in one.data else "port"
            target = _number(one.get(key), found.container)
            if target is not None:
                yield one, (key,), target


def _probes(found: Serving) -> Iterator[Target]:
    """Which ports the probes ask."""
    for probe in found.container.probes:
        for kind in ("httpGet", "tcpSocket", "grpc"):
            target = _number(probe.get(kind, "port"), found.container)
            if target is not None:
                yield probe, (kind, "port"), target


def _selects(selector: Any, found: Serving) -> bool:
    return all(found.pod.labels.get(key) == value for key, value in selector.items())


def _number(target: Any, container: Container) -> int | None:
    """The number of a port, which may be given by its name in the container."""
    if isinstance(target, str) and not _is_number(target):
        target = next((each.get("containerPort") for each in container.ports if each.name == target), None)
    return int(target) if _is_number(target) else None


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.isdigit() and len(value) < 6
    return isinstance(value, int) and not isinstance(value, bool)


def host(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The address to listen on."""
    option = found.option("--host")
    if option is None and not found.is_vllm and found.line.server == "llama-server":
        message = "no `--host`: the server listens on 127.0.0.1"
        yield at_part("llm.host", found.container, "args", message=message)
    elif option is not None and option.value in LOCAL and not option.is_unsure:
        yield at_option("llm.host", found, option, message=f"{shown(option)} is the container's own address")


def probes(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Paths that the server answers."""
    prefix = found.options.value("--api-prefix", "--root-path") or ""
    known = VLLM_PATHS if found.is_vllm else LLAMA_PATHS
    for probe in found.container.probes:
        path = probe.text("httpGet", "path")
        if path and path.removeprefix(prefix).partition("?")[0] not in known:
            message = f"{named(found.container)}: {probe.path[-1]} asks for {path}"
            fix = f"Known paths: {', '.join(sorted(known))}."
            yield at_part("llm.probe-path", probe, "httpGet", "path", message=message, fix=fix)


def alias(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The model's name."""
    stated = found.app.values_document.get("server", "alias")
    option = found.option("--alias", "--served-model-name")
    if not isinstance(stated, str) or (option is not None and option.is_unsure):
        return
    served = [] if option is None else [name for value in option.values for name in value.split(",")]
    if stated not in served:
        message = f"`server.alias` is {stated}, the server is given {shown(option)}"
        yield at_document("llm.alias", found.app.values_document, "server", "alias", message=message)
