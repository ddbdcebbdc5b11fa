"""Protocol v1: ``hash`` and ``info``. Field types are those that the market backend decodes without loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from market.catalog import App, Catalog
from market.index.detail import app_id, detail
from market.index.moment import nanoseconds, newest, release_of

SOURCE = 1
"""``source`` of a third party, by convention of the market backend."""
LATEST = 30
TOPIC_TEXTS = ("group", "des", "iconimg", "detailimg", "richtext", "mobileDetailImg", "mobileRichtext",
               "backgroundColor")  # fmt: skip
TOPS = 10


def info(catalog: Catalog, hash: str, version: str) -> dict[str, Any]:
    """``GET /api/v1/appstore/info``; ``version`` is the Olares version that the static reply names."""
    return {
        "version": version,
        "hash": hash,
        "last_updated": nanoseconds(newest(catalog)),
        "data": data(catalog),
        "stats": {"appstore_data": {"apps": len(catalog.listed)}},
    }


def hash_reply(catalog: Catalog, hash: str, version: str) -> dict[str, Any]:
    """``GET /api/v1/appstore/hash``."""
    return {"hash": hash, "last_updated": nanoseconds(newest(catalog)), "version": version}


def data(catalog: Catalog) -> dict[str, Any]:
    """The sections of ``info.data``."""
    used = used_categories(catalog)
    return {
        "apps": {app_id(app.name): _summary(catalog, app) for app in catalog.listed},
        "recommends": {},
        "pages": {category["name"]: _page(catalog, category) for category in used},
        "topics": {_topic_id(category): _topic(catalog, category) for category in used},
        "topic_lists": {_list_name(category): _topic_list(catalog, category) for category in used},
        "tops": [{"appId": app.name, "rank": rank} for rank, app in enumerate(fastest(catalog.listed)[:TOPS], 1)],
        "latest": [app.name for app in newest_first(catalog)[:LATEST]],
        "tags": {category["name"]: _tag(catalog, category) for category in used},
    }


def used_categories(catalog: Catalog) -> list[Mapping[str, Any]]:
    """The categories that a listed app is in, in their order."""
    names = {name for app in catalog.listed for name in app.manifest["metadata"]["categories"]}
    chosen = [category for category in catalog.categories if category["name"] in names]
    return sorted(chosen, key=lambda category: (category["sort"], category["name"]))


def fastest(apps: Sequence[App]) -> list[App]:
    """Apps by the mean of their fastest report, tokens/s, fastest first; unmeasured ones last."""
    return sorted(apps, key=lambda app: (-max((r.statistics.mean for r in app.reports), default=0), app.name))


def newest_first(catalog: Catalog) -> list[App]:
    """Listed apps by the release date of what ships, newest first."""
    return sorted(catalog.listed, key=lambda app: (-release_of(catalog, app).milliseconds, app.name))


def _summary(catalog: Catalog, app: App) -> dict[str, Any]:
    whole = detail(catalog, app)
    kept = ("id", "name", "version", "title", "description", "icon", "categories", "supportArch", "appLabels",
            "screenshots", "tags", "updated_at")  # fmt: skip
    return {key: whole[key] for key in kept} | {"category": whole["categories"][0], "source": SOURCE}


def _stamps(catalog: Catalog) -> dict[str, Any]:
    moment = nanoseconds(newest(catalog))
    return {"source": SOURCE, "updated_at": moment, "createdAt": moment}


def _topic_id(category: Mapping[str, Any]) -> str:
    return f"featured_{category['slug'].replace('-', '_')}"


def _list_name(category: Mapping[str, Any]) -> str:
    return f"Featured in {category['name']}"


def _page(catalog: Catalog, category: Mapping[str, Any]) -> dict[str, Any]:
    items = [{"type": "Topic", "id": _list_name(category)}, {"type": "Default Topic", "id": "Newest"}]
    # A JSON text inside JSON: the store's front end parses it, and stops on anything else.
    return {"category": category["name"], "content": json.dumps(items), **_stamps(catalog)}


def _topic(catalog: Catalog, category: Mapping[str, Any]) -> dict[str, Any]:
    members = [app for app in catalog.listed if category["name"] in app.manifest["metadata"]["categories"]]
    names = ",".join(app.name for app in fastest(members))
    blank = dict.fromkeys(TOPIC_TEXTS, "")
    translations = {
        locale: {**blank, "title": title, "apps": names, "isdelete": False}
        for locale, title in sorted(category["title"].items())
    }
    return {"_id": _topic_id(category), "name": category["name"], "data": translations, **_stamps(catalog)}


def _topic_list(catalog: Catalog, category: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": _list_name(category),
        "type": "Category",
        "description": "",
        "content": _topic_id(category),
        "title": category["title"],
        **_stamps(catalog),
    }


def _tag(catalog: Catalog, category: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "_id": f"category_{category['slug'].replace('-', '_')}",
        "name": category["name"],
        "title": category["title"],
        "icon": category.get("icon", ""),
        "sort": category["sort"],
        **_stamps(catalog),
    }
