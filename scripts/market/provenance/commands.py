"""`market verify`, and `market keys`: make the key that signs releases, and look at it without showing it."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from market.errors import InputError, MarketError
from market.progress import Shown, Silent

_EXISTING = click.Path(exists=True, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("url")
@click.option("--mode", "modes", multiple=True, type=click.Choice(["genA", "genB", "v2"]),
              default=("genA", "genB", "v2"), show_default=True)  # fmt: skip
@click.option("--olares-version", default="1.12.6", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--keys", type=_EXISTING, help="Trusted keys, in the form of data/keys.yaml (default: the catalog's).")
@click.option("--minimum-serial", type=click.IntRange(min=1), help="Refuse a release with a lower number.")
@click.option("--against", type=_EXISTING, help="A checkout that the market must equal, byte for byte.")
@click.option("--commit", help="Compare with this commit of it, built with its own program; live: the one served.")
@click.option("--now", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ"]), help="Time to judge by (default: the clock).")
@click.pass_obj
def verify(root: Path, /, url: str, as_json: bool, now: datetime | None, **given: Any) -> None:
    """Act as an Olares device against a market source, and check where it comes from."""
    from market.provenance import memory, verifying  # noqa: PLC0415

    given["against"] = verifying.checkout(given["against"], given["commit"], root)
    given["now"] = now.replace(tzinfo=UTC) if now else datetime.now(UTC)
    shown = not as_json and sys.stderr.isatty()
    progress = Shown(Console(stderr=True, highlight=False)) if shown else Silent()
    question = verifying.Question(url, root, **given)
    console = Console(soft_wrap=True)
    sys.exit(verifying.run(question, memory.of_user(os.environ), progress, console, as_json))


@click.command()
@click.argument("dist", type=_FOLDER)
def manifest(dist: Path) -> None:
    """Print the manifest of a built folder: the digest of every file. Its own SHA-256 names the release."""
    from market.provenance.manifest import of_folder  # noqa: PLC0415

    sys.stdout.buffer.write(of_folder(dist).encode())


@click.command()
@click.argument("before", type=_FOLDER)
@click.argument("after", type=_FOLDER)
def difference(before: Path, after: Path) -> None:
    """Print what devices and readers would notice between two built folders."""
    from market.provenance.manifest import of_folder  # noqa: PLC0415
    from market.publish.difference import between  # noqa: PLC0415

    lines = tuple(between(of_folder(before), of_folder(after)).lines())
    for line in lines or ("nothing changes",):
        click.echo(line)


@click.group()
def keys() -> None:
    """Make and look at the key that signs releases."""


@keys.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--now", type=click.DateTime(["%Y-%m-%d"]), help="First day of the key (default: today).")
@click.pass_obj
def new(root: Path, file: Path, now: datetime | None) -> None:
    """Write a new private key to FILE, for its owner alone, and print its entry for data/keys.yaml."""
    from market.provenance import keys as keyring  # noqa: PLC0415

    target = file.absolute()
    if target.resolve().is_relative_to(root):
        raise InputError(f"{file} is inside the catalog, where a private key may be committed; name a file elsewhere")
    signer = keyring.generate()
    _write(target, signer.private_bytes)
    first = now.date() if now else datetime.now(UTC).date()
    click.echo(f'  - id: "{signer.public_key.keyid}"\n    public: {keyring.encoded(signer)}\n    from: {first}')
    note = (
        f"The private key is in {file}. Put its text into the secret {keyring.VARIABLE}, keep one copy offline, "
        f"delete the file, and add the lines above to {keyring.FILE}."
    )
    click.echo(note, err=True)


@keys.command()
@click.pass_obj
def show(root: Path) -> None:
    """Say which public key belongs to MARKET_SIGNING_KEY, and whether data/keys.yaml trusts it."""
    from market.provenance import keys as keyring  # noqa: PLC0415

    signer = keyring.signer(os.environ)
    known = keyring.trusted(root).find(signer.public_key.keyid)
    if known is None:
        word = f"not in {keyring.FILE}"
    elif known.revoked is not None:
        word = f"revoked: {known.revoked}"
    else:
        word = f"trusted {known.time}"
    click.echo(f"{signer.public_key.keyid} {keyring.encoded(signer)} ({word})")


def _write(path: Path, data: bytes) -> None:
    """Create a file that only its owner can read; one that is there already stays as it is."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError as error:
        raise InputError(f"{path} exists already; a key is never overwritten") from error
    except OSError as error:
        raise MarketError(f"cannot write {path}: {error.strerror}") from error
    with os.fdopen(handle, "wb") as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
