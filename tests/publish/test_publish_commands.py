"""The commands as a maintainer runs them, and what they never show."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.publish import publisher, tiny
from tests.publish.servers import PASSWORD, Archive

from market.publish import pointer
from market.publish.content import Content

pytestmark = pytest.mark.xdist_group("publish")
UNREACHABLE = {"R2_ENDPOINT": "http://127.0.0.1:9", "R2_ACCESS_KEY_ID": "a", "R2_SECRET_ACCESS_KEY": "b-secret-of-ours"}


def test_publish_look_and_go_back(
    server: Archive, repository: tiny.Repository, releases: tuple[Content, ...], live: Path
) -> None:
    surroundings, local = server.environment, ("--local", str(live))
    prepared = ("--prepared", str(publisher.folder_of(releases[0])))
    planned = repository.market("publish", *prepared, *local, "--dry-run", **surroundings)
    assert planned.returncode == 0, planned.stderr
    assert f"+ {tiny.APPS[0]} 1.1.0" in planned.stdout
    assert not live.exists()
    first = repository.market("publish", *prepared, *local, **surroundings)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "release 1 is live: 3 apps, 3 charts new" in first.stdout
    assert "S3 requests: " in first.stderr
    assert "release 1 is live already" in repository.market("publish", *prepared, *local, **surroundings).stdout
    listed = json.loads(repository.market("releases", "--json", **surroundings).stdout)
    assert [(one["serial"], one["current"], one["manifest"]) for one in listed] == [(1, True, releases[0].id)]
    back = repository.market("rollback", *local, **surroundings)
    assert (back.returncode, back.stdout) == (1, "")
    assert "there is no release before the current one" in back.stderr
    unknown = repository.market("rollback", "7", *local, **surroundings)
    assert (unknown.returncode, "there is no release 7" in unknown.stderr) == (1, True)
    checked = repository.market("archive", "check", "--repair", **surroundings)
    # The ledger of this checkout has two newer versions that were never published here.
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("repaired") == 4
    current = pointer.read(server.store())
    assert current is not None
    assert current.serial == 1


@pytest.mark.parametrize("missing", ["R2_ENDPOINT", "R2_ACCESS_KEY_ID", "R2_SECRET_ACCESS_KEY"])
def test_a_missing_credential_is_named(repository: tiny.Repository, missing: str) -> None:
    surroundings = {name: value for name, value in UNREACHABLE.items() if name != missing}
    for command in (("publish",), ("releases",)):
        said = repository.market(*command, **surroundings)
        assert (said.returncode, said.stdout, said.stderr.count("\n")) == (2, "", 1)
        assert missing in said.stderr
        assert "b-secret" not in said.stderr


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "cannot be reached"),
        ({"R2_ENDPOINT": "ftp://x"}, "is not an address"),
        ({"R2_ENDPOINT": "http://archive.example.org"}, "must start with https://"),
        ({"R2_ENDPOINT": "https://user:b-secret-of-ours@archive.example.org"}, "is not an address"),
    ],
)
def test_a_wrong_address_is_one_sentence(repository: tiny.Repository, changed: dict[str, str], expected: str) -> None:
    said = repository.market("releases", **{**UNREACHABLE, **changed})
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (2, "", 1)
    assert expected in said.stderr
    assert "b-secret" not in said.stderr


def test_a_refused_credential_is_one_sentence(server: Archive, repository: tiny.Repository) -> None:
    surroundings = {**server.environment, "R2_SECRET_ACCESS_KEY": "b-secret-of-ours"}
    said = repository.market("publish", **surroundings)
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (2, "", 1)
    assert "refuses what R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY hold (403" in said.stderr
    assert "b-secret" not in said.stderr


def test_a_signing_key_that_nobody_trusts_is_refused_at_once(server: Archive, repository: tiny.Repository) -> None:
    said = repository.market("publish", **{**server.environment, "MARKET_SIGNING_KEY": "no key"})
    assert (said.returncode, "does not hold a private key" in said.stderr) == (2, True)
    stranger = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    said = repository.market("publish", **{**server.environment, "MARKET_SIGNING_KEY": stranger})
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (2, "", 1)
    assert "data/keys.yaml does not list" in said.stderr


def test_no_secret_is_ever_on_a_command_line(server: Archive, repository: tiny.Repository, live: Path) -> None:
    secrets = {PASSWORD, "a-token-for-the-edge", tiny.SIGNING["MARKET_SIGNING_KEY"].splitlines()[1]}
    with _watched() as seen:
        done = repository.market(
            "publish", "--no-site", "--local", str(live), "--dry-run", **server.environment,
            CLOUDFLARE_API_TOKEN="a-token-for-the-edge",
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert any("wrangler" in line for line in seen), "wrangler was not seen at all"
    for secret in secrets:
        assert secret not in done.stdout + done.stderr
        assert not [line for line in seen if secret in line]


@contextmanager
def _watched() -> Iterator[set[str]]:
    """The command lines of all processes on this machine, as long as the block runs."""
    seen: set[str] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            for process in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.add(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
                except OSError:
                    continue

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


def test_boto3_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, market.cli; print([name for name in sys.modules if name.startswith('boto')])"
    said = subprocess.run(
        [str(tiny.MARKET.with_name("python")), "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ},
    )  # fmt: skip
    assert said.stdout == "[]\n"
