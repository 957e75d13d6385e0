"""Tests that an entry's history says who changed the entry, when, and why."""

from datetime import datetime

from tests.support.gateway import OPERATOR_ARN
from tests.support.people import People


def test_the_history_has_every_move_in_its_order(people: People) -> None:
    people.all_sign_up("ada", "bob", "cyd")
    people.bump("cyd", key="k", places=2, reason="Waited through the outage")
    people.bump("cyd", priority=7)
    people.leave("cyd")
    people.sign_up("cyd", key="again")
    joined, moved, raised, left, again = people.person("cyd").json["history"]
    assert {event.pop("at")[:2] for event in (joined, moved, raised, left, again)} == {"20"}
    customer = {"by": "customer", "reason": ""}
    assert joined == again == {"event": "joined", **customer, "detail": {"position": 3}}
    assert left == {"event": "left", **customer, "detail": {}}
    assert moved == {
        "event": "bumped",
        "by": OPERATOR_ARN,
        "reason": "Waited through the outage",
        "detail": {"places": 2, "moved": 2, "position": 1},
    }
    assert raised == {
        "event": "bumped",
        "by": OPERATOR_ARN,
        "reason": "",
        "detail": {"priority": 7, "moved": 0, "position": 1},
    }


def test_the_times_in_a_history_begin_with_the_signup_and_increase(people: People) -> None:
    people.all_sign_up("ada")
    joined_at = people.poll("ada").json["joined_at"]
    people.bump("ada", to="back")
    people.leave("ada")
    times = [event["at"] for event in people.person("ada").json["history"]]
    assert times[0] == joined_at
    assert times == sorted(times, key=datetime.fromisoformat)


def test_a_move_of_priority_0_is_a_move_in_the_history(people: People) -> None:
    people.all_sign_up("ada")
    people.bump("ada", priority=0)
    assert people.person("ada").json["history"][-1]["detail"]["priority"] == 0


def test_a_repeated_bump_leaves_the_places_of_the_first_in_the_history(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob", "cyd", "dan")
    people.bump("dan", key="k", places=1)
    first = people.person("dan").json["history"]
    people.leave("ada")
    people.bump("dan", key="k", places=1)
    assert people.person("dan").json["history"] == first
    assert first[-1]["detail"] == {"places": 1, "moved": 1, "position": 3}


def test_the_newest_hundred_events_are_shown_oldest_first(people: People) -> None:
    """P9"""
    people.all_sign_up("ada")
    for number in range(105):
        people.bump("ada", to="back", reason=f"move {number}")
    reasons = [event["reason"] for event in people.person("ada").json["history"]]
    assert reasons == [f"move {number}" for number in range(5, 105)]


def test_a_customer_sees_no_history_profile_or_attributes(people: People) -> None:
    people.sign_up("ada", profile={"name": "Ada"})
    assert not {"history", "profile", "attributes", "customer_id"} & set(people.poll("ada").json)


def test_a_customer_who_left_stays_on_record(people: People) -> None:
    people.sign_up("ada", profile={"name": "Ada"})
    people.leave("ada")
    person = people.person("ada").json
    assert (person["status"], person["position"], person["profile"]) == (
        "left",
        None,
        {"name": "Ada"},
    )
