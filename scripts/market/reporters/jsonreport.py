"""Problems for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from market.problem import Problem


def report(problems: Sequence[Problem], sources: Mapping[str, str]) -> str:  # noqa: ARG001
    """A JSON object with the list of problems in order."""
    return json.dumps({"problems": [asdict(problem) for problem in problems]}, indent=2, ensure_ascii=False)
