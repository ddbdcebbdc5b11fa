"""Which requests run the Worker, and which the edge answers from files: the Worker is replaced by one that says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from market.runtime import serve

from .conftest import OLD
from .request import Asked, Target
from .routes import routes

pytestmark = pytest.mark.xdist_group("api")

INVOKED = 599
ROUTES = {route.template: route for route in routes()}
READS = [template for template, route in ROUTES.items() if "get" in route.verbs]


@pytest.fixture(scope="module")
def counted(dist: Path) -> Iterator[Target]:
    """The market's files under a Worker that answers nothing but 599."""
    with serve(dist, worker=Path(__file__).with_name("invoked.js")) as served:
        yield Target.of(served.url)


@pytest.mark.parametrize("template", READS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("query", ["", "?version=%00&page=2&source_id=x"])
def test_reads_run_the_worker_only_where_the_description_says_so(
    template: str, method: str, query: str, counted: Target
) -> None:
    route = ROUTES[template]
    reply = counted.ask(Asked(method, route.path + query))
    assert reply.status == (INVOKED if route.served_by == "worker" else 200)


def test_an_old_chart_at_its_own_address_runs_the_worker(counted: Target) -> None:
    assert ROUTES["/charts/{file}"].served_by == "either"
    assert counted.get(f"/charts/{OLD}").status == INVOKED


def test_details_run_the_worker(counted: Target) -> None:
    assert counted.ask(Asked("POST", "/api/v1/applications/info", body=b"{}")).status == INVOKED


@pytest.mark.parametrize("condition", [{"If-None-Match": "*"}, {"Sec-Fetch-Mode": "navigate"}, {"Range": "bytes=0-1"}])
def test_no_header_makes_a_file_run_the_worker(condition: dict[str, str], counted: Target) -> None:
    for template in READS:
        if ROUTES[template].served_by == "file":
            assert counted.ask(Asked("GET", ROUTES[template].path, condition)).status != INVOKED, template


@pytest.mark.parametrize("path", ["/", "/en/", "/?x=1"])
def test_pages_of_the_site_are_files(path: str, counted: Target) -> None:
    assert counted.get(path).status == 200


@pytest.mark.parametrize("path", ["/nope/", "/api/nope", "/%65n/", "//en/", "/_market/catalog.json", "/404", "/en/404"])
def test_what_is_not_there_or_spelled_otherwise_runs_the_worker(path: str, counted: Target) -> None:
    assert counted.get(path).status == INVOKED


def test_a_sync_of_every_generation_runs_the_worker_for_details_and_charts_only() -> None:
    """What a device asks in a cycle without news; the sums of what a device costs rest on this."""
    cycle = {
        "older": ["/api/v1/appstore/hash"],
        "newer": ["/api/v1/appstore/hash", "/api/v1/appstore/info", "/api/v1/applications/info"],
        "v2": ["/api/v2/catalog"],
    }
    runs = {name: [path for path in paths if ROUTES[path].served_by == "worker"] for name, paths in cycle.items()}
    assert runs == {"older": [], "newer": ["/api/v1/applications/info"], "v2": ["/api/v2/catalog"]}
