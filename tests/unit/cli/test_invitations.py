"""Tests of invitations in the command line and the console, against the real service."""

import json
import re
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import problem

SPANISH = ("--filter", "language=Spanish")


def invitations(bakery: Bakery) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bakery.typed.json("invitations", bakery.waitlist_id)[
        "invitations"
    ]
    return found


def test_people_are_invited_and_the_command_says_until_when(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", attributes={"language": "Spanish"})
    bakery.sign_up("cyd")
    text = bakery.typed.run("invite", bakery.waitlist_id, "-n", "2", "--until", "48h")
    assert re.search(r"2 people are invited\. The offers end at 20\d\d-\d\d-\d\d", text)
    assert [bakery.status(name) for name in ("ada", "bob", "cyd")] == [
        "offered",
        "offered",
        "waiting",
    ]
    (shown,) = invitations(bakery)
    assert (shown["count"], shown["state"], shown["funnel"]["open"]) == (2, "done", 2)
    table = bakery.typed.run("invitations", bakery.waitlist_id)
    assert f"{shown['invitation_id']}\t{shown['created_at']}\t{shown['until']}" in table


def test_a_repeated_command_with_the_same_key_invites_nobody_else(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    for _ in range(2):
        words = ("-n", "1", "--until", "48h", "--key", "first-wave")
        text = bakery.typed.run("invite", bakery.waitlist_id, *words)
        assert "1 person is invited." in text
    assert bakery.status("bob") == "waiting"
    empty = bakery.typed("invite", bakery.waitlist_id, "-n", "1", "--until", "48h", "--key", "")
    assert (empty.exit_code, bakery.status("bob")) == (2, "waiting")


def test_a_filter_or_ids_say_who_is_invited(bakery: Bakery) -> None:
    bakery.sign_up("ada")
    (bob,) = bakery.sign_up("bob", attributes={"language": "Spanish"})
    (cyd,) = bakery.sign_up("cyd")
    waitlist_id = bakery.waitlist_id
    bakery.typed.run("invite", waitlist_id, "-n", "9", "--until", "1d", *SPANISH)
    assert bakery.status("bob") == "offered"
    ids = f"{cyd['entry_id']}, {bob['entry_id']}"
    text = bakery.typed.run("invite", waitlist_id, "--entries", ids, "--until", "2d")
    assert "1 person is invited." in text
    assert "No one else could be invited." in text
    assert (bakery.status("ada"), bakery.status("cyd")) == ("waiting", "offered")


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (["-n", "2", "--until", "soon"], "not a duration such as 48h"),
        (["-n", "2", "--until", "15d"], "Until when: enter at most 14 days"),
        (["--until", "48h"], "How many: enter how many people to invite"),
        (
            ["-n", "2", "--until", "48h", "--prefer", "a=b", "--prefer", "anyone"],
            "takes one filter",
        ),
        (["-n", "2", "--until", "48h", "--text", "Come in"], "does not send the `offered` message"),
    ],
)
def test_a_wrong_invitation_says_what_to_enter(
    bakery: Bakery, words: list[str], refused: str
) -> None:
    bakery.sign_up("ada")
    result = bakery.typed("--json", "invite", bakery.waitlist_id, *words)
    assert result.exit_code != 0
    assert refused in json.dumps(problem(result))
    shown = bakery.typed("invite", bakery.waitlist_id, *words).stderr
    assert shown.lower().count(refused.lower()) == 1, "an error is printed once"
    assert bakery.status("ada") == "waiting"
