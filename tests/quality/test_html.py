"""The Nu HTML checker accepts every kind of page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from tests.quality.conftest import needed
from tests.quality.page_types import PAGE_TYPES, REDIRECT

from market.paths import PROJECT

CHECKER = PROJECT / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"

# Errors that stay: two check boxes in Material's base.html, which no block surrounds; and roles that say again that
# a table is one, since on a phone the rows of some are shown as blocks and browsers then forget it.
KNOWN = (
    r"Attribute “autocomplete” is only allowed",
    r"The “role” attribute must not be used on a “(tr|th|td)” element",
)


def test_the_nu_checker_finds_no_error(site: Path) -> None:
    if not CHECKER.exists() or shutil.which("java") is None:
        needed("needs java and node_modules/vnu-jar")
    pages = [
        site / (path.strip("/") + "/index.html" if path.endswith("/") else path.strip("/"))
        for path in (*PAGE_TYPES, REDIRECT)
    ]
    done = subprocess.run(
        ["java", "-Xss4m", "-jar", str(CHECKER), "--errors-only", "--format", "json", *map(str, pages)],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    messages = json.loads(done.stderr)["messages"]
    found = {
        f"{Path(message['url'].removeprefix('file:')).relative_to(site)}: {message['message']} "
        f"[{message.get('extract', '')[:120]}]"
        for message in messages
        if not any(re.match(known, message["message"]) for known in KNOWN)
    }
    assert found == set()
