"""What a reader may ask of a measured series: what it took in, what served it, how much memory it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from market.catalog import Catalog
from market.site.leaderboard import Row

CAPABILITIES: Final = ("vision", "audio", "tools", "thinking")

_MIB: Final = 1024**2

# Options that change how much GPU memory a server takes, beside the model and the window.
_MEMORY_OPTIONS: Final = frozenset({
    "--cache-type-k", "--cache-type-v", "--kv-cache-dtype", "--n-gpu-layers", "--n-cpu-moe", "--cpu-moe", "--parallel",
    "--max-num-seqs", "--gpu-memory-utilization", "--ubatch-size", "--no-mmproj-offload", "--mmproj-gpu-swap",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine that a series was measured on, and its version as data/engines.yaml or the image's tag has it."""

    id: str
    version: str


@dataclass(frozen=True, slots=True)
class Memory:
    """GPU memory in decimal gigabytes: the highest that was measured, or the sum of the published parts."""

    gigabytes: float
    measured: bool


def capabilities(row: Row) -> Mapping[str, bool | None]:
    """What the server could do while it was measured; ``None`` where nobody checked.

    An image encoder that was left out of a measurement counts as absent, since it takes memory and time.
    """
    card = row.app.card["capabilities"]
    loaded, thinking = row.report.protocol.get("vision_loaded"), row.report.protocol.get("thinking")
    found = {name: card.get(name) for name in CAPABILITIES}
    if loaded is not None:
        found["vision"] = bool(loaded)
    if thinking is not None:
        found["thinking"] = bool(thinking)
    return found


def engine(row: Row, catalog: Catalog) -> Engine:
    """The engine of the measured image: by image and tag, else by image, else the app's own."""
    repository, _, tag = image_parts(str(row.report.configuration["image"]))
    related = None
    for id, data in catalog.engines.items():
        for version in data.get("versions") or ():
            known, _, known_tag = image_parts(str(version.get("image") or ""))
            if known != repository:
                continue
            if known_tag == tag:
                return Engine(id, str(version["version"]))
            related = related or Engine(id, tag)
    if related is not None:
        return related
    return Engine(str(row.app.card["engine"]["id"]), tag)


def image_parts(image: str) -> tuple[str, str, str]:
    """A container image as repository, ``:`` and tag; the registry Docker Hub and a digest are left out."""
    bare = image.partition("@")[0].removeprefix("docker.io/").removeprefix("library/")
    head, colon, tag = bare.rpartition(":")
    return (head, colon, tag) if colon and "/" not in tag else (bare, "", "")


def memory(row: Row) -> Memory | None:
    """The GPU memory of a series; the app's published sum counts only where nothing that sizes it differs."""
    peaks = [run["gpu"]["vram_peak_mib"] for run in row.report.data.get("runs") or () if _has_peak(run)]
    if peaks:
        return Memory(max(peaks) * _MIB / 1e9, True)
    parts = (row.app.card.get("vram") or {}).get("parts") or ()
    if not parts or any(_sizes(found.kind, found.subject) for found in row.agreement.differences):
        return None
    return Memory(float(sum(part["gb"] for part in parts)), False)


def family(row: Row) -> str:
    """The model family as app.yaml has it, or the model's name."""
    model = row.app.card["model"]
    return str(model.get("family") or model["name"])


def _has_peak(run: Mapping[str, Any]) -> bool:
    return (run.get("gpu") or {}).get("vram_peak_mib") is not None


def _sizes(kind: str, subject: str) -> bool:
    return kind in ("model", "context") or (kind == "argument" and subject in _MEMORY_OPTIONS)
