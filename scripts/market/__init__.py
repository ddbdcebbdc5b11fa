"""Olares One Market: the catalog's reader, checks, index, site and publishing tools."""

from __future__ import annotations

__version__ = "0.1.0"
