"""What a release changes, told from manifests alone."""

from __future__ import annotations

from market.provenance.manifest import Manifest, digest
from market.publish.difference import between


def of(files: dict[str, str]) -> Manifest:
    return Manifest({path: digest(text.encode()) for path, text in files.items()})


OLD = {
    "charts/a-1.0.0.tgz": "a", "charts/b-1.0.0.tgz": "b", "api/status": "1", "api/v1/appstore/hash": "1",
    "_market/details/3.json": "1", "icons/a.png": "1", "index.html": "1", "_headers": "1",
}  # fmt: skip


def test_everything_is_new_at_first() -> None:
    found = between(None, of(OLD))
    assert (dict(found.added), dict(found.removed), dict(found.changed)) == ({"a": "1.0.0", "b": "1.0.0"}, {}, {})
    assert (found.pictures, found.pages) == (1, 2)


def test_apps_replies_and_pages_are_told_apart() -> None:
    new = {**OLD, "charts/c-1.0.0-rc.1.tgz": "c", "charts/a-1.1.0.tgz": "a", "api/status": "2", "index.html": "2"}
    del new["charts/a-1.0.0.tgz"], new["charts/b-1.0.0.tgz"]
    new["api/v1/appstore/hash"] = new["_market/details/3.json"] = "2"
    found = between(of(OLD), of(new))
    assert list(found.lines()) == [
        "+ c 1.0.0-rc.1",
        "- b 1.0.0",
        "  a 1.0.0 -> 1.1.0",
        "  replies: api/v1/appstore/hash, details",
        "  files of the site: 1",
    ]
    assert found.summary() == "+c, -b, a 1.1.0"


def test_the_name_of_the_commit_alone_is_no_difference() -> None:
    found = between(of(OLD), of({**OLD, "api/status": "2"}))
    assert found.is_empty
    assert (list(found.lines()), found.summary()) == ([], "nothing")


def test_a_change_of_the_site_alone_is_said_to_be_one() -> None:
    found = between(of(OLD), of({**OLD, "index.html": "2"}))
    assert found.is_empty
    assert found.summary() == "site only"
