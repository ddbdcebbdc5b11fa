"""Types of the functions that conftest.py lends."""

from __future__ import annotations

from collections.abc import Callable

from market.catalog import App
from market.report import Report

MakeReport = Callable[..., Report]
MakeApp = Callable[..., App]
