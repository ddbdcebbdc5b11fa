"""Our templates as code, compiled once a process: each language has an environment of its own, and they share this."""

from __future__ import annotations

from functools import cache
from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache


class Compiled(BytecodeCache):
    """Code by the name and the content of its template."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template the code that it had before, if any."""
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code is not None:
            self._kept[bucket.key, bucket.checksum] = bucket.code


@cache
def compiled() -> Compiled:
    """What this process has compiled."""
    return Compiled()
