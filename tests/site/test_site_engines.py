"""The page of the engines, and the combinations that are known to fail."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest

from market import check, combination, helm
from market.catalog import Catalog, load
from market.packaging import package
from market.serving import Serving
from market.site import combinations, lineage
from market.site.drawing import Branch
from market.site.drawing import lineage as draw
from market.site.language import FRENCH
from market.site.pages import Pages

assert check.FAMILIES

RUNNING = ("llamacppqwen36a3bone", "llamacppqwen36beevisionone", "vllmgemma426ba4bvisionone")


@pytest.fixture(scope="module")
def servings(repository: Catalog) -> Mapping[str, Serving]:
    apps = [app for app in repository.apps if app.name in RUNNING]
    return combinations.servings(repository, package(repository, apps, helm.render_here))


def test_a_tree_has_a_line_a_fork_and_a_dot_a_project() -> None:
    family = [Branch("a", 0, "2 apps"), Branch("b", 1, ""), Branch("c", 2, "1 app"), Branch("<d>", 1, "")]
    svg = draw([family, [Branch("e", 0, "")]], '"><script>', )  # fmt: skip
    root = ET.fromstring(svg.replace(" data-search-exclude", ""))
    kinds = [element.get("class", "") for element in root.iter()]
    assert kinds.count("oo-tree__line") == 3
    assert len([kind for kind in kinds if kind.startswith("oo-tree__dot")]) == 5
    assert kinds.count("oo-tree__dot oo-tree__dot--empty") == 3
    _, _, width, height = map(float, root.get("viewBox", "").split())
    dots = [(float(e.get("cx", "")), float(e.get("cy", ""))) for e in root.iter() if "dot" in e.get("class", "")]
    assert all(0 < x < width and 0 < y < height for x, y in dots)
    assert [x for x, _ in dots] == [6, 28, 50, 28, 6]
    assert sorted(y for _, y in dots) == [y for _, y in dots]
    # A fork hangs on the project that it was taken from, not on the line above.
    paths = [element.get("d", "") for element in root.iter() if element.get("class") == "oo-tree__line"]
    assert [path.split("V")[0] for path in paths] == [f"M6 {dots[0][1]:g}", f"M28 {dots[1][1]:g}", f"M6 {dots[0][1]:g}"]
    assert "<script>" not in svg


def test_every_engine_stands_below_its_parent(english: Pages) -> None:
    members = [member for family in lineage.lineages(english) for member in family]
    assert {member.id for member in members} == set(english.catalog.engines)
    depths = {member.id: member.depth for member in members}
    order = [member.id for member in members]
    for member in members:
        parent = member.engine["parent"]
        assert member.depth == (depths[parent] + 1 if parent else 0)
        assert parent is None or order.index(parent) < order.index(member.id)


def test_the_page_has_every_engine_version_and_combination(french: Pages, english: Pages) -> None:
    for pages in (french, english):
        text = lineage.pages_of(pages)["engines.md"]
        for id, engine in pages.catalog.engines.items():
            assert f"{{ #{id} }}" in text
            for version in engine["versions"]:
                assert f"<code>{version['version']}</code>" in text
        for one in combination.load():
            assert str(pages.say.words.pick(one.title).partition("`")[0].replace("'", "&#39;")) in text
            for source in one.sources:
                assert f'href="{source["url"]}"' in text


def test_a_combination_stands_with_the_engines_that_it_names(english: Pages) -> None:
    named = {
        id: {one.id for one in some} for id, some in combinations.naming(english.catalog.engines).items()
    }  # fmt: skip
    assert {one.id for one in combination.load()} == set().union(*named.values())
    assert "bee-gemma4" in named["beellama-cpp"]
    assert "bee031-hermes" in named["beellama-cpp"], "by its words, as it has no condition"
    assert "gpu-swap-image-crash" in named["buun-llama-cpp"], "by its source"
    assert "vllm-mamba-block" in named["vllm-genesis"]
    assert "floating-tag" in named[""]
    assert not set(named) - {"", *english.catalog.engines}


def test_what_concerns_an_app(servings: Mapping[str, Serving]) -> None:
    found = {
        name: {one.combination.id: one.runs for one in combinations.concerning(serving)}
        for name, serving in servings.items()
    }
    assert set(found) == set(RUNNING)
    swap = found["llamacppqwen36a3bone"]
    assert swap["mtp-mmproj-24gb"] is False, "the exchange is what saves it"
    assert swap["turbo4-draft-cache"] is False
    assert swap["mmproj-ubatch-qwen"] is True
    assert "gpu-swap-lost-mtp" not in swap, "another build"
    assert "cpu-moe" not in swap, "an option of any llama.cpp says nothing of this app"
    assert "bee-long-agentic" in found["llamacppqwen36beevisionone"]
    assert "vllm-gemma-attn" in found["vllmgemma426ba4bvisionone"]
    for some in found.values():
        assert list(some.values()) == sorted(some.values(), reverse=True), "what an app does comes first"


def test_the_page_of_an_app_says_what_concerns_it(repository: Catalog, servings: Mapping[str, Serving]) -> None:
    pages = Pages(repository, FRENCH, servings)
    app = repository.app("llamacppqwen36a3bone")
    other = repository.app("llamacppqwen36mtpone")
    assert app is not None
    assert other is not None
    page = pages.app(app)
    assert "{ #known }" in page
    assert 'href="/rules/llm.mtp-mmproj-24gb/"' in page
    assert 'href="/engines/#buun-llama-cpp"' in page
    assert re.search(r"<details[^>]* open><summary>Ce que cette application fait \(\d+\)", page)
    assert "{ #known }" not in pages.app(other), "nothing is said of an app that was not rendered"


def test_an_engine_without_parent_or_app_is_told(root: Path) -> None:
    catalog, _ = load(root)
    text = lineage.pages_of(Pages(catalog, FRENCH))["engines.md"]
    assert "aucune de ce catalogue" in text
    assert "BeeLlama descend de buun-llama-cpp" in text
