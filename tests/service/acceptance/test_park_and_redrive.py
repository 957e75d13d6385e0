"""Tests for parked entries. A parked entry stays out of the queue until an operator moves it back
(a redrive).
"""

import pytest

from tests.service.acceptance.terms import Waitlist


def test_the_parked_are_aside_with_the_reason(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.claim()
    assert people.park("ann", reason="no show").json["status"] == "parked"
    person = people.person("ann").json
    assert (person["status"], person["park_reason"]) == ("parked", "no show")
    assert person["claimed_until"] is None
    assert person["parked_at"] is not None
    assert people.status("ann") == "parked"
    assert people.claimed(5) == ["bob"]
    assert people.counts() == (0, 1, 1, 0, 0)


def test_a_repeated_park_parks_once(waitlist: Waitlist) -> None:
    """A worker that repeats a request to park an entry gets the same response, and the entry is
    parked once (promise P2).
    """
    people = waitlist("ann")
    people.claim()
    first = people.park("ann", reason="no show")
    again = people.park("ann", reason="no show")
    assert (again.status, again.json) == (200, first.json)
    assert people.events("ann") == ["joined", "offered", "parked"]


@pytest.mark.parametrize(("to", "order"), [("place", "abc"), ("back", "bca")])
def test_a_redrive_goes_to_the_old_place_or_to_the_back(
    waitlist: Waitlist, to: str, order: str
) -> None:
    people = waitlist("a", "b", "c")
    people.claim()
    people.park("a")
    answer = people.redrive("a", to=to, reason="called back").json
    assert (answer["position"], answer["total"]) == (order.index("a") + 1, 3)
    assert people.order() == list(order)
    assert people.person("a").json["history"][-1]["reason"] == "called back"


def test_a_repeated_redrive_redrives_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.claim()
    people.park("ann")
    first = people.redrive("ann", to="back")
    again = people.redrive("ann", to="back")
    assert (again.status, again.json) == (200, first.json)
    assert people.order() == ["bob", "ann"]
    assert people.events("ann").count("redriven") == 1


def test_a_parked_person_who_signs_up_again_stays_parked(waitlist: Waitlist) -> None:
    """If a customer whose entry is parked repeats their signup, the response says that the entry is
    parked (promise P2).
    """
    people = waitlist("ann")
    people.claim()
    people.park("ann")
    answer = people.sign_up("ann", key="signup-ann")
    assert (answer.status, answer.json["status"]) == (200, "parked")
    assert people.sign_up("ann", key="another").code == "already_on_list"
    assert people.order() == []
