"""Problems as SARIF 2.1.0 (OASIS), for code scanning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from market import __version__
from market.problem import Problem, Severity
from market.rules.registry import find

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def report(problems: Sequence[Problem], sources: Mapping[str, str]) -> str:  # noqa: ARG001
    """One SARIF run with the rules that were broken."""
    ids = sorted({problem.rule for problem in problems})
    run = {
        "tool": {
            "driver": {
                "name": "market check",
                "version": __version__,
                "rules": [_rule(id) for id in ids],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, ids) for problem in problems],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(id: str) -> dict[str, Any]:
    rule = find(id)
    title, why, fix = (rule.title, rule.why, rule.fix) if rule else (id, "", "")
    return {
        "id": id,
        "shortDescription": {"text": title},
        "fullDescription": {"text": why or title},
        "help": {"text": fix or title},
    }


def _result(problem: Problem, ids: Sequence[str]) -> dict[str, Any]:
    text = "\n".join(part for part in (problem.message, problem.fix) if part)
    return {
        "ruleId": problem.rule,
        "ruleIndex": ids.index(problem.rule),
        "level": LEVELS[problem.severity],
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(problem.path), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": problem.line, "startColumn": problem.column},
                }
            }
        ],
    }
