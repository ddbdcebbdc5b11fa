"""Kubernetes quantities in bytes and cores (resource.Quantity of k8s.io/apimachinery)."""

from __future__ import annotations

import re
from decimal import Decimal

_FACTORS = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate("kMGTP", 1)},
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTP", 1)},
}
_FORM = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m|[kMGTP]|[KMGTP]i)?")


def parse(text: str) -> Decimal:
    """The value of a quantity.

    Raises:
        ValueError: it is not a quantity.
    """
    match = _FORM.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a quantity")
    return Decimal(match[1]) * _FACTORS[match[2] or ""]


def bytes_text(text: str) -> str:
    """Bytes as a decimal text, rounded up: the form devices read."""
    value = parse(text)
    return str(int(-(-value // 1)))


def cores_text(text: str) -> str:
    """Cores as a decimal text without trailing zeros, e.g. ``0.5`` for ``500m``."""
    value = parse(text).normalize()
    return format(value, "f")
