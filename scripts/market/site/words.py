"""The texts of the generated pages, in both languages, from one file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml
from markupsafe import Markup

from market.site.language import Language, typeset

TEMPLATES: Final = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Words:
    """The texts of one language. Call it with a key; parameters are escaped."""

    language: Language
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> Markup:
        """Return a text with its parameters filled in.

        Raises:
            KeyError: there is no such text: a bug of ours.
        """
        if not values and key in self._fixed:
            return self._fixed[key]
        return Markup(self.texts[key]).format(**values)  # noqa: S704 - our own text; format() escapes the values

    @cached_property
    def _fixed(self) -> Mapping[str, Markup]:
        """The texts without parameters, which most of a page's are."""
        return {key: Markup(text) for key, text in self.texts.items() if not {"{", "}"} & set(text)}  # noqa: S704

    def pick(self, text: str | Mapping[str, str] | None) -> str:
        """Return the text of this language from a pair ``{en: …, fr: …}`` of the catalog; a proper name is no pair."""
        if text is None or isinstance(text, str):
            return text or ""
        return typeset(text[self.language.code], self.language)


@cache
def words(language: Language) -> Words:
    """Load the texts of a language."""
    data = yaml.load((TEMPLATES / "words.yaml").read_text("utf-8"), yaml.CSafeLoader)
    texts = {key: typeset(pair[language.code], language) for key, pair in data.items()}
    return Words(language, MappingProxyType(texts))


@cache
def meanings(language: Language) -> Mapping[str, str]:
    """What server arguments and environment variables do, by name."""
    data = yaml.load((TEMPLATES / "arguments.yaml").read_text("utf-8"), yaml.CSafeLoader)
    return MappingProxyType({key: typeset(pair[language.code], language) for key, pair in data.items()})


def parameters(text: str) -> frozenset[str]:
    """Names of the parameters of a text."""
    return frozenset(re.findall(r"\{(\w+)\}", text))
