"""JSON of which there is one spelling for each value: what is hashed, signed, compared or served."""

from __future__ import annotations

import json
from typing import Any


def encode(value: Any) -> bytes:
    """UTF-8, sorted keys, one line, no spaces.

    Raises:
        ValueError: it holds a number that JSON has no word for (NaN, infinity).
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
