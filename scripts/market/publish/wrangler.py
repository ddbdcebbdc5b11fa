"""Cloudflare through the pinned wrangler: bundling the Worker, and deploying code, index and site as one version."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from market.device.verification import Verification
from market.device.verify import verify
from market.errors import MarketError
from market.paths import PROJECT
from market.publish import settings
from market.publish.claim import MARGIN
from market.publish.content import CONFIGURATION, WORKER, Content
from market.publish.deployment import ASSETS, assemble, fetch_statement
from market.runtime import QUIET, node

SCRIPT = PROJECT / "node_modules" / "wrangler" / "bin" / "wrangler.js"
BUNDLE_SECONDS = 120
DEPLOY_SECONDS = MARGIN.total_seconds() - 30
"""Within what the claim leaves, so that a slow deployment never overtakes another publisher's."""
_PASSED_ON = re.compile(
    r"PATH|HOME|USERPROFILE|APPDATA|LANG|LC_.*|TMPDIR|XDG_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY"
    r"|CLOUDFLARE_.*",
    re.IGNORECASE,
)
"""What wrangler gets of the environment: neither the archive's credentials nor the signing key are among it."""
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_SHOWN = 300


def bundle(root: Path, out: Path) -> tuple[bytes, bytes]:
    """The Worker's code as one file, and its configuration without the paths of this machine.

    Raises:
        MarketError: wrangler is missing, or cannot bundle the code.
    """
    with tempfile.TemporaryDirectory(dir=out) as folder:
        empty = Path(folder, ASSETS)
        empty.mkdir()
        _run(
            ["deploy", "--dry-run", "--outdir", folder, "--config", str(root / settings.WRANGLER), "--assets",
             str(empty)], root, BUNDLE_SECONDS, "bundle the Worker",
        )  # fmt: skip
        source = Path(str(settings.wrangler(root).get("main", "index"))).stem
        try:
            code = Path(folder, f"{source}.js").read_bytes()
        except OSError as error:
            raise MarketError(f"wrangler left no {source}.js when it bundled the Worker") from error
    return code, _encode(configuration(root))


def configuration(root: Path) -> dict[str, Any]:
    """wrangler.toml as data, without what ``WranglerDeployment`` sets for each release."""
    whole = dict(settings.wrangler(root))
    whole.pop("main", None)
    whole["assets"] = {key: value for key, value in whole.get("assets", {}).items() if key != "directory"}
    return whole


@dataclass(frozen=True, slots=True)
class WranglerDeployment:
    """Cloudflare Workers. Credentials: ``CLOUDFLARE_API_TOKEN`` and ``CLOUDFLARE_ACCOUNT_ID``, or `wrangler login`."""

    url: str

    def put(self, content: Content, signed: bytes, serial: int) -> None:
        """Deploy as one version; the name of the release is the version's tag."""
        with tempfile.TemporaryDirectory(prefix="market-deploy-") as folder:
            place = Path(folder, "release")
            place.mkdir()
            assemble(content, signed, place)
            whole = json.loads(content.configuration)
            whole |= {"main": WORKER, "no_bundle": True, "assets": {**whole.get("assets", {}), "directory": ASSETS}}
            (place / CONFIGURATION).write_bytes(_encode(whole))
            _run(
                ["deploy", "--config", str(place / CONFIGURATION), "--no-bundle", "--keep-vars", "--tag",
                 f"release-{serial}", "--message", f"release {serial}, catalog {content.catalog[:12]}"],
                place, DEPLOY_SECONDS, f"deploy release {serial}",
            )  # fmt: skip

    def live(self) -> bytes | None:
        """The statement that the public address gives."""
        return fetch_statement(self.url)

    def look(self) -> Verification:
        """Act as a device against the public address."""
        return verify(self.url)


def _run(arguments: Sequence[str], folder: Path, seconds: float, purpose: str) -> str:
    if not SCRIPT.exists():
        raise MarketError("wrangler is not installed; run `make node`")
    with tempfile.TemporaryDirectory(prefix="market-wrangler-") as logs:
        try:
            done = subprocess.run(  # noqa: S603 - our own node and wrangler
                [str(node()), str(SCRIPT), *arguments], cwd=folder, env=_environment(os.environ, logs), check=False,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise MarketError(f"wrangler took longer than {seconds:g} s to {purpose}; run this again") from None
    if done.returncode != 0:
        raise MarketError(f"wrangler could not {purpose}: {_reason(done.stderr + done.stdout, os.environ)}")
    return done.stdout


def _environment(environment: Mapping[str, str], logs: str) -> dict[str, str]:
    passed = {name: value for name, value in environment.items() if _PASSED_ON.fullmatch(name)}
    path = f"{node().parent}{os.pathsep}{passed.get('PATH', '')}"
    return {**passed, **QUIET, "WRANGLER_LOG_PATH": logs, "FORCE_COLOR": "0", "PATH": path}


def _reason(output: str, environment: Mapping[str, str]) -> str:
    """Wrangler's own words for a failure, in one line and without anything secret."""
    text = _ANSI.sub("", output)
    lines = [line.strip() for line in text.splitlines()]
    errors = [line for line in lines if "ERROR" in line or ("error" in line.lower() and "code:" in line)]
    said = " ".join((errors or [line for line in lines if line][-1:]) or ["it said nothing"])
    said = said.replace("✘", "").replace("[ERROR]", "").strip()
    for name, value in environment.items():
        if len(value) >= 8 and re.search(r"TOKEN|SECRET|KEY", name):
            said = said.replace(value, "***")
    if "CLOUDFLARE_API_TOKEN" in text or "code: 10000" in text or "not logged in" in text.lower():
        said += " Set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, or run `wrangler login`."
    return said[:_SHOWN]


def _encode(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"
