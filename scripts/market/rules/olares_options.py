"""Family ``olares``: how the app is installed and guarded (`options`, `spec.subCharts`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, platform_check, text_of
from market.rules.registry import declare

declare("olares.shared-app", "error", "A shared app that cannot be shared",
        why="One installation serves every user of the machine. That works in the v3 layout only, and an admin "
            "has to install it.",
        fix="Use apiVersion v3, set `spec.onlyAdmin: true`, and remove `spec.subCharts`, "
            "`options.appScope.clusterScoped` and `options.appScope.appRef`.",
        source="Olares framework/oac validateSharedAppRequirements, validateOptions")  # fmt: skip
declare("olares.template-only", "error", "A template app that can be installed only once",
        why="A template app is never installed itself, only its copies are; with one copy there is no use in it.",
        fix="Set `options.allowMultipleInstall: true`.",
        source="Olares framework/oac validateOptions")  # fmt: skip
declare("olares.policy", "error", "An access policy that is incomplete",
        why="The platform refuses the app; without the rule the entrance would stand open.",
        fix="Give `uriRegex` and `level`; `validDuration` is a length of time such as 3600s, or absent.",
        source="Olares framework/oac validatePolicyValue")  # fmt: skip
declare("olares.sub-charts", "error", "apiVersion v2 without proper sub-charts",
        why="The v2 layout installs its sub-charts and nothing else; one of them must be shared.",
        fix="Name each in `spec.subCharts`, one with `shared: true`, or use apiVersion v3.",
        source="Olares framework/oac checkSubCharts")  # fmt: skip

_DURATION: Final = re.compile(r"(?:[-+]?\d+(?:\.\d+)?(?:[smhdwy]|us|ns|ms))+", re.A)
_CHART_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


@manifest_check
def shared(manifest: Manifest) -> Iterator[Problem]:
    """A shared app has the one shape that can be shared."""
    if not manifest.is_set("options", "shared"):
        return
    scope = ("options", "appScope")
    wrong = {
        ("apiVersion",): ("`apiVersion` is not v3", manifest.api != "v3"),
        ("spec", "onlyAdmin"): ("`spec.onlyAdmin` is not true", not manifest.is_set("spec", "onlyAdmin")),
        ("spec", "subCharts"): ("`spec.subCharts` is given", bool(manifest.list("spec", "subCharts"))),
        (*scope, "clusterScoped"): ("`clusterScoped` is true", manifest.is_set(*scope, "clusterScoped")),
        (*scope, "appRef"): ("`appRef` is given", bool(manifest.list(*scope, "appRef"))),
    }
    for path, (message, is_wrong) in wrong.items():
        if is_wrong:
            yield manifest.problem("olares.shared-app", *path, message=message, key=True)


@manifest_check
def template_only(manifest: Manifest) -> Iterator[Problem]:
    """A template app can be installed several times."""
    if manifest.is_set("options", "templateOnly") and not manifest.is_set("options", "allowMultipleInstall"):
        message = "`templateOnly` without `allowMultipleInstall`"
        yield manifest.problem("olares.template-only", "options", "templateOnly", message=message, key=True)


@manifest_check
def policies(manifest: Manifest) -> Iterator[Problem]:
    """Access policies are complete."""
    for index, policy in manifest.entries("options", "policies"):
        at = ("options", "policies", index)
        for key in ("uriRegex", "level"):
            if not text_of(policy.get(key)):
                yield manifest.problem("olares.policy", *at, message=f"no `{key}`")
        duration = text_of(policy.get("validDuration"))
        if duration and not _DURATION.fullmatch(duration):
            message = f"{duration!r} is not a length of time"
            yield manifest.problem("olares.policy", *at, "validDuration", message=message)


@platform_check
def sub_charts(manifest: Manifest) -> Iterator[Problem]:
    """A v2 app has sub-charts with usable names, one of them shared."""
    # The checker compares the text as it is written here, unlike elsewhere.
    if manifest.text("apiVersion") != "v2":
        return
    at = ("spec", "subCharts")
    charts = list(manifest.entries(*at))
    if not charts:
        message = "apiVersion v2 needs `spec.subCharts`"
        yield manifest.problem("olares.sub-charts", *at, message=message, key=True)
        return
    for index, chart in charts:
        name = text_of(chart.get("name"))
        if len(name) > 53 or not _CHART_NAME.fullmatch(name):
            message = f"{name!r} is no name of a chart"
            yield manifest.problem("olares.sub-charts", *at, index, "name", message=message)
    if not any(chart.get("shared") is True for _, chart in charts):
        yield manifest.problem("olares.sub-charts", *at, message="no sub-chart is shared", key=True)
