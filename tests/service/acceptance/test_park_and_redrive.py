"""Park and redrive: off the queue until an operator decides, and back."""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, MAX_ATTEMPTS, Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World


def worn_out(desk: Admissions, name: str) -> None:
    """Have the first in line held until no attempts are left."""
    for _ in range(MAX_ATTEMPTS):
        assert desk.claimed() == [name]
        desk.world.advance(LEASE_SECONDS)
    desk.world.maintain()
    desk.world.maintain()
    assert desk.recorded(name)["status"] == "parked"


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


def test_a_late_park_is_refused(waitlist: Waitlist, world: World) -> None:
    """Given one parked by the time, when its last token parks, then refused: it was not it. P4."""
    desk = waitlist("ann", max_attempts=1)
    desk.claim()
    world.advance(LEASE_SECONDS)
    world.services.maintenance.run_all()
    assert desk.park("ann", reason="late").code == "claim_expired"
    world.maintain()
    assert desk.park("ann", reason="late").code == "claim_expired"
    assert desk.person("ann").json["park_reason"] == "max_attempts"


def test_the_parked_refuse_their_token(waitlist: Waitlist) -> None:
    """Given one parked, when completed, extended or released, then refused. P4."""
    desk = waitlist("ann")
    desk.claim()
    desk.park("ann")
    refused = (desk.complete("ann"), desk.extend("ann"), desk.release("ann"))
    assert {answer.code for answer in refused} == {"claim_expired"}
    assert desk.counts() == (0, 0, 1, 0, 0)


def test_a_redrive_forgives_the_attempts(waitlist: Waitlist, world: World) -> None:
    """Given one parked for its attempts, when redriven, then none are stored anywhere."""
    desk = waitlist("ann")
    worn_out(desk, "ann")
    assert desk.recorded("ann")["attempts"] == MAX_ATTEMPTS
    assert desk.redrive("ann").json["status"] == "waiting"
    person = desk.person("ann").json
    assert (person["attempts"], person["park_reason"], person["parked_at"]) == (0, None, None)
    (claim,) = desk.claim().json["claims"]
    assert claim["attempts"] == 0
    desk.release("ann")
    world.redis.flushall()
    world.maintain()
    (claim,) = desk.claim().json["claims"]
    assert claim["attempts"] == 0


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


def test_only_the_parked_are_redriven(waitlist: Waitlist) -> None:
    """Given entries that wait or are held, when redriven, then refused. P5."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim(2)
    desk.park("bob")
    desk.redrive("bob")
    desk.claim()
    assert {desk.redrive(name).code for name in ("ann", "cyd")} == {"not_parked"}
    # The first answer may have been lost: it was done, and is not done again.
    assert desk.redrive("bob").status == 200
    assert desk.counts() == (1, 2, 0, 0, 0)


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


def test_a_parked_person_cannot_be_bumped(waitlist: Waitlist) -> None:
    """Given one parked and one held, when bumped, then refused: they do not wait. P5."""
    desk = waitlist("ann", "bob")
    desk.claim(2)
    desk.park("ann")
    assert {desk.bump(name, to="front").code for name in ("ann", "bob")} == {"not_waiting"}
    assert desk.counts() == (0, 1, 1, 0, 0)


def test_a_parked_person_who_signs_up_again_stays_parked(waitlist: Waitlist) -> None:
    """Given one parked, when the same signup comes again, then its answer is parked. P2."""
    desk = waitlist("ann")
    desk.claim()
    desk.park("ann")
    answer = desk.sign_up("ann", key="signup-ann")
    assert (answer.status, answer.json["status"]) == (200, "parked")
    assert desk.sign_up("ann", key="another").code == "already_on_list"
    assert desk.order() == []
