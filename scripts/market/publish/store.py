"""The archive: objects in a bucket that are written once, or replaced only when nobody else did in between.

There is no way to delete an object here, and a test asserts that none of the calls made does.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from market.errors import MarketError
from market.publish.settings import KEY_ID, SECRET, Bucket
from market.publish.tally import Tally

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

THREADS = 16
CONNECT_SECONDS = 5
READ_SECONDS = 30
TRIES = 5
"""Attempts for one request that fails for a reason that passes: a connection, a 5xx, a reply cut short."""
PAUSE_SECONDS = 0.1
"""Before the second attempt; doubled before each further one."""
_PASSING = frozenset({408, 409, 412, 425, 429, 500, 502, 503, 504})

T = TypeVar("T")


class ExistsError(Exception):
    """The object to be created is there already."""


class MovedError(Exception):
    """The object to be replaced is no longer the one that was read."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What the archive says of an object. ``etag`` is the MD5 of its bytes in hexadecimal; size in bytes."""

    etag: str
    size: int
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Found:
    """An object that was read whole."""

    data: bytes
    etag: str


class Store(Protocol):
    """What publishing needs of an archive. Every method raises MarketError when it cannot be had."""

    def read(self, key: str) -> Found | None:
        """The object, None when there is none."""
        ...

    def head(self, key: str) -> Stored | None:
        """What is known of the object without reading it."""
        ...

    def list(self, prefix: str, after: str = "") -> dict[str, Stored]:
        """All objects whose key starts with ``prefix`` and sorts behind ``after``; without metadata."""
        ...

    def create(self, key: str, data: bytes, type: str, metadata: Mapping[str, str]) -> None:
        """Write an object that does not exist yet; raises ExistsError."""
        ...

    def replace(self, key: str, data: bytes, type: str, etag: str, metadata: Mapping[str, str]) -> None:
        """Write an object in place of exactly the one with this ``etag``; raises MovedError."""
        ...


class S3Store:
    """An S3 bucket through boto3, with one connection pool for all threads."""

    def __init__(self, bucket: Bucket, tally: Tally, sleep: Callable[[float], None] = time.sleep) -> None:
        self._bucket = bucket
        self._sleep = sleep
        self._client = _client(bucket, tally)

    def read(self, key: str) -> Found | None:
        """The object, None when there is none; its bytes are checked against its ETag."""

        def whole() -> Found:
            reply = self._client.get_object(Bucket=self._bucket.name, Key=key)
            data, etag = reply["Body"].read(), _plain(reply["ETag"])
            if "-" not in etag and _md5(data).hex() != etag:
                raise _CutShortError
            return Found(data, etag)

        return self._ask(whole)

    def head(self, key: str) -> Stored | None:
        """What is known of the object without reading it."""

        def known() -> Stored:
            reply = self._client.head_object(Bucket=self._bucket.name, Key=key)
            return Stored(_plain(reply["ETag"]), reply["ContentLength"], MappingProxyType(reply["Metadata"]))

        return self._ask(known)

    def list(self, prefix: str, after: str = "") -> dict[str, Stored]:
        """All objects below a prefix, a thousand a request."""
        found: dict[str, Stored] = {}
        following: dict[str, Any] = {"StartAfter": after} if after else {}
        while True:
            page = self._ask(lambda more=following: self._client.list_objects_v2(  # type: ignore[misc]
                Bucket=self._bucket.name, Prefix=prefix, **more
            ))  # fmt: skip
            if page is None:
                raise MarketError(f"there is no bucket {self._bucket.name} at {self._bucket.host}")
            for entry in page.get("Contents", ()):
                found[entry["Key"]] = Stored(_plain(entry["ETag"]), entry["Size"])
            if not page.get("IsTruncated"):
                # Servers disagree on whether StartAfter counts once a prefix is given.
                return {key: stored for key, stored in sorted(found.items()) if key > after}
            following = {"ContinuationToken": page["NextContinuationToken"]}

    def create(self, key: str, data: bytes, type: str, metadata: Mapping[str, str]) -> None:
        """Write an object that does not exist yet."""
        try:
            self._put(key, data, type, metadata, {"IfNoneMatch": "*"})
        except MovedError:
            raise ExistsError(key) from None

    def replace(self, key: str, data: bytes, type: str, etag: str, metadata: Mapping[str, str]) -> None:
        """Write an object in place of exactly the one with this ``etag``."""
        self._put(key, data, type, metadata, {"IfMatch": f'"{etag}"'})

    def _put(self, key: str, data: bytes, type: str, metadata: Mapping[str, str], condition: dict[str, Any]) -> None:
        digest = _md5(data)

        def put() -> str:
            reply = self._client.put_object(
                Bucket=self._bucket.name, Key=key, Body=data, ContentType=type, Metadata=dict(metadata),
                ContentMD5=base64.b64encode(digest).decode(), **condition,
            )  # fmt: skip
            return _plain(reply["ETag"])

        etag = self._ask(put, conditional=True)
        if etag is None:
            raise MarketError(f"there is no bucket {self._bucket.name} at {self._bucket.host}")
        if etag != digest.hex():
            raise MarketError(f"the archive took other bytes for {key} than were sent (ETag {etag})")

    def _ask(self, request: Callable[[], T], conditional: bool = False) -> T | None:
        """Make a request, again when its failure may pass; None when the object is not there.

        Raises:
            MovedError: the condition of a ``conditional`` request does not hold.
            MarketError: the failure does not pass.
        """
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - slow to import
        from botocore.parsers import ResponseParserError  # noqa: PLC0415

        for attempt in range(TRIES):
            try:
                return request()
            except ClientError as error:
                status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
                if status == 404 and error.response.get("Error", {}).get("Code") != "NoSuchBucket":
                    return None
                if status == 412 and conditional:
                    raise MovedError from None
                if status not in _PASSING or attempt == TRIES - 1:
                    raise self._said(error, status) from None
            except (BotoCoreError, ResponseParserError, OSError, _CutShortError) as error:
                if attempt == TRIES - 1 or not _may_pass(error):
                    raise self._unheard(error) from None
            self._sleep(PAUSE_SECONDS * 2**attempt)
        raise AssertionError

    def _said(self, error: Any, status: int) -> MarketError:
        code = error.response.get("Error", {}).get("Code", "")
        shown = f"{status} {code}" if code and code != str(status) else str(status)
        if status in (401, 403):
            return MarketError(f"the archive at {self._bucket.host} refuses what {KEY_ID} and {SECRET} hold ({shown})")
        if code == "NoSuchBucket":
            return MarketError(f"there is no bucket {self._bucket.name} at {self._bucket.host}")
        return MarketError(f"the archive at {self._bucket.host} answers {error.operation_name} with {shown}")

    def _unheard(self, error: BaseException) -> MarketError:
        kind = "a reply cut short" if isinstance(error, _CutShortError) else type(error).__name__
        return MarketError(f"the archive at {self._bucket.host} cannot be reached ({kind}, {TRIES} attempts)")


class _CutShortError(Exception):
    """A body that is not what its ETag says."""


def _may_pass(error: BaseException) -> bool:
    from botocore.exceptions import ConnectionError as Unconnected  # noqa: PLC0415 - slow to import
    from botocore.exceptions import HTTPClientError, IncompleteReadError  # noqa: PLC0415
    from botocore.parsers import ResponseParserError  # noqa: PLC0415

    return isinstance(
        error, (Unconnected, HTTPClientError, IncompleteReadError, ResponseParserError, OSError, _CutShortError)
    )


def _client(bucket: Bucket, tally: Tally) -> S3Client:
    """A client that retries nothing by itself: ``_ask`` does, bodies that end too early included."""
    import boto3  # noqa: PLC0415 - 0.3 s that other commands need not spend
    from botocore.config import Config  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415

    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path"},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=THREADS,
        # R2 knows the default checksum only for some kinds of upload; ContentMD5 is understood everywhere.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    try:
        client: S3Client = boto3.session.Session().client(
            "s3", endpoint_url=bucket.endpoint, region_name="auto", aws_access_key_id=bucket.key_id,
            aws_secret_access_key=bucket.secret, config=config,
        )  # fmt: skip
    except (BotoCoreError, ValueError) as error:
        raise MarketError(f"no client for the archive can be made ({type(error).__name__})") from None
    events = client.meta.events
    events.register("before-send.s3", lambda event_name, **_: tally.sent(event_name.rpartition(".")[2]))
    events.register("response-received.s3", lambda event_name, **_: tally.replied(event_name.rpartition(".")[2]))
    return client


def _plain(etag: str) -> str:
    return etag.strip('"')


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()
