"""`market verify`: what a device objects to, what the signed statement proves, and what differs from Git."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from market.device.deviation import count
from market.device.report import clean, render
from market.device.verification import Verification
from market.device.verify import UnreachableError
from market.device.verify import verify as verify_as_device
from market.errors import InputError
from market.paths import PROJECT
from market.progress import Progress
from market.provenance import equality, keys, proof
from market.provenance.details import VERSION
from market.provenance.finding import Finding, failed
from market.provenance.live import Ask, Live
from market.provenance.memory import Memory
from market.provenance.rebuild import of_history, rebuilt
from market.provenance.statement import Statement
from market.source import decode, read_file
from market.yamldoc import parse

LIVE = "live"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Question:
    """What to verify.

    ``against`` is a checkout that the market must equal, at ``commit`` if one is named; ``live`` stands for
    the commit that the market itself names.
    """

    url: str
    root: Path
    now: datetime
    modes: tuple[str, ...] = ("genA", "genB", "v2")
    olares_version: str = VERSION
    keys: Path | None = None
    minimum_serial: int | None = None
    against: Path | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. ``differences`` is None when nothing was rebuilt."""

    device: Verification
    proof: proof.Proof
    differences: tuple[Finding, ...] | None = None
    compared: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.device.passed and not failed(self.proof.findings) and not self.differences

    def as_dict(self) -> dict[str, Any]:
        """The whole as plain data for JSON."""
        release = self.proof.shown
        return {
            **self.device.as_dict(),
            "passed": self.passed,
            "release": None if release is None else _facts(release, self.proof.trusted is not None),
            "findings": [asdict(finding) for finding in self.proof.findings],
            "compared": self.compared or None,
            "differences": None if self.differences is None else [asdict(one) for one in self.differences],
        }


def verify(question: Question, memory: Memory, progress: Progress) -> Answer:
    """Verify a live market, and remember the newest release with a good signature.

    Raises:
        UnreachableError: the market gave no answer at all.
        InputError: the trusted keys cannot be read, or there is nothing to compare with.
        MarketError: the environment is at fault.
    """
    live = Live(question.url)
    terms = _terms(question, live, memory)
    with progress.step("act as a device"):
        device = verify_as_device(live.base, question.modes, question.olares_version)
    with progress.step("check the signed statement and every digest"):
        proved = proof.examine(live, terms)
    if proved.trusted is not None:
        memory.keep(live.base, proved.trusted)
    if question.against is None:
        return Answer(device, proved)
    status = _status(live)
    commit = _commit(question.against, question.commit, status)
    with rebuilt(question.against, commit, _hash(status.get("previous")), progress) as here:
        with progress.step("compare every reply"):
            differences = equality.compare(live, here, proved.manifest)
        number = len(here.manifest.files)
    what = f"{count(number, 'file')} of {commit or question.against}"
    return Answer(device, proved, differences, what)


def run(question: Question, memory: Memory, progress: Progress, console: Console, as_json: bool) -> int:
    """Verify and show the result. Returns 0: nothing to object to, 1: something is wrong, 2: no answer."""
    try:
        answer = verify(question, memory, progress)
    except UnreachableError as error:
        text = json.dumps({"passed": False, "unreachable": str(error)}) if as_json else f"market: {error}"
        console.out(text, highlight=False)
        return 2
    if as_json:
        console.out(json.dumps(answer.as_dict(), ensure_ascii=False, indent=2), highlight=False)
    else:
        render(answer.device, console)
        _show(answer, console)
    return 0 if answer.passed else 1


def _terms(question: Question, live: Live, memory: Memory) -> proof.Terms:
    trusted = _keys(question)
    seen = memory.recall(live.base)
    own = bool(trusted.all) and (question.against is not None or live.origin == _origin(question.root))
    return proof.Terms(
        keys=trusted,
        now=question.now,
        seen=seen,
        minimum_serial=question.minimum_serial or 0,
        demanded=own or seen is not None or question.keys is not None or question.minimum_serial is not None,
    )


def _keys(question: Question) -> keys.Keys:
    """The keys that were named, else the catalog's, else this program's own."""
    if question.keys is not None:
        return keys.trusted(question.keys.parent, question.keys.name)
    root = question.against or question.root
    return keys.trusted(root if (root / keys.FILE).exists() else PROJECT)


def _origin(root: Path) -> str:
    """The address that a catalog says it is served at; empty when there is none."""
    file, _ = read_file(root if (root / "data/market.yaml").exists() else PROJECT, "data/market.yaml")
    text = decode(file)[0] if file else None
    document = parse(text)[0] if text else None
    return str(document.get("origin", default="")).lower() if document else ""


def _status(live: Live) -> dict[str, Any]:
    """The market's own account of itself, empty when it gives none."""
    try:
        status = json.loads(live.ask(Ask(f"/{proof.STATUS}")).body)
    except (ValueError, RecursionError):
        return {}
    return status if isinstance(status, dict) else {}


def _commit(checkout: Path, wanted: str | None, status: dict[str, Any]) -> str | None:
    """The commit to compare with."""
    if wanted != LIVE:
        return wanted
    named = status.get("commit")
    if not isinstance(named, str) or not _COMMIT.fullmatch(named):
        raise InputError("the market does not say which commit it was built from; name one with --commit")
    return of_history(checkout, named)


def _hash(value: Any) -> str | None:
    """A catalog hash; anything else is none."""
    return value if isinstance(value, str) and _HASH.fullmatch(value) else None


def _show(answer: Answer, console: Console) -> None:
    good = answer.proof.trusted is not None and not failed(answer.proof.findings)
    lines: list[tuple[str, str]] = [("", "")]
    if answer.proof.shown is not None:
        lines.append((_described(answer.proof.shown, good), "green" if good else "yellow"))
    lines.extend(_lines(answer.proof.findings))
    if answer.differences is not None:
        lines.extend(_lines(answer.differences))
        lines.append(_verdict(answer.differences, answer.compared))
    for text, style in lines:
        console.out(clean(text), style=style or None, highlight=False)


def _verdict(differences: Sequence[Finding], compared: str) -> tuple[str, str]:
    if differences:
        return f"not equal: {count(len(differences), 'difference')} from {compared}", "red"
    return f"equal: what is served is {compared}, byte for byte", "green"


def _lines(findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    for finding in findings:
        mark, style = ("note", "yellow") if finding.note else ("FAIL", "red")
        yield f"{mark}  {finding.place}: {finding.message}", style


def _described(statement: Statement, good: bool) -> str:
    source = f"commit {statement.commit}" if statement.commit else "no commit"
    return (
        f"release {statement.serial} of {source}, issued {statement.issued:%Y-%m-%d %H:%M} UTC, "
        f"valid to {statement.expires:%Y-%m-%d}: "
        + ("signed by a trusted key, and every file is as listed" if good else "not proved, see below")
    )


def _facts(statement: Statement, trusted: bool) -> dict[str, Any]:
    facts = asdict(statement) | {"issued": f"{statement.issued:%FT%TZ}", "expires": f"{statement.expires:%FT%TZ}"}
    return facts | {"trusted": trusted}


def checkout(folder: Path | None, commit: str | None, root: Path) -> Path | None:
    """The checkout to compare with: the one that was named, or this one when only a commit was named.

    Raises:
        InputError: the folder holds no catalog.
    """
    chosen = folder or (root if commit else None)
    if chosen is not None and commit is None and not (chosen / "apps").is_dir():
        raise InputError(f"{chosen} holds no catalog; name a checkout of the market's repository")
    return chosen.resolve() if chosen else None
