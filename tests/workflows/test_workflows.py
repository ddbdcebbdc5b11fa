"""The GitHub workflows: what actionlint and zizmor object to, and what this repository promises of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from market.paths import PROJECT

FOLDER = PROJECT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
PINNED = re.compile(r"\s*(?:- )?uses: [a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def tool(name: str, folder: Path, origin: str) -> str:
    """A command that CI has; elsewhere a test without it is skipped."""
    found = shutil.which(name, path=os.pathsep.join((str(folder), os.environ.get("PATH", ""))))
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is missing: {origin}")
        pytest.skip(f"{name} is not installed on this machine: {origin}")
    return found


def load(path: Path) -> dict[str, Any]:
    # YAML 1.1 takes the key `on` for true; BaseLoader leaves every scalar a text.
    whole: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    return whole


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in load(path)["jobs"].items():
            yield f"{path.stem}/{name}", job


def steps(action: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in jobs():
        for step in job["steps"]:
            if step.get("uses", "").startswith(f"{action}@"):
                yield name, step


def test_actionlint_has_nothing_to_object_to() -> None:
    command = tool("actionlint", PROJECT / "build/tools", ".ci/run builds it from its Go module")
    done = subprocess.run([command, *WORKFLOWS], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_has_nothing_to_object_to() -> None:
    command = tool("zizmor", Path(sys.executable).parent, "`make dev` installs it")
    done = subprocess.run(
        [command, "--offline", "--no-progress", "--persona", "pedantic", "--strict-collection", FOLDER], cwd=PROJECT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_pinned_to_a_commit_and_says_its_version(path: Path) -> None:
    used = [line for line in path.read_text("utf-8").splitlines() if re.match(r"\s*(- )?uses:", line)]
    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nobody_has_a_permission_that_is_not_written_down(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {}
    assert all("permissions" in job and "timeout-minutes" in job for job in workflow["jobs"].values())


def test_no_checkout_leaves_its_token_behind() -> None:
    found = list(steps("actions/checkout"))
    assert found
    assert [name for name, step in found if step["with"]["persist-credentials"] != "false"] == []


def test_a_pull_request_meets_no_secret_and_no_right_to_write() -> None:
    workflow = load(FOLDER / "workflows/pull-request.yml")
    assert set(workflow["on"]) == {"pull_request"}
    assert [job["permissions"] for job in workflow["jobs"].values()] == [{"contents": "read"}] * len(workflow["jobs"])
    text = (FOLDER / "workflows/pull-request.yml").read_text("utf-8")
    assert "secrets." not in text
    assert "environment:" not in text


def test_the_proposed_tree_is_data() -> None:
    """Commands come from the base branch, and the proposal is only ever an argument of --catalog."""
    job = load(FOLDER / "workflows/pull-request.yml")["jobs"]["check"]
    checkouts = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert [(one["path"], one.get("ref", "")) for one in checkouts] == [
        ("base", "${{ github.event.pull_request.base.sha }}"),
        ("proposal", ""),
    ]
    for line in "\n".join(step.get("run", "") for step in job["steps"]).splitlines():
        assert "proposal" not in line.replace("--catalog proposal ", ""), line
    assert not any("working-directory" in step for step in job["steps"])


def test_other_code_than_the_repositorys_own_is_not_tested_here() -> None:
    job = load(FOLDER / "workflows/pull-request.yml")["jobs"]["test"]
    assert job["if"] == "github.event.pull_request.head.repo.full_name == github.repository"


def test_the_report_checks_out_nothing_of_the_pull_request() -> None:
    found = [step["with"] for name, step in steps("actions/checkout") if name.startswith("pull-request-report/")]
    assert found == [{"persist-credentials": "false"}]


def test_secrets_reach_one_step_of_jobs_in_an_environment() -> None:
    for name, job in jobs():
        with_secrets = [step for step in job["steps"] if "secrets." in str(step)]
        assert "secrets." not in str({key: value for key, value in job.items() if key != "steps"}), name
        assert len(with_secrets) <= 1, name
        assert not with_secrets or "environment" in job, name
        assert not any("secrets." in step.get("run", "") for step in with_secrets), name


def test_only_one_publication_runs_at_a_time_and_none_is_broken_off() -> None:
    publish = load(FOLDER / "workflows/main.yml")["jobs"]["publish"]
    assert publish["concurrency"] == {"group": "publish", "cancel-in-progress": "false"}
    assert set(publish["needs"]) == {"test", "prepare", "attest"}


def test_no_expression_is_pasted_into_a_command() -> None:
    pasted = [name for name, job in jobs() for step in job["steps"] if "${{" in step.get("run", "")]
    assert pasted == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_market_command_that_a_workflow_calls_exists(path: Path) -> None:
    from click.testing import CliRunner  # noqa: PLC0415

    from market.cli import main  # noqa: PLC0415

    calls = re.findall(r"bin/market ([^\n|>]*)", path.read_text("utf-8"))
    assert calls
    for call in calls:
        words = re.sub(r"^--catalog \w+ ", "", call).split()
        shown = CliRunner().invoke(main, [words[0], "--help"])
        assert shown.exit_code == 0, call
        assert [word for word in words if word.startswith("--") and word not in shown.output] == [], call
