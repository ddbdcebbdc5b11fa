"""The index as files: every reply that a device can ask for, ready to be served."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import rfc8785

from market import icons, pictures, schema
from market.canonical import encode
from market.catalog import Catalog
from market.errors import MarketError
from market.index import openapi, v1, v2
from market.index.detail import app_id, detail
from market.index.moment import release_of
from market.origin import UNKNOWN, Origin
from market.packaging import Package
from market.scenario import OLARES_VERSION

SHARDS = 32
"""Detail files; the Worker computes the same number from an id (worker/src/details.ts)."""


def shard(id: str) -> int:
    """The detail file that holds an app."""
    return int(id[:2], 16) % SHARDS


def replies(catalog: Catalog, packages: Iterable[Package], origin: Origin = UNKNOWN) -> dict[str, bytes]:
    """Every file of the index by its path below dist/; only ``api/status`` depends on ``origin``.

    Raises:
        MarketError: a reply does not pass its own schema; a bug of ours.
    """
    packaged = tuple(package for package in packages if package.app.is_listed)
    details = {app_id(app.name): detail(catalog, app) for app in catalog.listed}
    hash = catalog_hash(catalog, packaged, details)
    info = v1.info(catalog, hash, OLARES_VERSION)
    applications = v2.applications(catalog)
    checked = {
        "api/v1/appstore/hash": ("index-hash", v1.hash_reply(catalog, hash, OLARES_VERSION)),
        "api/v1/appstore/info": ("index-info", info),
        "api/v2/taxonomy": ("index-v2-taxonomy", v2.taxonomy(catalog)),
        "api/v2/applications": ("index-v2-applications", applications),
        "api/v2/browse/applications": ("index-v2-applications", applications),
        "_market/catalog.json": ("index-v2-catalog", v2.catalog_reply(catalog, hash)),
        "api/status": ("index-status", status(catalog, packaged, origin, hash)),
    }
    for path, (name, reply) in checked.items():
        _must_pass(path, name, reply)
    for id, whole in details.items():
        _must_pass(id, "index-detail", whole)
    files = {path: encode(reply) for path, (_, reply) in checked.items()}
    files["api/openapi.json"] = encode(openapi.document())
    for number in range(SHARDS):
        own = {id: whole for id, whole in details.items() if shard(id) == number}
        files[f"_market/details/{number}.json"] = encode_members(own)
    files[catalog.market["icon"].lstrip("/")] = icons.market_png()
    for package in packaged:
        files[f"charts/{package.archive.file_name}"] = package.archive.data
        files[f"icons/{package.app.name}.png"] = package.app.icon
        files[f"pictures/{package.app.name}.png"] = pictures.png(package.app)
    return files


def catalog_hash(catalog: Catalog, packages: Iterable[Package], details: dict[str, Any]) -> str:
    """SHA-256 over everything a device can receive: two catalogs differ exactly when their hashes do."""
    content = {
        "info": v1.data(catalog),
        "details": details,
        "taxonomy": v2.taxonomy(catalog),
        "applications": v2.applications(catalog),
        "charts": {package.archive.file_name: package.archive.sha256 for package in packages},
        "icons": {package.app.name: hashlib.sha256(package.app.icon).hexdigest() for package in packages},
    }
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


def encode_members(members: Mapping[str, Any]) -> bytes:
    """A JSON object with one member a line, which the Worker cuts up without parsing it (worker/src/details.ts)."""
    lines = [encode(id) + b":" + encode(members[id]) for id in sorted(members)]
    return b"{\n" + b",\n".join(lines) + b"\n}" if lines else b"{}"


def status(
    catalog: Catalog, packages: Iterable[Package], origin: Origin = UNKNOWN, hash: str | None = None
) -> dict[str, Any]:
    """``GET /api/status``: what is served, and where it comes from; ``hash`` is computed when it is not known yet."""
    packaged = tuple(package for package in packages if package.app.is_listed)
    if hash is None:
        hash = catalog_hash(catalog, packaged, {app_id(app.name): detail(catalog, app) for app in catalog.listed})
    latest = catalog.ledger.latest
    return {
        "hash": hash,
        "commit": origin.commit,
        "dirty": origin.dirty,
        "released": latest.released if latest else None,
        "previous": origin.previous,
        "apps": {
            package.app.name: {
                "version": package.app.version,
                "sha256": package.archive.sha256,
                "size": package.archive.size,
                "released": release_of(catalog, package.app).released,
            }
            for package in packaged
        },
    }


def _must_pass(path: str, name: str, reply: Any) -> None:
    faults = schema.errors(reply, name)
    if faults:
        raise MarketError(f"our own reply {path} does not pass {name}: {'; '.join(faults[:5])}")
