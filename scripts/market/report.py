"""A bench report: one measured series, on one configuration, on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from market.statistics import Summary, from_published, summarise
from market.yamldoc import Document


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Draft acceptance. The counters are tokens; without them only the published percentage is known."""

    drafted: int | None
    accepted: int | None
    published_percent: float | None = None

    @property
    def fraction(self) -> float | None:
        """Accepted / drafted, or the published percentage as a fraction."""
        if self.drafted and self.accepted is not None:
            return self.accepted / self.drafted
        return None if self.published_percent is None else self.published_percent / 100


@dataclass(frozen=True, eq=False)
class Report:
    """One report. ``id`` is its file name without ``.yaml``; ``data`` has passed the report schema."""

    id: str
    app: str
    document: Document

    @property
    def data(self) -> Mapping[str, Any]:
        """The whole report."""
        return self.document.data  # type: ignore[no-any-return]

    @property
    def date(self) -> str:
        """ISO date of the measurement."""
        return str(self.data["date"])

    @property
    def configuration(self) -> Mapping[str, Any]:
        """Image, arguments and model files that were measured, as far as known."""
        return self.data["configuration"]  # type: ignore[no-any-return]

    @property
    def protocol(self) -> Mapping[str, Any]:
        """Prompt, tokens per run, warm-up, concurrency, sampling."""
        return self.data["protocol"]  # type: ignore[no-any-return]

    @property
    def context_tokens(self) -> int | None:
        """The allocated window in tokens, not the depth that was filled."""
        return self.configuration.get("context_tokens")

    @property
    def is_raw(self) -> bool:
        """Whether the single runs are known."""
        return bool(self.data.get("runs"))

    @property
    def speeds(self) -> tuple[float, ...]:
        """Generation speed of each run in tokens/s; empty when the runs were never published."""
        return tuple(float(run["tokens_per_second"]) for run in self.data.get("runs") or ())

    @cached_property
    def statistics(self) -> Summary:
        """Statistics in tokens/s, from the runs when there are any."""
        if self.is_raw:
            return summarise(self.speeds)
        stated = self.data["summary"]
        return from_published(stated["n"], stated["mean"], stated.get("min"), stated.get("max"), stated.get("sd"))

    @cached_property
    def acceptance(self) -> Acceptance | None:
        """Draft acceptance over the whole series: pooled from the runs' counters when they are known."""
        runs = [run for run in self.data.get("runs") or () if "draft_tokens" in run]
        if runs:
            drafted = sum(run["draft_tokens"] for run in runs)
            return Acceptance(drafted, sum(run["draft_accepted"] for run in runs))
        stated = self.data.get("acceptance")
        if not stated:
            return None
        return Acceptance(stated.get("draft_tokens"), stated.get("draft_accepted"), stated.get("published_percent"))
