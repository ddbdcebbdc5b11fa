"""Family ``llm``: GPU memory, from the card's estimate to the limits that hold on the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from market import quantity, vram
from market.catalog import App, Catalog
from market.objects import mapping
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, View
from market.rules.llm_views import at_card, at_variable, each_serving
from market.rules.registry import catalog_check, declare, package_check
from market.serving import MEMORY_LIMIT, Serving

SOURCE = "design of this catalog; data/hardware.yaml"
MODES = ("nvidia",)
AMOUNTS = ("requiredGPUMemory", "limitedGPUMemory")
ON_CARD = ("target", "draft", "mmproj")

declare("llm.memory-unknown", "advice", "No estimate of the GPU memory",
        why="Without one nobody can tell whether the app fits, or beside what.",
        fix="Add `vram.parts` to app.yaml: weights, KV cache, buffers, in decimal GB.",
        source=SOURCE)  # fmt: skip
declare("llm.memory-request", "error", "Less GPU memory is asked for than the app needs",
        why="Olares places the app beside another one, and the card runs out of memory.",
        fix="Raise the amount to at least the sum of `vram.parts`, or correct the parts.",
        source="Olares manifest documentation 0.12.0, spec.accelerator")  # fmt: skip
declare("llm.memory-over-card", "error", "More GPU memory than the card has",
        why="An app that asks for more than the card has is never placed, or the figure is wrong. A card sold as "
            "24 GB has 24463 MiB, which are 25.65 GB of 10^9 bytes; compare in one unit.",
        fix="Lower the amount, or choose a smaller window or quantisation.",
        source=SOURCE)  # fmt: skip
declare("llm.memory-limit", "error", "HAMi's limit is below what the app needs",
        why="Allocations beyond the limit fail although the card has room.",
        fix=f"Raise `{MEMORY_LIMIT}`, at most to the card's memory, or correct the parts of the estimate.",
        source="Project-HAMi/HAMi-core; " + SOURCE)  # fmt: skip
declare("llm.memory-files", "warning", "The estimate is smaller than the files that lie on the card",
        why="Weights take as much memory as their files; an estimate below that has forgotten one.",
        fix="Add the missing part, or say in its note which file stays in main memory.",
        source=SOURCE)  # fmt: skip


@catalog_check
def amounts(catalog: Catalog) -> Iterator[Problem]:
    """Estimate, manifest and values stay below the card and above the need."""
    for app in catalog.apps:
        card = _card(catalog, app)
        yield from _estimate(app, card)
        yield from _manifest(app, card)
        yield from _values(app, card)


def _estimate(app: App, card: int | None) -> Iterator[Problem]:
    estimate, engine = vram.estimate(app.card), mapping(app.card.get("engine")).get("id")
    if estimate is None:
        if app.is_listed and engine is not None:
            yield app.card_document.problem("llm.memory-unknown", message="app.yaml has no `vram.parts`")
    elif card is not None and estimate.mebibytes > card:
        message = f"the parts sum to {vram.shown(estimate.size)}, the card has {card} MiB"
        yield app.card_document.problem("llm.memory-over-card", "vram", "parts", message=message)


def _manifest(app: App, card: int | None) -> Iterator[Problem]:
    entries, estimate = mapping(app.manifest.get("spec")).get("accelerator"), vram.estimate(app.card)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if mapping(entry).get("mode") not in MODES:
            continue
        for key in AMOUNTS:
            asked, path = _mebibytes(entry.get(key)), ("spec", "accelerator", index, key)
            if asked is None:
                continue
            if card is not None and asked > card and key == "requiredGPUMemory":
                message = f"`{key}` is {entry[key]} ({asked:.0f} MiB), the card has {card} MiB"
                yield app.manifest_document.problem("llm.memory-over-card", *path, message=message)
            elif estimate is not None and asked < estimate.mebibytes:
                message = f"`{key}` is {entry[key]} ({asked:.0f} MiB), the parts sum to {vram.shown(estimate.size)}"
                yield app.manifest_document.problem("llm.memory-request", *path, message=message)


def _values(app: App, card: int | None) -> Iterator[Problem]:
    path = ("server", "resources", "gpuMemoryMiB")
    asked, estimate = app.values_document.get(*path), vram.estimate(app.card)
    if not isinstance(asked, int) or isinstance(asked, bool):
        return
    if card is not None and asked > card:
        message = f"`gpuMemoryMiB` is {asked}, the card has {card} MiB"
        yield app.values_document.problem("llm.memory-over-card", *path, message=message)
    elif estimate is not None and asked < estimate.mebibytes:
        message = f"`gpuMemoryMiB` is {asked}, the parts sum to {vram.shown(estimate.size)}"
        yield app.values_document.problem("llm.memory-request", *path, message=message)


@package_check
def served(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """What the server is given and loads fits the estimate."""
    yield from each_serving(catalog, package, limit, files)


def limit(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """HAMi's limit leaves room for the estimate."""
    estimate, given = vram.estimate(found.card), found.numbers.get("memory-limit")
    if estimate is not None and given is not None and 0 < given < estimate.mebibytes:
        message = f"`{MEMORY_LIMIT}` allows {given:.0f} MiB, the parts sum to {vram.shown(estimate.size)}"
        yield at_variable("llm.memory-limit", found, MEMORY_LIMIT, message=message)


def files(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The estimate counts the files that lie on the card."""
    estimate = vram.estimate(found.card)
    needed = vram.files_size(model for model in found.models if _is_on_card(model, found))
    # A published size is rounded to a tenth; a part may have been rounded down as well.
    if estimate is not None and estimate.size < needed - vram.GB // 10:
        message = f"the files on the card have {vram.shown(needed)}, the parts sum to {vram.shown(estimate.size)}"
        yield at_card("llm.memory-files", found, "vram", "parts", message=message)


def _is_on_card(model: Mapping[str, Any], found: Serving) -> bool:
    role = model.get("role")
    if role == "mmproj":
        offload = found.option("--mmproj-offload")
        is_away = found.options.has("--mmproj-gpu-swap") or (offload is not None and offload.is_off)
        return not is_away
    return role in ON_CARD and not found.options.has("--cpu-moe", "--n-cpu-moe")


def _card(catalog: Catalog, app: App) -> int | None:
    document = catalog.data.get("hardware")
    entries = mapping(document.data).get("hardware") if document else None
    for entry in entries if isinstance(entries, list) else ():
        if mapping(entry).get("id") == app.card.get("hardware"):
            return vram.card_mebibytes(mapping(entry))
    return None


def _mebibytes(value: Any) -> float | None:
    try:
        return float(quantity.parse(value)) / vram.MIB if isinstance(value, str) else None
    except ValueError:
        return None
