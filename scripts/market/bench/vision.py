"""The vision check: two pictures, judged answers, and the proof that text is as fast afterwards as before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from market.bench import counters, pictures, serverlog
from market.bench.alarms import WORTH
from market.bench.faults import EndpointFault
from market.bench.pictures import Picture
from market.bench.prompts import Message
from market.bench.request import Asking, body
from market.bench.runner import Bench, Job, Subject
from market.statistics import summarise, t_quantile

ANSWER_TOKENS = 64
TEXT_RUNS = 3

Checked = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recovery:
    """Speeds before and after the pictures, in tokens/s. ``lowest`` is the mean that chance alone would allow."""

    before: float
    after: tuple[float, ...]
    lowest: float

    @property
    def recovered(self) -> bool:
        """Whether the runs afterwards are not slower than chance allows."""
        return sum(self.after) / len(self.after) >= self.lowest


def check(bench: Bench, job: Job, log: serverlog.Tail | None) -> bool:
    """Ask about both pictures, measure text again, and write all of it into the report. True if all is well.

    Raises:
        EndpointFault: text does not work any more after the pictures.
    """
    data = job.series.data
    for key, picture in (("vision_check", pictures.small()), ("vision_large", pictures.large())):
        bench.screen.note(f"asking about {picture.shows[0]}")
        data[key] = ask(job.subject, picture, log)
        job.series.save()
    after = [bench.one(job, index)["tokens_per_second"] for index in range(TEXT_RUNS)]
    found = recovery(job.series.speeds, after)
    data["after_vision"] = {
        "tokens_per_second": after,
        "before_mean": round(found.before, 3),
        "lowest_expected_mean": round(found.lowest, 3),
        "recovered": found.recovered,
    }
    job.series.save()
    return found.recovered and all(data[key].get("correct", False) for key in ("vision_check", "vision_large"))


def ask(subject: Subject, picture: Picture, log: serverlog.Tail | None) -> Checked:
    """Ask about one picture; a refusal is a result too."""
    asked: Checked = {
        "image": {"en": picture.shows[0], "fr": picture.shows[1]},
        "width": picture.width, "height": picture.height, "bytes": len(picture.png), "sha256": picture.sha256,
        "question": picture.question,
    }  # fmt: skip
    if log:
        log.fresh()
    before = subject.endpoint.counters()
    try:
        reply = subject.endpoint.chat(_request(subject, picture))
    except EndpointFault as fault:
        return {**asked, "answer": "", "correct": False, "error": str(fault)}
    answer = (reply.text or reply.reasoning).strip()
    drafts = reply.drafts or counters.drafts(counters.change(before, subject.endpoint.counters()))
    swap = serverlog.swap(log.fresh()) if log else serverlog.Swap(None, None)
    found: Checked = {
        **asked,
        "answer": answer[:500],
        "correct": picture.is_right(answer),
        "seconds": round(reply.ended, 3),
        "time_to_first_token_ms": round((reply.first or 0) * 1000, 3),
        "prompt_tokens": reply.prompt_tokens,
        "swap_in_ms": swap.swap_in_ms,
        "swap_out_ms": swap.swap_out_ms,
        "draft_tokens": drafts[0] if drafts else None,
        "draft_accepted": drafts[1] if drafts else None,
    }
    return {key: value for key, value in found.items() if value is not None}


def recovery(before: Sequence[float], after: Sequence[float]) -> Recovery:
    """Judge speeds after the pictures against those before, by the 95 % prediction interval of a later mean.

    A loss below 2 % is let pass in any case: so much is within what the field calls repeatable.
    """
    stated = summarise(before)
    deviation = stated.deviation or 0.0
    reach = (
        t_quantile(0.975, stated.n - 1) * deviation * math.sqrt(1 / stated.n + 1 / len(after)) if stated.n > 1 else 0.0
    )
    return Recovery(stated.mean, tuple(after), stated.mean - max(reach, WORTH * stated.mean))


def _request(subject: Subject, picture: Picture) -> dict[str, Any]:
    parts = [{"type": "image_url", "image_url": {"url": picture.data_url}}, {"type": "text", "text": picture.question}]
    message = Message([{"role": "user", "content": parts}])
    asking = Asking({"temperature": 0.0}, seed=1, thinking=False if subject.identity.engine != "other" else None)
    return body(subject.identity.engine, subject.identity.model, message, ANSWER_TOKENS, asking, 1, picture.sha256[:16])
