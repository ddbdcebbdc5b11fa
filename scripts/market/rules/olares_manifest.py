"""Family ``olares``, its frame: a manifest as the platform judges it, and the register of its checks.

The same rules serve two forms of manifest. A manifest of this catalog has passed its own schema
(manifest.schema.json), which already demands much of what the platform demands; a manifest from elsewhere
has passed the tolerant platform-manifest.schema.json. Checks that the catalog's schema makes needless are
registered with ``platform_check`` and run on manifests from elsewhere only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from market.catalog import App
from market.problem import Problem
from market.rules.registry import app_check
from market.semver import Version, parse_version
from market.yamldoc import Document, Path

MODERN: Final = Version(0, 12)
"""Form from which manifests have no templates, name workloads, and declare accelerators."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest, with the Chart.yaml beside it where that can be read."""

    document: Document
    chart: Document | None = None

    def get(self, *path: str | int, default: Any = None) -> Any:
        """The value at a path, or ``default``."""
        return self.document.get(*path, default=default)

    def text(self, *path: str | int) -> str:
        """The value at a path as the platform's reader takes it for a text field; empty when missing."""
        return text_of(self.get(*path))

    def is_set(self, *path: str | int) -> bool:
        """Whether a flag is true."""
        return self.get(*path) is True

    def entries(self, *path: str | int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The mappings of a list, with their places in it; anything else in it is a matter of the schema."""
        for index, entry in enumerate(self.list(*path)):
            if isinstance(entry, dict):
                yield index, entry

    def list(self, *path: str | int) -> list[Any]:
        """The list at a path, or an empty one."""
        found = self.get(*path)
        return found if isinstance(found, list) else []

    def problem(self, rule: str, *path: str | int, message: str, fix: str = "", key: bool = False) -> Problem:
        """A problem at the place of a path."""
        return self.document.problem(rule, *path, message=message, fix=fix, key=key)

    @property
    def version(self) -> Version | None:
        """The manifest's form (``olaresManifest.version``), if it is a version."""
        try:
            return parse_version(self.text("olaresManifest.version"))
        except ValueError:
            return None

    @property
    def is_modern(self) -> bool:
        """Whether the form is 0.12.0 or later; a form that cannot be read counts as earlier."""
        return self.version is not None and self.version >= MODERN

    @property
    def api(self) -> str:
        """``apiVersion`` in lower case; ``v1`` when it is missing."""
        return self.text("apiVersion").strip().lower() or "v1"


ManifestCheck = Callable[[Manifest], Iterator[Problem]]

_SHARED: Final[list[ManifestCheck]] = []
_ELSEWHERE: Final[list[ManifestCheck]] = []


def manifest_check(check: ManifestCheck) -> ManifestCheck:
    """Register a check for every manifest."""
    _SHARED.append(check)
    return check


def platform_check(check: ManifestCheck) -> ManifestCheck:
    """Register a check for manifests from elsewhere: this catalog's schema leaves it nothing to find."""
    _ELSEWHERE.append(check)
    return check


def checks() -> tuple[ManifestCheck, ...]:
    """Every check for manifests from elsewhere."""
    return (*_SHARED, *_ELSEWHERE)


@app_check
def own_manifest(app: App) -> Iterator[Problem]:
    """Apply the shared checks to an app of this catalog."""
    manifest = Manifest(app.manifest_document, app.chart_document)
    for check in _SHARED:
        yield from check(manifest)


def text_of(value: Any) -> str:
    """A scalar as a text, as sigs.k8s.io/yaml converts it where the field is a text."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)
        case _:
            return ""


def name_of(path: Path) -> str:
    """A path as it is written in messages."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}" if shown else step
    return shown
