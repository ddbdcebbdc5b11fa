"""The v2 requests: catalog, taxonomy, applications page by page, and the store built from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from market.device.deviation import Fault, Finding, count, shown
from market.device.godecode import GoType, decode
from market.device.listing import ABORTS, Info, reply_faults
from market.device.shapes import APPLICATIONS, CATALOG, TAXONOMY
from market.device.state import Row, Stamps
from market.device.storefront import architecture_faults, title_faults
from market.device.transport import Transport

CATALOG_PATH = "/api/v2/catalog"
TAXONOMY_PATH = "/api/v2/taxonomy"
APPLICATIONS_PATH = "/api/v2/applications"
BROWSE_PATH = "/api/v2/browse/applications"
SOURCE_ID = "device-double"
PAGE_SIZE = 100
MAX_PAGES = 100

_EARLIEST_MS = 10**11
"""March 1973 in milliseconds, the year 5138 in seconds: tells the two units apart."""


def fetch_catalog(market: Transport) -> Finding[Stamps]:
    """Ask for the source's stamps; the source must name itself as it was asked."""
    finding = _envelope(market, CATALOG_PATH, {"source_id": SOURCE_ID}, CATALOG)
    if finding.value is None:
        return Finding(None, finding.faults)
    data = finding.value
    why = "the device checks the reply against the source it asked"
    faults = list(finding.faults)
    if data["schema_version"] != "v2":
        message = f'expected "v2", found {shown(data["schema_version"])}'
        faults.append(Fault("$.data.schema_version", message, why))
    if data["source_id"] != SOURCE_ID:
        message = f'expected the "{SOURCE_ID}" that was asked for, found {shown(data["source_id"])}'
        faults.append(Fault("$.data.source_id", message, why))
    if not data["apps_filter_digest"]:
        faults.append(Fault("$.data.apps_filter_digest", "the digest is empty", _stamp_why()))
    for key in ("taxonomy_last_modify_time", "apps_last_modify_time"):
        faults += _milliseconds(data[key], f"$.data.{key}")
    stamps = Stamps(data["apps_filter_digest"], data["taxonomy_last_modify_time"], data["apps_last_modify_time"])
    return Finding(stamps, tuple(faults), stamps.digest[:12])


def fetch_taxonomy(market: Transport, stamps: Stamps) -> Finding[Mapping[str, Any]]:
    """Ask for categories and navigation and check that they fit together."""
    finding = _envelope(market, TAXONOMY_PATH, {"source_id": SOURCE_ID}, TAXONOMY)
    if finding.value is None:
        return finding
    data = finding.value
    faults = list(finding.faults)
    if data["last_modify_time"] != stamps.taxonomy:
        message = f"{data['last_modify_time']} here, {stamps.taxonomy} in the catalog"
        faults.append(Fault("$.data.last_modify_time", message, _stamp_why()))
    if not data["source"]["source_id"]:
        faults.append(Fault("$.data.source.source_id", "the source has no id", "the store cannot name it"))
    ids = [category["id"] for category in data["categories"]]
    for path, used in (
        ("$.data.nav", data["nav"]),
        ("$.data.pages", [page["category_id"] for page in data["pages"]]),
    ):
        faults += [
            Fault(path, f'no category has the id "{item}"', "the store's entry leads nowhere")
            for item in used
            if item not in ids
        ]
    return Finding(data, tuple(faults), ", ".join(ids))


def fetch_applications(market: Transport, stamps: Stamps) -> Finding[tuple[Mapping[str, Any], ...]]:
    """Read the pages of apps until the source says that there are no more."""
    items: list[Mapping[str, Any]] = []
    faults: list[Fault] = []
    removed: list[Mapping[str, Any]] = []
    page, data = 0, {"has_more": True}
    while data["has_more"]:
        page += 1
        query = {"page": str(page), "page_size": str(PAGE_SIZE), "source_id": SOURCE_ID}
        finding = _envelope(market, APPLICATIONS_PATH, query, APPLICATIONS)
        faults += finding.faults
        if finding.value is None:
            return Finding(None, tuple(faults))
        data = finding.value
        known = {item["app_id"] for item in items}
        fresh = [item for item in data["items"] if item["app_id"] not in known]
        items += fresh
        removed += data["removed"]
        if data["has_more"] and (not fresh or page == MAX_PAGES):
            message = f"still true on page {page}, which brings no new app"
            faults.append(Fault("$.data.has_more", message, "the device would ask for pages for ever"))
            break
    faults += [*_item_faults(items), *_list_faults(data, items, stamps), *_removed_faults(removed, items)]
    return Finding(tuple(items), tuple(faults), f"{count(len(items), 'app')}, {count(page, 'page')}")


def check_browse(market: Transport, items: Sequence[Mapping[str, Any]]) -> Finding[int]:
    """Ask for the rows that the store's pages show; they are the rows of the sync."""
    query = {"page": "1", "page_size": str(PAGE_SIZE), "source_id": SOURCE_ID}
    finding = _envelope(market, BROWSE_PATH, query, APPLICATIONS)
    if finding.value is None:
        return Finding(None, finding.faults)
    shown_rows = {_identity(item) for item in finding.value["items"]}
    faults = list(finding.faults)
    if not finding.value["has_more"] and shown_rows != set(map(_identity, items)):
        message = f"{BROWSE_PATH} lists other apps or versions than {APPLICATIONS_PATH}"
        faults.append(Fault("$.data.items", message, "the store shows what cannot be installed"))
    return Finding(len(shown_rows), tuple(faults), count(len(shown_rows), "row"))


def compare(items: Sequence[Mapping[str, Any]], info: Info) -> tuple[Fault, ...]:
    """Compare the v2 rows with the v1 index: the same apps in the same versions."""
    why = "both protocols must show one snapshot of the market"
    first = {_identity(item) for item in items}
    second = {(key, str(app.get("name")), str(app.get("version"))) for key, app in info.apps.items()}
    return tuple(
        Fault("$.data.items", f"{name} {version} ({key}) is only in the {where}", why)
        for where, only in (("v2 list", first - second), ("v1 index", second - first))
        for key, name, version in sorted(only)
    )


def show_v2(
    taxonomy: Mapping[str, Any], items: Sequence[Mapping[str, Any]], rows: Sequence[Row]
) -> Finding[tuple[str, ...]]:
    """Build the store's sidebar: categories with apps, titled in every locale."""
    known = {category["id"]: index for index, category in enumerate(taxonomy["categories"])}
    faults: list[Fault] = []
    used: dict[str, None] = {}
    for item in items:
        shelves = _shelves(item, known)
        used |= dict.fromkeys(shelves)
        if not shelves:
            message = f"no category has the id of one of {shown(item['categories'])}, those of {item['name']}"
            why = "the app has no entry in the store's sidebar"
            faults.append(Fault("$.data.categories", message, why))
    for category in used:
        path = f"$.data.categories[{known[category]}].title"
        faults += title_faults(taxonomy["categories"][known[category]]["title"], path)
    faults += architecture_faults(rows)
    order = {category["id"]: (category["sort"], category["id"]) for category in taxonomy["categories"]}
    sidebar = tuple(sorted(used, key=lambda category: order[category]))
    return Finding(sidebar, tuple(faults), ", ".join(sidebar))


def _shelves(item: Mapping[str, Any], known: Mapping[str, int]) -> tuple[str, ...]:
    """Return the categories of an item, in the spelling of either key, if all of them exist."""
    for listed in (item["categories"], item["categories_v2"]):
        if listed and all(category in known for category in listed):
            return tuple(listed)
    return ()


def _envelope(market: Transport, path: str, query: Mapping[str, str], kind: GoType) -> Finding[Any]:
    what = f"GET {path}"
    reply = market.get(path, query)
    refused = reply_faults(reply, what)
    if not refused and not reply.is_json:
        message = f'Content-Type is "{reply.content_type}", expected application/json'
        refused = (Fault(what, message, ABORTS),)
    if refused:
        return Finding(None, refused)
    decoded = decode(reply.body, kind)
    if decoded.faults:
        return Finding(None, decoded.faults)
    envelope = decoded.value
    if envelope["code"] != 0:
        message = f"code {envelope['code']} ({envelope['msg']}), expected 0"
        return Finding(None, (Fault("$.code", message, ABORTS),))
    return Finding(envelope["data"])


def _item_faults(items: Sequence[Mapping[str, Any]]) -> list[Fault]:
    faults = []
    for index, item in enumerate(items):
        path = f"$.data.items[{index}]"
        faults += [
            Fault(f"{path}.{key}", f"{key} is missing or empty", "the device cannot make a row of it")
            for key in ("app_id", "name", "version")
            if not item[key]
        ]
        faults += _milliseconds(item["last_modify_time"], f"{path}.last_modify_time")
        if not 0 < item["updated_at"] < _EARLIEST_MS:
            message = f"expected seconds since 1970, found {item['updated_at']}"
            faults.append(Fault(f"{path}.updated_at", message, "this stamp, unlike the others, is in seconds"))
    return faults


def _list_faults(data: Mapping[str, Any], items: Sequence[Mapping[str, Any]], stamps: Stamps) -> list[Fault]:
    faults = []
    newest = max((item["last_modify_time"] for item in items), default=0)
    if data["max_last_modify_time"] != newest:
        message = f"{data['max_last_modify_time']}, the newest item has {newest}"
        faults.append(Fault("$.data.max_last_modify_time", message, _stamp_why()))
    if stamps.apps < newest:
        message = f"the catalog says {stamps.apps}, the newest item has {newest}"
        faults.append(Fault("$.data.apps_last_modify_time", message, _stamp_why()))
    if data["total"] != len(items):
        message = f"total is {data['total']}, the pages hold {len(items)} apps"
        faults.append(Fault("$.data.total", message, "the store's paging ends early or runs on"))
    return faults


def _removed_faults(removed: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]) -> list[Fault]:
    listed = {item["app_id"] for item in items}
    why = "the device deletes an app that the market still offers"
    return [
        Fault(f"$.data.removed[{index}]", f"{gone['name'] or gone['app_id']} is also among the items", why)
        for index, gone in enumerate(removed)
        if gone["app_id"] in listed
    ]


def _milliseconds(value: int, path: str) -> list[Fault]:
    if value >= _EARLIEST_MS:
        return []
    return [Fault(path, f"expected milliseconds since 1970, found {value}", _stamp_why())]


def _stamp_why() -> str:
    return "the device takes a change, or the lack of one, from the stamps and the digest"


def _identity(item: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(item["app_id"]), str(item["name"]), str(item["version"])
