"""`make demo-agents`, against the service that `make run` starts."""

import io
import re

import pytest
from rich.console import Console

from tests.e2e.processes import Service, run_module
from tools.demo.agents import main

HAPPENINGS = [
    "A caller asks for Q#Spanish#F: Christine",
    "A caller asks for Q#French#M: Andrew",
    "A caller asks for Q#French#M: Billy",
    "A caller asks for Q#Spanish#M: no agent is free",
    "A caller asks for Q#English#T: Remy",
    "Christine's call has ended: back at the end of each queue",
    "A caller asks for Q#Spanish#F: Courtney",
    "A caller asks for Q#French: Christine",
    "Andrew's call has ended: back at the end of each queue",
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


def test_the_demo_of_the_agents_can_be_run_again_and_again(service: Service) -> None:
    for _ in range(2):
        demo = run_module("tools.demo.agents", PORT=str(service.port), COLUMNS="120")
        assert demo.returncode == 0, demo.stderr
        printed = [line.strip() for line in demo.stdout.splitlines()]
        assert [line for line in printed if line in HAPPENINGS] == HAPPENINGS
        cells = r" (.*?) +│ +(\d+) │"
        rows = re.findall(rf"│ Q#Spanish#F +│{cells}{cells}", demo.stdout)
        assert [(was, int(one), now, int(other)) for was, one, now, other in rows] == SPANISH_F
        assert demo.stdout.count("│ Q#English#T") == len(HAPPENINGS)
        statuses = re.findall(r"│ (\w+) +│ [FMT] +│ [\w, ]+ │ (\w+) +│", demo.stdout)
        assert statuses[:6] == [(name, "waiting") for name, _ in statuses[6:]]
        assert [name for name, status in statuses[6:] if status == "waiting"] == ["Ellen"]
        assert {status for _, status in statuses[6:]} == {"waiting", "offered"}


def test_without_a_service_the_error_has_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nowhere = {"WAITLIST_URL": "http://127.0.0.1:1"}
    assert main([], nowhere, Console(file=io.StringIO())) == 1
    assert "Is `make run` running?" in capsys.readouterr().err


def test_a_bad_port_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {"PORT": "eighty"}, Console(file=io.StringIO())) == 1
    error = capsys.readouterr().err
    assert "PORT=eighty" in error
    assert "try again: make demo-agents" in error


def test_a_refusal_comes_with_the_next_step(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.demo.agents_queue.SEGMENTS", [["no name"]])
    assert main([], {"PORT": str(service.port)}, Console(file=io.StringIO())) == 1
    error = capsys.readouterr().err
    assert "segments" in error
    assert "try again: make demo-agents" in error


def test_an_unknown_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--people", "5"], {}, Console(file=io.StringIO()))
    assert "--people" in capsys.readouterr().err
