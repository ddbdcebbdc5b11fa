"""How a language writes numbers, units and dates; own tables, so that no locale of the machine matters."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final, Literal

Code = Literal["fr", "en"]

NO_BREAK = "\u00a0"
NARROW = "\u202f"
MINUS = "\u2212"
UNKNOWN = "—"

_MONTHS: Final = {
    "fr": ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
           "octobre", "novembre", "décembre"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Language:
    """One language of the site. ``root`` is where its pages start, ``decimal`` and ``group`` its signs."""

    code: Code
    root: str
    decimal: str
    group: str
    before_percent: str
    gigabyte: str

    def number(self, value: float | None, digits: int = 0) -> str:
        """Write a number with a fixed count of decimals; halves round away from zero."""
        if value is None:
            return UNKNOWN
        unit = Decimal(1).scaleb(-digits)
        rounded = Decimal(str(value)).quantize(unit, rounding=ROUND_HALF_UP)
        whole, _, fraction = f"{abs(rounded):,f}".partition(".")
        text = whole.replace(",", self.group) + (self.decimal + fraction if fraction else "")
        return MINUS + text if rounded < 0 else text

    def signed(self, value: float, digits: int = 0) -> str:
        """Write a number with its sign; zero after rounding has none."""
        text = self.number(value, digits)
        return text if text.startswith(MINUS) or not re.search(r"[1-9]", text) else "+" + text

    def percent(self, fraction: float | None, digits: int = 1) -> str:
        """Write a fraction (0.0152) as a percentage (1.5 %)."""
        return UNKNOWN if fraction is None else f"{self.number(fraction * 100, digits)}{self.before_percent}%"

    def signed_percent(self, fraction: float, digits: int = 1) -> str:
        """Write a relative difference with its sign."""
        return f"{self.signed(fraction * 100, digits)}{self.before_percent}%"

    def gigabytes(self, value: float | None, digits: int = 1) -> str:
        """Write a size in decimal gigabytes."""
        return UNKNOWN if value is None else f"{self.number(value, digits)}{NO_BREAK}{self.gigabyte}"

    def date(self, value: dt.date | str | None) -> str:
        """Write a date in words: 24 mai 2026, 1er juin 2026, 24 May 2026."""
        if value is None:
            return UNKNOWN
        day = value if isinstance(value, dt.date) else dt.date.fromisoformat(value[:10])
        ordinal = "1er" if self.code == "fr" and day.day == 1 else str(day.day)
        return f"{ordinal}{NO_BREAK}{_MONTHS[self.code][day.month - 1]} {day.year}"

    def short_date(self, value: str) -> str:
        """Write an ISO date in figures: 24/05/2026, or 24 May 2026 where figures alone are ambiguous."""
        day = dt.date.fromisoformat(value[:10])
        if self.code == "fr":
            return f"{day:%d/%m/%Y}"
        return f"{day.day}{NO_BREAK}{_MONTHS[self.code][day.month - 1][:3]}{NO_BREAK}{day.year}"


FRENCH: Final = Language("fr", "/", ",", NARROW, NO_BREAK, "Go")
ENGLISH: Final = Language("en", "/en/", ".", ",", "", "GB")
LANGUAGES: Final = (FRENCH, ENGLISH)

# After a figure, bold or not, or after the place that a template fills with one.
_UNIT: Final = re.compile(
    r"(?:(?<=\d)|(?<=\d\*\*)|(?<=\})) "
    r"(?=(?:tokens?(?:/s)?|jetons?(?:/s)?|[kKMGT]?i?[oB](?:/s)?|ms|s|W|UTC|cœurs?|€)(?!\w)|\\?\$(?!\w))"
)
_SIGN: Final = re.compile(r"(?<=[\d}]) ([×±]) (?=[\d{])|(?<=±) (?=[\d{])|(?<=[\d}]) (?=±)")
_STATISTIC: Final = re.compile(r"(?<![\w-])(\*?[nptd]\*?) (=|<|>|≤|≥|≈|&lt;|&gt;) (?=[\d{+−-])")
_THOUSANDS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\w)")
_BEFORE: Final = re.compile(r"(?<=\S) (?=[:;!?%»](?:[\s).,;:*_|»\]]|$))", re.M)
_CODE: Final = re.compile(
    r"(^```.*?^```\s*?$|^---\n.*?^---$|<(?:pre|code|script|style|svg)\b[^>]*>.*?</(?:pre|script|style|svg|code)>"
    r"|``?[^`\n]+``?|\]\([^)\s]+\)|<[^>\n]+>)",
    re.M | re.S,
)


@lru_cache(maxsize=16_384)
def typeset(text: str, language: Language) -> str:
    """Put no-break spaces where the language wants them in Markdown or HTML, outside code, tags and addresses.

    Every language keeps a unit with its number; French also the signs that take a space, thousands and statistics.
    What is set already stays as it is.
    """
    parts = _CODE.split(text)
    return "".join(part if index % 2 else _spaced(part, language) for index, part in enumerate(parts))


def _spaced(text: str, language: Language) -> str:
    text = _UNIT.sub(NO_BREAK, text)
    if language.code == "fr":
        text = _THOUSANDS.sub(lambda match: match[0].replace(" ", NARROW), text)
        text = _BEFORE.sub(NO_BREAK, text)
        text = _SIGN.sub(lambda match: match[0].replace(" ", NO_BREAK), text)
        text = _STATISTIC.sub(rf"\1{NO_BREAK}\2{NO_BREAK}", text)
        text = text.replace("« ", "«" + NO_BREAK)
    return text
