"""Before anything is put in place, the simulated device reads what was written, as it would over HTTP."""

from __future__ import annotations

from pathlib import Path

from market.device.verify import verify_folder
from market.errors import MarketError


def read_back(folder: Path) -> None:
    """Play a device's sync against the files.

    Raises:
        MarketError: a device would deviate; a bug of ours, since the catalog was found sound.
    """
    deviations = verify_folder(folder).deviations
    if deviations:
        listed = "; ".join(f"{one.path}: {one.message}" for one in deviations[:5])
        raise MarketError(f"a device could not read our own index: {listed}")
