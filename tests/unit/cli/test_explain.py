"""`waitlist explain` says in plain sentences where a person is in the queue, and why."""

from typing import Any

import pytest

from waitlist_cli.operations.explain import actor, explanation
from waitlist_cli.operations.explain_place import steps_of

WAITLIST: dict[str, Any] = {
    "paused": False,
    "rebuild": None,
    "admission": None,
    "max_attempts": 5,
}
HOURS = {"from": "08:00", "to": "22:00", "timezone": "UTC"}
RATE: dict[str, Any] = {"rate": {"count": 5, "per": "minute"}, "schedule": [], "max_inside": None}
AT = "2026-06-01T08:00:00.000Z"
SHOWN = "2026-06-01 08:00:00Z"


def event(name: str, by: str = "arn:aws:iam::1:user/eve", reason: str = "") -> dict[str, Any]:
    return {"at": AT, "event": name, "by": by, "reason": reason, "detail": {}}


def explain_person(
    status: str, *events: dict[str, Any], waitlist: dict[str, Any] | None = None, **fields: Any
) -> str:
    person = {
        "status": status,
        "position": None,
        "priority": 0,
        "attempts": 0,
        "offered_until": None,
        "claimed_until": None,
        "call": None,
        "inside_until": None,
        "room_until": None,
        "exited_at": None,
        "banned_at": None,
        "left_at": "2026-11-24T10:00:00.000Z",
        "history": list(events),
        **fields,
    }
    return " ".join(explanation(person, {**WAITLIST, **(waitlist or {})}))


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (1, "The entry is first in the queue."),
        (2, "1 person is ahead."),
        (1_001, "1,000 people are ahead."),
    ],
)
def test_people_ahead_are_counted(position: int, words: str) -> None:
    assert explain_person("waiting", event("joined"), position=position).startswith(words)


def test_an_unknown_position_is_explained() -> None:
    rebuilding = {"rebuild": {"done": 1, "total": 2}}
    text = explain_person("waiting", event("joined"), waitlist=rebuilding)
    assert "its position is not known" in text
    assert "The queue is being rebuilt" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bumped", "Moved by user/eve at"),
        ("released", "Returned to the queue by user/eve at"),
        ("expired", "Returned to the queue after a call expired"),
        ("declined", "after an offer was declined"),
        ("no_show", "after an offer was not accepted in time"),
        ("redriven", "after being set aside, by user/eve at"),
    ],
)
def test_the_latest_move_is_named_with_actor_time_and_reason(name: str, words: str) -> None:
    text = explain_person("waiting", event("joined"), event(name, reason="by phone"), position=3)
    assert words in text
    assert f"at {SHOWN}: by phone." in text


def test_a_rest_is_not_explained_as_a_move() -> None:
    events = [event("joined"), event("bumped", reason="by phone"), event("rested", "customer")]
    reasons = ["resting", "delayed"]
    text = explain_person(
        "waiting", *events, position=4, not_ready=reasons, rest_until=AT, ready_ahead=1
    )
    assert "3 people are ahead, 1 of them ready." in text
    pause = "the customer is letting others pass, and can resume earlier."
    assert f"Passed over until {SHOWN}: {pause}" in text
    assert "Passed over: released with a delay." in text
    assert f"Moved by user/eve at {SHOWN}: by phone." in text
    assert [step.event for step in steps_of(events)] == ["joined", "bumped"]


def test_a_reason_of_a_newer_service_is_named_with_its_end() -> None:
    text = explain_person("waiting", position=2, not_ready=["on_trip"], on_trip_until=AT)
    assert f"Passed over until {SHOWN}: on trip." in text


@pytest.mark.parametrize("name", ["near", "edited"])
def test_an_event_that_moves_nobody_does_not_hide_a_move(name: str) -> None:
    text = explain_person("waiting", event("bumped"), event(name, "maintenance"), position=3)
    assert f"Moved by user/eve at {SHOWN}." in text


def test_an_earlier_move_is_no_longer_the_cause() -> None:
    text = explain_person("waiting", event("bumped"), event("released"), position=3)
    assert "Moved" not in text


@pytest.mark.parametrize(
    ("waitlist", "words"),
    [
        ({}, "No one is admitted automatically."),
        ({"admission": RATE}, "The list admits by itself: 5 a minute."),
        (
            {"admission": {**RATE, "offer_hours": HOURS}},
            "5 a minute, 08:00-22:00 UTC. Outside these",
        ),
        ({"admission": {**RATE, "rate": None}}, "No one is admitted automatically."),
        ({"paused": True}, "No one is admitted until an operator resumes it."),
    ],
)
def test_the_explanation_says_how_the_list_admits(waitlist: dict[str, Any], words: str) -> None:
    assert words in explain_person("waiting", waitlist=waitlist, position=1)


def test_priority_and_attempts_are_explained() -> None:
    text = explain_person("waiting", position=1, priority=7, attempts=2)
    assert "Priority 7 is served before all lower priorities" in text
    assert "2 earlier calls or offers expired." in text


def test_an_offer_and_a_claim_are_explained_differently() -> None:
    offer = explain_person("offered", event("offered", "policy"), offered_until=AT)
    assert f"A place is offered until {SHOWN}." in offer
    assert "by the admission policy" in offer
    claim = explain_person("offered", event("offered"), claimed_until=AT)
    assert f"A claim holds the entry until {SHOWN}." in claim
    assert "by user/eve" in claim


def test_the_cause_of_a_parking_is_explained() -> None:
    by_hand = explain_person("parked", event("parked", reason="blurred"))
    assert f"Set aside by user/eve at {SHOWN}: blurred." in by_hand
    assert "attempt" not in by_hand
    by_attempts = explain_person("parked", event("parked", "maintenance"), attempts=5)
    assert "5 attempts expired. The list allows 5." in by_attempts


def test_an_admitted_person_is_inside_or_out() -> None:
    admitted = event("admitted", "customer")
    assert f"The pass ends at {SHOWN}." in explain_person("admitted", admitted, inside_until=AT)
    out = explain_person("admitted", admitted, inside_until=AT, exited_at=AT)
    assert f"The person exited at {SHOWN}." in out
    assert "The pass ends" not in out
    assert "taken" not in out
    kept = explain_person("admitted", admitted, inside_until=AT, exited_at=AT, room_until=AT)
    assert f"The slot inside is taken until {SHOWN}." in kept


def test_an_expired_history_is_explained() -> None:
    assert "The history no longer says how the customer left the list." in explain_person("left")


@pytest.mark.parametrize("status", ["joining", "leaving", "something new"])
def test_every_other_status_has_a_sentence(status: str) -> None:
    assert explain_person(status).endswith(".")


def test_actors_are_named_in_words() -> None:
    names = ["customer", "policy", "maintenance", "arn:aws:sts::1:assumed-role/desk/eve", "x\u202e"]
    assert [actor(name) for name in names] == [
        "the customer",
        "the admission policy",
        "maintenance",
        "assumed-role/desk/eve",
        "x�",
    ]
