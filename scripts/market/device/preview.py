"""What the store on a device shows of each app, in each language, as one page to look at.

Texts come from where the store takes them (chart i18n bundle, then manifest; categories by the tag of their
name), so a missing translation is seen here before an owner sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

import requests

from market.errors import MarketError

LOCALES = ("en-US", "fr-FR", "zh-CN")
BATCH = 10
SECONDS = 30
STYLE = """
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { margin: 2rem; }
section { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; margin: 0 0 1.5rem; }
article { display: grid; grid-template-columns: 64px 1fr; gap: .25rem 1rem; padding: 1rem; border: 1px solid #8886;
  border-radius: 12px; align-content: start; }
img { width: 64px; height: 64px; grid-row: span 3; }
h2 { font-size: 1.05rem; margin: 0; }
p { margin: 0; }
small { opacity: .75; }
@media (max-width: 800px) { section { grid-template-columns: 1fr; } }
"""


def fetch(url: str) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The tags and the details of every app of a market, by name.

    Raises:
        MarketError: the market does not answer as a market.
    """
    base = url.rstrip("/")
    try:
        info = requests.get(f"{base}/api/v1/appstore/info", timeout=SECONDS).json()
        ids = sorted(info["data"]["apps"])
        details: dict[str, Mapping[str, Any]] = {}
        for start in range(0, len(ids), BATCH):
            body = {"app_ids": ids[start : start + BATCH], "version": info["version"]}
            details |= requests.post(f"{base}/api/v1/applications/info", json=body, timeout=SECONDS).json()["apps"]
    except (requests.RequestException, ValueError, KeyError, TypeError) as error:
        raise MarketError(f"{url} does not answer as a market: {type(error).__name__}") from error
    return info["data"]["tags"], sorted(details.values(), key=lambda detail: str(detail["name"]))


def page(url: str, tags: Mapping[str, Any], details: Sequence[Mapping[str, Any]]) -> str:
    """The page: one row an app, one entry a language. It holds no script and asks only ``url`` for icons."""
    rows = "\n".join(f"<section>{''.join(_entries(url, tags, detail))}</section>" for detail in details)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Store entries</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><h1>Store entries</h1>\n{rows}\n</body></html>\n"
    )


def _entries(url: str, tags: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    icon = f"{url.rstrip('/')}{urlsplit(str(detail['icon'])).path}"
    for locale in LOCALES:
        own = detail["i18n"].get(locale, {}).get("metadata", {})
        title, description = own.get("title", detail["title"]), own.get("description", detail["description"])
        categories = ", ".join(tags[name]["title"].get(locale, name) for name in detail["categories"] if name in tags)
        missing = "" if own else " (untranslated)"
        yield (
            f'<article lang="{locale}"><img src="{escape(icon)}" alt=""><h2>{escape(title)}{missing}</h2>'
            f"<p>{escape(description)}</p><small>{escape(categories)} · {escape(str(detail['version']))}</small>"
            "</article>"
        )
