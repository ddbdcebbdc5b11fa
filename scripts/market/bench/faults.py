"""What can go wrong with an endpoint, each as one sentence that says what to do."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import TYPE_CHECKING

import requests

from market.errors import MarketError

if TYPE_CHECKING:
    from market.bench.reply import Reply


class Kind(StrEnum):
    """The kinds of faults, as reports name them."""

    REFUSED = "refused"
    UNKNOWN_HOST = "unknown-host"
    TLS = "tls"
    TIMEOUT = "timeout"
    KEY = "unauthorised"
    MISSING = "not-found"
    MODEL = "wrong-model"
    BUSY = "too-many-requests"
    REQUEST = "request-refused"
    SERVER = "server-error"
    MID_STREAM = "error-in-stream"
    TRUNCATED = "truncated"
    HTML = "html"
    NOT_STREAM = "not-a-stream"
    EMPTY = "no-text"
    NO_USAGE = "no-usage"


class EndpointFault(MarketError):  # noqa: N818 - a fault is the endpoint's, an error would be ours
    """The endpoint did not do its part. The text is one sentence; ``reply`` holds what came before, if any."""

    def __init__(self, kind: Kind, text: str, reply: Reply | None = None) -> None:
        super().__init__(text)
        self.kind = kind
        self.reply = reply

    def with_reply(self, reply: Reply) -> EndpointFault:
        """The same fault together with what had been received."""
        return EndpointFault(self.kind, str(self), reply)


def of_connection(url: str, error: requests.RequestException | OSError) -> EndpointFault:
    """The fault behind a connection that could not be made or broke before the reply began."""
    text = f"{error} {error.__cause__ or ''} {error.__context__ or ''}"
    if isinstance(error, requests.exceptions.SSLError) or "SSL" in text:
        return EndpointFault(Kind.TLS, f"the TLS certificate or handshake of {url} is not accepted ({_tls(text)}); "
                             "use the host's real name, or plain http:// inside your own network")  # fmt: skip
    if isinstance(error, requests.exceptions.Timeout):
        return EndpointFault(
            Kind.TIMEOUT, f"{url} did not answer in time; raise --timeout if the model is slow to start"
        )
    if "Name or service not known" in text or "getaddrinfo" in text or "NameResolution" in text:
        return EndpointFault(Kind.UNKNOWN_HOST, f"there is no host of the name in {url}; check the spelling or the DNS")
    if "refused" in text:
        return EndpointFault(
            Kind.REFUSED, f"nothing listens at {url} (connection refused); start the server or correct the port"
        )
    return EndpointFault(Kind.REFUSED, f"no connection to {url} ({_first_line(str(error))})")


def of_status(url: str, status: int, body: str, retry_after: str | None = None) -> EndpointFault:
    """The fault behind an HTTP status other than 200."""
    said = detail(body)
    quoted = f": {said}" if said else ""
    match status:
        case 401 | 403:
            return EndpointFault(
                Kind.KEY, f"{url} wants a key ({status}{quoted}); put it in the variable that --key-from names"
            )
        case 404 if "model" in said.lower():
            return EndpointFault(
                Kind.MODEL, f"{url} does not have that model{quoted}; leave --model out to take the one it serves"
            )
        case 404:
            return EndpointFault(
                Kind.MISSING, f"{url} does not exist (404); --url wants the server's base address, with or without /v1"
            )
        case 429:
            wait = f" and asks to wait {retry_after} s" if retry_after else ""
            return EndpointFault(
                Kind.BUSY, f"{url} refuses more requests (429{quoted}){wait}; measure a server that nobody else uses"
            )
        case _ if status >= 500:
            return EndpointFault(Kind.SERVER, f"{url} failed ({status}{quoted}); its own log says why")
        case _:
            return EndpointFault(Kind.REQUEST, f"{url} refused the request ({status}{quoted})")


def of_html(url: str) -> EndpointFault:
    """The fault of a page where an API was expected."""
    return EndpointFault(Kind.HTML, f"{url} answered with a web page, not with the API: a log-in page or a proxy "
                         "stands before it, or the address is that of the user interface")  # fmt: skip


def detail(body: str, limit: int = 200) -> str:
    """What an error body says, in one line: OpenAI's, vLLM's, FastAPI's and llama.cpp's shapes, or plain text."""
    try:
        data = json.loads(body)
    except ValueError:
        return "" if "<" in body[:200] else _first_line(body)[:limit]
    for step in ("error", "message", "detail"):
        if isinstance(data, dict) and step in data:
            data = data[step]
    return _first_line(data if isinstance(data, str) else json.dumps(data))[:limit].rstrip(".")


def _first_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _tls(text: str) -> str:
    found = re.search(r"certificate verify failed:? ?([A-Za-z][^(\[,'\"]*)?|wrong.version.number", text, re.IGNORECASE)
    return found[0].strip(" :").lower().replace("_", " ") if found else "TLS error"
