"""The newest release that this machine has seen of each market, so that an older one is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from market.errors import MarketError
from market.files import write_atomic
from market.provenance.statement import Statement
from market.provenance.untrusted import UntrustedError


@dataclass(frozen=True, slots=True)
class Seen:
    """The highest serial that was seen with a good signature, and the manifest that it named."""

    serial: int
    manifest: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A folder with one small file for each market."""

    folder: Path

    def recall(self, url: str) -> Seen | None:
        """What was seen of a market.

        Raises:
            MarketError: the file is damaged; it is better to say so than to forget.
        """
        path = self._path(url)
        try:
            value = json.loads(path.read_bytes())
            return Seen(int(value["serial"]), str(value["manifest"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MarketError(f"cannot read {path}; if you know why, delete it and verify again") from error

    def keep(self, url: str, statement: Statement) -> None:
        """Remember a statement whose signature is good; an older one changes nothing."""
        seen = self.recall(url)
        if seen is not None and seen.serial >= statement.serial:
            return
        value = {"url": url, "serial": statement.serial, "manifest": statement.manifest}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path(url), (json.dumps(value, indent=2) + "\n").encode())
        except OSError as error:
            raise MarketError(f"cannot write to {self.folder}: {error.strerror}") from error

    def _path(self, url: str) -> Path:
        return self.folder / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"


def of_user(environment: Mapping[str, str]) -> Memory:
    """The user's memory: ``$XDG_STATE_HOME/market/releases``, by default below ``~/.local/state``."""
    base = environment.get("XDG_STATE_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return Memory(folder / "market" / "releases")


def must_agree(seen: Seen | None, statement: Statement) -> None:
    """Refuse another content under a serial that was seen before.

    Raises:
        UntrustedError: two statements with one serial name different manifests.
    """
    if seen is not None and seen.serial == statement.serial and seen.manifest != statement.manifest:
        raise UntrustedError(
            f"release {statement.serial} was seen before with another content (manifest {seen.manifest[:12]}, "
            f"now {statement.manifest[:12]}): the key has signed two releases under one number"
        )
