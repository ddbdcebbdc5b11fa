"""GPU memory: the estimate of an app card against the card of the machine, in one unit.

Model files and published budgets are counted in decimal gigabytes, drivers and HAMi count in MiB. 24463 MiB,
sold as "24 GB", are 25.651 GB: comparing the two without converting is what made several published budgets
look as if they did not fit, or did.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GB = 10**9
"""Bytes of a decimal gigabyte."""
MIB = 2**20
GIB = 2**30

_LIMIT = re.compile(r"([0-9]{1,12})([kKmMgG]?)")
_LIMIT_FACTORS = {"": 1, "k": 2**10, "m": MIB, "g": GIB}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an estimate, in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an app needs of GPU memory, part by part."""

    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """The sum in bytes."""
        return sum(part.size for part in self.parts)

    @property
    def gigabytes(self) -> float:
        """The sum in decimal GB."""
        return self.size / GB

    @property
    def mebibytes(self) -> int:
        """The sum in MiB, rounded up."""
        return math.ceil(self.size / MIB)


def estimate(card: Mapping[str, Any]) -> Estimate | None:
    """The estimate of an app card (``vram.parts``, in decimal GB), or ``None`` when it has none."""
    vram = card.get("vram")
    entries = vram.get("parts") if isinstance(vram, Mapping) else None
    parts = [
        Part(_name(entry.get("name")), round(entry["gb"] * GB))
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, Mapping) and _is_size(entry.get("gb"))
    ]
    return Estimate(tuple(parts)) if parts else None


def card_mebibytes(hardware: Mapping[str, Any]) -> int | None:
    """The memory of a machine's card in MiB: as its driver reports it, else as it is sold (in GiB)."""
    gpu = hardware.get("gpu")
    if not isinstance(gpu, Mapping):
        return None
    if isinstance(gpu.get("vram_mib"), int):
        return int(gpu["vram_mib"])
    return round(gpu["vram_gb"] * GIB / MIB) if _is_size(gpu.get("vram_gb")) else None


def file_size(model: Mapping[str, Any]) -> int | None:
    """Bytes of a model file of values.yaml: exact where known, else from its published decimal GB."""
    if isinstance(model.get("bytes"), int) and not isinstance(model["bytes"], bool) and model["bytes"] > 0:
        return int(model["bytes"])
    return round(model["gigabytes"] * GB) if _is_size(model.get("gigabytes")) else None


def files_size(models: Iterable[Mapping[str, Any]]) -> int:
    """The sum of the sizes that are known, in bytes."""
    return sum(file_size(model) or 0 for model in models)


def limit_mebibytes(text: str) -> int | None:
    """HAMi's ``CUDA_DEVICE_MEMORY_LIMIT_<n>`` in MiB, rounded down; ``None`` where it cannot be read.

    The suffixes are binary: 24300m are 24300 MiB (HAMi-core src/multiprocess/multiprocess_memory_limit.c).
    """
    match = _LIMIT.fullmatch(text)
    return int(match[1]) * _LIMIT_FACTORS[match[2].lower()] // MIB if match else None


def shown(size: float) -> str:
    """Bytes in both units, for messages: ``25.05 GB (23890 MiB)``."""
    return f"{size / GB:.2f} GB ({math.ceil(size / MIB)} MiB)"


def _name(value: Any) -> str:
    return str(value.get("en", "")) if isinstance(value, Mapping) else ""


def _is_size(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 10**6


def models_of(values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The model files of values.yaml; entries of another form are left out."""
    models = values.get("models")
    return [one for one in models if isinstance(one, Mapping)] if isinstance(models, list) else []
