"""Every described operation against the real runtime, with requests made from its description, right and wrong ones.

MARKET_API_EXAMPLES is the number of requests for each operation.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from .routes import DOCUMENT

pytestmark = pytest.mark.xdist_group("api")

EXAMPLES = int(os.environ.get("MARKET_API_EXAMPLES", "10"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)


@SCHEMA.parametrize()
@settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
def test_replies_are_as_described(case: Case[Any], url: str) -> None:
    reply = case.call_and_validate(base_url=url, checks=CHECKS, timeout=60, allow_redirects=False)
    if case.path.startswith("/api/") and reply.content:
        kind = reply.headers["content-type"][0].partition(";")[0]
        assert kind in ("application/json", "application/gzip")
        assert b"<html" not in reply.content.lower()
