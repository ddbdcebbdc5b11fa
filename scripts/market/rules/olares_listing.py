"""Family ``olares``: what the store shows beside the texts (icons and images)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, name_of
from market.rules.registry import declare
from market.yamldoc import Path

MOST_IMAGES: Final = 8

declare("olares.image-type", "advice", "An image of a type that stores do not ask for",
        why="Icons are PNG or WEBP of 256x256 and at most 512 KB; other images are JPEG, PNG or WEBP of "
            "1440x900 and at most 8 MB. Only the type can be seen in the address.",
        fix="Convert the image.",
        source="beclab/apps README and Olares olares-publish skill, listing assets")  # fmt: skip
declare("olares.image-count", "advice", "Fewer than two images, or more than eight",
        why="The store shows them in a row that two to eight fill.",
        fix="Give two to eight addresses in `spec.promoteImage`.",
        source="beclab/apps README and Olares olares-publish skill, listing assets")  # fmt: skip

_SUFFIX: Final = re.compile(r"\.([a-z]{3,4})$")
_ICONS: Final = ("png", "webp")
_IMAGES: Final = ("jpg", "jpeg", "png", "webp")


@manifest_check
def images(manifest: Manifest) -> Iterator[Problem]:
    """Icons and images have the types and the number that stores ask for."""
    yield from _type(manifest, ("metadata", "icon"), _ICONS)
    for index, _ in manifest.entries("entrances"):
        yield from _type(manifest, ("entrances", index, "icon"), _ICONS)
    yield from _type(manifest, ("spec", "featuredImage"), _IMAGES)
    shown = manifest.list("spec", "promoteImage")
    for index in range(len(shown)):
        yield from _type(manifest, ("spec", "promoteImage", index), _IMAGES)
    if shown and not 2 <= len(shown) <= MOST_IMAGES:
        message = f"{len(shown)} {'image' if len(shown) == 1 else 'images'}"
        yield manifest.problem("olares.image-count", "spec", "promoteImage", message=message, key=True)


def _type(manifest: Manifest, path: Path, allowed: tuple[str, ...]) -> Iterator[Problem]:
    try:
        suffix = _SUFFIX.search(urlsplit(manifest.text(*path)).path.lower())
    except ValueError:
        return
    if suffix and suffix[1] not in allowed:
        message = f"`{name_of(path)}` is a {suffix[1]} file; asked for: {', '.join(allowed)}"
        yield manifest.problem("olares.image-type", *path, message=message)
