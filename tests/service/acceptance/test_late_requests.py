"""Requests that arrive late or twice: each is about the offer or parking that its caller meant."""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World

ONE_INSIDE = {"max_inside": 1}


def offered_until(desk: Admissions, name: str) -> str:
    until = desk.look(name).json["offered_until"]
    assert until is not None
    return str(until)


def offered_twice(waitlist: Waitlist, world: World) -> tuple[Admissions, str]:
    """Let Ann, alone on the list, decline an offer and get the next; return the first one's end."""
    desk = waitlist("ann", admission=ONE_INSIDE)
    desk.look("ann")
    first = offered_until(desk, "ann")
    world.advance(1)
    assert desk.decline("ann", key="first", offered_until=first).json["position"] == 1
    desk.look("ann")
    assert offered_until(desk, "ann") > first
    return desk, first


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_repeated_decline_leaves_the_next_offer_open(
    waitlist: Waitlist, world: World, is_recorded: bool
) -> None:
    """Given the next offer, when the decline of the one before is repeated, then it is open. P2"""
    desk, first = offered_twice(waitlist, world)
    if is_recorded:
        world.maintain()
    again = desk.decline("ann", key="first")
    assert (again.status, again.json["status"]) == (200, "offered")
    assert desk.decline("ann", offered_until=first).status in (200, 409)
    assert desk.status("ann") == "offered"
    assert desk.events("ann").count("declined") == 1
    second = offered_until(desk, "ann")
    assert desk.decline("ann", offered_until=second).status == 200
    assert desk.events("ann").count("declined") == 2


def test_a_late_decline_by_leaving_leaves_the_next_offer_open(
    waitlist: Waitlist, world: World
) -> None:
    """Given the next offer, when the customer's leave from the one before comes, then refused."""
    desk, first = offered_twice(waitlist, world)
    refused = desk.decline("ann", "leave", offered_until=first)
    assert (refused.status, refused.json["code"]) == (409, "not_offered")
    assert desk.status("ann") == "offered"
    assert desk.decline("ann", "leave", offered_until=offered_until(desk, "ann")).status == 200
    assert desk.events("ann")[-1] == "left"


def test_a_repeated_decline_by_leaving_with_its_key_changes_nothing(
    waitlist: Waitlist, world: World
) -> None:
    """Given a customer who left, signed up again and has an offer, when repeated, then open."""
    desk = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    desk.look("ann")
    assert desk.decline("ann", "leave", key="goodbye").status == 200
    assert desk.decline("ann", "leave", key="goodbye").json["status"] == "left"
    desk.sign_up("ann")
    desk.look("ann")
    assert desk.status("ann") == "offered"
    desk.decline("ann", "leave", key="goodbye")
    assert desk.status("ann") == "offered"


def test_a_decline_that_names_no_offer_is_about_the_open_one(
    waitlist: Waitlist, world: World
) -> None:
    """Given an app of an earlier version, when it declines the next offer, then it is declined."""
    desk, _ = offered_twice(waitlist, world)
    assert desk.decline("ann").status == 200
    assert desk.events("ann").count("declined") == 2


def test_a_late_redrive_leaves_a_later_parking(waitlist: Waitlist, world: World) -> None:
    """Given a person parked again, when the first redrive comes once more, then still parked. P2"""
    desk = waitlist("ann")
    first = parked_at(desk, world)
    assert desk.redrive("ann", parked_at=first).status == 200
    second = parked_at(desk, world)
    for _ in range(2):
        world.maintain()
        late = desk.redrive("ann", parked_at=first)
        assert late.status in (200, 409)
        assert desk.status("ann") == "parked"
    assert late.json["code"] == "not_parked"
    assert desk.redrive("ann", parked_at=second).status == 200
    assert desk.status("ann") == "waiting"


def parked_at(desk: Admissions, world: World) -> str:
    world.advance(1)
    assert desk.claimed() == ["ann"]
    assert desk.park("ann").status == 200
    return str(desk.person("ann").json["parked_at"])
