"""One finding in many renderings is one problem, and says where it stands when it is not everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from market.catalog import Catalog
from market.helm import Rendering
from market.packaging import Package
from market.rules.chart_views import Finding, Subject, View, at_object, each_view, views
from market.scenario import FIRST, SECOND, STARTED, STOPPED, Probe, Scenario

Packager = Callable[[Mapping[Scenario, Mapping[str, str]]], Package]
TEMPLATE = "demo/templates/server.yaml"
SCENARIOS = [Scenario(owner, mode) for mode in ("nvidia", "cpu") for owner in ("admin", "owner")]


def every_object(subject: Subject, view: View) -> Iterator[Finding]:
    for found in view.objects:
        yield at_object("chart.namespace", found, message=found.title)


@pytest.mark.parametrize(
    ("has_it", "suffix"),
    [
        (SCENARIOS, ""),
        (SCENARIOS[:2], " (accelerator nvidia)"),
        (SCENARIOS[::2], " (owner is the admin, nvidia; owner is the admin, cpu)"),
        (SCENARIOS[3:], " (owner is not the admin, cpu)"),
    ],
)
def test_what_differs_between_renderings_is_said(
    small: Catalog, packager: Packager, has_it: list[Scenario], suffix: str
) -> None:
    package = packager({one: {TEMPLATE: "kind: A\n" if one in has_it else ""} for one in SCENARIOS})
    assert [one.message for one in each_view(small, package, every_object)] == [f"A without a name{suffix}"]


def test_the_checkers_values_are_a_rendering_of_their_own(small: Catalog, packager: Packager) -> None:
    made = packager({one: {TEMPLATE: "kind: A\n"} for one in SCENARIOS})
    package = Package(made.app, made.archive, made.renderings, {
        Probe(bare=True): Rendering({TEMPLATE: "kind: B\n"}),
        Probe(bare=True, mode="cpu"): Rendering({}, "failed"),
        STOPPED: Rendering({TEMPLATE: "kind: C\n"}),
    })  # fmt: skip
    assert [one.message for one in each_view(small, package, every_object)] == [
        "A without a name", "B without a name (with the values of the platform's checker)",
    ]  # fmt: skip


def test_a_rendering_that_failed_or_is_not_yaml_is_not_looked_at(packager: Packager) -> None:
    made = packager({SCENARIOS[0]: {TEMPLATE: "a: b: c\n", "demo/templates/x.yaml": "kind: A\n"}})
    assert views(made) == ()
    made = packager({SCENARIOS[0]: {"demo/templates/NOTES.txt": "a: b: c\n", "demo/templates/_x.yaml": "a: b: c\n"}})
    assert [view.objects for view in views(made)] == [()]


def test_an_app_is_rendered_for_every_purpose(rendered: Package) -> None:
    assert list(rendered.renderings) == SCENARIOS
    assert set(rendered.probes) == {STOPPED, STARTED, FIRST, SECOND, *(Probe(bare=True, mode=mode)
                                                                      for mode in ("", "nvidia", "cpu"))}  # fmt: skip
    assert not any(rendering.error for rendering in rendered.probes.values())
    texts = {probe: rendering.documents[TEMPLATE] for probe, rendering in rendered.probes.items()}
    assert "replicas: 0\n" in texts[STOPPED]
    assert "replicas: 1\n" in texts[STARTED]
    assert "name: probea\n" in texts[FIRST]
    assert "path: \n" in texts[Probe(bare=True)]
