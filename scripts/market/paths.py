"""Where this tool's own files are. They come from the tool's checkout, never from the catalog under check."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SCHEMAS = PROJECT / "schema"
