"""A new app folder, started from a similar app so that every file and key is there from the beginning."""

from __future__ import annotations

import re
from pathlib import Path

from market.catalog import App, load
from market.errors import InputError
from market.files import write_tree

NAME = re.compile(r"[a-z][a-z0-9]{0,29}")
FIRST_VERSION = "0.1.0"
LEFT_OUT = ("bench/", "icon.png")


def scaffold(root: Path, name: str, like: str) -> tuple[str, ...]:
    """Write apps/``name``/ and return the paths of its files.

    Raises:
        InputError: the name is not allowed or taken, or there is no app to start from.
    """
    if not NAME.fullmatch(name):
        raise InputError(f"{name} is no app name: a letter, then at most 29 lower-case letters and digits")
    if (root / "apps" / name).exists():
        raise InputError(f"apps/{name}/ exists")
    catalog, _ = load(root)
    app = catalog.app(like)
    if app is None:
        raise InputError(f"there is no readable app {like}; apps: {', '.join(app.name for app in catalog.apps)}")
    files = {path: _renamed(app, data, name) for path, data in app.files.items() if not path.startswith(LEFT_OUT)}
    write_tree(root / "apps" / name, files)
    return tuple(f"apps/{name}/{path}" for path in sorted(files))


def _renamed(app: App, data: bytes, name: str) -> bytes:
    """The file under the new name and first version; what refers to the old app's past is left out."""
    text = data.decode("utf-8").replace(app.name, name)
    text = re.sub(rf"(?m)^(\s*version: *)(['\"]?){re.escape(app.version)}\2", rf"\1\g<2>{FIRST_VERSION}\2", text)
    return re.sub(r"(?m)^(?:formerly|baseline):.*\n(?:[ -].*\n)*", "", text).encode()
