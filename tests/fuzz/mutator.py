"""A mutator over real files: what contributors, editors and attackers do to YAML.

Run it for long by hand: `python -m tests.fuzz.mutator --inputs 200000`.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from market.catalog import load
from market.check import FAMILIES
from market.paths import PROJECT
from market.problem import in_order
from market.reporters import REPORTERS
from market.rules import registry

SLOW_SECONDS = 5.0
MEMORY_MIB = 500
NASTY = (
    "1.10", "no", "0777", "1e999", ".inf", "null", "~", "-1", "99999999999999999999", "!!python/object:os.system x",
    "&a x", "*a", "<<: *a", "{{ .Values.x }}", "{{", "[" * 50, "{" * 50, '"', "'", "|", ">", "- - - -", "? x", "@x",
    "\x00", "\x1b[31m", "\u202e", "é", "\U0001f600", "\ufeff", "javascript:alert(1)", "<script>", "../../etc/passwd",
    "a" * 5000, "https://" + "a" * 600, "true", "2026-13-45", "1:30:00", "", "\t", "...", "---", "# x", "[]", "{}",
)  # fmt: skip

Mutation = Callable[[random.Random, bytes], bytes]


def flip(rng: random.Random, data: bytes) -> bytes:
    """Change one byte."""
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def cut(rng: random.Random, data: bytes) -> bytes:
    """Drop a stretch."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randrange(1, 200) :]


def repeat(rng: random.Random, data: bytes) -> bytes:
    """Write a stretch several times."""
    at = rng.randrange(len(data))
    piece = data[at : at + rng.randrange(1, 80)]
    return data[:at] + piece * rng.randrange(2, 30) + data[at:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    """Stop early."""
    return data[: rng.randrange(len(data))]


def insert(rng: random.Random, data: bytes) -> bytes:
    """Write something nasty anywhere."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(NASTY).encode() + data[at:]


def _lines(change: Callable[[random.Random, list[bytes], int], None]) -> Mutation:
    def mutation(rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(rng, lines, rng.randrange(len(lines)))
        return b"\n".join(lines)

    return mutation


def _drop(_: random.Random, lines: list[bytes], at: int) -> None:
    del lines[at]


def _double(_: random.Random, lines: list[bytes], at: int) -> None:
    lines.insert(at, lines[at])


def _swap(rng: random.Random, lines: list[bytes], at: int) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _indent(rng: random.Random, lines: list[bytes], at: int) -> None:
    lines[at] = rng.choice((b" ", b"  ", b"\t", b"      ")) + lines[at]


def _value(rng: random.Random, lines: list[bytes], at: int) -> None:
    key, colon, _ = lines[at].partition(b":")
    lines[at] = key + (colon or b":") + b" " + rng.choice(NASTY).encode()


MUTATIONS: tuple[Mutation, ...] = (
    flip, cut, repeat, truncate, insert, _lines(_drop), _lines(_double), _lines(_swap), _lines(_indent), _lines(_value),
    _lines(_value), _lines(_value),
)  # fmt: skip


@dataclass
class Tally:
    """What a run saw."""

    inputs: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)

    @property
    def memory_mib(self) -> float:
        """The most memory this process has had, MiB."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one_app_catalog(target: Path, app: str) -> list[Path]:
    """A catalog with one app; returns the files to mutate."""
    for name in ("archetypes", "data"):
        shutil.copytree(PROJECT / name, target / name)
    shutil.copytree(PROJECT / "apps" / app, target / "apps" / app)
    shutil.copy(PROJECT / "releases.json", target)
    return sorted(path for path in target.rglob("*") if path.suffix in (".yaml", ".json"))


def run(app: str, inputs: int, seed: int) -> Tally:
    """Mutate every file of one app at once, check, restore; until so many inputs were read."""
    assert FAMILIES
    rng = random.Random(seed)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        files = {path: path.read_bytes() for path in one_app_catalog(Path(folder), app)}
        while tally.inputs < inputs:
            for path in rng.sample(sorted(files), min(len(files), 8)):
                data = files[path]
                for _ in range(rng.randrange(1, 4)):
                    data = rng.choice(MUTATIONS)(rng, data) if data else b"x"
                path.write_bytes(data)
                tally.inputs += 1
            _check(Path(folder), tally, seed)
            for path, data in files.items():
                path.write_bytes(data)
    return tally


def _check(root: Path, tally: Tally, seed: int) -> None:
    started = time.perf_counter()
    try:
        catalog, problems = load(root)
        found = in_order([*problems, *registry.run(catalog, ())])
        for form in REPORTERS.values():
            form(found, catalog.sources)
        tally.rules.update(problem.rule for problem in found)
    except Exception as error:
        kept = Path(tempfile.mkdtemp(prefix="market-fuzz-"))
        shutil.copytree(root, kept / "catalog")
        tally.failures.append(f"seed {seed}, input {tally.inputs}: {type(error).__name__}: {error} in {kept}")
    tally.slowest = max(tally.slowest, time.perf_counter() - started)


def main() -> int:
    """A long run; prints its tally."""
    options = argparse.ArgumentParser()
    options.add_argument("--inputs", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--app", default="llamacppqwen36a3bone")
    chosen = options.parse_args()
    tally = run(chosen.app, chosen.inputs, chosen.seed)
    sys.stdout.write(
        f"{tally.inputs} inputs, {sum(tally.rules.values())} problems of {len(tally.rules)} rules, slowest check "
        f"{tally.slowest:.2f} s, {tally.memory_mib:.0f} MiB, {len(tally.failures)} failures\n"
    )
    sys.stdout.write("".join(f"{failure}\n" for failure in tally.failures[:20]))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
