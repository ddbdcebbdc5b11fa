"""The values that Olares gives to a chart when it installs it.

The set is that of the platform's own checker (Olares framework/oac, helmrender BuildValues) with the
system values that its documentation adds, so that a chart which renders here renders there. A chart is
rendered once as the admin's own installation and once as another user's; beside these, probes render it
as nobody installs it, to learn how it depends on a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ADMIN = "admin"
OLARES_VERSION = "1.12.6"
APP_DATA, APP_CACHE = "/olares/userdata/appdata", "/olares/userdata/appcache"
HOME, APP_COMMON, SHARED_LIBRARY = "/olares/userdata/home", "/olares/share/appcommon", "/olares/share/lib"
SHARED_FOLDERS = (APP_DATA, APP_CACHE, HOME, APP_COMMON, SHARED_LIBRARY)
"""Stand-ins for the folders of the host that Olares gives to a chart."""
STAND_IN = "given-by-olares"
"""What stands for a secret that the platform makes."""
MIDDLEWARES = (
    "postgres", "redis", "mongodb", "zinc", "mariadb", "mysql", "minio", "rabbitmq", "elasticsearch", "nats",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scenario:
    """Who installs on which accelerator: ``owner`` equals ``admin`` or not, ``mode`` is GPU.Type."""

    owner: str
    mode: str

    @property
    def label(self) -> str:
        """How reports name it."""
        who = "owner is the admin" if self.owner == ADMIN else "owner is not the admin"
        return f"{who}, {self.mode}"


@dataclass(frozen=True, slots=True)
class Probe:
    """A rendering that is no installation.

    ``release`` is its release name instead of the app's, ``replicas`` the count given to every workload.
    With ``bare`` it has only the values that the platform's checker gives, with ``mode`` as GPU.Type.
    """

    release: str = ""
    replicas: int | None = None
    bare: bool = False
    mode: str = ""

    @property
    def label(self) -> str:
        """How reports name it."""
        if self.bare:
            return f"the platform's checker, {self.mode or 'no accelerator'}"
        return f"release {self.release}" if self.release else f"replicaCount {self.replicas}"


STOPPED, STARTED = Probe(replicas=0), Probe(replicas=1)
FIRST, SECOND = Probe(release="probea"), Probe(release="probeb")


def scenarios(manifest: Mapping[str, Any]) -> tuple[Scenario, ...]:
    """Both owner scenarios for each accelerator mode of the manifest."""
    return tuple(Scenario(owner, mode) for mode in modes(manifest) for owner in (ADMIN, "owner"))


def modes(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The accelerator modes that a manifest names, or ``cpu`` when it names none."""
    return tuple(_strings(_dict(manifest, "spec").get("accelerator"), "mode")) or ("cpu",)


def probes(manifest: Mapping[str, Any]) -> tuple[Probe, ...]:
    """The probes that a chart's rules look at."""
    bare = tuple(Probe(bare=True, mode=mode) for mode in ("", *modes(manifest)))
    several = _dict(manifest, "options").get("allowMultipleInstall") is True
    return (STOPPED, STARTED, *bare, *((FIRST, SECOND) if several else ()))


def probe_values(manifest: Mapping[str, Any], probe: Probe) -> dict[str, Any]:
    """The values of one probe."""
    if probe.bare:
        return _bare_values(manifest, probe.mode)
    given = values(manifest, Scenario(ADMIN, modes(manifest)[0]))
    if probe.replicas is None:
        return given
    names = _dict(manifest, "workloadReplicas")
    return given | {"workloads": {str(name): {"replicaCount": probe.replicas} for name in names}}


def values(manifest: Mapping[str, Any], scenario: Scenario) -> dict[str, Any]:
    """The values of one installation; plain JSON types."""
    entrances = [*_list(manifest, "entrances"), *_list(manifest, "sharedEntrances")]
    return {
        "admin": ADMIN,
        "bfl": {"username": scenario.owner},
        "user": {"zone": f"{scenario.owner}.olares.test"},
        "schedule": {"nodeName": "node"},
        "userspace": {
            "appdata": "appdata", "data": "data", "appData": APP_DATA, "appCache": APP_CACHE,
            "userData": HOME, "appCommon": APP_COMMON,
        },
        "sharedlib": SHARED_LIBRARY,
        "os": {"appKey": "key", "appSecret": STAND_IN},
        "domain": dict.fromkeys(_strings(entrances, "name"), "entrance.olares.test"),
        "olaresEnv": dict(_environment(manifest)),
        "GPU": {"Type": scenario.mode, "Cuda": "13.1"},
        "gpu": scenario.mode,
        "cluster": {"arch": "amd64"},
        "nodes": [],
        "sysVersion": OLARES_VERSION,
        "deviceName": "Olares One",
        "downloadCdnURL": "https://cdn.olares.com",
        "oidc": {"client": {"id": "id", "secret": STAND_IN}, "issuer": "https://auth.olares.test"},
        "dep": {}, "deps": {}, "svcs": {},
        **{name: _middleware() for name in MIDDLEWARES},
    }  # fmt: skip


def _bare_values(manifest: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """What the checker gives: no folders but appdata and data, no environment, no system values."""
    return {
        "admin": ADMIN,
        "bfl": {"username": "owner"},
        "user": {"zone": "user-zone"},
        "schedule": {"nodeName": "node"},
        "userspace": {"appdata": "appdata", "data": "userspace/Home"},
        "os": {"appKey": "appKey", "appSecret": "appSecret"},
        "domain": dict.fromkeys(_strings(_list(manifest, "entrances"), "name"), "random-string"),
        "GPU": {"Type": mode} if mode else {},
        "olaresEnv": {}, "cluster": {}, "dep": {}, "svcs": {}, "redis": {},
        "oidc": {"client": {}, "issuer": "issuer"},
        "postgres": {"databases": {}}, "mongodb": {"databases": {}}, "mariadb": {"databases": {}},
        "mysql": {"databases": {}}, "zinc": {"indexes": {}}, "elasticsearch": {"indexes": {}},
        "minio": {"buckets": {}}, "rabbitmq": {"vhosts": {}}, "nats": {"subjects": {}, "refs": {}},
    }  # fmt: skip


def _middleware() -> dict[str, Any]:
    return {
        "host": "host", "port": 1, "username": "user", "password": STAND_IN, "databases": {}, "indexes": {},
        "buckets": {}, "vhosts": {}, "subjects": {}, "refs": {}, "namespaces": {},
    }  # fmt: skip


def _environment(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for entry in _list(manifest, "envs"):
        if isinstance(entry, dict) and isinstance(entry.get("envName"), str):
            yield entry["envName"], str(entry.get("default", ""))


def _strings(entries: Any, key: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get(key), str):
            yield entry[key]


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _dict(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}
