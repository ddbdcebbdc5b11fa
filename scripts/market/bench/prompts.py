"""The prompts: fixed texts by id and hash, filler for depth, and the request that they become."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rfc8785

from market.bench import pictures

Count = Callable[[str], int]

# Ordinary words of one or two tokens in common vocabularies. In random order they make a text that no n-gram
# draft can predict and no tokeniser can shrink, so that the depth is filled with honest tokens.
_TEXT = (
    "river stone light garden winter letter bridge silver forest window market paper season mountain captain "
    "village harbour copper orange signal train island morning shadow pencil table engine circle valley ticket "
    "doctor basket summer kitchen metal planet corner music bottle travel number silent early narrow bright heavy "
    "simple distant open round broken gentle hidden quick solid warm clear deep plain sharp wide low high under "
    "over near along behind between after before while until since because against toward carry follow gather "
    "answer borrow choose decide expect finish gather happen improve join keep learn measure notice offer prepare "
    "question reach settle travel unfold visit wonder yield and the of with from "
)
_WORDS = tuple(_TEXT.split())


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of data/prompts.yaml that can be sent."""

    id: str
    text: str
    sha256: str
    tokens: int = 2000
    filler_tokens: int = 0
    tools: Sequence[Mapping[str, Any]] = ()
    image: str | None = None

    @property
    def ends_by_itself(self) -> bool:
        """Whether an answer is complete before its token limit, as a tool call is."""
        return bool(self.tools)


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: the messages and tools of a chat request, and the hash of both (RFC 8785 JSON)."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def sha256(self) -> str:
        """Hash of messages and tools: equal hashes are equal requests."""
        return hashlib.sha256(rfc8785.dumps({"messages": list(self.messages), "tools": list(self.tools)})).hexdigest()


def find(entries: Mapping[str, Mapping[str, Any]], id: str) -> Prompt:
    """The prompt with this id, its text checked against its hash.

    Raises:
        ValueError: there is none, it cannot be sent, or its text is not the one of its hash.
    """
    entry = entries.get(id)
    sendable = sorted(name for name, one in entries.items() if "text" in one)
    if entry is None or "text" not in entry:
        raise ValueError(f"there is no prompt {id} to send; there are {', '.join(sendable)}")
    digest = hashlib.sha256(entry["text"].encode()).hexdigest()
    if digest != entry.get("sha256"):
        raise ValueError(f"the text of prompt {id} has the hash {digest}, not the one that stands beside it; "
                         "reports of two texts under one id could not be compared")  # fmt: skip
    request = entry.get("request") or {}
    return Prompt(id, entry["text"], digest, request.get("max_tokens", 2000), request.get("filler_tokens", 0),
                  request.get("tools", ()), request.get("image"))  # fmt: skip


def message(prompt: Prompt, filler: str = "", nonce: str = "") -> Message:
    """The request of a prompt, with what stands before it: a nonce against caches, and filler up to a depth."""
    before = (f"[{nonce}]\n" if nonce else "") + (f"{filler}\n\n" if filler else "")
    text = before + prompt.text
    if prompt.image is None:
        return Message([{"role": "user", "content": text}], prompt.tools)
    picture = {"red-64": pictures.small, "three-discs-1024": pictures.large}[prompt.image]()
    parts = [{"type": "image_url", "image_url": {"url": picture.data_url}}, {"type": "text", "text": text}]
    return Message([{"role": "user", "content": parts}], prompt.tools)


def words(count: int) -> str:
    """A text of ``count`` words in an order that is always the same and never repeats noticeably."""
    state, chosen = 20260524, []
    for index in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        chosen.append(_WORDS[(state >> 33) % len(_WORDS)] + (".\n" if index % 16 == 15 else ""))
    return " ".join(chosen)


def filler(tokens: int, count: Count, tolerance: float = 0.005) -> str:
    """A text of about ``tokens`` tokens, by the server's own count, never more.

    Raises:
        ValueError: the count does not grow with the text, so no depth can be set.
    """
    if tokens <= 0:
        return ""
    length = max(1, round(tokens / 1.2))
    best = ""
    for _ in range(6):
        text = words(length)
        found = count(text)
        if found <= 0:
            raise ValueError("the server's token count does not grow with the text")
        if found <= tokens:
            best = text
            if found >= tokens * (1 - tolerance):
                break
        length = max(1, int(length * tokens / found * (1 - tolerance / 4)))
    return best or words(max(1, length // 2))


def nonce(seed: int, index: int) -> str:
    """Sixteen hexadecimal digits that are the same for the same run of the same bench, and no other."""
    return hashlib.sha256(f"{seed}/{index}".encode()).hexdigest()[:16]
