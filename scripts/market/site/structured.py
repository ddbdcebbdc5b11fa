"""What pages say of themselves to machines, in the vocabulary of schema.org (JSON-LD)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from market.catalog import App
from market.configuration import Entry
from market.site import figures, frontmatter
from market.site.pages import Pages
from market.site.words import words
from market.site.writeups import WriteUp

Data = dict[str, Any]

_CONTEXT: Final = {"@context": "https://schema.org"}
_LICENCE: Final = "https://www.apache.org/licenses/LICENSE-2.0"
"""The repository's licence, which covers the reports."""
_FORMATS: Final = {"leaderboard.csv": "text/csv", "leaderboard.json": "application/json"}


def dataset(pages: Pages, page: Mapping[str, Any], files: Collection[str]) -> Data:
    """The leaderboard as a Dataset; ``page`` is its front matter, ``files`` what can be downloaded."""
    t, root = words(pages.language), _root(pages)
    dates = sorted(row.report.date for row in pages.rows)
    downloads = [
        {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": root + path}
        for path, kind in _FORMATS.items()
        if path in files
    ]
    return _CONTEXT | {
        "@type": "Dataset",
        "name": str(t("dataset_name")),
        "description": frontmatter.plain(page["description"]),
        "url": f"{root}leaderboard/",
        "inLanguage": pages.language.code,
        "license": _LICENCE,
        "isAccessibleForFree": True,
        "creator": _publisher(pages),
        "dateModified": dates[-1] if dates else None,
        "temporalCoverage": f"{dates[0]}/{dates[-1]}" if dates else None,
        "variableMeasured": [{"@type": "PropertyValue", "name": str(t("dataset_variable")), "unitText": "tokens/s"}],
        "distribution": downloads,
    }


def application(pages: Pages, app: App, description: str) -> Data:
    """An app with a chart as a SoftwareApplication."""
    root, origin = _root(pages), pages.catalog.market["origin"]
    history = pages.catalog.ledger.history(app.name)
    return _CONTEXT | {
        "@type": "SoftwareApplication",
        "name": figures.title(app, pages.language),
        "alternateName": [app.name, *app.formerly],
        "description": description,
        "url": f"{root}apps/{app.name}/",
        "image": f"{origin}/icons/{app.name}.png",
        "applicationCategory": "DeveloperApplication",
        "operatingSystem": "Olares",
        "softwareVersion": app.version,
        "dateModified": history[0].released if history else None,
        "isAccessibleForFree": True,
        "offers": {"@type": "Offer", "price": "0", "priceCurrency": "EUR"},
        "publisher": _publisher(pages),
    }


def article(pages: Pages, written: WriteUp, image: str) -> Data:
    """A write-up as an Article."""
    root = _root(pages)
    return _CONTEXT | {
        "@type": "Article",
        "headline": written.title,
        "description": written.description,
        "url": root + written.address,
        "mainEntityOfPage": root + written.address,
        "image": image,
        "inLanguage": pages.language.code,
        "datePublished": written.created,
        "dateModified": written.updated,
        "author": [{"@type": "Person", "name": author} for author in written.authors],
        "publisher": _publisher(pages),
        "isBasedOn": f"{root}leaderboard/",
        "mentions": [_mention(pages, app) for app in written.apps],
    }


def website(pages: Pages, description: str) -> Data:
    """The home page: what the site is."""
    return _CONTEXT | {
        "@type": "WebSite",
        "name": site_name(pages),
        "description": description,
        "url": _root(pages),
        "inLanguage": pages.language.code,
        "publisher": _publisher(pages),
    }


def site_name(pages: Pages) -> str:
    """The name of the market in this language."""
    titles: Mapping[str, str] = pages.catalog.market["title"]
    return titles["fr-FR" if pages.language.code == "fr" else "en-US"]


def _mention(pages: Pages, app: Entry) -> Data:
    address = f"{_root(pages)}apps/{app.name}/"
    return {"@type": "SoftwareApplication", "name": figures.title(app, pages.language), "url": address}


def _publisher(pages: Pages) -> Data:
    market = pages.catalog.market
    return {
        "@type": "Organization", "name": site_name(pages), "url": f"{market['origin']}/",
        "logo": f"{market['origin']}/apple-touch-icon.png", "sameAs": [market["repository"]],
    }  # fmt: skip


def _root(pages: Pages) -> str:
    return str(pages.catalog.market["origin"]) + pages.language.root
