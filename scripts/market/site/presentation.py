"""How templates say things: the small functions between the catalog's facts and a page's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from market.catalog import Catalog
from market.configuration import Agreement, Difference, Entry
from market.report import Report
from market.site import figures, unbroken
from market.site.language import NO_BREAK, Language
from market.site.leaderboard import Row
from market.site.words import Words

_DIFFERENCES_SHOWN = 2
_JOINT = re.compile(r"(?<=.)(?=dflash|gemma|qwen|vision|dense|diffusion|cascade|coder|nemotron|one$)")


@dataclass(frozen=True)
class Presentation:
    """Facts of one catalog in the words of one language."""

    catalog: Catalog
    language: Language
    words: Words

    def title(self, app: Entry) -> str:
        """The store title in this language."""
        return figures.title(app, self.language)

    def link(self, app: Entry) -> Markup:
        """A link to the page of an app."""
        address = f"{self.language.root}apps/{app.name}/"
        return Markup('<a href="{}">{}</a>').format(address, self.title(app))

    def named(self, text: str) -> Markup:
        """A text in which every app that it names links to its page."""
        apps: tuple[Entry, ...] = (*self.catalog.apps, *self.catalog.shelved)
        known = {app.name: app for app in apps}
        parts = re.split(r"([a-z0-9]+)", text)
        return Markup().join(self.link(known[part]) if part in known else escape(part) for part in parts)

    def engine_name(self, app: Entry) -> str:
        """The engine's name as data/engines.yaml has it."""
        return self.engine(app.card["engine"]["id"])

    def engine(self, id: str) -> str:
        """The name of an engine of data/engines.yaml, or its id."""
        known = self.catalog.engines.get(id)
        return self.words.pick(known["name"]) if known else id

    def quantisation(self, row: Row) -> str:
        """The quantisation that was measured."""
        return quantisation(row) or str(self.words("unknown"))

    def differing(self, agreement: Agreement) -> Markup:
        """What differs, in short: the first names, then how many more; a name stays on one line where it can."""
        names = [self.subject(difference).striptags() for difference in agreement.differences]
        shown = Markup(", ").join(unbroken.whole(name) for name in names[:_DIFFERENCES_SHOWN])
        left = len(names) - _DIFFERENCES_SHOWN
        return Markup("{} {}").format(shown, self.words("more", n=left)) if left > 0 else shown

    def subject(self, difference: Difference) -> Markup:
        """The name of a thing that differs."""
        match difference.kind:
            case "image" | "context":
                return self.words(f"difference_{difference.kind}")
            case "model":
                return self.words(f"role_{difference.subject}")
            case _:
                return code(difference.subject)

    def side(self, difference: Difference, value: str | None) -> Markup:
        """One side of a difference."""
        if value is None:
            return self.words("absent")
        if difference.kind == "context":
            return escape(self.language.number(int(value)))
        return code(value) if value else self.words("yes")

    def prompt(self, report: Report) -> str:
        """The prompt's text or name."""
        return self.asked(str(report.protocol["prompt"]))

    def asked(self, id: str) -> str:
        """The title of a prompt of data/prompts.yaml, or its id."""
        known = self.catalog.prompts.get(id)
        return self.words.pick(known["title"]) if known else id

    def version(self, report: Report) -> str:
        """The version that was measured, as far as published."""
        return self.stated(str(report.data["app_version"]))

    def stated(self, fact: str) -> str:
        """A version or a licence as the data have it, or in words that nobody stated it."""
        return fact if figures.is_stated(fact) else str(self.words("not_stated_f"))

    def fact(self, fact: str) -> Markup:
        """A version as code, or in words that nobody stated it."""
        return code(fact) if figures.is_stated(fact) else self.words("not_stated_f")

    def inputs(self, app: Entry) -> str:
        """What the app takes in."""
        return ", ".join(
            self.words(f"capability_{name}")
            for name in ("text", "vision", "audio")
            if app.card["capabilities"].get(name)
        )

    def capabilities(self, app: Entry) -> str:
        """Everything the app can do; what nobody checked is marked."""
        found = []
        for name, value in app.card["capabilities"].items():
            if value:
                found.append(self.words(f"capability_{name}"))
            elif value is None:
                found.append(self.words("capability_unknown", name=self.words(f"capability_{name}")))
        return Markup(", ").join(found)

    def probability(self, p: float) -> str:
        """``= 0.15`` or ``< 0.001``."""
        if p < 0.001:
            return f"<{NO_BREAK}{self.language.number(0.001, 3)}"
        return f"={NO_BREAK}{self.language.number(p, 3 if p < 0.1 else 2)}"

    def notes(self, report: Report) -> tuple[Markup, ...]:
        """Claim, image check, acceptance and free notes of a report, each a sentence of HTML."""
        found: list[Markup] = []
        if claim := self._claim(report):
            found.append(claim)
        if check := self._vision_check(report):
            found.append(check)
        acceptance = report.data.get("acceptance") or {}
        found += [escape(self.words.pick(note)) for note in (acceptance.get("note"),) if note]
        found += [escape(self.words.pick(note)) for note in report.data.get("notes") or ()]
        return tuple(found)

    def _claim(self, report: Report) -> Markup | None:
        """What was printed at the time, and what the runs say where the two differ."""
        published, own = report.data.get("published") or {}, report.statistics
        computed = {"mean": own.mean, "min": own.minimum, "max": own.maximum, "range": own.range, "n": own.n}
        if report.is_raw:
            computed["sd"] = own.deviation
        claims = {name: value for name, value in published.items() if f"claim_{name}" in self.words.texts}
        if not claims:
            return None
        wrong = {name: computed[name] for name, value in claims.items() if not _agrees(value, computed.get(name))}
        if report.is_raw and wrong:
            return self.words("claim_wrong", claims=self._list(claims), computed=self._list(wrong, claims))
        return self.words("claim", claims=self._list(claims))

    def _list(self, values: Mapping[str, Any], rounded_as: Mapping[str, Any] | None = None) -> Markup:
        texts = [
            self.words(f"claim_{name}", value=self.language.number(value, decimals((rounded_as or values)[name])))
            for name, value in values.items()
        ]
        return Markup(", ").join(texts)

    def _vision_check(self, report: Report) -> Markup | None:
        check = report.data.get("vision_check")
        if not check:
            return None
        parts = [escape(self.words.pick(check["image"])), self.words("vision_answer", answer=check["answer"])]
        if "seconds" in check:
            parts.append(self.words("vision_seconds", seconds=self.language.number(check["seconds"], 2)))
        if "swap_in_ms" in check and "swap_out_ms" in check:
            number = self.language.number
            parts.append(self.words("vision_swap", into=number(check["swap_in_ms"]), out=number(check["swap_out_ms"])))
        if check.get("draft_tokens"):
            share = self.language.percent(check["draft_accepted"] / check["draft_tokens"])
            counts = self.words("acceptance_counts", accepted=check["draft_accepted"], drafted=check["draft_tokens"])
            parts.append(Markup("{} {} ({})").format(self.words("vision_acceptance"), share, counts))
        head = self.words("vision_check") + self.words("separator")
        note = " " + self.words.pick(check["note"]) if check.get("note") else ""
        return head + Markup(", ").join(parts) + "." + note


def code(text: str) -> Markup:
    """A text as code."""
    return Markup("<code>{}</code>").format(text)


def short_image(image: str) -> str:
    """A container image without registry and owner."""
    return image.rpartition("/")[2]


def short_address(url: str) -> str:
    """An address as far as it tells whose it is: the host, and on GitHub the repository."""
    parts = urlsplit(url)
    if parts.netloc != "github.com":
        return parts.netloc
    return parts.netloc + "/".join(parts.path.split("/")[:3])


def anchor(report: Report) -> str:
    """The id of a report's section on the page of its app."""
    return "r-" + re.sub(r"[^\w.-]", "-", report.id)


def quantisation(row: Row) -> str | None:
    """The quantisation that was measured: the app's, unless another model file was loaded."""
    for found in row.agreement.differences:
        if found.kind == "model" and found.subject == "target" and found.measured:
            return found.measured.rpartition("/")[2].removesuffix(".gguf")
    stated = row.app.card["model"].get("quantisation")
    return None if stated is None else str(stated)


def breakable(text: str) -> Markup:
    """A long name that may break after its own signs, and nowhere else."""
    return Markup("<wbr>").join(re.findall(r"[^-_/:.+]*[-_/:.+]*", text)[:-1])


def jointed(title: str) -> Markup:
    """A title that may break between its words; one that is an app's bare name also where its parts meet."""
    if " " in title:
        return Markup.escape(title)
    return Markup("<wbr>").join(_JOINT.split(title))


def decimals(value: float) -> int:
    """How many decimals a number needs, at most three."""
    text = f"{value:.3f}".rstrip("0")
    return len(text.partition(".")[2])


def _agrees(claimed: float, computed: float | None) -> bool:
    """Whether rounding the computed value as far as the claim was rounded gives the claim."""
    return computed is None or bool(abs(claimed - computed) <= 0.5 * 10 ** -decimals(claimed) + 1e-9)
