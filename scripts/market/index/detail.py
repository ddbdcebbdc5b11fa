"""The detail object of one app: market backend, ApplicationInfoEntry. Every resource figure is a text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from market import quantity
from market.catalog import App, Catalog
from market.index.moment import nanoseconds, release_of

DEFAULT_LOCALE = "en-US"
MODE = "nvidia"


def app_id(name: str) -> str:
    """The platform's application id: the first eight hexadecimal digits of the name's MD5."""
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8]


def detail(catalog: Catalog, app: App) -> dict[str, Any]:
    """What ``POST /api/v1/applications/info`` says about an app."""
    manifest = app.manifest
    metadata, spec = manifest["metadata"], manifest["spec"]
    release = release_of(catalog, app)
    id = app_id(app.name)
    picture = f"{catalog.market['origin']}/pictures/{app.name}.png"
    return {
        "id": id,
        "appID": id,
        "name": app.name,
        "cfgType": manifest["olaresManifest.type"],
        "chartName": f"{app.name}-{app.version}.tgz",
        "icon": metadata["icon"],
        "title": app.title(DEFAULT_LOCALE),
        "description": _text(app, DEFAULT_LOCALE, "metadata", "description"),
        "fullDescription": _texts(app, "fullDescription"),
        "upgradeDescription": _texts(app, "upgradeDescription"),
        "version": app.version,
        "apiVersion": manifest["apiVersion"],
        "versionName": spec["versionName"],
        "categories": metadata["categories"],
        "appLabels": [],
        "supportArch": spec["supportArch"],
        "locale": spec["locale"],
        "tags": metadata.get("tags", []),
        "screenshots": [],
        "promoteImage": spec.get("promoteImage") or [picture],
        "promoteVideo": spec.get("promoteVideo", ""),
        "featuredImage": spec.get("featuredImage") or picture,
        "subCategory": "",
        "developer": spec["developer"],
        "submitter": spec["submitter"],
        "doc": spec.get("doc", ""),
        "website": spec.get("website", ""),
        "sourceCode": spec.get("sourceCode", ""),
        **_resources(spec),
        "modelSize": _model_size(app.values),
        "supportClient": spec.get("supportClient", {}),
        "permission": manifest["permission"],
        "middleware": manifest.get("middleware", {}),
        "options": manifest["options"],
        "tailscale": manifest.get("tailscale", {}),
        "i18n": _i18n(app),
        "entrances": manifest["entrances"],
        "ports": manifest.get("ports", []),
        "envs": manifest.get("envs", []),
        "license": spec["license"],
        "legal": spec.get("legal", []),
        "subCharts": [],
        "onlyAdmin": spec.get("onlyAdmin", False),
        "versionHistory": _history(catalog, app),
        "updated_at": nanoseconds(release.released),
    }


def _text(app: App, locale: str, *path: str) -> str:
    own = app.manifest_document.get(*path, default="")
    document = app.i18n_documents.get(locale)
    return str(document.get(*path, default=own) if document else own)


def _texts(app: App, key: str) -> dict[str, str]:
    locales = sorted({DEFAULT_LOCALE, *app.i18n_documents})
    return {locale: _text(app, locale, "spec", key) for locale in locales}


def _i18n(app: App) -> dict[str, Any]:
    return {
        locale: {
            "metadata": {key: _text(app, locale, "metadata", key) for key in ("title", "description")},
            "entrances": None,
            "spec": {key: _text(app, locale, "spec", key) for key in ("fullDescription", "upgradeDescription")},
        }
        for locale in sorted(app.i18n_documents)
    }


def _resources(spec: Mapping[str, Any]) -> dict[str, str]:
    """Bytes and cores of the accelerator mode that the Olares One has."""
    entries = spec["accelerator"]
    entry = next((entry for entry in entries if entry["mode"] == MODE), entries[0])
    result = {}
    for bound in ("required", "limited"):
        result[f"{bound}Memory"] = quantity.bytes_text(entry[f"{bound}Memory"])
        result[f"{bound}Disk"] = quantity.bytes_text(entry[f"{bound}Disk"])
        result[f"{bound}CPU"] = quantity.cores_text(entry[f"{bound}Cpu"])
        result[f"{bound}GPU"] = quantity.bytes_text(entry.get(f"{bound}GPUMemory", "0"))
    return result


def _model_size(values: Mapping[str, Any]) -> str:
    """Size of the download in decimal GB for people, or nothing when it is not known."""
    sizes = [model.get("bytes", 0) / 1e9 or model.get("gigabytes") for model in values.get("models", [])]
    known = [size for size in sizes if size]
    return f"{sum(known):.1f} GB" if known and len(known) == len(sizes) else ""


def _history(catalog: Catalog, app: App) -> list[dict[str, str]]:
    shipped = app.manifest["spec"]
    return [
        {
            "appName": app.name,
            "version": release.version,
            "versionName": shipped["versionName"] if release.version == app.version else release.version,
            "mergedAt": release.released,
            "upgradeDescription": shipped["upgradeDescription"] if release.version == app.version else "",
        }
        for release in catalog.ledger.history(app.name)
    ]
