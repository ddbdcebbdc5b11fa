"""The market index: what devices read, in both generations of the protocol. Pure functions of the catalog."""

from __future__ import annotations
