"""What the tests of the bench may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from . import llama, tiny_model
from .llama import Server


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that answers thousands of letters a second."""
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    tiny_model.write(path, context=16384)
    return path


@pytest.fixture
def server(tiny: Path, tmp_path: Path) -> Iterator[Server]:
    """A real llama-server with the tiny model, one slot and a window of 4096 tokens."""
    with llama.running(tiny, tmp_path, ("-c", "4096", "--parallel", "1", "--alias", "tiny")) as running:
        yield running
