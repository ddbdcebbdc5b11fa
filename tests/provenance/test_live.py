"""`market verify` against a served market: what is altered, old, expired or signed by the wrong key is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
import requests
from tests.provenance.conftest import OLD_CHART, PREVIOUS, Built, Market, served
from tests.provenance.made import ISSUED, NOW, altered, flipped, key, keys_yaml, release, trusting

from market.device.client import normalise
from market.progress import Silent
from market.provenance import equality, keys, proof, verifying
from market.provenance.keys import Keys
from market.provenance.live import Live
from market.provenance.manifest import MANIFEST, RELEASE, from_bytes, of_folder
from market.provenance.memory import Memory, Seen

pytestmark = pytest.mark.xdist_group("provenance")

CHART = "charts/demo-1.0.0.tgz"


def examine(market: Market, trusted: Keys, now: datetime = NOW, **terms: object) -> proof.Proof:
    judged = proof.Terms(trusted, now, demanded=True)
    return proof.examine(Live(market.url), replace(judged, **terms))  # type: ignore[arg-type]


def failures(found: proof.Proof) -> list[str]:
    return [f"{one.place}: {one.message}" for one in found.findings if not one.note]


def differences(market: Market) -> list[str]:
    live = Live(market.url)
    listed = from_bytes((market.dist / MANIFEST).read_bytes())
    return [f"{one.place}: {one.message}" for one in equality.compare(live, market.rebuilt, listed)]


def verify(market: Market, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    trusted = folder / "keys.yaml"
    trusted.write_text(keys_yaml(market.signer))
    program = str(Path(sys.executable).with_name("market"))
    command = [
        program, "verify", market.url, "--mode", "genA", "--keys", str(trusted), "--now", f"{NOW:%FT%TZ}", *arguments
    ]  # fmt: skip
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


def wait_for(url: str, status: int) -> None:
    """Wait until the runtime has noticed that a file came or went; other bytes in a file it serves at once."""
    deadline = time.monotonic() + 60
    while requests.get(url, timeout=30).status_code != status:
        assert time.monotonic() < deadline, f"{url} does not answer {status}"
        time.sleep(0.1)


def test_a_market_equals_the_commit_it_says_it_was_built_from(built: Built, tmp_path: Path) -> None:
    with served(built, tmp_path) as market:
        done = verify(market, tmp_path, "--against", str(built.repository), "--commit", "live", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["passed"], told["findings"], told["differences"]) == (True, [], [])
    assert (told["release"]["serial"], told["release"]["trusted"]) == (7, True)
    status = json.loads((built.dist / "api/status").read_bytes())
    assert (told["release"]["commit"], status["previous"]) == (status["commit"], PREVIOUS)
    assert len(status["commit"]) == 40


def test_what_is_proved_is_said_and_remembered(market: Market, tmp_path: Path) -> None:
    done = verify(market, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "release 7 of commit" in done.stdout
    assert "signed by a trusted key, and every file is as listed" in done.stdout
    seen = Memory(tmp_path / "state/market/releases").recall(normalise(market.url))
    assert seen == Seen(7, of_folder(market.dist).id)


def test_an_old_release_put_back_is_refused(market: Market, tmp_path: Path) -> None:
    assert verify(market, tmp_path).returncode == 0
    with altered(market.dist, release(market.dist, 6, market.signer).files):
        done = verify(market, tmp_path)
        assert failures(examine(market, trusting(market.signer))) == []
    assert done.returncode == 1
    assert "release 6 is served, but it must be 7 at least" in done.stdout


def test_a_statement_that_vanishes_is_missed_once_there_was_one(market: Market, tmp_path: Path) -> None:
    assert verify(market, tmp_path).returncode == 0
    content = (market.dist / RELEASE).read_bytes()
    (market.dist / RELEASE).unlink()
    try:
        wait_for(f"{market.url}/{RELEASE}", 404)
        question = verifying.Question(market.url, market.built.repository, NOW, ("genA",))
        known = verifying.verify(question, Memory(tmp_path / "state/market/releases"), Silent())
        new = verifying.verify(question, Memory(tmp_path / "fresh"), Silent())
    finally:
        (market.dist / RELEASE).write_bytes(content)
        wait_for(f"{market.url}/{RELEASE}", 200)
    assert not known.passed
    assert "the signed statement is gone; release 7" in failures(known.proof)[0]
    assert new.passed
    assert [one.note for one in new.proof.findings] == [True]


def test_what_another_market_answers_there_is_no_failure(market: Market) -> None:
    with altered(market.dist, {RELEASE: b'{"code":404}'}):
        stranger = examine(market, trusting(market.signer), demanded=False)
        own = examine(market, trusting(market.signer))
    assert (failures(stranger), [one.note for one in stranger.findings]) == ([], [True])
    assert "not an envelope" in failures(own)[0]


def test_without_a_trusted_key_a_signature_proves_nothing(market: Market, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/keys.yaml").write_text("keys: []\n")
    memory = Memory(tmp_path / "state")
    answer = verifying.verify(verifying.Question(market.url, tmp_path, NOW, ("genA",)), memory, Silent())
    assert answer.passed
    assert answer.proof.trusted is None
    assert "no key is trusted yet" in answer.proof.findings[0].message
    assert memory.recall(normalise(market.url)) is None


def test_an_expired_statement_is_refused_and_an_ageing_one_noted(market: Market, tmp_path: Path) -> None:
    trusted = trusting(market.signer)
    assert "expired at 2027-02-28" in failures(examine(market, trusted, ISSUED + timedelta(days=90)))[0]
    ageing = examine(market, trusted, ISSUED + timedelta(days=61))
    assert failures(ageing) == []
    assert "expires in 29 days" in ageing.findings[0].message
    done = verify(market, tmp_path, "--now", "2027-03-01T00:00:00Z")
    assert done.returncode == 1
    assert "FAIL  GET /api/release: the statement expired at 2027-02-28T12:00:00Z" in done.stdout


def test_whose_signature_is_believed(market: Market) -> None:
    stranger = keys.generate()
    revoked = Keys((key(market.signer, revoked="seen by others"), key(stranger)))
    assert "not among the trusted ones" in failures(examine(market, trusting(stranger)))[0]
    assert "revoked: seen by others" in failures(examine(market, revoked))[0]
    retired = Keys((key(market.signer, until=date(2026, 11, 15)),))
    assert "trusted from 2026-11-01 to 2026-11-15" in failures(examine(market, retired))[0]


def test_a_key_is_replaced_without_a_gap(market: Market) -> None:
    successor = keys.generate()
    both = Keys((key(market.signer, until=date(2026, 12, 31)), key(successor)))
    assert failures(examine(market, both)) == []
    with altered(market.dist, release(market.dist, 8, successor).files):
        assert failures(examine(market, both)) == []
        assert "not among the trusted ones" in failures(examine(market, trusting(market.signer)))[0]


def test_after_a_key_is_lost_only_what_the_new_one_signed_is_believed(market: Market) -> None:
    successor = keys.generate()
    after = Keys((key(market.signer, revoked="lost"), key(successor)))
    seen = Seen(7, of_folder(market.dist).id)
    assert "was revoked: lost" in failures(examine(market, after, seen=seen))[0]
    with altered(market.dist, release(market.dist, 8, successor).files):
        renewed = examine(market, after, seen=seen)
    assert failures(renewed) == []
    assert renewed.trusted is not None
    assert renewed.trusted.serial == 8


@pytest.mark.parametrize("where", ["payload", "signature"])
def test_a_flipped_byte_of_the_statement_is_named(market: Market, tmp_path: Path, where: str) -> None:
    envelope = (market.dist / RELEASE).read_bytes()
    at = envelope.index(b'"sig":"') + 20 if where == "signature" else envelope.index(b'"payload":"') + 40
    other = b"B" if envelope[at : at + 1] == b"A" else b"A"  # of Base64 like the one before: what is wrong is the value
    with altered(market.dist, {RELEASE: envelope[:at] + other + envelope[at + 1 :]}):
        done = verify(market, tmp_path)
    assert done.returncode == 1
    assert "FAIL  GET /api/release: the signature of key" in done.stdout


def test_another_manifest_is_named(market: Market) -> None:
    listed = (market.dist / MANIFEST).read_bytes()
    with altered(market.dist, {MANIFEST: listed.replace(b'"size":', b'"size":1', 1)}):
        found = failures(examine(market, trusting(market.signer)))
    assert found[0].startswith("GET /api/manifest: the manifest was altered or belongs to another release")


def _changes(market: Market) -> Mapping[str, tuple[bytes, str, str]]:
    """By file: its altered bytes, and how the two checks name it."""
    read = {path: (market.dist / path).read_bytes() for path in (
        CHART, "api/v1/appstore/hash", "api/v2/taxonomy", "icons/demo.png", "index.html", "404.html", "en/404.html",
        "apps/demo/index.html",
    )}  # fmt: skip
    shards = sorted(market.dist.glob("_market/details/*.json"), key=lambda path: path.stat().st_size)
    details = shards[-1].relative_to(market.dist).as_posix()
    told = {
        CHART: ("GET /charts/demo-1.0.0.tgz: charts/demo-1.0.0.tgz was altered", "/api/v1/applications/demo/chart"),
        "api/v1/appstore/hash": ("GET /api/v1/appstore/hash", "GET /api/v1/appstore/hash: $."),
        "api/v2/taxonomy": ("GET /api/v2/taxonomy", "GET /api/v2/taxonomy: $."),
        "icons/demo.png": ("GET /icons/demo.png", "GET /icons/demo.png: from byte 40"),
        "index.html": ("GET /:", "GET /: from byte"),
        "404.html": ("GET /404:", "GET /404: from byte"),
        "en/404.html": ("GET /en/404:", "GET /en/404: from byte"),
        "apps/demo/index.html": ("GET /apps/demo/:", "GET /apps/demo/: from byte"),
    }
    changes = {path: (_changed(path, data), *told[path]) for path, data in read.items()}
    body = shards[-1].read_bytes().replace(b'"developer":"', b'"developer":"X', 1)
    changes[details] = (body, f"POST /api/v1/applications/info: {details} was altered", ".developer is")
    catalog = "_market/catalog.json"
    other = (market.dist / catalog).read_bytes().replace(b'"source_id":"e', b'"source_id":"f')
    changes[catalog] = (other, "GET /api/v2/catalog: _market/catalog.json was altered", "$.data.source_id is")
    return changes


def _changed(path: str, data: bytes) -> bytes:
    """One flipped bit, where JSON stays JSON."""
    return flipped(data, data.rindex(b'"}') - 1 if path.startswith("api/") else 40)


def test_every_altered_file_is_named_by_both_checks(market: Market) -> None:
    changes = _changes(market)
    with altered(market.dist, {path: data for path, (data, _, _) in changes.items()}):
        by_digest, by_rebuild = failures(examine(market, trusting(market.signer))), differences(market)
    for path, (_, first, second) in changes.items():
        assert any(one.startswith(first) for one in by_digest), (path, by_digest)
        assert any(second in one for one in by_rebuild), (path, by_rebuild)
    assert failures(examine(market, trusting(market.signer))) == differences(market) == []


def test_one_flipped_byte_of_a_chart_and_of_a_reply_fail_the_command(market: Market, tmp_path: Path) -> None:
    for path in (CHART, "api/v1/appstore/info"):
        data = (market.dist / path).read_bytes()
        with altered(market.dist, {path: _changed(path, data)}):
            done = verify(market, tmp_path)
        assert done.returncode == 1
        assert f"FAIL  GET /{path}: {path} was altered" in done.stdout


def test_a_flipped_byte_of_an_archived_chart_is_named(market: Market, tmp_path: Path) -> None:
    market.archive("demo-0.9.0.tgz", flipped(OLD_CHART, 3), tmp_path)
    try:
        found = differences(market)
    finally:
        market.archive("demo-0.9.0.tgz", OLD_CHART, tmp_path)
    assert [one.split(": ")[1].split(" has ")[0] for one in found] == ["demo@0.9.0"] * 3
    assert {one.split("?")[0].split(": ")[0] for one in found} == {
        "GET /charts/demo-0.9.0.tgz", "GET /api/v1/applications/demo/chart", "GET /api/v2/applications/demo/chart"
    }  # fmt: skip


def test_a_file_with_other_headers_is_named(market: Market) -> None:
    headers = (market.rebuilt.dist / "_headers").read_bytes()
    with altered(market.rebuilt.dist, {"_headers": headers.replace(b"nosniff", b"sniff", 1)}):
        found = differences(market)
    assert "GET /robots.txt: header x-content-type-options is 'nosniff', not 'sniff'" in found


def test_a_commit_that_is_not_there_is_said_in_one_sentence(market: Market, tmp_path: Path) -> None:
    done = verify(market, tmp_path, "--against", str(market.built.repository), "--commit", "nowhere")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "has no commit nowhere" in done.stderr
