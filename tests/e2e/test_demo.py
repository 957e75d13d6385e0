"""Runs the example stories in `make demo` against the service that `make run` starts."""

import io
import re

import pytest
from rich.console import Console

from tests.e2e.processes import Service, run_module
from tools.demo.__main__ import main
from tools.demo.launch_customers import policy
from tools.local.api_client import ApiClient

PEOPLE = 20
HAPPENINGS = [
    "A caller asks for Q#Spanish#F: Christine",
    "A caller asks for Q#French#M: Andrew",
    "A caller asks for Q#French#M: Billy",
    "A caller asks for Q#Spanish#M: no agent is free",
    "A caller asks for Q#English#T: Remy",
    "Christine's call has ended, so Christine rejoins each queue at the end",
    "A caller asks for Q#Spanish#F: Courtney",
    "A caller asks for Q#French: Christine",
    "Andrew's call has ended, so Andrew rejoins each queue at the end",
    "A caller asks for Q#English: Andrew",
]
SPANISH_F = [
    ("Christine, Courtney, Ellen", 3, "Courtney, Ellen", 2),
    *[("Courtney, Ellen", 2, "Courtney, Ellen", 2)] * 4,
    ("Courtney, Ellen", 2, "Courtney, Ellen, Christine", 3),
    ("Courtney, Ellen, Christine", 3, "Ellen, Christine", 2),
    ("Ellen, Christine", 2, "Ellen", 1),
    *[("Ellen", 1, "Ellen", 1)] * 2,
]


def test_the_agents_story_can_be_repeated(service: Service) -> None:
    for _ in range(2):
        demo = run_module("tools.demo", "agents", PORT=str(service.port), COLUMNS="120")
        assert demo.returncode == 0, demo.stderr
        printed = [line.strip() for line in demo.stdout.splitlines()]
        assert [line for line in printed if line in HAPPENINGS] == HAPPENINGS
        cells = r" (.*?) +│ +(\d+) │"
        rows = re.findall(rf"│ Q#Spanish#F +│{cells}{cells}", demo.stdout)
        assert [
            (was, int(before), now, int(after)) for was, before, now, after in rows
        ] == SPANISH_F
        assert demo.stdout.count("│ Q#English#T") == len(HAPPENINGS)
        statuses = re.findall(r"│ (\w+) +│ [FMT] +│ [\w, ]+ │ (\w+) +│", demo.stdout)
        assert statuses[:6] == [(name, "waiting") for name, _ in statuses[6:]]
        assert [name for name, status in statuses[6:] if status == "waiting"] == ["Ellen"]
        assert {status for _, status in statuses[6:]} == {"waiting", "offered"}


def test_a_launch_ends_by_itself_within_its_limits(service: Service) -> None:
    """The demo of a launch stops after a number of seconds.

    On a busy machine, only a few people have entered by then.
    """
    terms = ("--people", str(PEOPLE), "--seconds", "3")
    demo = run_module("tools.demo", "launch", *terms, PORT=str(service.port), COLUMNS="120")
    assert demo.returncode == 0, demo.stderr
    assert re.search(rf"\d+ of {PEOPLE} people entered within \d+ s\.", demo.stdout)
    for group in ("waiting", "offered", "inside", "admitted"):
        assert re.search(rf"^ {group} +\d+ ", demo.stdout, re.M), group
    (waitlist_id,) = re.findall(r"The waitlist (launch-\w+) is now paused", demo.stdout)
    path = f"/v1/admin/waitlists/{waitlist_id}"
    with ApiClient(f"http://127.0.0.1:{service.port}") as client:
        assert client.operator("GET", path)["paused"]
        stats = client.operator("GET", f"{path}/stats")
    assert stats["signed_up"] == PEOPLE
    assert stats["inside"] + stats["offered"] <= policy(PEOPLE)["max_inside"]


@pytest.mark.parametrize("story", ["queue", "agents", "launch"])
def test_the_error_without_a_service_contains_the_next_command(
    story: str, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = {"WAITLIST_URL": "http://127.0.0.1:1"}
    assert main([story], nowhere, Console(file=io.StringIO())) == 1
    error = capsys.readouterr().err
    assert "Is `make run` running?" in error
    assert f"run this again: make demo STORY={story}" in error


def test_the_error_about_an_invalid_port_names_the_setting(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([], {"PORT": "eighty"}, Console(file=io.StringIO())) == 1
    assert "PORT" in capsys.readouterr().err


def test_the_error_about_a_refusal_contains_the_next_command(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.demo.agents_queue.SEGMENTS", [["no name"]])
    console = Console(file=io.StringIO())
    assert main(["agents"], {"PORT": str(service.port)}, console) == 1
    error = capsys.readouterr().err
    assert "segments" in error
    assert "run this again: make demo STORY=agents" in error


def test_too_few_people_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--people", "1"], {}, Console(file=io.StringIO()))
    assert "--people must be from 20 to" in capsys.readouterr().err
