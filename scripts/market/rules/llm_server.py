"""Family ``llm``: where the server listens and what it answers to, against Service, probes and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.catalog import Catalog
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, Subject, View, at_document, at_part, each_view, named
from market.rules.llm_views import at_option, each_serving, shown
from market.rules.registry import declare, package_check
from market.serving import Serving, command_lines, engine_of
from market.workloads import Container, service

LLAMA_PATHS = frozenset(("/health", "/v1/health", "/v1/models", "/models", "/props", "/metrics", "/slots", "/"))
VLLM_PATHS = frozenset(("/health", "/ping", "/version", "/v1/models", "/metrics", "/load"))
EVERYWHERE = frozenset(("0.0.0.0", "::", "[::]", "*"))  # noqa: S104 - the address that a container needs
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
    """One port for server, container, Service and values."""
    option = found.option("--port")
    if option is not None and option.is_unsure:
        return
    number = found.options.number("--port")
    listens = int(number) if number is not None else 8000 if found.is_vllm else 8080
    said = shown(option) if option else f"the default {listens}"
    declared = [each.get("containerPort") for each in found.container.ports]
    if declared and listens not in declared:
        message = f"the server listens on {said}, the container declares {_list(declared)}"
        yield _at(found, "llm.port", message)
        return
    stated = found.app.values_document.get("server", "port")
    if isinstance(stated, int) and stated != listens:
        message = f"`server.port` is {stated}, the server listens on {said}"
        yield at_document("llm.port", found.app.values_document, "server", "port", message=message)
        return
    yield from _services(found, view, listens)


def _services(found: Serving, view: View, listens: int) -> Iterator[Finding]:
    """A Service that selects the server's pod leads to the server's port, by number."""
    for each in view.of("Service"):
        entry = service(each)
        if entry is None or not entry.selector or not _selects(entry.selector, found):
            continue
        targets = [target for one in entry.ports if (target := _target(one.data, found.container)) is not None]
        if targets and listens not in targets:
            message = f"{each.title} leads to {_list(targets)}, the server listens on {listens}"
            yield at_part("llm.port", entry, "spec", "ports", message=message)


def _selects(selector: Any, found: Serving) -> bool:
    return all(found.pod.labels.get(key) == value for key, value in selector.items())


def _target(entry: Any, container: Container) -> int | None:
    """The port number in the pod that an entry of a Service leads to."""
    target = entry.get("targetPort", entry.get("port"))
    if isinstance(target, str) and not target.isdigit():
        numbers = [each.get("containerPort") for each in container.ports if each.name == target]
        target = numbers[0] if numbers else None
    return int(target) if isinstance(target, (int, str)) and not isinstance(target, bool) else None


def host(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The address to listen on."""
    option = found.option("--host")
    if option is None and not found.is_vllm and found.line.server == "llama-server":
        yield _at(found, "llm.host", "no `--host`: the server listens on 127.0.0.1")
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


def _at(found: Serving, rule: str, message: str) -> Finding:
    option = found.option("--port") if rule == "llm.port" else None
    if option is not None:
        return at_option(rule, found, option, message=message)
    return at_part(rule, found.container, "args", message=message)


def _list(values: Any) -> str:
    return ", ".join(str(value) for value in values)
