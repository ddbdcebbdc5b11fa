"""Whether a response and a finished stream are what was asked for; if not, the fault in one sentence."""

from __future__ import annotations

import requests

from market.bench.faults import EndpointFault, Kind, detail, of_html, of_status
from market.bench.reply import Reply


def judge(url: str, reply: Reply, model: str, fault: EndpointFault | None) -> None:
    """Raise the fault of a stream that came to an end, if it has one; what had come goes with it.

    Raises:
        EndpointFault: the first of: error in the stream, cut off, no text, no count of tokens.
    """
    where = f"after {len(reply.arrivals)} pieces of text" if reply.arrivals else "before any text"
    if reply.error:
        fault = EndpointFault(
            Kind.MID_STREAM, f"{url} sent an error in mid-stream, {where}: {detail(reply.error) or reply.error[:200]}"
        )
    elif fault is None and not reply.is_whole and not reply.done:
        fault = EndpointFault(
            Kind.TRUNCATED,
            f"the stream of {url} ended {where} without a finish reason: the server or a proxy cut it off",
        )
    elif fault is None and not reply.arrivals:
        fault = EndpointFault(Kind.EMPTY, f"{url} finished ({reply.finish_reason}) without any text")
    elif fault is None and reply.tokens is None:
        fault = EndpointFault(Kind.NO_USAGE, f"{url} sends neither usage nor timings, so its tokens cannot be counted; "
                              "chunks are not tokens, and no speed is derived from them")  # fmt: skip
    elif fault is None and reply.model and not _same_model(reply.model, model):
        fault = EndpointFault(Kind.MODEL, f"{url} was asked for {model} and answered with {reply.model}")
    if fault is not None:
        raise fault.with_reply(reply)


def check_head(url: str, response: requests.Response) -> None:
    """Raise the fault of a response that is no stream.

    Raises:
        EndpointFault: a page, a status other than 200, or another type.
    """
    if is_html(response):
        raise of_html(url)
    if response.status_code != 200:
        body = response.raw.read(65536).decode("utf-8", "replace")
        raise of_status(url, response.status_code, body, response.headers.get("Retry-After"))
    kind = response.headers.get("Content-Type", "")
    if "event-stream" not in kind:
        raise EndpointFault(Kind.NOT_STREAM, f"{url} answered with {kind or 'no content type'} instead of a stream; "
                            "time to first token cannot be measured through it")  # fmt: skip


def is_html(response: requests.Response) -> bool:
    """Whether a page came where an API was expected."""
    return "text/html" in response.headers.get("Content-Type", "")


def broken(url: str) -> EndpointFault:
    """The fault of a connection that broke."""
    return EndpointFault(
        Kind.TRUNCATED,
        f"the connection to {url} broke in mid-stream; the server may have crashed, its own log says why",
    )


def timed_out(url: str) -> EndpointFault:
    """The fault of a stream that fell silent."""
    return EndpointFault(Kind.TIMEOUT, f"{url} fell silent in mid-stream for longer than --timeout")


def _same_model(answered: str, asked: str) -> bool:
    """Servers answer with the alias, the path or the file of the same model."""
    return answered == asked or answered.rpartition("/")[2] == asked.rpartition("/")[2]
