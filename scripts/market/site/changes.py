"""The feed of the catalog: what the ledger says was released, and what was withdrawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from markupsafe import Markup

from market.catalog import App
from market.ledger import Release
from market.site import figures
from market.site.feeds import Entry, Feed
from market.site.pages import Pages
from market.site.structured import site_name
from market.site.words import words

STEM: Final = "changes"


def feed(pages: Pages) -> Feed:
    """The feed of one language, newest first."""
    catalog, t = pages.catalog, words(pages.language)
    root = f"{catalog.market['origin']}{pages.language.root}"
    entries = [entry for app in catalog.apps for entry in _entries(app, pages, root)]
    entries.sort(key=lambda entry: entry.id)
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    return Feed(
        title=f"{site_name(pages)} · {t('feed_changes')}", subtitle=str(t("feed_changes_about")),
        author=site_name(pages), root=root, stem=STEM, home=f"{root}apps/", language=pages.language.code,
        entries=tuple(entries), unchanged="1970-01-01T00:00:00Z",
    )  # fmt: skip


def _entries(app: App, pages: Pages, root: str) -> Iterator[Entry]:
    """The releases of an app. The ledger dates releases only: a withdrawal has the date of what it withdraws."""
    history = pages.catalog.ledger.history(app.name)
    for release in history:
        kind = "new" if release is history[-1] else "version"
        yield _entry(app, release, kind, pages, root)
        if release.withdrawn is not None:
            yield _entry(app, release, "withdrawn", pages, root)


def _entry(app: App, release: Release, kind: str, pages: Pages, root: str) -> Entry:
    t, title, origin = words(pages.language), figures.title(app, pages.language), pages.catalog.market["origin"]
    address = f"{root}apps/{app.name}/"
    heading = t(f"change_{kind}", app=title, version=release.version)
    about = t.pick(app.card["summary"])
    if kind == "withdrawn":
        about = str(t("versions_withdrawn", reason=release.withdrawn).unescape())
    facts = t("change_facts", size=pages.language.number(release.size / 1000), sha256=release.sha256)
    content = Markup('<p>{}</p><p><a href="{}">{}</a></p><p>{}</p>').format(about, address, title, facts)
    return Entry(
        id=f"tag:{urlsplit(origin).netloc},{release.released[:10]}:{app.name}@{release.version}:{kind}",
        address=address, title=heading.unescape(), summary=about, content=str(content), published=release.released,
        updated=release.released, categories=(str(t(f"change_{kind}_short")),),
    )  # fmt: skip
