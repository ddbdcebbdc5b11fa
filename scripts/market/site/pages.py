"""The generated pages: leaderboard, list of apps, one page an app, and the redirects of old names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from market.catalog import App, Catalog, Shelved
from market.configuration import Entry, pairs
from market.engine import Engine, engines
from market.serving import Serving
from market.site import (
    board,
    combinations,
    download,
    drawing,
    facets,
    figures,
    history,
    leaderboard,
    presentation,
    record,
    reproduction,
    richtext,
)
from market.site.choices import Choice, choices
from market.site.combinations import Concern
from market.site.explanations import Explanation, explain
from market.site.gallery import Gallery
from market.site.kept import Kept
from market.site.language import ENGLISH, NO_BREAK, UNKNOWN, Language
from market.site.leaderboard import Row, headline
from market.site.presentation import Presentation
from market.site.vega import Artist, Blank
from market.site.words import TEMPLATES, words
from market.statistics import Comparison, welch

GIB: Final = 1024**3
_PICTURES: Final = "pictures.html.jinja"


@dataclass(frozen=True)
class Against:
    """An app's headline series against its baseline."""

    link: Markup
    own: Row
    other: figures.ReportFigures
    result: Comparison | None
    words: str

    @property
    def relative(self) -> float:
        """The difference as a fraction of the baseline's mean."""
        return self.own.statistics.mean / self.other.mean - 1


@dataclass(frozen=True)
class Memory:
    """Memory parts of an app against the card, in decimal gigabytes."""

    parts: tuple[Mapping[str, Any], ...]
    limit: float
    drawing: Markup
    note: str

    @property
    def total(self) -> float:
        """Sum of the parts."""
        return float(sum(part["gb"] for part in self.parts))

    @property
    def left(self) -> float:
        """What the parts leave; negative when they do not fit."""
        return self.limit - self.total


@dataclass(frozen=True)
class Pages:
    """Makes the pages of one language. Every text of a manifest is escaped or cleaned on its way in."""

    catalog: Catalog
    language: Language
    servings: Mapping[str, Serving] = field(default_factory=dict)
    status: Mapping[str, Any] | None = None
    artist: Artist = field(default_factory=Blank)
    kept: Kept = field(default_factory=Kept)

    def all(self) -> dict[str, str]:
        """Every generated page that does not stand in an authored one, by its path below docs/."""
        pages = {f"apps/{app.name}.md": self.app(app) for app in self.catalog.apps}
        pages |= {f"apps/{app.name}.md": self.shelved(app) for app in self.catalog.shelved}
        pages["apps/index.md"] = self.apps()
        pages["compare.md"] = self.compare()
        pages["leaderboard.csv"] = download.table(self.rows, self.catalog)
        pages["leaderboard.json"] = download.document(self.rows, self.catalog)
        if self.language.root == "/":  # one file serves both languages
            entries: list[Entry] = [*self.catalog.apps, *self.catalog.shelved]
            pages |= {f"apps/{app.name}/app.json": record.of(app, self.rows, self.catalog) for app in entries}
        for app in self.catalog.apps:
            for old in app.formerly:
                pages[f"apps/{old}/index.html"] = self.redirect(old, app)
        return pages

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The leaderboard."""
        return leaderboard.rows(self.catalog)

    @cached_property
    def headlines(self) -> tuple[Row, ...]:
        """One row a listed app: the one that speaks for it, ranked among all series."""
        speaking = {id(row.report) for app in self.catalog.listed if (row := headline(app))}
        return tuple(row for row in self.rows if id(row.report) in speaking)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Which app when."""
        return choices(self.catalog)

    @cached_property
    def say(self) -> Presentation:
        """The words for facts."""
        return Presentation(self.catalog, self.language, words(self.language))

    @cached_property
    def gallery(self) -> Gallery:
        """The pictures."""
        return Gallery(self.say, self.artist)

    def apps(self) -> str:
        """The list of all apps, what is listed first."""
        listed = [(app, headline(app)) for app in self.catalog.apps if app.is_listed]
        listed.sort(key=lambda pair: (-pair[1].statistics.mean if pair[1] else 0.0, pair[0].name))
        unlisted: list[Entry] = [*(app for app in self.catalog.apps if not app.is_listed), *self.catalog.shelved]
        others = sorted(((app, headline(app)) for app in unlisted), key=lambda pair: pair[0].name)
        groups = [("apps_listed", "listed", listed), ("apps_unlisted", "unlisted", others)]
        return self.render("apps.md.jinja", groups=groups, fastest=self.gallery.fastest(self.headlines))

    def leaderboard(self) -> Markup:
        """The whole table with its controls, for an authored page."""
        values = board.values(self.rows, self.catalog, self.language)
        return Markup(self.render("leaderboard.html.jinja", **values).strip())  # noqa: S704

    def compare(self) -> str:
        """The page that compares any two series; its script reads leaderboard.json."""
        root = self.language.root
        pairs_found = (self.comparison(app) for app in self.catalog.apps)
        return self.render(
            "compare.md.jinja",
            board_words=board.spoken(self.language),
            names=board.names(self.catalog, self.language),
            baselines=[found for found in pairs_found if found],
            by_app=board.by_app(self.rows),
            board_link=_link(f"{root}leaderboard/", words(self.language)("compare_board")),
            csv_link=_link(f"{root}leaderboard.csv", "leaderboard.csv"),
            json_link=_link(f"{root}leaderboard.json", "leaderboard.json"),
        )

    def served(self) -> Markup:
        """What the status reply says, for an authored page; nothing where no build is under way."""
        if self.status is None:
            return Markup("")
        repository = self.catalog.market["repository"]
        return Markup(self.render("served.html.jinja", status=self.status, repository=repository).strip())  # noqa: S704

    def app(self, app: App) -> str:
        """The page of one app."""
        server = app.values.get("server")
        speaking = headline(app)
        rows = sorted((row for row in self.rows if row.app is app), key=lambda row: row.report.id, reverse=True)
        rows.sort(key=lambda row: speaking is None or row.report is not speaking.report)
        spec = app.manifest.get("spec") or {}
        own = (app.i18n.get("fr-FR") if self.language.code == "fr" else app.i18n.get("en-US")) or {}
        texts = own.get("spec") or {}

        def manifest(key: str) -> Markup:
            """A text of the manifest, in this language where it has one."""
            if key in texts:
                return self._block(str(texts[key]), self.language)
            return self._block(str(spec.get(key) or ""), ENGLISH)

        return self.render(
            "app.md.jinja",
            app=app,
            row=speaking,
            rows=rows,
            server=server,
            alias=(server or {}).get("alias"),
            arguments=pairs([str(item) for item in (server or {}).get("args") or ()]),
            resources=self._resources((server or {}).get("resources") or {}),
            memory=self.memory(app),
            comparison=self.comparison(app),
            editions=history.editions(app, self.catalog),
            history=self.gallery.history(app, self.rows),
            first_command=reproduction.command(app, None, self.catalog.prompts),
            concerns=self._concerns(app),
            upgrade=manifest("upgradeDescription"),
            description=manifest("fullDescription"),
        )

    def _block(self, text: str, language: Language) -> Markup:
        found = self.kept.written("texts", f"{language.code} {text}", lambda: richtext.block(text, language))
        return Markup(found)  # noqa: S704 - richtext has cleaned it

    def shelved(self, app: Shelved) -> str:
        """The page of an app without a chart: why, and what was measured."""
        rows = sorted((row for row in self.rows if row.app is app), key=lambda row: row.report.id, reverse=True)
        drawn = self.gallery.history(app, self.rows)
        return self.render("shelved.md.jinja", app=app, rows=rows, history=drawn)

    def redirect(self, old: str, app: App) -> str:
        """The page at an old name, which works on any static host."""
        return self.render("moved.html.jinja", old=old, app=app)

    def comparison(self, app: App) -> Against | None:
        """The app against its baseline, unless it has none or was not measured."""
        baseline, own = app.card.get("baseline"), headline(app)
        if not baseline or own is None:
            return None
        other = figures.find_report(self.catalog, baseline["app"], baseline["report"])
        result = welch(own.statistics, other.statistics)
        return Against(self.say.link(other.app), own, other, result, self._conclusion(result))

    def frontier(self) -> Markup:
        """Speed against context, for an authored page."""
        return self.macro("frontier", self.gallery.frontier(self.rows), template=_PICTURES)

    def measured_on(self, machine: str) -> Markup:
        """The series of a machine of data/hardware.yaml, for an authored page."""
        rows = [row for row in self.rows if row.report.data["hardware"] == machine]
        rows.sort(key=lambda row: (row.app.name, row.report.id))
        return self.macro("measured_on", machine, rows, template=_PICTURES)

    def memory(self, app: App) -> Memory | None:
        """The memory parts of an app, unless none were published."""
        vram = app.card.get("vram") or {}
        parts = tuple(vram.get("parts") or ())
        limit = usable_gigabytes(self.catalog, app)
        if not parts or limit is None:
            return None
        return Memory(parts, limit, self.gallery.memory(app, limit), words(self.language).pick(vram.get("note")))

    def macro(self, name: str, *arguments: object, template: str = "parts.html.jinja") -> Markup:
        """A piece of a template, for authored pages."""
        module = self._environment.get_template(template).module
        return Markup(getattr(module, name)(*arguments).strip())  # noqa: S704 - made by an escaping template

    def _concerns(self, app: App) -> tuple[Concern, ...]:
        found = self.servings.get(app.name)
        return () if found is None else combinations.concerning(found)

    def _conclusion(self, result: Comparison | None) -> str:
        t = words(self.language)
        if result is None:
            return t("cannot_compare")
        if not result.shown:
            return t("no_difference")
        return t("shown_difference", sign=t("shown_faster" if result.difference > 0 else "shown_slower"))

    def _resources(self, resources: Mapping[str, Any]) -> list[tuple[str, str]]:
        t = words(self.language)
        found = [
            (f"resource_{name}", str(t("resource_span", **{k: self._quantity(v) for k, v in resources[name].items()})))
            for name in ("cpu", "memory")
            if name in resources
        ]
        if "gpuMemoryMiB" in resources:
            found.append(("resource_gpu", self._quantity(f"{resources['gpuMemoryMiB']}Mi")))
        return found

    def _explain(self, name: str, app: App) -> Explanation:
        return explain(name, app, self.catalog, self._engines, self.language)

    @cached_property
    def _engines(self) -> Mapping[str, Engine]:
        return engines({"engines": list(self.catalog.engines.values())})

    def _quantity(self, text: str) -> str:
        """A Kubernetes quantity for readers: ``24Gi`` is 24 GiB, or 24 Gio in French."""
        match = re.fullmatch(r"(\d+)([KMGTP])i", text)
        if not match:
            return text
        unit = "io" if self.language.code == "fr" else "iB"
        return f"{self.language.number(int(match[1]))}{NO_BREAK}{match[2]}{unit}"

    def render(self, template: str, **values: Any) -> str:
        """A page from one of our templates, which escape what is filled in."""
        text = self._environment.get_template(template).render(**values)
        return text.lstrip()

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            bytecode_cache=self.kept.templates,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        say, t = self.say, words(self.language)
        environment.filters |= {
            "code": presentation.code,
            "title_of": say.link,
            "front": front,
            "breakable": presentation.breakable,
            "jointed": presentation.jointed,
            "line": _line,
            "short_address": presentation.short_address,
            "spans": richtext.spans,
        }
        environment.globals |= {
            "L": self.language, "t": t, "unknown": UNKNOWN, "explain": self._explain,
            "words_raw": t.texts.__getitem__, "origin": self.catalog.market["origin"],
            "title": say.title, "named": say.named, "engine_name": say.engine_name, "engine_called": say.engine,
            "quantisation": say.quantisation,
            "differing": say.differing, "subject": say.subject, "side": say.side, "prompt": say.prompt,
            "inputs": say.inputs, "capabilities": say.capabilities, "plot": self.gallery.runs, "notes": say.notes,
            "probability": say.probability, "short_image": presentation.short_image,
            "reproduce": lambda row: reproduction.command(row.app, row.report, self.catalog.prompts),
            "anchor": presentation.anchor, "precise": board.precise, "capabilities_measured": facets.capabilities,
            "bar": drawing.bar, "version_of": say.version, "stated": say.stated,
            "fact": say.fact, "is_stated": figures.is_stated,
            "ceiling": drawing.ceiling, "download": figures.download_gigabytes,
            "model_size": figures.model_gigabytes,
            "trimmed": lambda value: self.language.number(value, presentation.decimals(value)),
        }  # fmt: skip
        return environment


def usable_gigabytes(catalog: Catalog, app: App) -> float | None:
    """What the card of an app's machine leaves to programs, in decimal gigabytes."""
    machine = catalog.hardware.get(app.card["hardware"]) or {}
    usable = (machine.get("gpu") or {}).get("usable_gib")
    return None if usable is None else float(usable) * GIB / 1e9


def front(text: str) -> Markup:
    """A text for a page's front matter, as a YAML string; escaped, because the theme prints it as it is."""
    return Markup(json.dumps(escape(text), ensure_ascii=False))  # noqa: S704


def _line(text: str) -> Markup:
    return Markup(richtext.inline(text))  # noqa: S704 - escaped for HTML and for Markdown


def _link(address: str, text: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(address, text)
