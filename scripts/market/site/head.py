"""The head matter of pages: social card, structured data, related apps. The theme prints what stands here.

It goes into the front matter of the Markdown, so that any renderer of the pages has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from market.catalog import App
from market.configuration import Entry
from market.report import Report
from market.site import cards, figures, frontmatter, structured, writeups
from market.site.cards import Card, Series
from market.site.language import NO_BREAK
from market.site.leaderboard import headline
from market.site.pages import Pages
from market.site.words import Words, words
from market.site.writeups import WriteUp
from market.statistics import Summary

DEFAULT: Final = f"{cards.FOLDER}/default.png"
"""The card of every page that has none of its own."""

_BARS = 5


@dataclass(frozen=True, slots=True)
class Own:
    """What one page has: its card (or the site's), structured data given the card's address, further facts."""

    card: Card | None
    data: Callable[[str], dict[str, Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    related: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Head:
    """Makes the head matter of one language's pages."""

    pages: Pages
    texts: Mapping[str, str]
    sources: Mapping[str, str]

    def dressed(self) -> tuple[dict[str, str], dict[str, bytes]]:
        """The pages with their head matter, and the files that it names, by path below docs/."""
        texts, files = dict(self.texts), {}
        files[DEFAULT] = cards.png(self._draw(self._words_card()), self.pages.kept)
        for path, own in self._own().items():
            address = DEFAULT
            if own.card is not None:
                drawing = self._draw(own.card)
                address = f"{cards.FOLDER}/{cards.name(drawing)}"
                files[address] = cards.png(drawing, self.pages.kept)
            image = self._root + address
            head = {"card": image, "alt": _alt(own.card or self._words_card()), "data": own.data(image), **own.facts}
            texts[path] = frontmatter.extended(texts[path], {"head": head, "related": own.related})
        return texts, files

    def _own(self) -> dict[str, Own]:
        """What each page with a card or structured data of its own has, by path."""
        pages, found = self.pages, dict[str, Own]()
        if "index.md" in self.texts:
            text = self._description("index.md")
            found["index.md"] = Own(self._board(str(self._t("card_home"))), lambda _: structured.website(pages, text))
        if "leaderboard.md" in self.texts:
            front = frontmatter.read(self.texts["leaderboard.md"])
            board = self._board(frontmatter.plain(front["title"]))
            found["leaderboard.md"] = Own(board, lambda _: structured.dataset(pages, front, self.texts))
        for app in pages.catalog.apps:
            found[f"apps/{app.name}.md"] = Own(self._app_card(app), self._application(app))
        for shelved in pages.catalog.shelved:
            found[f"apps/{shelved.name}.md"] = Own(self._app_card(shelved), lambda _: {})
        for written in self.written:
            facts = {"type": "article", "published": written.created, "modified": written.updated}
            related = [self._related(entry) for entry in written.apps]
            found[written.path] = Own(self._article_card(written), self._article(written), facts, related)
        return found

    @cached_property
    def written(self) -> tuple[WriteUp, ...]:
        """The write-ups, newest first."""
        return writeups.read(self.texts, self.sources, self.pages)

    def _application(self, app: App) -> Callable[[str], dict[str, Any]]:
        description = self._description(f"apps/{app.name}.md")
        return lambda _: structured.application(self.pages, app, description)

    def _article(self, written: WriteUp) -> Callable[[str], dict[str, Any]]:
        return lambda image: structured.article(self.pages, written, image)

    def _related(self, app: Entry) -> dict[str, Any]:
        row, number = headline(app), self.pages.language.number
        return {
            "title": figures.title(app, self.pages.language),
            "address": f"{self.pages.language.root}apps/{app.name}/",
            "icon": f"/icons/{app.name}.png" if isinstance(app, App) else None,
            "speed": f"{number(row.statistics.mean, 2)}{NO_BREAK}tokens/s" if row else None,
        }

    def _board(self, title: str) -> Card:
        fastest = [(row.app, row.report) for row in self.pages.headlines[:_BARS]]
        basis = str(self._t("card_basis_board"))
        return self._card(title, [self._series(app, report) for app, report in fastest], basis)

    def _app_card(self, app: Entry) -> Card | None:
        """The card of a measured app; without a figure the site's own card says more."""
        row, title = headline(app), figures.title(app, self.pages.language)
        if row is None:
            return None
        return self._card(title, [self._series(app, row.report)], self._basis(row.report))

    def _article_card(self, written: WriteUp) -> Card:
        if written.report is None:
            return self._words_card(written.title, written.description)
        app = next(app for app in written.apps if app.name == written.report.app)
        basis = f"{figures.title(app, self.pages.language)} · {self._basis(written.report)}"
        return self._card(written.title, [self._series(app, written.report)], basis)

    def _words_card(self, title: str | None = None, note: str | None = None) -> Card:
        note = note or str(self._t("card_tagline"))
        return Card(title or structured.site_name(self.pages), note, (), "", self._top, self.pages.language)

    def _card(self, title: str, series: Iterable[Series], basis: str) -> Card:
        return Card(title, "", tuple(series), basis, self._top, self.pages.language)

    def _series(self, app: Entry, report: Report) -> Series:
        own = report.statistics
        return Series(figures.title(app, self.pages.language), own.mean, _interval(own))

    def _basis(self, report: Report) -> str:
        """On what a figure rests: runs, interval and day."""
        own = report.statistics
        key = "card_basis_run" if own.n == 1 else "card_basis_interval" if _interval(own) else "card_basis_mean"
        return str(self._t(key, n=own.n, date=self.pages.language.date(report.date)).unescape())

    @cached_property
    def _top(self) -> float:
        """The end of every scale: the next 50 above the fastest series."""
        fastest = max((row.statistics.mean for row in self.pages.rows), default=0.0)
        return (int(fastest) // 50 + 1) * 50.0

    def _draw(self, card: Card) -> str:
        return cards.svg(card, structured.site_name(self.pages))

    def _description(self, path: str) -> str:
        return frontmatter.plain(str(frontmatter.read(self.texts[path]).get("description") or ""))

    @property
    def _root(self) -> str:
        return str(self.pages.catalog.market["origin"]) + self.pages.language.root

    @cached_property
    def _t(self) -> Words:
        return words(self.pages.language)


def _interval(own: Summary) -> tuple[float, float] | None:
    """The 95 % interval, unless it was estimated from a range."""
    return None if own.estimated else own.interval


def _alt(card: Card) -> str:
    """What a card shows, in words."""
    figures_of = [f"{one.name}: {card.language.number(one.mean, 2)} tokens/s" for one in card.series]
    return " · ".join([card.title, *figures_of, card.basis] if figures_of else [card.title, card.note])
