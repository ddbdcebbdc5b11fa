"""Many random hostile requests: each is answered, in time, without a 5xx, and below /api never with HTML.

MARKET_API_REQUESTS is their number, MARKET_API_FIRST the number of the first one. A fault names the request's number.
"""

from __future__ import annotations

import http.client
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from market.catalog import Catalog
from market.index.detail import app_id

from . import barrage
from .request import Target

pytestmark = pytest.mark.xdist_group("api")

REQUESTS = int(os.environ.get("MARKET_API_REQUESTS", "400"))
FIRST = int(os.environ.get("MARKET_API_FIRST", "0"))
AT_ONCE = 8


def test_no_request_brings_the_market_down(target: Target, repository: Catalog) -> None:
    app = repository.listed[0]
    known = {"<name>": app.name, "<file>": f"{app.name}-{app.version}.tgz", "<id>": app_id(app.name)}

    def outcome(number: int) -> tuple[str, list[str]]:
        asked = barrage.question(number, known)
        where = f"{number}: {asked.method} {asked.path[:120]}"
        try:
            reply = target.ask(asked)
        except (OSError, http.client.HTTPException) as error:
            return "no answer", [f"{where}: {error!r}"]
        kind = f"{reply.status} {reply.type}"
        return kind, [f"{where}: {fault}" for fault in barrage.faults(asked, reply)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(outcome, range(FIRST, FIRST + REQUESTS), chunksize=50))
    counts = Counter(kind for kind, _ in outcomes)
    print(f"\n{REQUESTS} requests: {dict(counts.most_common())}")  # noqa: T201 - the figures of a long run
    wrong = [line for _, lines in outcomes for line in lines]
    assert not wrong, "\n".join([f"{len(wrong)} faults", *wrong[:40]])
    assert counts["200 application/json"] > REQUESTS // 20, "the requests should reach something"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/x", True), ("//api", True), ("/API/", True), ("/%61pi/x", True), ("/%2561pi", True),
        ("/x/../api/y", True), ("/%252e%252e/api", True), ("/api%2fx", True), ("/%5capi", True),
        ("/x//../api", False), ("/api%2Fx/../y", False), ("/apis", False), ("/en/api/", False),
        ("/", False), ("/api/..", False),
    ],
)  # fmt: skip
def test_addresses_below_api_are_known_in_every_spelling(path: str, expected: bool) -> None:
    assert barrage.is_api(path) == expected
