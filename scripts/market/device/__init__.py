"""A simulated Olares device: syncs a market as the real software does, reports every deviation."""

from __future__ import annotations
