"""Complete: final, and the same token may say so again."""

from collections.abc import Callable

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.admissions import FOREIGN_TOKEN, Admissions
from tests.support.gateway import Answer
from tests.support.world import World

LONG_SECONDS = 900


def test_the_completed_are_admitted(waitlist: Waitlist) -> None:
    """Given one offered, when completed, then admitted in the record and for the person."""
    desk = waitlist("ann", "bob")
    desk.claim()
    answer = desk.complete("ann", reason="at the door")
    assert (answer.status, answer.json["status"]) == (200, "admitted")
    assert desk.status("ann") == desk.recorded("ann")["status"] == "admitted"
    assert desk.counts() == (1, 0, 0, 1, 0)
    assert desk.listed("offered") == []


@pytest.mark.parametrize("minutes", [0, 30], ids=["at once", "much later"])
def test_the_same_token_may_complete_again(waitlist: Waitlist, world: World, minutes: int) -> None:
    """Given one admitted, when the token says so again, then nothing changes. P2."""
    desk = waitlist("ann")
    desk.claim()
    first = desk.complete("ann")
    for _ in range(minutes):
        world.advance(60)
        world.maintenance.run_all()
    again = desk.complete("ann")
    assert (again.status, again.json) == (200, first.json)
    assert desk.counts() == (0, 0, 0, 1, 0)
    assert desk.events("ann") == ["joined", "offered", "admitted"]


def test_a_late_token_completes_nobody(waitlist: Waitlist, world: World) -> None:
    """Given one offered, when the time is over to the millisecond, then refused. P4."""
    desk = waitlist("ann")
    desk.claim()
    world.advance(LEASE_SECONDS)
    assert desk.complete("ann").code == "claim_expired"
    world.maintain()
    assert desk.complete("ann").code == "claim_expired"
    assert desk.counts() == (1, 0, 0, 0, 0)


REFUSALS: dict[str, tuple[Callable[[Admissions], Answer], str]] = {
    "complete by another": (lambda desk: desk.complete("ann", FOREIGN_TOKEN), "already_admitted"),
    "release": (lambda desk: desk.release("ann"), "already_admitted"),
    "release to the back": (lambda desk: desk.release("ann", to="back"), "already_admitted"),
    "extend": (lambda desk: desk.extend("ann"), "already_admitted"),
    "park": (lambda desk: desk.park("ann"), "already_admitted"),
    "redrive": (lambda desk: desk.redrive("ann"), "already_admitted"),
    "bump": (lambda desk: desk.bump("ann", to="front"), "already_admitted"),
    "remove": (lambda desk: desk.remove("ann"), "already_admitted"),
    "leave": (lambda desk: desk.leave("ann"), "already_admitted"),
}


@pytest.mark.parametrize("seconds", [0, LONG_SECONDS], ids=["at once", "later"])
@pytest.mark.parametrize("what", REFUSALS)
def test_the_completed_refuse_everything(
    waitlist: Waitlist, world: World, what: str, seconds: int
) -> None:
    """Given one admitted, when anything else is asked, then refused and nothing changes. P4."""
    desk = waitlist("ann", "bob", rejoin="never")
    desk.claim()
    desk.complete("ann")
    world.advance(seconds)
    world.maintenance.run_all()
    before = desk.recorded("ann")
    ask, code = REFUSALS[what]
    assert ask(desk).code == code
    assert desk.sign_up("ann").code == "already_admitted"
    assert desk.recorded("ann") == before
    assert desk.order() == ["bob"]
    assert desk.claimed(5) == ["bob"]
    assert desk.counts() == (0, 1, 0, 1, 0)


def test_a_token_of_another_waitlist_is_foreign(waitlist: Waitlist, world: World) -> None:
    """Given one offered on two lists, when a token comes to the other list, then refused. P4."""
    bakery = waitlist("ann")
    cafe = Admissions(world, "cafe")
    cafe.configure()
    cafe.all_sign_up("ann")
    bakery.claim()
    cafe.claim()
    assert cafe.complete("ann", bakery.tokens["ann"]).code == "claim_mismatch"
    assert cafe.counts() == (0, 1, 0, 0, 0)


def test_nobody_unknown_is_completed(waitlist: Waitlist) -> None:
    """Given no such entry, when any operation names it, then entry_not_found."""
    desk = waitlist("ann")
    refused = [desk.act(verb, "zoe") for verb in ("complete", "release", "extend", "park")]
    refused += [desk.redrive("zoe"), desk.remove("zoe")]
    assert {answer.code for answer in refused} == {"entry_not_found"}
    assert desk.counts() == (1, 0, 0, 0, 0)
