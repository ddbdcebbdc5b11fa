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
from market.configuration import ALIASES, Entry, pairs
from market.serving import Serving
from market.site import combinations, download, drawing, figures, leaderboard, presentation, richtext
from market.site.choices import Choice, choices
from market.site.combinations import Concern
from market.site.language import NO_BREAK, UNKNOWN, Language
from market.site.leaderboard import Row, headline
from market.site.presentation import Presentation
from market.site.words import TEMPLATES, meanings, words
from market.statistics import Comparison, welch

GIB: Final = 1024**3

Ledger = Mapping[str, Mapping[str, Any]]


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
    ledger: Ledger
    language: Language
    servings: Mapping[str, Serving] = field(default_factory=dict)

    def all(self) -> dict[str, str]:
        """Every generated page that does not stand in an authored one, by its path below docs/."""
        pages = {f"apps/{app.name}.md": self.app(app) for app in self.catalog.apps}
        pages |= {f"apps/{app.name}.md": self.shelved(app) for app in self.catalog.shelved}
        pages["apps/index.md"] = self.apps()
        pages["leaderboard.csv"] = download.table(self.rows)
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

    def apps(self) -> str:
        """The list of all apps, what is listed first."""
        listed = [(app, headline(app)) for app in self.catalog.apps if app.is_listed]
        listed.sort(key=lambda pair: (-pair[1].statistics.mean if pair[1] else 0.0, pair[0].name))
        unlisted: list[Entry] = [*(app for app in self.catalog.apps if not app.is_listed), *self.catalog.shelved]
        others = sorted(((app, headline(app)) for app in unlisted), key=lambda pair: pair[0].name)
        groups = [("apps_listed", "listed", listed), ("apps_unlisted", "unlisted", others)]
        return self.render("apps.md.jinja", groups=groups)

    def leaderboard(self) -> Markup:
        """The whole table with its controls, for an authored page."""
        return Markup(self.render("leaderboard.html.jinja", rows=self.rows).strip())  # noqa: S704

    def app(self, app: App) -> str:
        """The page of one app."""
        server = app.values.get("server")
        speaking = headline(app)
        rows = sorted((row for row in self.rows if row.app is app), key=lambda row: row.report.id, reverse=True)
        rows.sort(key=lambda row: speaking is None or row.report is not speaking.report)
        spec = app.manifest.get("spec") or {}
        own = (app.i18n.get("fr-FR") if self.language.code == "fr" else app.i18n.get("en-US")) or {}
        texts = spec | (own.get("spec") or {})
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
            releases=self._releases(app),
            concerns=self._concerns(app),
            upgrade=richtext.block(str(texts.get("upgradeDescription") or "")),
            description=richtext.block(str(texts.get("fullDescription") or "")),
        )

    def shelved(self, app: Shelved) -> str:
        """The page of an app without a chart: why, and what was measured."""
        rows = sorted((row for row in self.rows if row.app is app), key=lambda row: row.report.id, reverse=True)
        return self.render("shelved.md.jinja", app=app, rows=rows)

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

    def memory(self, app: App) -> Memory | None:
        """The memory parts of an app, unless none were published."""
        vram = app.card.get("vram") or {}
        parts = tuple(vram.get("parts") or ())
        limit = usable_gigabytes(self.catalog, app)
        if not parts or limit is None:
            return None
        t, number = words(self.language), self.language.gigabytes
        total = sum(part["gb"] for part in parts)
        label = t("memory_label", sum=number(total, 2), limit=number(limit, 2))
        drawn = [drawing.Part(t.pick(part["name"]), part["gb"]) for part in parts]
        picture = drawing.stack(drawn, limit, str(label), self.language)
        return Memory(parts, limit, picture, t.pick(vram.get("note")))

    def macro(self, name: str, *arguments: object) -> Markup:
        """A piece of parts.html.jinja, for authored pages."""
        module = self._environment.get_template("parts.html.jinja").module
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

    def _releases(self, app: App) -> list[Mapping[str, Any]]:
        own = [
            {"version": key.partition("@")[2], "withdrawn": None, **entry}
            for key, entry in self.ledger.items()
            if key.partition("@")[0] == app.name
        ]
        return sorted(own, key=lambda entry: (entry["released"], entry["version"]), reverse=True)

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

    def _quantity(self, text: str) -> str:
        """A Kubernetes quantity for readers: ``24Gi`` is 24 GiB, or 24 Gio in French."""
        match = re.fullmatch(r"(\d+)([KMGTP])i", text)
        if not match:
            return text
        unit = "io" if self.language.code == "fr" else "iB"
        return f"{self.language.number(int(match[1]))}{NO_BREAK}{match[2]}{unit}"

    def _meaning(self, name: str) -> str:
        return meanings(self.language).get(ALIASES.get(name, name), "")

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
            trim_blocks=True,
            lstrip_blocks=True,
        )
        say, t = self.say, words(self.language)
        environment.filters |= {
            "code": presentation.code,
            "title_of": say.link,
            "front": front,
            "line": _line,
            "short_address": presentation.short_address,
            "spans": richtext.spans,
        }
        environment.globals |= {
            "L": self.language, "t": t, "unknown": UNKNOWN, "meaning": self._meaning,
            "words_raw": t.texts.__getitem__, "origin": self.catalog.market["origin"],
            "title": say.title, "engine_name": say.engine_name, "quantisation": say.quantisation,
            "differing": say.differing, "subject": say.subject, "side": say.side, "prompt": say.prompt,
            "inputs": say.inputs, "capabilities": say.capabilities, "plot": say.plot, "notes": say.notes,
            "probability": say.probability, "short_image": presentation.short_image,
            "anchor": presentation.anchor,
            "vision": presentation.vision, "bar": drawing.bar,
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
