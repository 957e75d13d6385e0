"""Why a person is where they are."""

from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import Typed
from waitlist_cli.moves import UNKNOWN, Ahead, Explanation, steps_of
from waitlist_cli.moves_output import happened, ordinal, standing


def event(name: str, by: str = "operator", **detail: Any) -> dict[str, Any]:
    return {
        "at": "2026-06-01T08:00:00.000Z",
        "event": name,
        "by": by,
        "reason": "",
        "detail": detail,
    }


def places(*events: dict[str, Any]) -> list[tuple[str, Any, Any, Any]]:
    """Return each step with what others gained it, and its places before and after."""
    return [(one.event, one.gained, one.before, one.after) for one in steps_of(events)]


def test_moves_are_apart_from_what_other_people_did() -> None:
    found = places(
        event("joined", position=318),
        event("edited", changed=["profile"]),
        event("bumped", places=20, moved=20, position=270),
        event("bumped", priority=3, moved=-5, position=280),
    )
    assert found == [
        ("joined", None, None, 318),
        ("bumped", 28, 290, 270),
        ("bumped", -5, 275, 280),
    ]


def test_a_place_that_was_not_recorded_is_unknown() -> None:
    found = places(
        event("joined"), event("bumped", priority=3), event("bumped", moved=1, position=4)
    )
    assert found == [
        ("joined", None, None, UNKNOWN),
        ("bumped", UNKNOWN, UNKNOWN, UNKNOWN),
        ("bumped", UNKNOWN, 5, 4),
    ]


def test_an_entry_off_the_queue_has_no_place() -> None:
    found = places(
        event("joined", position=1),
        event("offered"),
        event("released", position=7),
        event("offered"),
        event("expired"),
        event("offered"),
        event("admitted"),
        event("exited"),
    )
    assert found == [
        ("joined", None, None, 1),
        ("offered", UNKNOWN, UNKNOWN, None),
        ("released", None, None, 7),
        ("offered", UNKNOWN, UNKNOWN, None),
        ("expired", None, None, UNKNOWN),
        ("offered", UNKNOWN, UNKNOWN, None),
        ("admitted", None, None, None),
        ("exited", None, None, None),
    ]


@pytest.mark.parametrize(
    ("following", "after"),
    [
        (event("parked", "maintenance"), None),
        (event("left", "policy"), None),
        (event("left", "customer"), UNKNOWN),
        (event("offered", "policy"), UNKNOWN),
    ],
)
def test_a_no_show_waits_again_unless_it_ends_there(following: dict[str, Any], after: Any) -> None:
    steps = steps_of([event("joined", position=1), event("offered"), event("no_show"), following])
    assert steps[2].after == after


def test_only_the_newest_stay_is_explained() -> None:
    first = [event("joined", position=9), event("left", "customer")]
    assert places(*first, event("joined", position=2)) == [("joined", None, None, 2)]


def test_the_moves_and_the_people_ahead_explain_a_place(typed: Typed, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd", "dan", "eve", "fay", "gus")
    at = [bakery.waitlist_id, "--customer"]
    typed.done("remove", *at, "bob")
    typed.done("bump", *at, "eve", "--places", "1", "--reason", "waited through the outage")
    typed.done("bump", *at, "gus", "--front")
    typed.done("claim", bakery.waitlist_id, "-n", "2", "--complete")
    typed.done("bump", *at, "fay", "--front")
    found = typed.json("explain", *at, "eve")
    assert (found["status"], found["position"], found["joined_as"]) == ("waiting", 3, 5)
    joined, bumped = found["steps"]
    assert (joined["event"], joined["after"]) == ("joined", 5)
    assert found["why"][0] == "2 people are ahead."
    assert (bumped["gained"], bumped["before"], bumped["after"]) == (1, 4, 3)
    assert bumped["reason"] == "waited through the outage"
    # gus came and went ahead of her, ada was admitted, and fay was moved ahead.
    assert found["gained_since"] == 0
    assert found["ahead"] == {
        "admitted": 2,
        "admitted_later": 1,
        "left": 1,
        "ahead_later": 1,
        "is_whole": True,
    }
    assert not typed.json("explain", *at, "eve", "--max", "1")["ahead"]["is_whole"]
    rows = typed.done("explain", *at, "eve").splitlines()
    assert rows[0] == "at\tevent\tgained\tbefore\tafter\tby\treason"
    assert [row.split("\t")[1:5] for row in rows[1:]] == [
        ["joined", "", "", "5"],
        ["bumped", "1", "4", "3"],
    ]


def test_what_happened_after_the_offer_was_not_ahead(typed: Typed, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    typed.done("claim", bakery.waitlist_id, "--complete")
    typed.done("claim", bakery.waitlist_id)
    typed.done("claim", bakery.waitlist_id, "--complete")
    found = typed.json("explain", bakery.waitlist_id, "--customer", "bob")
    assert (found["status"], found["position"], found["gained_since"]) == ("offered", None, None)
    assert (found["ahead"]["admitted"], found["ahead"]["ahead_later"]) == (1, 0)


def test_the_explanation_in_words() -> None:
    steps = steps_of([event("joined", position=318)])
    ahead = Ahead(admitted=250, admitted_later=5, left=36, ahead_later=2, is_whole=True)
    found = Explanation(
        entry_id="a" * 26,
        customer_id="ada",
        status="waiting",
        position=12,
        total=340,
        joined_at="2026-06-01T08:00:00.000Z",
        joined_as=318,
        why=("11 people are ahead.",),
        steps=steps,
        gained_since=306,
        ahead=ahead,
    )
    assert list(standing(found)) == [
        "ada: waiting, position 12 of 340.",
        "Joined 2026-06-01 08:00:00Z as 318th.",
        "11 people are ahead.",
    ]
    assert list(happened(found)) == [
        "Since the last of these: 306 places nearer to the head, because of other people.",
        "Since the signup 250 people were admitted, of whom 5 had joined later; 36 who had joined "
        "earlier left.",
        "Of the 11 people ahead now 2 joined later.",
    ]


def test_ordinals() -> None:
    numbers = (1, 2, 3, 4, 11, 12, 13, 21, 112, 318, 1_001)
    assert " ".join(map(ordinal, numbers)) == (
        "1st 2nd 3rd 4th 11th 12th 13th 21st 112th 318th 1,001st"
    )
