"""The first two requests of a v1 sync: the hash, then the index."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from market.device.deviation import Fault, Finding, count, key_path, shown
from market.device.godecode import decode
from market.device.shapes import HASH, INFO, INFO_GEN_A
from market.device.transport import Reply, Transport

HASH_PATH = "/api/v1/appstore/hash"
INFO_PATH = "/api/v1/appstore/info"
PLACEHOLDERS = ("empty_cache_no_users", "no_source_hash")
"""What the device itself puts in place of a hash that it does not have."""

ABORTS = "the device gives up on this source until the next cycle"
SKIPS = "this generation skips what it cannot use without a word, later ones refuse the whole reply"
_APP_NAME = re.compile(r"[a-z0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class Info:
    """The index as the device decoded it; ``body`` are its bytes, ``apps`` the usable summaries by id."""

    hash: str
    version: str
    data: Mapping[str, Any]
    apps: Mapping[str, Mapping[str, Any]]
    body: bytes


def reply_faults(reply: Reply, what: str) -> tuple[Fault, ...]:
    """Return why a device would not take a reply at all: none, cut short, or a status other than 200."""
    if not reply.answered:
        return (Fault(what, f"no reply: {reply.fault}", ABORTS),)
    if reply.fault:
        return (Fault(what, f"the reply cannot be read: {reply.fault}", ABORTS),)
    if reply.status != 200:
        via = f" (after {', '.join(reply.redirects)})" if reply.redirects else ""
        return (Fault(what, f"status {reply.status}, expected 200{via}", ABORTS),)
    return ()


def fetch_hash(market: Transport, olares_version: str) -> Finding[str]:
    """Ask for the hash and judge the reply."""
    what = f"GET {HASH_PATH}"
    reply = market.get(HASH_PATH, {"version": olares_version})
    refused = reply_faults(reply, what)
    if refused:
        return Finding(None, refused)
    decoded = decode(reply.body, HASH, f"the body is decoded strictly; {ABORTS}")
    if decoded.faults:
        return Finding(None, (*decoded.faults, *_type_fault(reply, what, fatal=False)))
    faults = [*_type_fault(reply, what, fatal=False), *_hash_faults(decoded.value)]
    return Finding(decoded.value["hash"], tuple(faults), decoded.value["hash"][:12])


def fetch_info(market: Transport, olares_version: str, mode: str, announced: str) -> Finding[Info]:
    """Ask for the index and judge it; ``announced`` is what the hash request said."""
    what = f"GET {INFO_PATH}"
    reply = market.get(INFO_PATH, {"version": olares_version})
    refused = reply_faults(reply, what) or _type_fault(reply, what, fatal=True)
    if refused:
        return Finding(None, refused)
    refused = decode(reply.body, INFO_GEN_A if mode == "genA" else INFO).faults
    if refused:
        return Finding(None, refused)
    decoded = decode(reply.body, INFO, SKIPS)
    value = decoded.value
    apps = {key: app for key, app in value["data"]["apps"].items() if _is_used(key, app)}
    faults = (
        *decoded.faults,
        *_head_faults(value, announced),
        *_app_faults(value["data"]["apps"], apps),
    )
    if mode != "genA" and not (value["hash"] and value["version"]):
        return Finding(None, faults)
    info = Info(value["hash"], value["version"], value["data"], apps, reply.body)
    return Finding(info, faults, count(len(apps), "app"))


def _type_fault(reply: Reply, what: str, *, fatal: bool) -> tuple[Fault, ...]:
    if reply.is_json:
        return ()
    why = (
        "the device's client decodes JSON content types only and finds the reply empty; " + ABORTS
        if fatal
        else "this reply is read whatever its type, but a wrong type is how an error page looks"
    )
    return (Fault(what, f'Content-Type is "{reply.content_type}", expected application/json', why),)


def _hash_faults(value: Mapping[str, str]) -> list[Fault]:
    faults = []
    if not value["hash"]:
        faults.append(Fault("$.hash", "the hash is empty", "the device rejects the index that follows"))
    if value["hash"] in PLACEHOLDERS:
        faults.append(Fault("$.hash", f'"{value["hash"]}" is the device\'s own placeholder', "it would never sync"))
    if not value["version"]:
        faults.append(Fault("$.version", "version is empty", "the Olares version is to be echoed"))
    return faults


def _head_faults(value: Mapping[str, Any], announced: str) -> list[Fault]:
    faults = []
    for key in ("hash", "version"):
        if not value[key]:
            faults.append(Fault(f"$.{key}", f"{key} is empty", f"the index is invalid; {ABORTS}"))
    if value["hash"] and value["hash"] != announced:
        message = f'the index has hash "{value["hash"]}", the hash request said "{announced}"'
        faults.append(Fault("$.hash", message, "some devices fetch everything again every five minutes"))
    if not value["data"]["apps"]:
        faults.append(Fault("$.data.apps", "the index lists no app", "the device shows an empty market"))
    return faults


def _is_used(key: str, app: object) -> bool:
    return isinstance(app, dict) and app.get("id") == key


def _app_faults(listed: Mapping[str, Any], used: Mapping[str, Mapping[str, Any]]) -> list[Fault]:
    faults: list[Fault] = []
    for key, app in listed.items():
        path = key_path("$.data.apps", key)
        if key in used:
            faults += _identity_faults(key, used[key], path)
        elif isinstance(app, dict):
            message = f"id is {shown(app.get('id'))}, its key is {shown(key)}"
            faults.append(Fault(path, message, "the device skips the app"))
        else:
            faults.append(Fault(path, "the app is not an object", "the device skips the app"))
    return faults


def _identity_faults(key: str, app: Mapping[str, Any], path: str) -> list[Fault]:
    faults = []
    name = app.get("name")
    if len(key) > 32:
        message = f"the id has {len(key)} characters, at most 32 fit"
        faults.append(Fault(path, message, "the database refuses it with its whole batch"))
    if not isinstance(name, str) or not _APP_NAME.fullmatch(name):
        message = f"name {shown(name)} is not 1 to 30 lower-case letters and digits"
        faults.append(Fault(key_path(path, "name"), message, "Olares refuses to install such an app"))
    elif app_id(name) != key:
        message = f"the id of {name} is {app_id(name)}, found {key}"
        faults.append(Fault(path, message, "Olares derives addresses and volumes from the id"))
    return faults


def app_id(name: str) -> str:
    """Return the id Olares gives an app: the first eight hex digits of its name's MD5."""
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8]
