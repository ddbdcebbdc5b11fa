"""The Olares version that a device states decides nothing: every value, and none, gets the same bytes."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.catalog import Catalog
from market.index.detail import app_id

from .request import Asked, Target

pytestmark = pytest.mark.xdist_group("api")

READS = [
    "/api/v1/appstore/hash", "/api/v1/appstore/info", "/api/v2/catalog", "/api/v2/taxonomy", "/api/v2/applications",
    "/api/v2/browse/applications",
]  # fmt: skip
VERSIONS = st.one_of(
    st.sampled_from(["", "0.0.0", "1.11.0", "1.12.5", "1.12.6-rc.1", "1.12.7", "99.0.0", "latest", "v1", "\0"]),
    st.text(max_size=100),
)
CAMPAIGN = settings(
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("path", READS)
def test_reads(path: str, target: Target) -> None:
    without = target.get(path)
    assert without.status == 200

    @CAMPAIGN
    @given(VERSIONS)
    def same(version: str) -> None:
        reply = target.get(f"{path}?version={quote(version.encode('utf-8', 'replace'), safe='')}")
        assert (reply.status, reply.body) == (200, without.body)

    same()


def test_details_differ_in_the_echo_only(target: Target, repository: Catalog) -> None:
    ids = [app_id(app.name) for app in repository.listed[:3]]

    def details(version: object) -> tuple[dict[str, object], str]:
        reply = target.ask(
            Asked("POST", "/api/v1/applications/info", body=json.dumps({"app_ids": ids, "version": version}).encode())
        )
        assert reply.status == 200
        found = reply.json()
        return {key: value for key, value in found.items() if key != "version"}, found["version"]

    expected, _ = details(None)
    assert list(expected["apps"]) == ids  # type: ignore[call-overload]

    @CAMPAIGN
    @given(VERSIONS)
    def same(version: str) -> None:
        found, echo = details(version)
        assert found == expected
        printable = "".join(letter for letter in version if " " <= letter <= "~").strip()[:64].rstrip()
        assert echo.rstrip() == (printable or "1.12.6")

    same()


def test_a_storefront_can_tell_which_apps_need_a_newer_olares(target: Target, repository: Catalog) -> None:
    rows = target.get("/api/v2/applications").json()["data"]["items"]
    stated = {row["name"]: row["olares_version_constraint"] for row in rows}
    for app in repository.listed:
        conditions = [one["version"] for one in app.manifest["options"]["dependencies"] if one["name"] == "olares"]
        assert stated[app.name] == conditions[0]
