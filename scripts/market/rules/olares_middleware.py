"""Family ``olares``: databases and queues that the platform provides (`middleware`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, text_of
from market.rules.registry import declare

declare("olares.middleware", "warning", "A database request that lacks a name",
        why="The platform creates user and databases from these names. The former checker refused a request "
            "without them; the current one no longer looks, and the app fails when it starts.",
        fix="Give postgres and mongodb a `username` and `databases`, each with a `name`; give redis a "
            "`namespace`.",
        source="beclab/oachecker PostgresConfig, RedisConfig, MongodbConfig")  # fmt: skip

NEEDS: Final = {
    "postgres": ("username", "databases"), "mongodb": ("username", "databases"), "redis": ("namespace",),
}  # fmt: skip


@manifest_check
def requests(manifest: Manifest) -> Iterator[Problem]:
    """Requested databases have the names that they are made from."""
    for kind, keys in NEEDS.items():
        wanted = manifest.get("middleware", kind)
        if not isinstance(wanted, dict):
            continue
        for key in keys:
            given = manifest.list("middleware", kind, key) or text_of(wanted.get(key))
            if not given:
                message = f"{kind} has no `{key}`"
                yield manifest.problem("olares.middleware", "middleware", kind, message=message, key=True)
        for index, database in manifest.entries("middleware", kind, "databases"):
            if not text_of(database.get("name")):
                message = f"a database of {kind} has no `name`"
                yield manifest.problem("olares.middleware", "middleware", kind, "databases", index, message=message)
