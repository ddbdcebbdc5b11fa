"""Publishing: archive, claim, deploy, look, point; each step can be cut off and done again."""

from __future__ import annotations
