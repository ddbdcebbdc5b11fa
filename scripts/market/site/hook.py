"""What MkDocs runs of ours: its templates, once compiled, are kept as code for its next run.

The pages are the same without it; Zensical, which has no hooks, passes it over.
"""

from __future__ import annotations

import os
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache


def on_env(env: Environment, **_: Any) -> Environment:
    """Give the environment of the theme a folder to keep code in, where the build names one."""
    if folder := os.environ.get("MARKET_SITE_TEMPLATES"):
        env.bytecode_cache = FileSystemBytecodeCache(folder)
    return env
