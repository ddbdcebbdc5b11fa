"""The Go types that replies are decoded into, declared as data.

Version 1 follows beclab/market's syncer (``step_interface.go``). The types of version 2 are not public;
they are the ones on which the live third-party sources agree.
"""

from __future__ import annotations

from market.device.godecode import GoType, Kind, MapOf, SliceOf, Struct

TEXT, INT, BOOL, ANY = Kind.STRING, Kind.INT, Kind.BOOL, Kind.ANY
OBJECT = MapOf(ANY)
STRINGS = SliceOf(TEXT)
TITLES = MapOf(TEXT)

HASH = Struct({"hash": TEXT, "last_updated": TEXT, "version": TEXT})

_STAMPED: dict[str, GoType] = {"source": INT, "updated_at": TEXT, "createdAt": TEXT}
_RECOMMEND = Struct(
    {
        "name": TEXT,
        "description": TEXT,
        "content": TEXT,
        "data": Struct({"title": OBJECT, "description": OBJECT}),
        **_STAMPED,
    }
)
_PAGE = Struct({"category": TEXT, "content": TEXT, **_STAMPED})
_TOPIC_TEXT = Struct(
    {
        **dict.fromkeys(
            (
                "group",
                "title",
                "des",
                "iconimg",
                "detailimg",
                "richtext",
                "mobileDetailImg",
                "mobileRichtext",
                "backgroundColor",
                "apps",
            ),
            TEXT,
        ),
        "isdelete": BOOL,
    }
)
_TOPIC = Struct({"_id": TEXT, "name": TEXT, "data": MapOf(_TOPIC_TEXT), **_STAMPED})
_TOPIC_LIST = Struct({"name": TEXT, "type": TEXT, "description": TEXT, "content": TEXT, "title": OBJECT, **_STAMPED})
_TAG = Struct({"_id": TEXT, "name": TEXT, "title": OBJECT, "icon": TEXT, "sort": INT, **_STAMPED})
_TOP = Struct({"appId": TEXT, "appid": TEXT, "rank": INT})


def _info(data: dict[str, GoType]) -> Struct:
    return Struct({"version": TEXT, "hash": TEXT, "last_updated": Kind.TIME, "data": Struct(data), "stats": OBJECT})


INFO = _info(
    {
        "apps": OBJECT,
        "recommends": MapOf(_RECOMMEND),
        "pages": MapOf(_PAGE),
        "topics": MapOf(_TOPIC),
        "topic_lists": MapOf(_TOPIC_LIST),
        "tags": MapOf(_TAG),
        "tops": SliceOf(_TOP),
        "latest": STRINGS,
    }
)
"""What today's public market decodes the index into."""

INFO_GEN_A = _info(
    {
        **dict.fromkeys(("apps", "recommends", "pages", "topics", "topic_lists", "tags"), OBJECT),
        **dict.fromkeys(("tops", "latest"), SliceOf(ANY)),
    }
)
"""The same in market 0.6.22, which looks inside the sections only later and skips what it cannot use."""


def _envelope(data: GoType) -> Struct:
    return Struct({"code": INT, "msg": TEXT, "data": data})


CATALOG = _envelope(
    Struct(
        {
            "schema_version": TEXT,
            "source_id": TEXT,
            "taxonomy_last_modify_time": INT,
            "apps_last_modify_time": INT,
            "apps_filter_digest": TEXT,
        }
    )
)
TAXONOMY = _envelope(
    Struct(
        {
            "last_modify_time": INT,
            "source": Struct(
                {
                    "source_id": TEXT,
                    "short_label": TEXT,
                    "display_name": TITLES,
                    "icon": TEXT,
                    "is_official": BOOL,
                }
            ),
            "languages": SliceOf(Struct({"code": TEXT, "display_name": ANY, "sort": INT, "enabled": BOOL})),
            "categories": SliceOf(Struct({"id": TEXT, "builtin": BOOL, "sort": INT, "icon": TEXT, "title": TITLES})),
            "nav": STRINGS,
            "pages": SliceOf(Struct({"category_id": TEXT, "items": SliceOf(Struct({"id": TEXT, "type": TEXT}))})),
            "tags": SliceOf(Struct({"slug": TEXT, "sort": INT, "icon": TEXT, "title": TITLES})),
            **dict.fromkeys(("topic_lists", "topics", "recommends"), SliceOf(ANY)),
        }
    )
)
_ITEM = Struct(
    {
        **dict.fromkeys(("app_id", "name", "title", "version", "icon", "featured_image", "cfg_type"), TEXT),
        **dict.fromkeys(("categories", "categories_v2", "tags", "app_labels"), STRINGS),
        "olares_version_constraint": TEXT,
        "last_modify_time": INT,
        "updated_at": INT,
    }
)
APPLICATIONS = _envelope(
    Struct(
        {
            "items": SliceOf(_ITEM),
            "removed": SliceOf(Struct({"app_id": TEXT, "name": TEXT, "removed_at": INT, "reason": TEXT})),
            "has_more": BOOL,
            "max_last_modify_time": INT,
            "total": INT,
            "page": INT,
            "page_size": INT,
        }
    )
)
