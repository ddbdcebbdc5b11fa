"""What crawlers, readers and browsers ask for at fixed addresses: robots.txt, llms.txt, icons of the site."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import Final

from market.site import cards, figures, frontmatter
from market.site.kept import Kept
from market.site.language import LANGUAGES
from market.site.leaderboard import headline
from market.site.pages import Pages
from market.site.structured import site_name
from market.site.words import words
from market.site.writeups import WriteUp

_REFERENCE = ("leaderboard.md", "method.md", "bench.md", "hardware.md", "engines.md", "claims.md", "rules/index.md")
_MEDIA: Final = re.compile(r"@media\([^)]*\)\{.*?\}\}")
_ICON_SIDE = 24
"""Width and height of the site's icon as it is drawn, in units."""


def robots(origin: str) -> str:
    """robots.txt: everything may be read, and where the sitemaps are."""
    sitemaps = "".join(f"Sitemap: {origin}{language.root}sitemap.xml\n" for language in LANGUAGES)
    return f"User-agent: *\nAllow: /\n\n{sitemaps}"


def llms(pages: Pages, texts: Mapping[str, str], written: tuple[WriteUp, ...]) -> str:
    """llms.txt of one language: the site as a short list of links, for readers that are programs."""
    t, root = words(pages.language), f"{pages.catalog.market['origin']}{pages.language.root}"
    lines = [f"# {site_name(pages)}", "", f"> {t('card_tagline')}", "", str(t("llms_intro"))]
    lines += ["", f"## {t('llms_reference')}", ""]
    for path in _REFERENCE:
        if path in texts:
            front = frontmatter.read(texts[path])
            address = root + path.removesuffix(".md").removesuffix("index").rstrip("/") + "/"
            lines.append(_link(str(front["title"]), address, str(front.get("description") or "")))
    lines += ["", f"## {t('llms_apps')}", "", *_apps(pages, root)]
    lines += ["", f"## {t('llms_journal')}", ""]
    lines += [_link(one.title, root + one.address, one.description) for one in written]
    lines += ["", f"## {t('llms_data')}", "", *_data(pages, texts, root)]
    return "\n".join(lines) + "\n"


def icons(drawing: str, kept: Kept) -> dict[str, bytes]:
    """The site's icon as pixels, from its SVG: for browsers without SVG icons, and for home screens."""
    inner = _MEDIA.sub("", drawing[drawing.index(">") + 1 : drawing.rindex("</svg>")])
    small = cards.png(_square(inner, 32, margin=1, radius=5), kept)
    return {"favicon.ico": _ico(small, 32), "apple-touch-icon.png": cards.png(_square(inner, 180, 4, 0), kept)}


def _apps(pages: Pages, root: str) -> Iterator[str]:
    number = pages.language.number
    for app in pages.catalog.listed:
        row, about = headline(app), pages.say.words.pick(app.card["summary"])
        speed = f"{number(row.statistics.mean, 2)} tokens/s. " if row else ""
        yield _link(figures.title(app, pages.language), f"{root}apps/{app.name}/", speed + about)


def _data(pages: Pages, texts: Mapping[str, str], root: str) -> Iterator[str]:
    t, market = words(pages.language), pages.catalog.market
    for path in ("leaderboard.csv", "leaderboard.json"):
        if path in texts:
            yield _link(path, root + path, str(t("llms_board")))
    yield _link("api/status", f"{market['origin']}/api/status", str(t("llms_status")))
    for stem, about in (("feed", "feed_journal_about"), ("changes", "feed_changes_about")):
        yield _link(f"{stem}.xml", f"{root}{stem}.xml", str(t(about)))
    yield _link(market["repository"].removeprefix("https://"), market["repository"], str(t("llms_source")))


def _link(title: str, address: str, about: str) -> str:
    about = frontmatter.plain(about)
    return f"- [{frontmatter.plain(title)}]({address})" + (f": {about}" if about else "")


def _square(inner: str, side: int, margin: int, radius: int) -> str:
    """The icon on a ground of its own, since a picture cannot follow the theme of the browser."""
    box = _ICON_SIDE + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
        f'viewBox="{-margin} {-margin} {box} {box}" fill="none" stroke-linecap="round">'
        f'<rect x="{-margin}" y="{-margin}" width="{box}" height="{box}" rx="{radius}" fill="#fcfcfa"/>{inner}</svg>'
    )


def _ico(png: bytes, side: int) -> bytes:
    """A .ico file around one PNG: header, one directory entry, the picture."""
    entry = struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(png), 22)
    return struct.pack("<HHH", 0, 1, 1) + entry + png
