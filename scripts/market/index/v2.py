"""Protocol v2: ``catalog``, ``taxonomy`` and ``applications``, for Olares 1.12.7 and later.

No public reader of it exists; the shapes are those of the live sources, and where they disagree the one
that no plausible reader can reject (integers for times, texts for names, nothing optional).
"""

from __future__ import annotations

from typing import Any

from market.catalog import App, Catalog
from market.index.detail import app_id, detail
from market.index.moment import newest_milliseconds, release_of
from market.index.v1 import used_categories

LANGUAGES = (("en-US", "English"), ("fr-FR", "Français"), ("zh-CN", "简体中文"))


def catalog_reply(catalog: Catalog, hash: str) -> dict[str, Any]:
    """``GET /api/v2/catalog``; the Worker echoes ``?source_id`` into it."""
    return _envelope(
        {
            "schema_version": "v2",
            "source_id": catalog.market["id"],
            "taxonomy_last_modify_time": newest_milliseconds(catalog),
            "apps_last_modify_time": _newest_app(catalog),
            "apps_filter_digest": hash,
        }
    )


def taxonomy(catalog: Catalog) -> dict[str, Any]:
    """``GET /api/v2/taxonomy``."""
    market = catalog.market
    used = used_categories(catalog)
    return _envelope(
        {
            "last_modify_time": newest_milliseconds(catalog),
            "source": {
                "source_id": market["id"],
                "short_label": market["short_label"],
                "display_name": market["title"],
                "icon": market["origin"] + market["icon"],
                "is_official": False,
            },
            "languages": [
                {"code": code, "display_name": name, "sort": sort, "enabled": True}
                for sort, (code, name) in enumerate(LANGUAGES, 1)
            ],
            "categories": [
                {
                    "id": category["name"],
                    "builtin": False,
                    "sort": category["sort"],
                    "icon": category.get("icon", ""),
                    "title": category["title"],
                }
                for category in used
            ],
            "nav": [category["name"] for category in used],
            "pages": [{"category_id": category["name"], "items": [{"id": "all", "type": "all"}]} for category in used],
            "tags": [],
            "topic_lists": [],
            "topics": [],
            "recommends": [],
        }
    )


def applications(catalog: Catalog) -> dict[str, Any]:
    """``GET /api/v2/applications``: all rows on one page."""
    items = [_row(catalog, app) for app in catalog.listed]
    return _envelope(
        {
            "items": items,
            "removed": _removed(catalog),
            "has_more": False,
            "max_last_modify_time": _newest_app(catalog),
            "total": len(items),
            "page": 1,
            "page_size": max(len(items), 1),
        }
    )


def _envelope(data: dict[str, Any]) -> dict[str, Any]:
    return {"code": 0, "msg": "success", "data": data}


def _newest_app(catalog: Catalog) -> int:
    return max((release_of(catalog, app).milliseconds for app in catalog.listed), default=0)


def _row(catalog: Catalog, app: App) -> dict[str, Any]:
    whole = detail(catalog, app)
    moment = release_of(catalog, app).milliseconds
    return {
        "app_id": whole["id"],
        "name": app.name,
        "title": whole["title"],
        "version": app.version,
        "icon": whole["icon"],
        "featured_image": whole["featuredImage"],
        "cfg_type": whole["cfgType"],
        "categories": whole["categories"],
        "categories_v2": app.manifest["metadata"].get("categories_v2", []),
        "tags": whole["tags"],
        "app_labels": [],
        "olares_version_constraint": _olares_constraint(app),
        "last_modify_time": moment,
        "updated_at": moment // 1000,
    }


def _olares_constraint(app: App) -> str:
    dependencies = app.manifest["options"]["dependencies"]
    return next(str(entry["version"]) for entry in dependencies if entry["name"] == "olares")


def _removed(catalog: Catalog) -> list[dict[str, Any]]:
    """Apps that were released and are no longer listed, at the time of their last release."""
    listed = {app.name for app in catalog.listed}
    gone = sorted({release.name for release in catalog.ledger.releases.values()} - listed)
    return [
        {
            "app_id": app_id(name),
            "name": name,
            "removed_at": catalog.ledger.history(name)[0].milliseconds,
            "reason": catalog.ledger.history(name)[0].withdrawn or "no longer listed",
        }
        for name in gone
    ]
