"""The server's argument vector, from containers as charts render them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market import argv, environment
from market.argv import CommandLine, Origin

MAP = {"kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"CTX_SIZE": "262144", "MODEL": "m.gguf"}}
SECRET = {"kind": "Secret", "metadata": {"name": "keys"}, "stringData": {"TOKEN": "hush"}}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
KEYS = st.sampled_from(["command", "args", "env", "envFrom", "name", "value", "valueFrom", "configMapKeyRef",
                        "configMapRef", "secretRef", "prefix", "data", "kind", "metadata"])  # fmt: skip
SHAPED = st.recursive(
    JSON | st.sampled_from(["sh", "-c", "$(A)", "$$", "exec llama-server $A", "ConfigMap", "config"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def line(command: Any = None, args: Any = None, **more: Any) -> CommandLine:
    container = {"command": command, "args": args, **more}
    return argv.command_line({key: value for key, value in container.items() if value is not None}, [MAP, SECRET])


@given(st.dictionaries(KEYS, SHAPED, max_size=6), st.lists(SHAPED, max_size=3))
def test_no_container_makes_it_fail(container: dict[str, Any], resources: list[Any]) -> None:
    found = argv.command_line(container, resources)
    assert all(isinstance(word, str) for word in found.words)


@given(st.text(max_size=60), st.dictionaries(st.text(max_size=4), st.none() | st.text(max_size=4), max_size=3))
def test_expansion_never_fails_and_leaves_other_text_alone(text: str, variables: dict[str, str | None]) -> None:
    found, unknown = environment.expand(text, variables)
    if "$" not in text:
        assert (found, unknown) == (text, ())


@pytest.mark.parametrize(("text", "expected", "unknown"), [
    ("$(A)", "1", ()),
    ("x$(A)$(A)y", "x11y", ()),
    ("$$(A)", "$(A)", ()),
    ("$$$(A)", "$1", ()),
    ("$(N)", "$(N)", ("N",)),
    ("$(B)", "$(B)", ("B",)),
    ("$A ${A} $", "$A ${A} $", ()),
    ("$(A", "$(A", ()),
    ("100$", "100$", ()),
])  # fmt: skip
def test_expansion_is_that_of_kubernetes(text: str, expected: str, unknown: tuple[str, ...]) -> None:
    assert environment.expand(text, {"A": "1", "B": None}) == (expected, unknown)


def test_an_exec_form_command() -> None:
    found = line(["/app/llama-server"], ["--model", "/models/$(MODEL)", "--ctx-size", "$(CTX_SIZE)"],
                 envFrom=[{"configMapRef": {"name": "config"}}])  # fmt: skip
    assert (found.server, found.program) == ("llama-server", "/app/llama-server")
    assert found.words == ("--model", "/models/m.gguf", "--ctx-size", "262144")
    assert [argument.origin for argument in found.arguments] == [Origin(("args", index)) for index in range(4)]
    assert found.unresolved == ()


def test_variables_in_their_order() -> None:
    entries = [
        {"name": "DIR", "value": "/models"},
        {"name": "FILE", "value": "$(DIR)/$(MODEL)"},
        {"name": "EARLY", "value": "$(LATE)"},
        {"name": "LATE", "value": "x"},
        {"name": "SIZE", "valueFrom": {"configMapKeyRef": {"name": "config", "key": "CTX_SIZE"}}},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "TOKEN"}}},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    sources = [{"configMapRef": {"name": "config"}}, {"prefix": "K_", "secretRef": {"name": "keys"}}]
    found = environment.environment({"env": entries, "envFrom": sources}, [MAP, SECRET])
    assert found == {
        "CTX_SIZE": "262144", "MODEL": "m.gguf", "K_TOKEN": None, "DIR": "/models", "FILE": "/models/m.gguf",
        "EARLY": "$(LATE)", "LATE": "x", "SIZE": "262144", "TOKEN": None, "NODE": None,
    }  # fmt: skip


def test_what_a_secret_holds_reaches_no_argument() -> None:
    found = line(["vllm", "serve"], ["m", "--api-key", "$(TOKEN)"],
                 env=[{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "TOKEN"}}}])  # fmt: skip
    assert "hush" not in repr(found)
    assert found.unresolved == (("TOKEN", Origin(("args", 2))),)


SCRIPT = """
set -e
# Wait for the download.
while [ ! -f "$MODELS_DIR/$TARGET_FILE.ok" ]; do sleep 2; done
export LLAMA_ARG_SPEC_DM_ADAPTIVE=true
exec llama-server \\
  --model "$MODELS_DIR/$TARGET_FILE" \\
  --spec-type dflash \\
  --ctx-size "${CTX_SIZE:-96000}" --threads "${THREADS:-16}" \\
  --parallel 1 --kv-unified
"""


@pytest.mark.parametrize("command", [["/bin/sh", "-c"], ["bash", "-lc"], ["/bin/bash", "-euo", "pipefail", "-c"]])
def test_a_start_script(command: list[str]) -> None:
    variables = [{"name": "MODELS_DIR", "value": "/m"}, {"name": "TARGET_FILE", "value": "t.gguf"},
                 {"name": "CTX_SIZE", "value": "262144"}]  # fmt: skip
    found = line(command, [SCRIPT], env=variables)
    assert found.server == "llama-server"
    assert " ".join(found.words) == (
        "--model /m/t.gguf --spec-type dflash --ctx-size 262144 --threads 16 --parallel 1 --kv-unified"
    )
    assert found.environment["LLAMA_ARG_SPEC_DM_ADAPTIVE"] == "true"
    assert found.arguments[2].origin == Origin(("args", 0), 7)


@pytest.mark.parametrize(("command", "args", "server", "words"), [
    (["vllm", "serve"], ["m", "--port", "8000"], "vllm", "m --port 8000"),
    (None, ["serve", "m"], "vllm", "m"),
    (["/entrypoint.sh"], ["serve", "m"], "vllm", "m"),
    (["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"], None, "vllm", "--model m"),
    (["python3", "/usr/local/bin/vllm", "serve", "m"], None, "vllm", "m"),
    (["/app/llama-server", "--port", "1"], None, "llama-server", "--port 1"),
    (["/app/server"], ["--port", "1"], "llama-server", "--port 1"),
    (["tini", "--", "/app/llama-server"], ["--port", "1"], "llama-server", "--port 1"),
    (["env", "A=1", "nice", "-n", "5", "llama-server"], ["-c", "1"], "llama-server", "-c 1"),
    (["python3", "/app/tabbyapi/main.py"], ["--port", "1"], "tabbyapi", "--port 1"),
    (["sh", "-c", 'exec "$@"', "--", "llama-server", "-c", "1 2"], None, "llama-server", "-c 1 2"),
    (["sh", "-c", "bash -c 'exec llama-server -c 1'"], None, "llama-server", "-c 1"),
    (["sh", "-c"], ["vllm serve m && true"], "vllm", "m"),
    (["sh", "-c", "sh -c \"sh -c 'sh -c llama-server'\""], None, "llama-server", ""),
    (None, ["--port", "1"], "", "--port 1"),
    (["/start"], ["--port", "1"], "", "--port 1"),
])  # fmt: skip
def test_servers(command: list[str] | None, args: list[str] | None, server: str, words: str) -> None:
    found = line(command, args)
    assert (found.server, " ".join(found.words), found.is_found) == (server, words, True)


@pytest.mark.parametrize(("command", "args"), [
    (["sh", "-c", "exec python3 -m http.server"], None),
    (["sh", "-c"], None),
    (["sh"], ["start.sh"]),
    (["nginx"], None),
    (None, None),
    ([], []),
    ("llama-server", "--port"),
])  # fmt: skip
def test_no_server(command: Any, args: Any) -> None:
    found = line(command, args)
    assert not found.is_found or found.server == ""


def test_a_variable_of_the_image_stays_unresolved() -> None:
    found = line(["sh", "-c", "exec llama-server --threads $THREADS -c 1"])
    assert found.words == ("--threads", "$THREADS", "-c", "1")
    assert found.unresolved == (("THREADS", Origin(("command", 2), 0)),)
