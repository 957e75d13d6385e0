"""Tests for late and repeated requests. They must not affect what has happened to the entry in the
meantime, such as a new offer.
"""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World

ONE_INSIDE = {"max_inside": 1}


def offered_until(people: Admissions, name: str) -> str:
    until = people.poll(name).json["offered_until"]
    assert until is not None
    return str(until)


def decline_first_offer(waitlist: Waitlist, world: World) -> tuple[Admissions, str]:
    """Let Ann decline an offer and get a second one. Return when the first offer would have
    ended.
    """
    people = waitlist("ann", admission=ONE_INSIDE)
    people.poll("ann")
    first = offered_until(people, "ann")
    world.advance(1)
    assert people.decline("ann", key="first", offered_until=first).json["position"] == 1
    people.poll("ann")
    assert offered_until(people, "ann") > first
    return people, first


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_repeated_decline_leaves_the_next_offer_open(
    waitlist: Waitlist, world: World, is_recorded: bool
) -> None:
    """If a request to decline an offer arrives twice, it does not end the next offer
    (promise P2).
    """
    people, first = decline_first_offer(waitlist, world)
    if is_recorded:
        world.maintain()
    again = people.decline("ann", key="first", offered_until=first)
    assert (again.status, again.json["status"]) == (200, "offered")
    assert people.decline("ann", offered_until=first).status in (200, 409)
    assert people.status("ann") == "offered"
    assert people.events("ann").count("declined") == 1
    second = offered_until(people, "ann")
    assert people.decline("ann", offered_until=second).status == 200
    assert people.events("ann").count("declined") == 2


def test_a_late_decline_by_leaving_leaves_the_next_offer_open(
    waitlist: Waitlist, world: World
) -> None:
    """A request to decline an offer and leave is refused if it arrives so late that the customer
    has a new offer.
    """
    people, first = decline_first_offer(waitlist, world)
    refused = people.decline("ann", "leave", offered_until=first)
    assert (refused.status, refused.json["code"]) == (409, "not_offered")
    assert people.status("ann") == "offered"
    assert people.decline("ann", "leave", offered_until=offered_until(people, "ann")).status == 200
    assert people.events("ann")[-1] == "left"


def test_a_repeated_decline_by_leaving_with_its_key_changes_nothing(
    waitlist: Waitlist, world: World
) -> None:
    """A late request to decline and leave does not end an offer that the customer got after signing
    up again.
    """
    people = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    people.poll("ann")
    assert people.decline("ann", "leave", key="goodbye").status == 200
    assert people.decline("ann", "leave", key="goodbye").json["status"] == "left"
    people.sign_up("ann")
    people.poll("ann")
    assert people.status("ann") == "offered"
    assert people.decline("ann", "leave", key="goodbye").json["status"] == "offered"
    assert people.status("ann") == "offered"


@pytest.mark.parametrize(
    ("first", "second"), [(None, "leave"), ("back", "leave"), ("leave", "back"), ("back", None)]
)
def test_one_key_does_not_decline_with_two_choices(
    waitlist: Waitlist, world: World, first: str | None, second: str | None
) -> None:
    """A customer's app sends the key of a decline again, but with another choice. The service
    refuses the request, and the customer's next offer stays open (promise P5).
    """
    people = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    people.poll("ann")
    answer = people.decline("ann", first, key="k").json
    refused = people.decline("ann", second, key="k")
    assert (refused.status, refused.code) == (422, "idempotency_key_reused")
    assert people.decline("ann", first, key="k").json["status"] == answer["status"]
    if first == "leave":
        people.sign_up("ann")
    world.advance(1)
    people.poll("ann")
    assert people.status("ann") == "offered"
    assert people.decline("ann", second, key="k").code == "idempotency_key_reused"
    assert people.status("ann") == "offered"


def test_one_key_does_not_decline_two_offers(waitlist: Waitlist, world: World) -> None:
    """A customer's app declines the next offer with the key of the last decline. The service does
    not treat this request as a repeat, but refuses it (promise P5).
    """
    people, _first = decline_first_offer(waitlist, world)
    second = offered_until(people, "ann")
    refused = people.decline("ann", key="first", offered_until=second)
    assert (refused.status, refused.code) == (422, "idempotency_key_reused")
    assert people.status("ann") == "offered"
    assert people.decline("ann", key="second", offered_until=second).status == 200


def test_a_decline_that_names_no_offer_is_about_the_open_one(
    waitlist: Waitlist, world: World
) -> None:
    """A request that does not name an offer declines the one that is open now."""
    people, _ = decline_first_offer(waitlist, world)
    assert people.decline("ann").status == 200
    assert people.events("ann").count("declined") == 2


def test_a_late_redrive_leaves_a_later_parking(waitlist: Waitlist, world: World) -> None:
    """A request moves a parked entry back to the queue. If it arrives again after the entry was
    parked a second time, the entry stays parked (promise P2).
    """
    people = waitlist("ann")
    first = parked_at(people, world)
    assert people.redrive("ann", parked_at=first).status == 200
    second = parked_at(people, world)
    for _ in range(2):
        world.maintain()
        late = people.redrive("ann", parked_at=first)
        assert late.status in (200, 409)
        assert people.status("ann") == "parked"
    assert late.json["code"] == "not_parked"
    assert people.redrive("ann", parked_at=second).status == 200
    assert people.status("ann") == "waiting"


def parked_at(people: Admissions, world: World) -> str:
    world.advance(1)
    assert people.claimed() == ["ann"]
    assert people.park("ann").status == 200
    return str(people.person("ann").json["parked_at"])
