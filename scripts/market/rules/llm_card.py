"""Family ``llm``: what the app card says of the server, against the server's command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.catalog import Catalog
from market.objects import mapping
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, View
from market.rules.llm_views import at_card, card_text, each_serving, shown
from market.rules.registry import declare, package_check
from market.serving import CONTEXT, Serving

SOURCE = "design of this catalog: one home for every fact"

declare("llm.context", "error", "The card's context is not the one that is served",
        why="The leaderboard would show a window that users do not get, or hide one that they have.",
        fix="Write the served window under `context_tokens`, or change the option.",
        source=SOURCE)  # fmt: skip
declare("llm.context-unproven", "warning", "A window that the server chooses and no report shows",
        why="Without an option for it, the server takes the largest window that fits or that the model has. The "
            "card's figure is then a claim; a bench report with this image and this window makes it a fact.",
        fix="Set `--ctx-size`, or measure what the server chose and add the report.",
        source=SOURCE)  # fmt: skip
declare("llm.kv-cache", "error", "The card's KV cache is not the one that is served",
        why="Speed and memory of the page are those of another cache.",
        fix="Write the served types under `kv_cache`, or change the options.",
        source=SOURCE)  # fmt: skip
declare("llm.speculation", "error", "The card's drafting is not what is served",
        why="Speed and acceptance of the page are those of another method.",
        fix="Write method and draft tokens under `speculation` as the options have them, or change the options.",
        source=SOURCE)  # fmt: skip
declare("llm.vision", "error", "The card's images do not fit the options",
        why="Users would look for images where there are none, or miss them where they are.",
        fix="Correct `capabilities.vision`, or the options that load the image encoder.",
        source=SOURCE)  # fmt: skip
declare("llm.tools", "error", "The card's tool calls do not fit the options",
        why="Without a parser, vLLM answers requests with tools by HTTP 400; without the chat template, "
            "llama-server ignores them.",
        fix="Correct `capabilities.tools`, or add the options for tool calls.",
        source="vLLM documentation, tool calling; llama.cpp docs/function-calling.md")  # fmt: skip
declare("llm.thinking", "warning", "The card's thinking does not fit the options",
        why="Whether the model thinks decides how fast an answer is there and how well drafts are accepted.",
        fix="Correct `capabilities.thinking`, or the options that switch thinking.",
        source=SOURCE)  # fmt: skip


@package_check
def card(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """The card says what the chart serves."""
    yield from each_serving(catalog, package, context, kv_cache, speculation, vision, tools, thinking)


def context(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The window."""
    stated, option = found.card.get("context_tokens"), found.option(*CONTEXT)
    if not _is_whole(stated) or (option is not None and option.is_unsure):
        return
    if found.window is not None and found.window != stated:
        message = f"`context_tokens` is {stated}, {shown(option)} gives a request {found.window}"
        yield at_card("llm.context", found, "context_tokens", message=message)
    elif found.context is None and not _is_measured(found, stated):
        message = f"`context_tokens` is {stated}; no option sets the window and no report of this image shows it"
        yield at_card("llm.context-unproven", found, "context_tokens", message=message)


def _is_measured(found: Serving, stated: Any) -> bool:
    """Whether a report of the shipped image had the window that the card states."""
    return any(
        report.context_tokens == stated and _bare(str(report.configuration.get("image"))) == _bare(found.image)
        for report in found.app.reports
    )


def _bare(image: str) -> str:
    return image.removeprefix("docker.io/").partition("@")[0]


def kv_cache(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The types of the KV cache."""
    stated = mapping(found.card.get("kv_cache"))
    for key, served in zip("kv", found.kv_cache or (), strict=False):
        # vLLM's "auto" is the type of the weights, which the options do not tell.
        if isinstance(stated.get(key), str) and served not in ("auto", stated[key]):
            message = f"`kv_cache.{key}` is {stated[key]}, served is {served}"
            yield at_card("llm.kv-cache", found, "kv_cache", key, message=message)


def speculation(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Method and draft tokens."""
    method, served = card_text(found, "speculation", "method"), found.speculation
    tokens = found.app.card_document.get("speculation", "draft_tokens")
    # A diffusion model drafts by itself, without an option.
    if served is None or (not served and card_text(found, "model", "kind") == "diffusion"):
        return
    if method != ",".join(served):
        message = f"`speculation.method` is {method or 'not stated'}, served is {','.join(served) or 'none'}"
        yield at_card("llm.speculation", found, "speculation", "method", message=message)
    elif _is_whole(tokens) and found.draft_tokens is not None and tokens != found.draft_tokens:
        message = f"`speculation.draft_tokens` is {tokens}, served are {found.draft_tokens}"
        yield at_card("llm.speculation", found, "speculation", "draft_tokens", message=message)


def vision(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Images: an encoder that is loaded, or a model that brings its own."""
    stated = found.app.card_document.get("capabilities", "vision")
    message = ""
    if found.is_vllm:
        if stated is True and found.options.has("--language-model-only"):
            message = "`--language-model-only` loads no image encoder"
        elif stated is True and found.json_value("--limit-mm-per-prompt").get("image") == 0:
            message = "`--limit-mm-per-prompt` allows no image"
    else:
        # --hf-repo fetches the encoder of the repository by itself.
        has_encoder = found.options.has("--mmproj", "--mmproj-url", "--hf-repo")
        has_audio = found.app.card_document.get("capabilities", "audio") is True
        if stated is True and not has_encoder:
            message = "no `--mmproj` loads an image encoder"
        elif stated is False and found.options.has("--mmproj") and not has_audio:
            message = "`--mmproj` loads an image encoder"
    if message:
        said = f"`capabilities.vision` is {str(stated).lower()}, but {message}"
        yield at_card("llm.vision", found, "capabilities", "vision", message=said)


def tools(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Tool calls: a parser on vLLM, the chat template on llama-server."""
    if found.app.card_document.get("capabilities", "tools") is not True:
        return
    if found.is_vllm:
        missing = [name for name in ("--enable-auto-tool-choice", "--tool-call-parser") if not found.options.has(name)]
        message = f"{' and '.join(missing)} is missing" if missing else ""
    else:
        jinja = found.option("--jinja")
        message = "`--no-jinja` switches the chat template off" if jinja is not None and jinja.is_off else ""
    if message:
        said = f"`capabilities.tools` is true, but {message}"
        yield at_card("llm.tools", found, "capabilities", "tools", message=said)


def thinking(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Thinking, where an option switches it."""
    stated, served = found.app.card_document.get("capabilities", "thinking"), found.thinking
    if isinstance(stated, bool) and served is not None and stated is not served:
        message = f"`capabilities.thinking` is {str(stated).lower()}, the options switch it {'on' if served else 'off'}"
        yield at_card("llm.thinking", found, "capabilities", "thinking", message=message)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
