"""Where a release goes and with which credentials: from environment and repository, never from a command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from market.errors import InputError, MarketError

ENDPOINT = "R2_ENDPOINT"
ACCOUNT = "CLOUDFLARE_ACCOUNT_ID"
KEY_ID = "R2_ACCESS_KEY_ID"
SECRET = "R2_SECRET_ACCESS_KEY"  # noqa: S105 - the name of a variable
"""AWS_* variables are not read: keys for another cloud must not be sent to this one."""
WRANGLER = "wrangler.toml"
MARKET = "data/market.yaml"
BINDING = "ARCHIVE"


@dataclass(frozen=True, slots=True)
class Bucket:
    """The archive bucket. The secret never appears in the value's text."""

    endpoint: str
    name: str
    key_id: str = field(repr=False)
    secret: str = field(repr=False)

    @property
    def host(self) -> str:
        """The endpoint's host and port, for messages."""
        return urlsplit(self.endpoint).netloc


def bucket(environment: Mapping[str, str], root: Path) -> Bucket:
    """The archive bucket that the environment gives access to.

    Raises:
        MarketError: a variable is missing or is no address.
        InputError: wrangler.toml does not name the bucket.
    """
    wanted = [name for name in (KEY_ID, SECRET) if not environment.get(name, "").strip()]
    if not (environment.get(ENDPOINT) or environment.get(ACCOUNT)):
        wanted.insert(0, f"{ENDPOINT} (or {ACCOUNT})")
    if wanted:
        listed = ", ".join(wanted[:-1]) + " and " + wanted[-1] if len(wanted) > 1 else wanted[0]
        raise MarketError(f"{listed} must be set in the environment to reach the archive")
    endpoint = environment.get(ENDPOINT) or f"https://{environment[ACCOUNT].strip()}.r2.cloudflarestorage.com"
    _must_be_address(endpoint)
    return Bucket(
        endpoint.strip().rstrip("/"), bucket_name(root), environment[KEY_ID].strip(), environment[SECRET].strip()
    )


def bucket_name(root: Path) -> str:
    """The bucket that the Worker reads old charts from."""
    for bound in wrangler(root).get("r2_buckets", ()):
        if bound.get("binding") == BINDING:
            return str(bound["bucket_name"])
    raise InputError(f"{WRANGLER} binds no bucket as {BINDING}")


def wrangler(root: Path) -> Mapping[str, Any]:
    """The Worker's configuration.

    Raises:
        InputError: the file is missing or no TOML.
    """
    try:
        return tomllib.loads((root / WRANGLER).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {WRANGLER}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{WRANGLER}: {error}") from error


def public_url(root: Path) -> str:
    """The address that devices know this market by."""
    try:
        return str(yaml.safe_load((root / MARKET).read_text("utf-8"))["origin"]).rstrip("/")
    except OSError as error:
        raise InputError(f"cannot read {MARKET}: {error.strerror}") from error
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise InputError(f"{MARKET} names no origin; run `market check`") from error


def _must_be_address(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        usable = local = secret = False
    if not usable or secret:
        raise MarketError(f"{ENDPOINT} is not an address such as https://<account>.r2.cloudflarestorage.com")
    if parts.scheme == "http" and not local:
        raise MarketError(f"{ENDPOINT} must start with https://; plain http is for this machine only")
