"""axe-core finds nothing on any kind of page, in either theme and on a narrow screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.quality.conftest import needed
from tests.quality.page_types import PAGE_TYPES

from market.paths import PROJECT

AXE = PROJECT / "node_modules" / "axe-core" / "axe.min.js"

# The theme changes colours alone; the rest of the rules need to run once a page.
ALL_RULES: dict[str, Any] = {}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
NARROW = {"runOnly": {"type": "rule", "values": ["color-contrast", "scrollable-region-focusable", "target-size"]}}

pytestmark = pytest.mark.xdist_group("quality-axe")


@pytest.mark.parametrize(
    ("width", "scheme", "options"),
    [(1440, "light", ALL_RULES), (1440, "dark", COLOURS), (390, "light", NARROW)],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing(browser: Browser, address: str, width: int, scheme: Any, options: dict[str, Any]) -> None:
    if not AXE.exists():
        needed("needs node_modules/axe-core")
    axe = AXE.read_text("utf-8")
    # The policy of the site refuses foreign scripts, axe among them.
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True
    )
    page = context.new_page()
    found = {}
    for path in PAGE_TYPES:
        page.goto(address + path)
        page.wait_for_load_state("load")
        page.evaluate(axe)
        result = page.evaluate("options => axe.run(document, {resultTypes: ['violations'], ...options})", options)
        if violations := [_shown(violation) for violation in result["violations"]]:
            found[path] = violations
    context.close()
    assert found == {}


def _shown(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    return f"{violation['id']} ({len(nodes)}): {nodes[0]['html'][:160]} {nodes[0]['failureSummary'][:200]}"
