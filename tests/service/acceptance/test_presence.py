"""With the `admission.presence` setting, customers who have closed the page get no offers. Their
slots go to people who are still there.
"""

from collections.abc import Iterable
from statistics import median
from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.snapshot import RedisState
from tests.support.world import World
from waitlist_shared.limits import MIN_PRESENCE_SECONDS

SECONDS = 120
PRESENCE = {"max_inside": 1, "offer_seconds": 60, "presence": {"seconds": SECONDS}}
PEOPLE = [f"customer-{number:02d}" for number in range(60)]


def make_away(people: Admissions, world: World, *names: str) -> None:
    people.configure(admission={**PRESENCE}, paused=True)
    for name in names:
        assert people.status(name) == "waiting"
    world.advance(SECONDS + 1)
    people.configure(admission={**PRESENCE}, paused=False)
    world.maintain()


def offered(people: Admissions) -> list[str]:
    return people.listed("offered")


def test_a_customer_who_comes_back_has_the_same_position(waitlist: Waitlist, world: World) -> None:
    """Only operators see that a customer is away. The customer keeps their position
    (promise P1).
    """
    people = waitlist("ann", "bob", "cyd", admission=PRESENCE)
    make_away(people, world, "ann")
    assert offered(people) == ["bob"]
    entry = people.person("ann").json
    assert (entry["position"], entry["ready"], entry["not_ready"]) == (1, False, ["away"])
    stats = world.request("GET", f"{people.admin_path}/stats", operator=True).json
    assert (stats["waiting"], stats["not_ready"], stats["away"]) == (2, 1, 1)
    cyd = people.poll("cyd").json
    assert (cyd["position"], cyd["ready_ahead"]) == (2, 0)
    back = people.poll("ann").json
    assert (back["position"], back["ready"], back["not_ready"]) == (1, True, None)
    assert people.enter("bob").status == 200
    people.exit("bob")
    people.poll("cyd")
    assert people.status("ann") == "offered"


def waits(
    people: Admissions, world: World, present: Iterable[str], seconds_inside: int
) -> list[float]:
    """Return how many seconds each customer waited for an offer.

    The customers poll as often as the service asks them to.
    """
    polls_at, leaves_at, found = dict.fromkeys(present, 0), dict[str, int](), list[float]()
    for second in range(600):
        for name in [name for name, at in leaves_at.items() if at <= second]:
            people.exit(name)
            del leaves_at[name]
        for name in [name for name, at in polls_at.items() if at <= second]:
            entry = people.poll(name).json
            polls_at[name] = second + entry["poll_after_seconds"]
            if entry["status"] == "offered":
                assert people.enter(name).status == 200
                found.append(second)
                leaves_at[name] = second + seconds_inside
                del polls_at[name]
        if not polls_at:
            return found
        world.advance(1)
    raise AssertionError(f"{len(polls_at)} people have not got an offer")


def median_wait(world: World, waitlist_id: str, present: list[str]) -> float:
    """Create a waitlist on which only the customers in `present` still have the page open. Return
    their median wait.
    """
    policy = {"max_inside": 10, "offer_seconds": 30, "presence": {"seconds": MIN_PRESENCE_SECONDS}}
    people = Admissions(world, waitlist_id)
    assert people.configure(admission=policy, paused=True).status == 201
    people.all_sign_up(*PEOPLE)
    for name in PEOPLE:
        people.poll(name)
    world.advance(MIN_PRESENCE_SECONDS + 1)
    for name in present:
        people.poll(name)
    assert people.configure(admission=policy, paused=False).status == 200
    return median(waits(people, world, present, seconds_inside=4))


def test_people_who_are_gone_hardly_delay_those_who_are_present(world: World) -> None:
    nobody_gone = median_wait(world, "nobody-gone", PEOPLE)
    assert median_wait(world, "half-gone", PEOPLE[1::2]) <= 1.2 * nobody_gone


def test_a_loss_of_redis_makes_everybody_present(waitlist: Waitlist, world: World) -> None:
    """After a loss of Redis, everybody counts as present, because DynamoDB does not know who was
    away (promise P7).
    """
    people = waitlist("ann", "bob", admission=PRESENCE)
    make_away(people, world, "ann")
    assert people.person("ann").json["not_ready"] == ["away"]
    world.redis.flushall()
    for _ in range(3):
        world.maintain()
    assert people.person("ann").json["not_ready"] is None
    stats = world.request("GET", f"{people.admin_path}/stats", operator=True).json
    assert stats["away"] == 0


def test_a_failover_that_loses_less_than_two_polls_makes_nobody_away(
    waitlist: Waitlist, world: World
) -> None:
    """Customers poll three times before they would count as away, so a customer counts as present
    even if Redis loses two of these polls.
    """
    people = waitlist("ann", "bob", admission=PRESENCE, paused=True)
    people.poll("ann")
    past = RedisState.of(world.redis)
    for _ in range(2):
        world.advance(SECONDS // 3)
        people.poll("ann")
    past.restore(world.redis)
    world.advance(SECONDS // 3)
    people.configure(admission=PRESENCE, paused=False)
    people.poll("bob")
    assert people.status("ann") == "offered"


def test_a_list_that_gives_up_the_setting_has_nobody_away(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", admission=PRESENCE)
    make_away(people, world, "ann")
    people.configure(admission={**PRESENCE, "presence": None})
    for _ in range(3):
        world.maintain()
    assert people.person("ann").json["not_ready"] is None


def test_a_resting_customer_polls_often_enough_to_stay_present(
    waitlist: Waitlist, world: World
) -> None:
    """A customer who has paused must keep polling. Otherwise, they would count as away when the
    pause ends.
    """
    short = {**PRESENCE, "presence": {"seconds": MIN_PRESENCE_SECONDS}}
    people = waitlist("ann", "bob", admission=short, rest={"max_days": 1, "times": 1})
    assert people.rest("ann", seconds=3600).status == 200
    assert people.poll("ann").json["poll_after_seconds"] == MIN_PRESENCE_SECONDS // 3


@pytest.mark.parametrize("seconds", [29, 3601, None, "120"])
def test_the_time_of_the_setting_has_limits(waitlist: Waitlist, seconds: Any) -> None:
    people = waitlist("ann", admission=PRESENCE)
    refused = people.configure(admission={**PRESENCE, "presence": {"seconds": seconds}})
    assert refused.status == 422
    assert "admission.presence.seconds" in refused.text


def test_the_setting_on_a_list_that_makes_no_offers_by_itself_has_a_warning(
    waitlist: Waitlist,
) -> None:
    people = waitlist("ann")
    saved = people.configure(admission={"presence": {"seconds": SECONDS}})
    (warning,) = saved.json["warnings"]
    assert "presence" in warning["message"]
