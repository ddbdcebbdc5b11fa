"""A report by its name: a file, or APP/REPORT of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from market import schema
from market.catalog import Catalog
from market.errors import InputError
from market.problem import Problem
from market.report import Report
from market.source import SourceFile, decode
from market.yamldoc import parse


class UnknownReportError(InputError):
    """There is no such report; the text lists those that there are. Status 1."""


def find(catalog: Catalog, text: str) -> tuple[Report | None, Sequence[Problem]]:
    """The report, or the problems that keep a file from being one.

    Raises:
        UnknownReportError: there is neither such a report nor such a file.
    """
    name, _, id = text.partition("/")
    app = catalog.app(name)
    report = app.report(id.removesuffix(".yaml")) if app else None
    if report:
        return report, ()
    path = Path(text)
    if not path.is_file():
        known = [f"{one.name}/{report.id}" for one in catalog.apps for report in one.reports]
        raise UnknownReportError(f"there is no report {text}; name a file, or one of:\n  " + "\n  ".join(known))
    source, problems = decode(SourceFile(text, path.read_bytes()))
    document, more = parse(source) if source else (None, ())
    found = [*problems, *more, *(schema.validate(document, "bench-report") if document else ())]
    if document is None or found:
        return None, found
    return Report(path.stem, str(document.data["app"]), document), ()
