"""The run of MkDocs: pages in, HTML out. Its warnings stop the build."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from market.errors import MarketError
from market.paths import PROJECT
from market.site.language import Language

CONFIGURATIONS: Final = {"fr": "mkdocs.yml", "en": "mkdocs.en.yml"}
_TIME_LIMIT = 600
_KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "PYTHONPATH")


def run(language: Language, docs: Path, site: Path, origin: str, epoch: int) -> None:
    """Render ``docs`` to ``site`` with the configuration of the language; ``epoch`` dates the sitemap.

    Raises:
        MarketError: MkDocs is missing, failed or warned; the text holds its last lines.
    """
    command = [
        sys.executable, "-m", "mkdocs", "build", "--strict",
        "--config-file", str(PROJECT / CONFIGURATIONS[language.code]), "--site-dir", str(site),
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, no shell
            command, env=_environment(language, docs, origin, epoch), cwd=PROJECT, capture_output=True,
            text=True, timeout=_TIME_LIMIT, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise MarketError(f"mkdocs did not end within {_TIME_LIMIT} s ({language.code})") from error
    if done.returncode != 0:
        raise MarketError(f"mkdocs refused the {language.code} pages:\n{_essence(done.stderr or done.stdout)}")


def _environment(language: Language, docs: Path, origin: str, epoch: int) -> dict[str, str]:
    """A small environment: what the build depends on is in here and nowhere else."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "MARKET_SITE_DOCS": str(docs),
        "MARKET_SITE_URL": origin + language.root,
        "MARKET_SITE_ORIGIN": origin,
        "SOURCE_DATE_EPOCH": str(epoch),
        "PYTHONHASHSEED": "0",
        "NO_MKDOCS_2_WARNING": "1",
        "DISABLE_MKDOCS_2_WARNING": "true",
        "TZ": "UTC",
    }


def _essence(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("WARNING", "ERROR"))]
    return "\n".join((telling or lines)[-20:])
