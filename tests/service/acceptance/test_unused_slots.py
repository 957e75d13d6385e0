"""If a customer does not use an offer, the offer's slot goes to the next customer."""

from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.service.acceptance.test_admission_policy import (
    NAMES,
    OFFER_SECONDS,
    iso,
    maintained,
    offered,
)
from tests.support.admissions import Admissions
from tests.support.world import World

ANN, BOB, CYD = NAMES[:3]


def at_nine(count: int = 1, **admission: Any) -> dict[str, Any]:
    return {"schedule": [{"at": iso(10), "count": count}], **admission}


def opened(waitlist: Waitlist, world: World, **admission: Any) -> Admissions:
    people = waitlist(*NAMES, admission=at_nine(**admission))
    world.advance(10)
    assert maintained(people) == [ANN]
    return people


ENDS = {
    "declines": lambda people: people.decline(ANN),
    "declines and leaves": lambda people: people.decline(ANN, to="leave"),
    "leaves": lambda people: people.leave(ANN),
    "is removed": lambda people: people.remove(ANN),
    "is erased": lambda people: people.erase(ANN),
    "has the offer withdrawn": lambda people: people.withdraw(ANN),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_unused_slot_goes_to_the_next_customer_once(
    waitlist: Waitlist, world: World, end: str
) -> None:
    """A customer's request to end an offer arrives twice. The slot goes to only one other customer
    (promise P2).
    """
    people = opened(waitlist, world)
    ENDS[end](people)
    people.poll(CYD)
    assert people.status(BOB) == "offered"
    ENDS[end](people)
    world.advance(120)
    world.maintenance.run_all()
    assert [name for name in NAMES[1:] if people.status(name) == "offered"] == [BOB]
    assert people.events(BOB) == ["joined", "offered"]


@pytest.mark.parametrize("terms", [{}, {"no_show": "to_back"}, {"no_show": "leave"}])
def test_a_slot_whose_customer_does_not_come_goes_to_the_next(
    waitlist: Waitlist, world: World, terms: dict[str, str]
) -> None:
    people = opened(waitlist, world, **terms)
    world.advance(OFFER_SECONDS)
    for _ in range(2):
        world.maintenance.run_all()
        assert offered(people) == [BOB]


def test_a_quota_of_a_list_without_a_policy_goes_past_a_customer_who_does_not_come(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(*NAMES, admission=None)
    people.admit(1, refill=True)
    for name in (BOB, CYD):
        world.advance(OFFER_SECONDS)
        world.maintenance.run_all()
        assert offered(people) == [name]


def test_a_slot_is_not_given_back_by_a_redis_that_was_rebuilt(
    waitlist: Waitlist, world: World
) -> None:
    """After a loss of Redis, the service cannot know whether the next customer has been offered an
    unused slot. It does not offer the slot, because that could offer it twice.
    """
    people = opened(waitlist, world)
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.decline(ANN).status == 200
    assert maintained(people) == []


def test_an_operator_takes_an_offer_back(waitlist: Waitlist, world: World) -> None:
    """If an operator withdraws an offer, the customer returns to their old place. The slot goes to
    the next customer once.
    """
    people = opened(waitlist, world)
    until = people.poll(ANN).json["offered_until"]
    answer = people.withdraw(ANN, offered_until=until, reason="the wrong person")
    assert (answer.json["status"], answer.json["position"]) == ("waiting", 1)
    assert people.status(BOB) == "offered"
    assert people.events(BOB) == ["joined", "offered"]
    event = people.person(ANN).json["history"][-1]
    assert (event["event"], event["reason"]) == ("withdrawn", "the wrong person")
    assert event["by"].startswith("arn:")
    world.advance(1)
    assert people.admit(1).json["entries"][0]["customer_id"] == ANN
    assert people.withdraw(ANN, offered_until=until).status == 200
    assert people.status(ANN) == "offered"


def test_an_offer_that_is_over_cannot_be_taken_back(waitlist: Waitlist, world: World) -> None:
    people = opened(waitlist, world)
    assert people.withdraw(BOB).code == "not_offered"
    later = iso(OFFER_SECONDS + 11)
    assert people.withdraw(ANN, offered_until=later).code == "not_offered"
    people.enter(ANN)
    assert people.withdraw(ANN).code == "already_admitted"


def test_an_offer_that_redis_has_lost_can_be_taken_back(waitlist: Waitlist, world: World) -> None:
    people = opened(waitlist, world)
    keys = [f"wl:{{{people.waitlist_id}}}:{name}" for name in ("held", "claims")]
    world.redis.delete(*keys)
    assert people.withdraw(ANN).json["status"] == "waiting"
    assert people.events(ANN) == ["joined", "offered", "withdrawn"]


def test_an_operator_admits_one_person_now(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*NAMES, admission={})
    answer = people.admit_one(CYD, key="now", reason="in a wheelchair")
    assert answer.json["status"] == "offered"
    assert answer.json["offered_until"] == iso(OFFER_SECONDS)
    assert answer.json["customer_id"] == CYD
    assert people.admit_one(CYD, key="now", reason="in a wheelchair").json == answer.json
    assert people.admit_one(CYD).code == "not_waiting"
    event = people.person(CYD).json["history"][-1]
    assert (event["event"], event["reason"]) == ("offered", "in a wheelchair")
    people.decline(CYD)
    assert people.admit_one(CYD, key="now", reason="in a wheelchair").json["status"] == "waiting"
    assert people.status(ANN) == "waiting"


def test_one_person_is_admitted_where_no_acceptance_is_asked(waitlist: Waitlist) -> None:
    people = waitlist(ANN, BOB, admission={"acceptance": "automatic"})
    assert people.admit_one(BOB).json["status"] == "admitted"
    assert people.admit_one(BOB).code == "already_admitted"


def test_one_person_is_not_admitted_beyond_the_room(waitlist: Waitlist) -> None:
    people = waitlist(ANN, BOB, admission={"max_inside": 1})
    assert maintained(people) == [ANN]
    assert people.admit_one(BOB).code == "inside_full"
    assert people.status(BOB) == "waiting"


def test_one_person_whose_place_redis_has_lost_is_admitted(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(ANN, BOB, admission={})
    world.redis.zrem(f"wl:{{{people.waitlist_id}}}:queue", people.id_of(BOB))
    assert people.admit_one(BOB).json["status"] == "offered"


def test_a_refill_continues_until_enough_customers_have_entered(
    waitlist: Waitlist, world: World
) -> None:
    """An unused offer with `refill` goes to the next customer, even if the waitlist has no
    admission policy.
    """
    people = waitlist(ANN, BOB, CYD)
    assert len(people.admit(2, refill=True).json["entries"]) == 2
    assert people.stats().json["quota"] == 2
    people.enter(ANN)
    people.decline(BOB, to="leave")
    assert people.stats().json["quota"] == 1
    assert maintained(people) == [CYD]
    people.enter(CYD)
    assert people.stats().json["quota"] == 0


def test_a_count_of_zero_ends_a_refill(waitlist: Waitlist, world: World) -> None:
    people = waitlist(ANN, BOB)
    people.admit(1, refill=True)
    assert people.admit(0).json == {"entries": []}
    assert people.stats().json["quota"] == 0
    people.decline(ANN)
    assert maintained(people) == []


def test_a_refill_is_of_the_whole_list(waitlist: Waitlist) -> None:
    people = waitlist(ANN, segments=[["language"]])
    refused = people.admit(1, refill=True, filter={"language": "English"})
    assert refused.code == "invalid_request"


def test_one_policy_describes_a_launch(waitlist: Waitlist, world: World) -> None:
    """A single policy can describe a launch: a number of offers at a set time, a rate after that,
    and a limit on the people inside.
    """
    rate = {"count": 60, "per": "minute", "counts": "entered", "from": iso(10)}
    people = waitlist(*NAMES, admission=at_nine(3, rate=rate, combine="sum", max_inside=5))
    shown = world.request("GET", people.admin_path, operator=True).json["admission"]
    assert (shown["rate"], shown["combine"]) == (rate, "sum")
    world.advance(9)
    assert maintained(people) == []
    world.advance(1)
    assert maintained(people) == NAMES[:3]
    world.advance(1)
    assert maintained(people) == NAMES[:4]
    world.advance(5)
    assert maintained(people) == NAMES[:5]
    people.decline(NAMES[3])
    people.poll(NAMES[9])
    assert people.status(NAMES[5]) == "offered"


def test_a_rate_that_begins_later_shows_in_the_estimates(waitlist: Waitlist, world: World) -> None:
    rate = {"count": 60, "per": "minute", "from": iso(600)}
    people = waitlist(*NAMES, admission={"rate": rate})
    world.maintenance.run_all()
    estimate = people.poll(ANN).json["estimated_wait"]
    assert 590 <= estimate["seconds"] <= 610
