"""Family ``olares``: how users and other apps reach the app (`entrances`, `ports`, `overlayGateway`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, text_of
from market.rules.registry import declare

RESERVED_PORTS: Final = (22, 80, 81, 443, 444, 2379, 18088)
SHARED_HOST: Final = "sharedentrances-"
PROTOCOLS: Final = ("tcp", "udp")

declare("olares.entrance-name", "error", "Two entrances of one name",
        why="The address of an entrance is made from its name.",
        fix="Give each entrance a name of its own.",
        source="Olares framework/oac uniqueEntranceNames")  # fmt: skip
declare("olares.entrance-port", "warning", "An entrance without a port",
        why="Requests to the entrance go nowhere. Sources disagree on 0: the current checker lets it through, "
            "the former one refused it, the documentation allows 0 to 65535.",
        fix="Write the port of the Service, 1 to 65535.",
        source="beclab/oachecker Entrance; Olares framework/oac README, entrances")  # fmt: skip
declare("olares.entrance-title", "advice", "Signs in an entrance's title that checkers have refused",
        why="The former checker and the current one's README allow letters, digits, hyphens and spaces only; "
            "the current code no longer looks. Without other signs the title passes everywhere.",
        fix="Leave out dots, brackets and accents.",
        source="Olares framework/oac README, entrances; beclab/oachecker Entrance")  # fmt: skip
declare("olares.shared-entrance", "warning", "A shared entrance of an unusual form",
        why="The platform derives the shared address from these values; others were not seen to work.",
        fix="Write `host: sharedentrances-<name>`, `port: 0`, `invisible: true` and `authLevel: internal`.",
        source="Olares manifest documentation 0.12.0, sharedEntrances")  # fmt: skip
declare("olares.exposed-port", "warning", "A port that cannot be exposed",
        why="Each exposed port exists once on the machine, and some are the platform's own.",
        fix=f"Take another port, 0 to 65535, but none of {', '.join(map(str, RESERVED_PORTS))}; `protocol` is "
            "tcp, udp or absent.",
        source="Olares manifest documentation 0.12.0, ports")  # fmt: skip
declare("olares.overlay-entrance", "error", "An entrance of the overlay gateway that is incomplete",
        why="The platform refuses the app, even when the gateway is not enabled.",
        fix="Give `title` (1 to 30 bytes), `port` (1 or more) and `workload`; `protocol` is tcp, udp or absent.",
        source="Olares framework/oac validateOverlayGateway")  # fmt: skip

_PLAIN_TITLE: Final = re.compile(r"[a-zA-Z0-9\s-]*", re.A)


@manifest_check
def entrances(manifest: Manifest) -> Iterator[Problem]:
    """Names are unique, ports are ports, titles pass everywhere."""
    seen: set[str] = set()
    for index, entrance in manifest.entries("entrances"):
        at = ("entrances", index)
        name, title = text_of(entrance.get("name")), text_of(entrance.get("title"))
        if name in seen:
            message = f"the name {name!r} stands there twice"
            yield manifest.problem("olares.entrance-name", *at, "name", message=message)
        seen.add(name)
        if entrance.get("port") in (0, None):
            yield manifest.problem("olares.entrance-port", *at, "port", message=f"{name!r} has no port")
        if not _PLAIN_TITLE.fullmatch(title):
            signs = " ".join(sorted({sign for sign in title if not _PLAIN_TITLE.fullmatch(sign)}))
            message = f"the title {title!r} holds {signs}"
            yield manifest.problem("olares.entrance-title", *at, "title", message=message)


@manifest_check
def shared_entrances(manifest: Manifest) -> Iterator[Problem]:
    """Shared entrances have the one form that is documented."""
    for index, entrance in manifest.entries("sharedEntrances"):
        wrong = {
            "host": not text_of(entrance.get("host")).startswith(SHARED_HOST),
            "port": entrance.get("port") != 0,
            "invisible": entrance.get("invisible") is not True,
            "authLevel": entrance.get("authLevel") != "internal",
        }
        for key in (key for key, is_wrong in wrong.items() if is_wrong):
            shown = text_of(entrance.get(key)) if key in entrance else "missing"
            message = f"`{key}` is {shown}"
            yield manifest.problem("olares.shared-entrance", "sharedEntrances", index, key, message=message)


@manifest_check
def exposed_ports(manifest: Manifest) -> Iterator[Problem]:
    """Exposed ports are free, possible, and exposed once for each protocol."""
    seen: set[tuple[int, str]] = set()
    for index, port in manifest.entries("ports"):
        number, protocol = port.get("exposePort"), text_of(port.get("protocol"))
        if protocol not in ("", *PROTOCOLS):
            message = f"the protocol is {protocol!r}"
            yield manifest.problem("olares.exposed-port", "ports", index, "protocol", message=message)
        if not isinstance(number, int) or not number:
            continue
        # Without a protocol the port is exposed for both.
        uses = {(number, one) for one in ([protocol] if protocol else PROTOCOLS)}
        fault = "is no port" if not 0 < number <= 65535 else "is reserved" if number in RESERVED_PORTS else ""
        fault = fault or ("stands there twice" if uses & seen else "")
        seen |= uses
        if fault:
            yield manifest.problem("olares.exposed-port", "ports", index, "exposePort", message=f"{number} {fault}")


@manifest_check
def overlay_entrances(manifest: Manifest) -> Iterator[Problem]:
    """Entrances of the overlay gateway are complete."""
    for index, entrance in manifest.entries("overlayGateway", "entrances"):
        title, port = text_of(entrance.get("title")), entrance.get("port")
        wrong = {
            "title": not 1 <= len(title.encode("utf-8", "replace")) <= 30,
            "port": not isinstance(port, int) or port < 1,
            "workload": not text_of(entrance.get("workload")),
            "protocol": text_of(entrance.get("protocol")) not in ("", *PROTOCOLS),
        }
        for key in (key for key, is_wrong in wrong.items() if is_wrong):
            message = f"`{key}` is {text_of(entrance.get(key))!r}" if key in entrance else f"no `{key}`"
            at = ("overlayGateway", "entrances", index, key)
            yield manifest.problem("olares.overlay-entrance", *at, message=message)
