"""What the status reply and page tell, and that nothing else depends on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from market import schema
from market.catalog import Catalog
from market.index.replies import replies
from market.origin import Origin
from market.packaging import Package
from market.paths import PROJECT
from market.site.language import ENGLISH, FRENCH, Language
from market.site.pages import Pages

pytestmark = pytest.mark.xdist_group("api")

ORIGIN = Origin("0123456789" * 4, True, "ab" * 32)


@pytest.fixture(scope="module")
def files(repository: Catalog, packages: tuple[Package, ...]) -> dict[str, bytes]:
    return replies(repository, packages, ORIGIN)


def test_it_tells_what_is_served_and_where_it_comes_from(repository: Catalog, files: dict[str, bytes]) -> None:
    status = json.loads(files["api/status"])
    assert not schema.errors(status, "index-status")
    assert status["hash"] == json.loads(files["api/v1/appstore/hash"])["hash"]
    assert (status["commit"], status["dirty"], status["previous"]) == (ORIGIN.commit, True, ORIGIN.previous)
    assert set(status["apps"]) == {app.name for app in repository.listed}
    for app in repository.listed:
        release = repository.ledger.find(app.name, app.version)
        assert release is not None
        told = status["apps"][app.name]
        assert told == {
            "version": app.version, "sha256": release.sha256, "size": release.size, "released": release.released,
        }  # fmt: skip
        assert len(files[f"charts/{app.name}-{app.version}.tgz"]) == told["size"]


def test_nothing_else_depends_on_the_origin(
    repository: Catalog, packages: tuple[Package, ...], files: dict[str, bytes]
) -> None:
    without = replies(repository, packages)
    assert without.keys() == files.keys()
    assert {path for path in files if files[path] != without[path]} == {"api/status"}
    unknown = json.loads(without["api/status"])
    assert (unknown["commit"], unknown["dirty"], unknown["previous"]) == (None, False, None)
    assert not schema.errors(unknown, "index-status")


def test_the_icon_that_the_source_names_is_served(repository: Catalog, files: dict[str, bytes]) -> None:
    address = json.loads(files["api/v2/taxonomy"])["data"]["source"]["icon"]
    path = address.removeprefix(repository.market["origin"]).lstrip("/")
    assert files[path].startswith(b"\x89PNG")


@pytest.mark.parametrize("language", [FRENCH, ENGLISH])
def test_the_page_tells_the_same(repository: Catalog, files: dict[str, bytes], language: Language) -> None:
    status = json.loads(files["api/status"])
    table = str(Pages(repository, language, status=status).served())
    for text in (status["hash"], ORIGIN.previous, f'/commit/{ORIGIN.commit}"'):
        assert str(text) in table
    for name, app in status["apps"].items():
        assert f'{language.root}apps/{name}/">' in table
        assert f"/charts/{name}-{app['version']}.tgz" in table
        assert app["sha256"] in table
    assert "\n\n" not in table, "a blank line would end the HTML in Markdown"
    assert table.count("data-search-exclude") == 2, "the search index must not depend on the origin"
    bare = Pages(repository, language, status=status | {"commit": None, "previous": None, "released": None}).served()
    assert "/commit/" not in bare


@pytest.mark.parametrize("language", ["fr", "en"])
def test_both_languages_have_the_page_in_their_menu(language: str) -> None:
    text = (PROJECT / "docs" / language / "status.md").read_text("utf-8")
    assert "{{ served() }}" in text
    menu = Path(PROJECT / ("mkdocs.yml" if language == "fr" else "mkdocs.en.yml")).read_text("utf-8")
    assert ": status.md" in menu
