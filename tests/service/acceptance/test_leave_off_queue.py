"""Those who leave, are removed or erased while they are offered, parked, or admitted."""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import World


def test_one_who_leaves_while_offered_cannot_be_completed(waitlist: Waitlist, world: World) -> None:
    """Given one offered, when they leave, then complete and all else fails. P4."""
    desk = waitlist("ann", "bob")
    desk.claim()
    assert desk.leave("ann").status == 204
    refused = [desk.act(verb, "ann") for verb in ("complete", "release", "extend", "park")]
    assert {answer.code for answer in refused} == {"not_waiting"}
    world.advance(LEASE_SECONDS)
    world.maintain()
    assert desk.counts() == (1, 0, 0, 0, 1)
    assert desk.status("ann") == "left"
    assert desk.claimed(2) == ["bob"]


@pytest.mark.parametrize("where", ["waiting", "offered", "parked"])
def test_whoever_is_on_the_list_can_be_removed(waitlist: Waitlist, where: str) -> None:
    """Given one who waits, is offered or parked, when removed, then left, with the reason. P2."""
    desk = waitlist("ann", "bob")
    if where != "waiting":
        desk.claim()
    if where == "parked":
        desk.park("ann")
    for _ in range(2):
        assert desk.remove("ann", reason="a duplicate").status == 204
    assert desk.counts() == (1, 0, 0, 0, 1)
    person = desk.person("ann").json
    assert person["status"] == "left"
    (left,) = [event for event in person["history"] if event["event"] == "left"]
    assert left["by"].startswith("arn:")
    assert left["reason"] == "a duplicate"
    assert (person["claimed_until"], person["parked_at"], person["park_reason"]) == (None,) * 3


def test_the_admitted_cannot_be_removed(waitlist: Waitlist) -> None:
    """Given one admitted, when removed, then refused: it is final. P4."""
    desk = waitlist("ann")
    desk.claim()
    desk.complete("ann")
    assert desk.remove("ann").code == "already_admitted"
    assert desk.counts() == (0, 0, 0, 1, 0)


@pytest.mark.parametrize("where", ["offered", "parked", "admitted", "dequeued"])
def test_whoever_is_erased_is_gone_from_everywhere(
    waitlist: Waitlist, world: World, where: str
) -> None:
    """Given one offered, parked or admitted, when erased, then nothing is left of them. P8."""
    desk = waitlist("ann", "bob")
    desk.claim(complete=where == "dequeued")
    if where == "parked":
        desk.park("ann")
    elif where == "admitted":
        desk.complete("ann")
    assert desk.erase("ann").status == 204
    for _ in range(3):
        assert desk.person("ann").status == 404
        assert desk.complete("ann").code == "entry_not_found"
        assert (desk.listed("offered"), desk.listed("parked")) == ([], [])
        world.maintain()
    # The key of the claim's repeat expires by itself.
    left = [key for key in world.redis.keys("*") if ":once:" not in key]
    assert set(left) <= {f"wl:{{bakery}}:{name}" for name in ("meta", "queue", "gone")}
    assert desk.claimed(2) == ["bob"]


def test_an_erased_person_may_come_anew(waitlist: Waitlist, world: World) -> None:
    """Given one erased while offered, when they sign up, then they are new, and last. P1."""
    desk = waitlist("ann", "bob")
    desk.claim()
    desk.erase("ann")
    desk.all_sign_up("ann")
    assert desk.order() == ["bob", "ann"]
    assert desk.complete("ann").code == "claim_mismatch"
    world.advance(LEASE_SECONDS)
    assert desk.claimed(2) == ["bob", "ann"]


@pytest.mark.parametrize("seconds", [0, 300], ids=["at once", "later"])
@pytest.mark.parametrize("at_once", [True, False], ids=["dequeued", "completed"])
def test_the_admitted_may_sign_up_again_where_the_list_lets_them(
    waitlist: Waitlist, world: World, at_once: bool, seconds: int
) -> None:
    """Given one admitted, when they sign up again, then they are last, and admitted again. P3."""
    desk = waitlist("ann", "bob", rejoin="always")
    desk.claim(complete=at_once)
    former = desk.tokens["ann"]
    assert desk.complete("ann").status == 200
    world.advance(seconds)
    if seconds:
        world.services.maintenance.run_all()
    answer = desk.sign_up("ann", key="again")
    assert (answer.status, answer.json["position"]) == (201, 2)
    assert desk.complete("ann", former).status == 409
    world.maintain()
    world.maintain()
    assert desk.order() == ["bob", "ann"]
    assert desk.status("ann") == desk.recorded("ann")["status"] == "waiting"
    assert desk.claimed(2) == ["bob", "ann"]
    assert desk.complete("ann").status == 200
    assert desk.events("ann").count("admitted") == 2


def test_the_admitted_may_not_sign_up_again_elsewhere(waitlist: Waitlist) -> None:
    """Given a list without rejoins, when one admitted signs up, then refused. P4."""
    desk = waitlist("ann", rejoin="never")
    desk.claim()
    desk.complete("ann")
    assert desk.sign_up("ann", key="again").code == "already_admitted"
    assert desk.counts() == (0, 0, 0, 1, 0)
