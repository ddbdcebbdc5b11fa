"""A proof that does not hold."""

from __future__ import annotations

from market.errors import InputError


class UntrustedError(InputError):
    """A manifest, statement or signature that must not be believed; the text says why, in one sentence."""
