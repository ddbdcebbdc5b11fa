"""Family ``bench``: whether what was measured is what ships."""

from __future__ import annotations

from collections.abc import Iterator

from market.catalog import App
from market.configuration import Verdict, compare
from market.objects import mapping
from market.problem import Problem
from market.rules.registry import app_check, declare

declare("bench.unmeasured", "advice", "A published app without a report",
        why="The leaderboard has nothing to show for it.",
        fix="Measure it with `market bench run --url URL --app NAME` and add the report under bench/.",
        source="design of this catalog")  # fmt: skip
declare("bench.not-shipped", "advice", "No report measures what ships",
        why="Users get another image, window, model file or option than the one behind the figures.",
        fix="Measure the app as it ships, or ship what was measured.",
        source="design of this catalog, measurement integrity")  # fmt: skip


@app_check
def shipped(app: App) -> Iterator[Problem]:
    """A listed model server has a report of what it ships."""
    if not app.is_listed or not _is_server(app):
        return
    if not app.reports:
        yield app.card_document.problem("bench.unmeasured", message="there is no report under bench/")
        return
    agreements = [(compare(app, report), report) for report in app.reports]
    if any(one.verdict is not Verdict.DIFFERS for one, _ in agreements):
        return
    nearest, report = min(agreements, key=lambda pair: (len(pair[0].differences), pair[1].id))
    listed = "; ".join(
        f"{one.subject}: {one.measured if one.measured is not None else 'absent'} measured, "
        f"{one.shipped if one.shipped is not None else 'absent'} shipped"
        for one in nearest.differences[:4]
    )
    message = f"the nearest report, {report.id}, differs in {listed}"
    yield app.values_document.problem("bench.not-shipped", "server", message=message)


def _is_server(app: App) -> bool:
    """Whether values.yaml has a server in its usual form; faults of form are the schema's to report."""
    server, models = mapping(app.values.get("server")), app.values.get("models")
    return (
        isinstance(server.get("image"), str)
        and isinstance(server.get("args", []), list)
        and isinstance(models, list)
        and all(isinstance(mapping(one).get("role"), str) for one in models)
    )
