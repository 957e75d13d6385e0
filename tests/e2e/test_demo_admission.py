"""`make demo-admission`, against the service that `make run` starts."""

import io
import re

import pytest
from rich.console import Console

from tests.e2e.processes import Service, run_module
from tools.demo.admission import main
from tools.demo.admission_launch import policy
from tools.local.api_client import ApiClient

PEOPLE = 20


def test_the_demo_ends_by_itself_within_its_limits(service: Service) -> None:
    """It stops after its seconds, however few people a busy machine lets in until then."""
    terms = ("--people", str(PEOPLE), "--seconds", "3")
    demo = run_module("tools.demo.admission", *terms, PORT=str(service.port), COLUMNS="120")
    assert demo.returncode == 0, demo.stderr
    assert re.search(rf"\d+ of {PEOPLE} came in within \d+ s\.", demo.stdout)
    for group in ("waiting", "offered", "inside", "admitted"):
        assert re.search(rf"^ {group} +\d+ ", demo.stdout, re.M), group
    (waitlist_id,) = re.findall(r"The waitlist is (launch-\w+), now paused", demo.stdout)
    path = f"/v1/admin/waitlists/{waitlist_id}"
    with ApiClient(f"http://127.0.0.1:{service.port}") as client:
        assert client.operator("GET", path)["paused"]
        stats = client.operator("GET", f"{path}/stats")
    assert stats["signed_up"] == PEOPLE
    assert stats["inside"] + stats["offered"] <= policy(PEOPLE)["max_inside"]


def test_without_a_service_the_error_has_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nowhere = {"WAITLIST_URL": "http://127.0.0.1:1"}
    assert main([], nowhere, Console(file=io.StringIO())) == 1
    error = capsys.readouterr().err
    assert "Is `make run` running?" in error
    assert "try again: make demo-admission" in error


def test_too_few_people_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--people", "1"], {}, Console(file=io.StringIO()))
    assert "--people must be 20 to" in capsys.readouterr().err
