"""The run of MkDocs: pages in, HTML out. Its warnings stop the build."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from market.errors import MarketError
from market.paths import PROJECT
from market.site.language import Language

CONFIGURATIONS: Final = {"fr": "mkdocs.yml", "en": "mkdocs.en.yml"}
_TIME_LIMIT = 600
_KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "PYTHONPATH")


@contextmanager
def running(
    language: Language, docs: Path, site: Path, origin: str, epoch: int, templates: Path | None = None
) -> Iterator[Callable[[], None]]:
    """Start to render ``docs`` to ``site`` with the configuration of the language; ``epoch`` dates the sitemap.

    ``templates`` is a folder where those of the theme are kept as code. What is yielded waits for the end. Whoever
    leaves the block before stops MkDocs.

    Raises:
        MarketError: MkDocs failed or warned; the text holds its last lines.
    """
    command = [
        sys.executable, "-m", "mkdocs", "build", "--strict",
        "--config-file", str(PROJECT / CONFIGURATIONS[language.code]), "--site-dir", str(site),
    ]  # fmt: skip
    kept = {"MARKET_SITE_TEMPLATES": str(templates)} if templates else {}
    with subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
        command, env=_environment(language, docs, origin, epoch) | kept, cwd=PROJECT, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield lambda: _ended(process, language)
        finally:
            process.kill()


def _ended(process: subprocess.Popen[str], language: Language) -> None:
    try:
        output, errors = process.communicate(timeout=_TIME_LIMIT)
    except subprocess.TimeoutExpired as error:
        raise MarketError(f"mkdocs did not end within {_TIME_LIMIT} s ({language.code})") from error
    if process.returncode != 0:
        raise MarketError(f"mkdocs refused the {language.code} pages:\n{_essence(errors or output)}")


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
