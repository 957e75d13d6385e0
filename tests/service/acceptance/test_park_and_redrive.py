"""Park and redrive: off the queue until an operator decides, and back."""

import pytest

from tests.service.acceptance.terms import Waitlist


def test_the_parked_are_aside_with_the_reason(waitlist: Waitlist) -> None:
    """Given one held, when parked with a reason, then off the queue, and the reason is returned."""
    desk = waitlist("ann", "bob")
    desk.claim()
    assert desk.park("ann", reason="no show").json["status"] == "parked"
    person = desk.person("ann").json
    assert (person["status"], person["park_reason"]) == ("parked", "no show")
    assert person["claimed_until"] is None
    assert person["parked_at"] is not None
    assert desk.status("ann") == "parked"
    assert desk.claimed(5) == ["bob"]
    assert desk.counts() == (0, 1, 1, 0, 0)


def test_a_repeated_park_parks_once(waitlist: Waitlist) -> None:
    """Given one parked, when the token says so again, then the answer is the same. P2."""
    desk = waitlist("ann")
    desk.claim()
    first = desk.park("ann", reason="no show")
    again = desk.park("ann", reason="no show")
    assert (again.status, again.json) == (200, first.json)
    assert desk.events("ann") == ["joined", "offered", "parked"]


@pytest.mark.parametrize(("to", "order"), [("place", "abc"), ("back", "bca")])
def test_a_redrive_goes_to_the_old_place_or_to_the_back(
    waitlist: Waitlist, to: str, order: str
) -> None:
    """Given the first parked, when redriven, then it stands where it was asked to. P1, P6."""
    desk = waitlist("a", "b", "c")
    desk.claim()
    desk.park("a")
    answer = desk.redrive("a", to=to, reason="called back").json
    assert (answer["position"], answer["total"]) == (order.index("a") + 1, 3)
    assert desk.order() == list(order)
    assert desk.person("a").json["history"][-1]["reason"] == "called back"


def test_a_repeated_redrive_redrives_once(waitlist: Waitlist) -> None:
    """Given one redriven to the back, when asked again, then the answer is the same. P2."""
    desk = waitlist("ann", "bob")
    desk.claim()
    desk.park("ann")
    first = desk.redrive("ann", to="back")
    again = desk.redrive("ann", to="back")
    assert (again.status, again.json) == (200, first.json)
    assert desk.order() == ["bob", "ann"]
    assert desk.events("ann").count("redriven") == 1


def test_a_parked_person_who_signs_up_again_stays_parked(waitlist: Waitlist) -> None:
    """Given one parked, when the same signup comes again, then its answer is parked. P2."""
    desk = waitlist("ann")
    desk.claim()
    desk.park("ann")
    answer = desk.sign_up("ann", key="signup-ann")
    assert (answer.status, answer.json["status"]) == (200, "parked")
    assert desk.sign_up("ann", key="another").code == "already_on_list"
    assert desk.order() == []
