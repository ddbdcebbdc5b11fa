"""What an argument of a server does, in one line, and which engine brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from market.catalog import App, Catalog
from market.configuration import ALIASES
from market.engine import Engine
from market.flaglists import flags_of
from market.site.language import Language
from market.site.words import meanings, words


@dataclass(frozen=True, slots=True)
class Explanation:
    """``meaning`` is empty where nobody wrote one; ``engine`` names the fork that added the option, if one did."""

    meaning: str
    engine: str | None


def explain(
    name: str, app: App, catalog: Catalog, all_engines: Mapping[str, Engine], language: Language
) -> Explanation:
    """Explain an option or an environment variable of an app, under whatever spelling."""
    known = meanings(language)
    engine = all_engines.get(app.card["engine"]["id"])
    flags = flags_of(engine) if engine else None
    flag = flags.find(name) if flags else None
    spellings = (name, ALIASES.get(name, name), *(flag.spellings if flag else ()))
    meaning = next((known[spelling] for spelling in spellings if spelling in known), "")
    if flag is None or engine is None or flag.owner not in engine.lineage:
        return Explanation(meaning, None)
    # A fork's list repeats an option to which it only adds values; the option is then older than the fork.
    above = all_engines.get(str(catalog.engines[flag.owner].get("parent")))
    inherited = flags_of(above) if above else None
    if inherited is None or inherited.find(name) is not None:
        return Explanation(meaning, None)
    return Explanation(meaning, words(language).pick(catalog.engines[flag.owner]["name"]))
