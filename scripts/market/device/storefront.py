"""What the store's pages make of an index: sidebar, pages, topics, lists, as the v1 frontend builds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from market.device.deviation import Fault, Finding, key_path, shown
from market.device.gojson import JsonError, parse, plain
from market.device.state import Row

LOCALES = ("en-US", "zh-CN", "fr-FR")
ARCHITECTURE = "amd64"
"""Of the Olares One's processor."""

_HIDDEN = "the store leaves it out"
_DEFAULT_TOPICS = ("Newest", "Hottest")


def show(data: Mapping[str, Any], rows: Sequence[Row]) -> Finding[tuple[str, ...]]:
    """Build the store's pages from the decoded index; the value is the sidebar, in its order."""
    names = {row.name for row in rows}
    faults = [
        *_sidebar_faults(data["tags"], rows),
        *_page_faults(data, names),
        *_topic_faults(data["topics"], names),
        *_list_faults(data, names),
        *architecture_faults(rows),
    ]
    used = {category for row in rows for category in row.categories}
    shown_tags = [tag for tag in data["tags"].values() if tag["name"] in used]
    sidebar = tuple(tag["name"] for tag in sorted(shown_tags, key=lambda tag: (tag["sort"], tag["name"])))
    return Finding(sidebar, tuple(faults), ", ".join(sidebar))


def title_faults(title: Mapping[str, Any], path: str) -> list[Fault]:
    """Return a fault for each locale in which a sidebar entry has no title."""
    why = "the store shows an entry without a label in that language"
    return [
        Fault(key_path(path, locale), f"no title in {locale}", why)
        for locale in LOCALES
        if not isinstance(title.get(locale), str) or not title[locale].strip()
    ]


def architecture_faults(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each app that the store hides on this machine."""
    return [
        Fault(
            f'$.apps["{row.id}"].supportArch',
            f"{row.name} supports {shown(list(row.entry.get('supportArch', [])))}, not {ARCHITECTURE}",
            "the store drops the app from every list on the Olares One",
        )
        for row in rows
        if ARCHITECTURE not in row.entry.get("supportArch", ())
    ]


def _sidebar_faults(tags: Mapping[str, Any], rows: Sequence[Row]) -> list[Fault]:
    faults: list[Fault] = []
    by_name = {tag["name"]: (key, tag) for key, tag in tags.items()}
    for category in sorted({category for row in rows for category in row.categories}):
        if category not in by_name:
            message = f'no tag is named "{category}", the category of an app'
            faults.append(Fault("$.data.tags", message, "the category has no entry in the store's sidebar"))
            continue
        key, tag = by_name[category]
        faults += title_faults(tag["title"], key_path(key_path("$.data.tags", key), "title"))
    return faults


def _page_faults(data: Mapping[str, Any], names: set[str]) -> list[Fault]:
    faults: list[Fault] = []
    for key, page in data["pages"].items():
        path = key_path(key_path("$.data.pages", key), "content")
        why = "the store parses it without a guard and stops showing the whole market"
        try:
            blocks = plain(parse(page["content"].encode()))
        except JsonError as error:
            faults.append(Fault(path, f"not JSON: {error}", why))
            continue
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            faults.append(Fault(path, f"expected an array of blocks, found {shown(blocks)}", why))
            continue
        for index, block in enumerate(blocks):
            faults += _block_faults(block, f"{path}[{index}]", data, names)
    return faults


def _block_faults(block: Mapping[str, Any], path: str, data: Mapping[str, Any], names: set[str]) -> list[Fault]:
    kind, block_id = block.get("type"), block.get("id")
    if kind == "Topic" and isinstance(block_id, str):
        return _resolve_list(block_id, path, data, names)
    if kind == "Default Topic" and block_id in _DEFAULT_TOPICS:
        return []
    if kind == "Recommends" and isinstance(block_id, str) and block_id in data["recommends"]:
        return []
    message = f"block {shown(block_id)} of type {shown(kind)} leads nowhere"
    return [Fault(path, message, _HIDDEN)]


def _resolve_list(block_id: str, path: str, data: Mapping[str, Any], names: set[str]) -> list[Fault]:
    """Follow a Topic block: topic list by name, its topics by ``_id``, their apps by name."""
    lists = {item["name"]: item for item in data["topic_lists"].values()}
    if block_id not in lists:
        return [Fault(path, f'no topic list is named "{block_id}"', _HIDDEN)]
    topics = {topic["_id"]: topic for topic in data["topics"].values()}
    wanted = _split(lists[block_id]["content"])
    faults = [
        Fault(path, f'topic list "{block_id}" names topic "{item}", which does not exist', _HIDDEN)
        for item in wanted
        if item not in topics
    ]
    found = {
        app for item in wanted for text in topics.get(item, {}).get("data", {}).values() for app in _split(text["apps"])
    }
    if not faults and not found & names:
        faults.append(Fault(path, f'topic list "{block_id}" leads to no app', "the section stays empty"))
    return faults


def _topic_faults(topics: Mapping[str, Any], names: set[str]) -> list[Fault]:
    faults: list[Fault] = []
    for key, topic in topics.items():
        for locale, text in topic["data"].items():
            path = key_path(key_path(key_path("$.data.topics", key), "data"), locale)
            faults += _unknown(_split(text["apps"]), names, f"{path}.apps")
    return faults


def _list_faults(data: Mapping[str, Any], names: set[str]) -> list[Fault]:
    faults = [*_unknown(data["latest"], names, "$.data.latest")]
    faults += _unknown([top["appId"] for top in data["tops"]], names, "$.data.tops")
    for key, recommend in data["recommends"].items():
        path = key_path(key_path("$.data.recommends", key), "content")
        faults += _unknown(_split(recommend["content"]), names, path)
    return faults


def _unknown(listed: Sequence[str], names: set[str], path: str) -> list[Fault]:
    return [
        Fault(path, f'"{name}" is not the name of an app of this market', _HIDDEN)
        for name in dict.fromkeys(listed)
        if name not in names
    ]


def _split(content: str) -> list[str]:
    return [part.strip() for part in content.split(",") if part.strip()]
