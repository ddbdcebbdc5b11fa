"""A catalog of a few real apps in a Git repository of its own, with a key that signs its releases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from securesystemslib.signer import CryptoSigner
from tests.conftest import copy_catalog

from market import bump
from market.paths import PROJECT
from market.progress import Silent
from market.provenance import keys
from market.provenance.statement import Statement
from market.publish import preparation
from market.publish.content import Content

APPS = ("llamacppqwen36a3btextone", "llamacppqwen36beellamaone", "vllmqwen36turbo27bone")
MARKET = Path(sys.executable).with_name("market")
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
_PEM = Ed25519PrivateKey.from_private_bytes(b"a key of the tests, 32 bytes !!!").private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
)
SIGNING = {keys.VARIABLE: _PEM.decode()}


def signer() -> CryptoSigner:
    return keys.signer(SIGNING)


@dataclass(frozen=True)
class Repository:
    """A Git checkout that ``market publish`` takes."""

    root: Path

    def git(self, *arguments: str) -> str:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", "-C", str(self.root), *identity, *arguments], env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str = "change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def bump(self, name: str, hour: int = 13) -> str:
        """Change an app's chart and its version, as a contributor would; return the new version."""
        values = self.root / "apps" / name / "chart" / "values.yaml"
        values.write_bytes(values.read_bytes() + b"# changed\n")
        app = bump.find(self.root, name)
        bump.set_version(app, self.root, bump.next_version(app.version, "patch"))
        (made,) = bump.record(self.root, [name], NOW.replace(hour=hour), False)
        self.commit(f"{name} {made.version}")
        return made.version

    def prepare(self, folder: Path, current: Statement | None = None) -> Content:
        return preparation.prepare(self.root, folder, current, Silent(), site=False)

    def market(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the command in this checkout with the signing key and nothing else of this machine's credentials."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("R2_", "CLOUDFLARE_"))}
        return subprocess.run(
            [MARKET, *arguments], cwd=self.root, env={**inherited, **SIGNING, **environment}, capture_output=True,
            text=True, check=False, timeout=600,
        )  # fmt: skip


def repository(root: Path, apps: tuple[str, ...] = APPS) -> Repository:
    """A repository with the catalog of these apps as its only commit."""
    copy_catalog(root)
    for folder in (root / "apps").iterdir():
        if folder.name not in apps:
            shutil.rmtree(folder)
    for language in ("fr", "en"):
        shutil.rmtree(root / "docs" / language)
    (root / "data" / "claims.yaml").write_text("{sources: {}, names: {}, claims: {}}\n")
    ledger = json.loads((root / "releases.json").read_text())
    ledger["releases"] = {key: one for key, one in ledger["releases"].items() if key.partition("@")[0] in apps}
    (root / "releases.json").write_text(json.dumps(ledger))
    return completed(root)


def completed(root: Path) -> Repository:
    """Add to a copied catalog what publishing needs, and commit it."""
    shutil.copy(PROJECT / "wrangler.toml", root)
    shutil.copytree(PROJECT / "worker" / "src", root / "worker" / "src")
    public = signer()
    entry = {"id": public.public_key.keyid, "public": keys.encoded(public), "from": "2026-01-01"}
    (root / "data" / "keys.yaml").write_text(json.dumps({"keys": [entry]}))
    made = Repository(root)
    made.git("init", "--quiet", "--initial-branch", "main")
    made.commit("first")
    return made
