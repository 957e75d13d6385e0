"""Tests that the GitHub workflows run the same commands as developers do, in existing environments
and with the fewest permissions.

`make lint` also checks the workflow files against GitHub's schema and with zizmor.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.reliability.model.record import RECORDS
from tests.rules.sources import ROOT

WORKFLOWS = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
JOBS = [
    pytest.param(job, id=f"{name}: {job_name}")
    for name, workflow in WORKFLOWS.items()
    for job_name, job in workflow["jobs"].items()
]
DEPLOY = WORKFLOWS["deploy.yml"]["jobs"]
RELEASE = WORKFLOWS["release.yml"]["jobs"]
WEEKLY = WORKFLOWS["weekly.yml"]["jobs"]
# The jobs that can write to GitHub. They do not run code from the repository.
WRITERS = (RELEASE["publish"], WEEKLY["issue"])
# The commands that no workflow needs to run. For example, `make check` already runs `make test`.
NOT_RUN_BY_THEMSELVES = {"make test", "make bench", "make reasons"}
CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
# YAML reads the key `on` as the value true.
ON: Any = True


def steps(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from job.get("steps", [])


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in steps(job) if "run" in step]


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):(?!=)", makefile, re.M))


@pytest.mark.parametrize("job", JOBS)
def test_the_workflows_only_use_existing_make_targets(job: dict[str, Any]) -> None:
    asked = {name for run in commands(job) for name in re.findall(r"\bmake ([a-z-]+)", run)}
    assert asked <= targets()
    assert asked or "uses" in job or job in WRITERS


@pytest.mark.parametrize("name", WORKFLOWS)
def test_each_job_has_only_the_permissions_that_it_needs(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {}
    for job_name, job in workflow["jobs"].items():
        may = {"contents": "read"}
        if job_name in ("dev", "prod"):
            may["id-token"] = "write"
        if job is RELEASE["publish"]:
            may = {"contents": "write", "id-token": "write", "attestations": "write"}
        if job is WEEKLY["issue"]:
            may = {"issues": "write"}
        assert job["permissions"] == may, job_name
        assert "timeout-minutes" in job or "uses" in job


def test_a_pull_request_is_checked_without_assuming_a_role() -> None:
    check = WORKFLOWS["check.yml"]
    assert set(check[ON]) == {"pull_request", "workflow_call"}
    assert "pull_request" not in WORKFLOWS["deploy.yml"][ON]
    for job in check["jobs"].values():
        assert "environment" not in job
    (python,) = (
        job["strategy"]["matrix"]["python"] for job in check["jobs"].values() if "strategy" in job
    )
    assert python == ["3.11", "3.13"]


def test_every_documented_test_command_is_run_by_a_workflow() -> None:
    document = (ROOT / "docs" / "internals" / "testing.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(make [a-z-]+)", document, re.M))
    ran = {
        found
        for workflow in WORKFLOWS.values()
        for job in workflow["jobs"].values()
        for run in commands(job)
        for found in re.findall(r"\bmake [a-z-]+", run)
    }
    assert documented - ran == NOT_RUN_BY_THEMSELVES


def test_the_weekly_model_checker_runs_in_shards_and_reports_on_all_shards() -> None:
    assert set(WORKFLOWS["weekly.yml"][ON]) == {"schedule", "workflow_dispatch"}
    shards = WEEKLY["proof"]["strategy"]["matrix"]["shard"]
    (flags,) = (step["env"]["PROOF_FLAGS"] for step in steps(WEEKLY["proof"]) if "env" in step)
    assert flags == f"--shard ${{{{ matrix.shard }}}}/{len(shards)}"
    assert shards == [*range(1, len(shards) + 1)]
    report = WEEKLY["proof-report"]
    assert (report["needs"], commands(report)) == ("proof", ["make proof"])
    (gathered,) = (step["with"]["path"] for step in steps(report) if "path" in step.get("with", {}))
    assert ROOT / gathered == RECORDS


def test_a_failure_of_the_weekly_run_opens_an_issue() -> None:
    issue = WEEKLY["issue"]
    assert {*issue["needs"], "issue"} == set(WEEKLY)
    for result in ("failure", "cancelled"):
        assert f"contains(needs.*.result, '{result}')" in issue["if"]
    assert not [step for step in steps(issue) if "uses" in step]


def test_a_release_is_checked_and_built_by_jobs_that_cannot_publish() -> None:
    assert list(WORKFLOWS["release.yml"][ON]) == ["push"]
    assert list(WORKFLOWS["release.yml"][ON]["push"]) == ["tags"]
    needs = {name: job.get("needs") for name, job in RELEASE.items()}
    assert needs == {"check": None, "build": "check", "publish": "build"}
    assert 'make release TAG="$GITHUB_REF_NAME"' in commands(RELEASE["build"])
    assert RELEASE["publish"]["environment"] == "release"
    # This job can write to GitHub, so it does not run code from the repository.
    assert [step.get("uses", "gh").split("@")[0] for step in steps(RELEASE["publish"])] == [
        "actions/download-artifact",
        "actions/attest",
        "gh",
    ]
