"""Tests the command that sends a message to some or all people, against the real service."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import problem

TEXT = ("--text", "We close at 5 pm.")


@pytest.fixture
def people(bakery: Bakery) -> list[dict[str, Any]]:
    """Only Ada and Bob have an address, so Cyd cannot be reached."""
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "left")
    found = []
    for name in ("ada", "bob"):
        found += bakery.sign_up(name, profile={"email": f"{name}@example.com"})
    return [*found, *bakery.sign_up("cyd")]


def messaged(bakery: Bakery, people: Sequence[dict[str, Any]]) -> list[int]:
    return [
        [
            event["event"]
            for event in bakery.typed.json("history", bakery.waitlist_id, one["entry_id"])[
                "history"
            ]
        ].count("messaged")
        for one in people
    ]


def test_a_dry_run_says_how_many_people_would_get_it(
    bakery: Bakery, people: list[dict[str, Any]]
) -> None:
    text = bakery.typed.run("message", bakery.waitlist_id, *TEXT, "--dry-run")
    assert "2 people would get the message: 2 by email and 0 by SMS." in text
    assert "1 person cannot be reached (1 no address)." in text
    assert messaged(bakery, people) == [0, 0, 0]


def test_everyone_gets_the_message_once(bakery: Bakery, people: list[dict[str, Any]]) -> None:
    command = ("message", bakery.waitlist_id, *TEXT, "--yes", "--key", "9d2c6f1e7b3a4c58")
    for _ in range(2):
        assert "2 people get the message: 2 by email and 0 by SMS." in bakery.typed.run(*command)
    assert messaged(bakery, people) == [1, 1, 0]


def test_ids_or_a_filter_say_who_gets_it(bakery: Bakery, people: list[dict[str, Any]]) -> None:
    entries = ("--entries", people[1]["entry_id"])
    found = bakery.typed.json("message", bakery.waitlist_id, *TEXT, *entries, "--yes")
    assert (found["people"], found["state"]) == (1, "done")
    nobody = ("--filter", "language=Spanish", "--status", "waiting")
    text = bakery.typed.run("message", bakery.waitlist_id, *TEXT, *nobody, "--yes")
    assert "0 people get the message." in text
    assert messaged(bakery, people) == [0, 1, 0]


@pytest.mark.parametrize("empty", [("--entries", ""), ("--entries", "  "), ("--status", "")])
def test_an_empty_variable_of_a_script_does_not_write_to_everyone(
    bakery: Bakery, people: list[dict[str, Any]], empty: tuple[str, str]
) -> None:
    refused = bakery.typed("message", bakery.waitlist_id, *TEXT, *empty, "--yes")
    assert refused.exit_code == 2
    assert empty[0] in refused.stderr
    assert messaged(bakery, people) == [0, 0, 0]


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ([], "enter the text of the message"),
        (["--subject", "Hello"], "enter the text too"),
        ([*TEXT], "would get the message"),
        ([*TEXT, "--yes", "--status", "left"], "waiting"),
        ([*TEXT, "--yes", "--prefer", "a=b", "--prefer", "anyone"], "takes one filter"),
        (["--subject-de", "Hallo"], "Text in Deutsch: enter the text too"),
        (["--text", "Until {until}", "--yes"], "body.text: en must not have {until}"),
    ],
)
def test_a_wrong_message_says_what_to_enter(
    bakery: Bakery, people: list[dict[str, Any]], words: list[str], refused: str
) -> None:
    result = bakery.typed("--json", "message", bakery.waitlist_id, *words)
    assert result.exit_code != 0
    assert refused in json.dumps(problem(result))
    assert messaged(bakery, people) == [0, 0, 0]
