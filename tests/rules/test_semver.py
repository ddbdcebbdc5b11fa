"""Versions and constraints mean what the platform's library takes them for; Helm carries the same library."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.archive import pack
from market.errors import HelmError
from market.helm import render
from market.semver import Version, parse_constraint, parse_version

TEMPLATE = "{{ range .Values.pairs }}{{ semverCompare .constraint .version }}\n{{ end }}"
CHART = pack(
    "semver",
    "0.0.1",
    {"Chart.yaml": b"apiVersion: v2\nname: semver\nversion: 0.0.1\n", "templates/all.yaml": TEMPLATE.encode()},
).data


def helm_says(pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """What Masterminds/semver says, through Helm's `semverCompare`."""
    values = {"pairs": [{"constraint": constraint, "version": version} for constraint, version in pairs]}
    (text,) = render(CHART, "semver", values).values()
    return [word == "true" for word in text.split()]


@pytest.mark.parametrize(
    ("constraint", "allowed", "refused"),
    [
        (">=1.12.6-0", "1.12.6 1.12.6-20260501 1.13.0 2.0.0", "1.12.5 0.1.0 1.12.5-rc.1"),
        (">=1.12.6", "1.12.6 2.0.0", "1.12.6-20260501 1.13.0-rc.1"),
        (">=1.12.3-0,<1.12.6", "1.12.3 1.12.5 1.12.3-1", "1.12.2 1.12.6 2.0.0"),
        (">=1.12.3-0 <1.12.6", "1.12.3 1.12.5", "1.12.6"),
        ("~1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"),
        ("~1.2.3", "1.2.3 1.2.9", "1.2.2 1.3.0"),
        ("^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0"),
        ("^0.2.3", "0.2.3 0.2.9", "0.3.0"),
        ("^0.0.3", "0.0.3", "0.0.4 0.1.0"),
        ("1.x || >=2.5", "1.9.0 2.5.0", "2.4.9 0.9.0"),
        ("1.2 - 1.4", "1.2.0 1.4.9", "1.1.9 1.5.0"),
        ("!=1.2", "1.3.0", "1.2.0 1.2.9"),
        (">1.2", "1.3.0", "1.2.9"),
        ("*", "0.0.0 9.9.9", "1.0.0-rc.1"),
    ],
)
def test_constraints_allow_what_they_say(constraint: str, allowed: str, refused: str) -> None:
    parsed = parse_constraint(constraint)
    assert [version for version in allowed.split() if not parsed.allows(parse_version(version))] == []
    assert [version for version in refused.split() if parsed.allows(parse_version(version))] == []


@pytest.mark.parametrize("text", ["", " ", "latest", ">=", "1.2.3.4", ">=1.0, ", "||", "1.2 || ", ">= v", "12.3 ~ > 1"])
def test_what_is_no_constraint_is_refused_as_helm_refuses_it(text: str) -> None:
    with pytest.raises(ValueError, match="not a constraint"):
        parse_constraint(text)
    with pytest.raises(HelmError):
        helm_says([(text, "1.2.3")])


@pytest.mark.parametrize("text", ["", "v", "1.2.3.4", "1..2", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "V1.2", " 1", "١"])
def test_what_is_no_version_is_refused_as_helm_refuses_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a version|leading zero"):
        parse_version(text)
    with pytest.raises(HelmError):
        helm_says([("*-0", text)])


def test_versions_are_read_leniently() -> None:
    assert parse_version("v1") == parse_version("1.0") == parse_version("1.0.0+build.7") == Version(1)
    assert str(parse_version("v1.2-rc.1+b")) == "1.2.0-rc.1"


def test_pre_releases_sort_as_semantic_versioning_says() -> None:
    ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
               "1.0.0-rc.1", "1.0.0", "1.0.1-0", "1.0.1"]  # fmt: skip
    assert all(parse_version(low) < parse_version(high) for low, high in pairwise(ordered))


def test_only_constraints_that_name_a_pre_release_everywhere_match_daily_builds() -> None:
    assert parse_constraint(">=1.12.6-0").allows_daily_builds
    assert not parse_constraint(">=1.12.6").allows_daily_builds
    assert not parse_constraint(">=1.12.6-0 || 1.11.x").allows_daily_builds


numbers = st.sampled_from(["0", "1", "2", "10"])
suffixes = st.sampled_from(["", "", "", "-0", "-1", "-alpha", "-alpha.1", "-rc.9", "-rc.10", "-1.2", "-a-b"])
versions = st.builds(
    lambda prefix, parts, suffix: prefix + ".".join(parts) + suffix,
    st.sampled_from(["", "v"]),
    st.lists(numbers, min_size=1, max_size=3),
    suffixes,
)
comparisons = st.builds(
    lambda operator, space, parts, suffix: operator + space + ".".join(parts) + suffix,
    st.sampled_from(["", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"]),
    st.sampled_from(["", " "]),
    st.lists(numbers | st.sampled_from(["x", "X", "*"]), min_size=1, max_size=3),
    suffixes,
)
groups = st.builds(lambda parts, by: by.join(parts), st.lists(comparisons, min_size=1, max_size=2),
                   st.sampled_from([" ", ", ", ","]))  # fmt: skip
ranges = st.builds(lambda low, high: f"{low} - {high}", versions, versions)
constraints = st.lists(groups | ranges, min_size=1, max_size=2).map(" || ".join)


@given(st.lists(st.tuples(constraints, versions), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_every_answer_is_the_one_that_helm_gives(pairs: list[tuple[str, str]]) -> None:
    ours = [parse_constraint(constraint).allows(parse_version(version)) for constraint, version in pairs]
    assert ours == helm_says(pairs)


@given(versions, versions)
def test_versions_are_totally_ordered(one: str, other: str) -> None:
    first, second = parse_version(one), parse_version(other)
    assert [first < second, first == second, first > second].count(True) == 1
