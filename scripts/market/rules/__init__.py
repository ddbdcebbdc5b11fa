"""The checks: one module a family, every rule registered with its id, reason and remedy."""

from __future__ import annotations
