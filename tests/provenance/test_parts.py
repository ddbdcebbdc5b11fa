"""The small parts: manifests, keys, addresses, differences, headers, memory."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.provenance.made import keys_yaml, statement

from market.cli import main
from market.errors import InputError, MarketError
from market.files import write_tree
from market.paths import PROJECT
from market.provenance import address, difference, edgeheaders, keys, manifest
from market.provenance.finding import Finding, failed
from market.provenance.memory import Memory, Seen, of_user
from market.provenance.statement import LIFETIME, RENEWAL
from market.provenance.untrusted import UntrustedError

FILES = {"index.html": b"<p>", "api/status": b"{}", "x/é.txt": b""}


def test_a_manifest_lists_every_file_but_the_proof_itself(tmp_path: Path) -> None:
    write_tree(tmp_path, {**FILES, manifest.MANIFEST: b"old", manifest.RELEASE: b"old"})
    made = manifest.of_folder(tmp_path)
    assert dict(made.files) == {path: manifest.digest(data) for path, data in FILES.items()}
    assert manifest.from_bytes(made.encode()) == made
    assert made.id == manifest.digest(made.encode()).sha256


def test_a_link_in_a_release_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").symlink_to("/etc/hostname")
    with pytest.raises(MarketError, match=r"page\.html is a symbolic link"):
        manifest.of_folder(tmp_path)


@given(st.data())
def test_any_other_byte_in_a_manifest_changes_its_id_or_is_refused(data: st.DataObject) -> None:
    made = manifest.Manifest({"a": manifest.digest(b"1"), "b/c": manifest.digest(b"2")})
    encoded = made.encode()
    at = data.draw(st.integers(0, len(encoded) - 1))
    other = encoded[:at] + bytes([encoded[at] ^ data.draw(st.integers(1, 255))]) + encoded[at + 1 :]
    with suppress(UntrustedError):
        assert manifest.from_bytes(other).id != made.id


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", "", "a\\b", "a\nb", "api/release"])
def test_a_manifest_cannot_name_a_path_outside(path: str) -> None:
    with pytest.raises(UntrustedError):
        manifest.from_bytes(manifest.Manifest({path: manifest.digest(b"")}).encode())


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("index.html", address.Address("/")),
        ("en/index.html", address.Address("/en/")),
        ("en/about.html", address.Address("/en/about")),
        ("404.html", address.Address("/404", 404)),
        ("en/404.html", address.Address("/en/404", 404)),
        ("api/v1/appstore/hash", address.Address("/api/v1/appstore/hash")),
        ("assets/a b%.js", address.Address("/assets/a%20b%25.js")),
        ("_headers", None),
        ("_market/details/3.json", None),
    ],
)
def test_where_a_file_is_served(path: str, place: address.Address | None) -> None:
    assert address.of_file(path) == place


@pytest.mark.parametrize(
    ("live", "here", "text"),
    [
        (b"abc", b"abc", ""),
        (b"abXdef", b"abcdef", "from byte 2: 58 64 65 66 instead of 63 64 65 66; 6 bytes"),
        (b"ab", b"abc", "from byte 2: the end instead of 63; 2 bytes"),
        (b'{"a":[1,{"b":2}]}', b'{"a":[1,{"b":3}]}', "$.a[1].b is 2 instead of 3"),
        (b'{"a":1}', b'{"a":1,"c":null}', "$.c is absent instead of null"),
        (b"[1]", b"[1,2]", "$[1] is absent instead of 2"),
        (b"[true]", b"[1]", "$[0] is true instead of 1"),
        (b'{"a": 1}', b'{"a":1}', "the same JSON in other bytes, from byte 5"),
    ],
)
def test_a_difference_is_told_at_its_place(live: bytes, here: bytes, text: str) -> None:
    told = difference.of_bytes(live, here)
    assert told.startswith(text)
    assert bool(told) == bool(text)


def test_headers_of_a_path_are_those_of_every_rule_that_matches() -> None:
    rules = edgeheaders.parse("# note\n/*\n  X-A: 1\n\n/api/*\n  Content-Type: a; b=c:d\n")
    assert rules.of("/api/x") == {"x-a": "1", "content-type": "a; b=c:d"}
    assert rules.of("/x") == {"x-a": "1"}


def test_notes_fail_nothing() -> None:
    assert not failed([Finding("a", "b", note=True)])
    assert failed([Finding("a", "b", note=True), Finding("a", "b")])


def test_memory_never_goes_back(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "deep" / "folder")
    assert memory.recall("https://a") is None
    memory.keep("https://a", statement(7))
    memory.keep("https://a", statement(6))
    memory.keep("https://b", statement(2))
    assert memory.recall("https://a") == Seen(7, "b" * 64)
    assert memory.recall("https://b") == Seen(2, "b" * 64)
    for path in memory.folder.iterdir():
        path.write_text("{")
    with pytest.raises(MarketError, match="delete it"):
        memory.recall("https://a")


def test_memory_is_where_the_user_keeps_state() -> None:
    assert of_user({"XDG_STATE_HOME": "/s"}).folder == Path("/s/market/releases")
    assert of_user({"XDG_STATE_HOME": "relative"}).folder == Path.home() / ".local/state/market/releases"


def test_the_repository_trusts_what_its_file_lists() -> None:
    keys.trusted(PROJECT)


def test_a_key_is_made_for_its_owner_alone_and_never_shown(tmp_path: Path) -> None:
    file, catalog = tmp_path / "private.pem", tmp_path / "catalog"
    catalog.mkdir()
    before = os.umask(0)
    try:
        made = CliRunner().invoke(main, ["--catalog", str(catalog), "keys", "new", str(file), "--now", "2026-12-01"])
    finally:
        os.umask(before)
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secret = file.read_text()
    assert not any(line in made.output for line in secret.splitlines())
    (catalog / "data").mkdir()
    (catalog / "data/keys.yaml").write_text("keys:\n" + made.stdout)
    (trusted,) = keys.trusted(catalog).all
    assert trusted.public == keys.signer({keys.VARIABLE: secret}).public_key
    shown = CliRunner().invoke(
        main, ["--catalog", str(catalog), "keys", "show"], env={keys.VARIABLE: secret.replace("\n", "\\n")}
    )
    assert f"{trusted.id} " in shown.output
    assert "trusted from 2026-12-01 on" in shown.output
    again = CliRunner().invoke(main, ["--catalog", str(catalog), "keys", "new", str(file)])
    assert again.exit_code == 1
    assert file.read_text() == secret
    inside = CliRunner().invoke(main, ["--catalog", str(catalog), "keys", "new", str(catalog / "key.pem")])
    assert inside.exit_code == 1
    assert not (catalog / "key.pem").exists()


@pytest.mark.parametrize(
    "value", ["", "  ", "secret words", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
)
def test_a_missing_or_wrong_key_is_one_sentence_that_shows_nothing_of_it(value: str) -> None:
    with pytest.raises(MarketError) as caught:
        keys.signer({keys.VARIABLE: value})
    assert keys.VARIABLE in str(caught.value)
    assert "secret words" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_of_another_kind_is_refused() -> None:
    from securesystemslib.signer import CryptoSigner  # noqa: PLC0415

    pem = CryptoSigner.generate_ecdsa().private_bytes.decode()
    with pytest.raises(MarketError, match="another kind"):
        keys.signer({keys.VARIABLE: pem})


def test_faults_in_the_list_of_keys_are_named(tmp_path: Path) -> None:
    text = keys_yaml(keys.generate())
    identity = text.split('"')[1]
    public = text.split("public: ")[1].split(",")[0]
    for wrong, reason in (
        (text.replace(identity, "0" * 16), f"should have the id {identity}"),
        (text + text.partition("\n")[2], "twice"),
        (text.replace("from: 2026-11-01", "from: soon"), "keys.yaml:2: .*soon"),
        (text.replace(public, "A" * 42 + "B="), "should have the id|not a public"),
        ("keys: [", "keys.yaml:2: while parsing"),
    ):
        (tmp_path / "keys.yaml").write_text(wrong)
        with pytest.raises(InputError, match=reason):
            keys.trusted(tmp_path, "keys.yaml")


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_page_tells_the_times_that_hold(language: str) -> None:
    page = (PROJECT / "docs" / language / "provenance.md").read_text("utf-8")
    days = "jours" if language == "fr" else "days"
    assert f"{LIFETIME.days} {days}" in page
    assert f"{RENEWAL.days} {days}" in page
