"""What changes for devices and readers from one release to the next, told from the manifests of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from market.provenance.manifest import Manifest
from market.publish.content import CHARTS, charts

_REPLIES = ("api/", "_market/")
_TOLD = frozenset({"api/status"})
"""Names the commit, so it changes with every release."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Apps with their versions, and how many files of each other kind differ."""

    added: Mapping[str, str]
    removed: Mapping[str, str]
    changed: Mapping[str, tuple[str, str]]
    replies: tuple[str, ...]
    pictures: int
    pages: int

    @property
    def is_empty(self) -> bool:
        """Whether a device would notice nothing."""
        return not (self.added or self.removed or self.changed or self.replies or self.pictures)

    def lines(self) -> Iterator[str]:
        """One line a difference, apps first."""
        for name, version in sorted(self.added.items()):
            yield f"+ {name} {version}"
        for name, version in sorted(self.removed.items()):
            yield f"- {name} {version}"
        for name, (before, after) in sorted(self.changed.items()):
            yield f"  {name} {before} -> {after}"
        if self.replies:
            yield f"  replies: {', '.join(_short(self.replies))}"
        if self.pictures:
            yield f"  icons and pictures: {self.pictures}"
        if self.pages:
            yield f"  files of the site: {self.pages}"

    def summary(self) -> str:
        """The apps in one line."""
        apps = [f"+{name}" for name in sorted(self.added)] + [f"-{name}" for name in sorted(self.removed)]
        apps += [f"{name} {after}" for name, (_, after) in sorted(self.changed.items())]
        if apps:
            return ", ".join(apps)
        return "index" if not self.is_empty else "site only" if self.pages else "nothing"


def between(before: Manifest | None, after: Manifest) -> Difference:
    """Compare two releases; without the first, everything is new."""
    old, new = versions(before), versions(after)
    files = {} if before is None else before.files
    differing = sorted(path for path in files.keys() | after.files.keys() if files.get(path) != after.files.get(path))
    pictures = [path for path in differing if path.startswith(("icons/", "pictures/"))]
    replies = tuple(path for path in differing if path.startswith(_REPLIES) and path not in _TOLD)
    others = [path for path in differing if not path.startswith((*_REPLIES, CHARTS, "icons/", "pictures/"))]
    return Difference(
        added={name: version for name, version in new.items() if name not in old},
        removed={name: version for name, version in old.items() if name not in new},
        changed={name: (old[name], new[name]) for name in old.keys() & new.keys() if old[name] != new[name]},
        replies=replies,
        pictures=len(pictures),
        pages=len(others),
    )


def versions(manifest: Manifest | None) -> dict[str, str]:
    """The version of each app that a release offers."""
    found = {}
    for path in charts(manifest) if manifest else ():
        name, _, version = path.removeprefix(CHARTS).removesuffix(".tgz").partition("-")
        found[name] = version
    return found


def _short(replies: tuple[str, ...]) -> list[str]:
    """The paths, with the detail files as one."""
    details = any(path.startswith("_market/details/") for path in replies)
    rest = [path for path in replies if not path.startswith("_market/details/")]
    return rest + (["details"] if details else [])
