"""The GPU beside a run: memory, power, clock and temperature, through NVIDIA's management library if it is there."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

PERIOD_S = 0.2
MIB = 1024 * 1024
LIBRARY = "pynvml"
"""The module of nvidia-ml-py, which the extra `gpu` installs; read only when a bench begins."""
DRIVER = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the card: MiB, watts, MHz, degrees Celsius, percent; ``None`` where the card does not say."""

    vram_mib: float | None
    power_w: float | None
    sm_clock_mhz: float | None
    temperature_c: float | None
    utilisation_percent: float | None
    throttled: bool | None


@dataclass(slots=True)
class Samples:
    """The samples of one run; filled while it runs."""

    taken: list[Sample] = field(default_factory=list)

    def record(self) -> dict[str, float | int] | None:
        """Mean power and clock, peak memory and temperature, lowest clock; ``None`` without a sample."""
        if not self.taken:
            return None
        found: dict[str, float | int | None] = {
            "samples": len(self.taken),
            "vram_peak_mib": _of(max, (one.vram_mib for one in self.taken)),
            "power_mean_w": _of(fmean, (one.power_w for one in self.taken)),
            "sm_clock_mean_mhz": _of(fmean, (one.sm_clock_mhz for one in self.taken)),
            "sm_clock_min_mhz": _of(min, (one.sm_clock_mhz for one in self.taken)),
            "temperature_max_c": _of(max, (one.temperature_c for one in self.taken)),
            "utilisation_mean_percent": _of(fmean, (one.utilisation_percent for one in self.taken)),
            "throttled_samples": sum(bool(one.throttled) for one in self.taken),
        }
        return {name: value for name, value in found.items() if value is not None}


class Card:
    """One NVIDIA card."""

    def __init__(self, library: Any, index: int) -> None:
        self._library = library
        self._handle = library.nvmlDeviceGetHandleByIndex(index)

    def describe(self) -> dict[str, Any]:
        """Name, driver, CUDA version, memory in MiB and power limit in watts."""
        library, handle = self._library, self._handle
        cuda = _ask(library, "nvmlSystemGetCudaDriverVersion")
        limit = _ask(library, "nvmlDeviceGetEnforcedPowerLimit", handle)
        memory = _memory(library, handle)
        found = {
            "name": _text(_ask(library, "nvmlDeviceGetName", handle)),
            "driver": _text(_ask(library, "nvmlSystemGetDriverVersion")),
            "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None,
            "vram_mib": memory.total // MIB if memory else None,
            "vram_idle_mib": memory.used // MIB if memory else None,
            "power_limit_w": limit / 1000 if limit else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def look(self) -> Sample:
        """Take one sample."""
        library, handle = self._library, self._handle
        memory = _memory(library, handle)
        power = _ask(library, "nvmlDeviceGetPowerUsage", handle)
        rates = _ask(library, "nvmlDeviceGetUtilizationRates", handle)
        reasons = _ask(library, "nvmlDeviceGetCurrentClocksThrottleReasons", handle)
        return Sample(
            vram_mib=memory.used / MIB if memory else None,
            power_w=power / 1000 if power is not None else None,
            sm_clock_mhz=_ask(library, "nvmlDeviceGetClockInfo", handle, library.NVML_CLOCK_SM),
            temperature_c=_ask(library, "nvmlDeviceGetTemperature", handle, library.NVML_TEMPERATURE_GPU),
            utilisation_percent=rates.gpu if rates else None,
            # Idle and application-clock settings are no throttling.
            throttled=bool(reasons & ~(library.nvmlClocksThrottleReasonGpuIdle
                                       | library.nvmlClocksThrottleReasonApplicationsClocksSetting))
            if reasons is not None else None,
        )  # fmt: skip

    @contextmanager
    def watched(self, period: float = PERIOD_S) -> Iterator[Samples]:
        """Sample the card every ``period`` seconds while the block runs."""
        samples, stop = Samples(), threading.Event()

        def watch() -> None:
            while True:
                samples.taken.append(self.look())
                if stop.wait(period):
                    return

        thread = threading.Thread(target=watch, name="gpu", daemon=True)
        thread.start()
        try:
            yield samples
        finally:
            stop.set()
            thread.join(5)


@contextmanager
def watched(card: Card | None) -> Iterator[Samples]:
    """Sample a card if there is one."""
    if card is None:
        yield Samples()
        return
    with card.watched() as samples:
        yield samples


def missing(driver: Path = DRIVER) -> str | None:
    """What to say where there is an NVIDIA driver, but not the library that asks it; ``None`` otherwise."""
    if not driver.exists() or importlib.util.find_spec(LIBRARY) is not None:
        return None
    return ("the reports will lack memory, power, clock and temperature of the GPU: `pip install '.[gpu]'` adds "
            "NVIDIA's library, --no-gpu does without it")  # fmt: skip


def find(index: int = 0) -> Card | None:
    """The card with this index, or ``None`` where the library, the driver or the card is missing."""
    try:
        library = importlib.import_module(LIBRARY)
        library.nvmlInit()
        return Card(library, index)
    except Exception:
        return None


def _ask(library: Any, name: str, *arguments: Any) -> Any:
    """A value, or ``None`` where this library, card or driver does not offer it."""
    with suppress(Exception):
        return getattr(library, name)(*arguments)
    return None


def _memory(library: Any, handle: Any) -> Any:
    """Total and used memory in bytes. The second version of the query leaves what the driver keeps for itself out of
    what is used, as nvidia-smi does; older libraries and drivers know the first one only."""
    second = getattr(library, "nvmlMemory_v2", None)
    found = None if second is None else _ask(library, "nvmlDeviceGetMemoryInfo", handle, second)
    return found or _ask(library, "nvmlDeviceGetMemoryInfo", handle)


def _text(value: bytes | str | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value


def _of(function: Callable[[list[float]], float], values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(function(known), 1) if known else None
