"""The machine and the program that measured."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from market.bench.gpu import Card


def tool_version() -> str:
    """The version of this program."""
    try:
        return metadata.version("olares-one-market")
    except metadata.PackageNotFoundError:
        return "unknown"


def describe(is_local: bool, card: Card | None) -> dict[str, Any]:
    """The client's machine; its processor, memory and GPU only where the server runs on it too."""
    found: dict[str, Any] = {"same_host": is_local, "python": platform.python_version(), "system": _system()}
    if is_local:
        found |= {"kernel": platform.release(), "cpu": _cpu(), "cores": os.cpu_count(), "memory_gib": _memory()}
        if card is not None:
            found["gpu"] = card.describe()
    return {name: value for name, value in found.items() if value is not None}


def _system() -> str:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return platform.system()
    return str(release.get("PRETTY_NAME") or release.get("NAME") or platform.system())


def _cpu() -> str | None:
    found = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return found[1].strip() if found else platform.processor() or None


def _memory() -> float | None:
    found = re.search(r"^MemTotal:\s*(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    return round(int(found[1]) / 1024 / 1024, 1) if found else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
