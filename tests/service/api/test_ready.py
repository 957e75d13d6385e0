"""Tests people who are not ready for admission. They keep their place and count in other people's
positions, but claims and offers skip them.
"""

from contextlib import suppress
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.faults import Crash, Wire, before, crash_after, crash_before
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.clock import iso
from waitlist_api.entries.bump import BumpCommand

DAY = 24 * 3600
STEPS = range(6)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def people(wire: Wire) -> Admissions:
    table = wire.client(new_table())
    clock = RedisClock.standing()
    people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    people.configure(rest={"max_days": 10, "times": 2})
    people.all_sign_up("ada", "bob", "cyd")
    return people


def seen(people: Admissions, name: str) -> tuple[Any, ...]:
    found = people.poll(name).json
    return found["position"], found["ready"], found["ready_ahead"], found["not_ready"]


def test_a_person_who_pauses_keeps_the_place_and_is_skipped(people: Admissions) -> None:
    answer = people.rest("ada", DAY)
    assert (answer.status, answer.json["rest_until"] is not None) == (200, True)
    assert seen(people, "ada") == (1, False, 0, ["resting"])
    assert seen(people, "bob") == (2, True, 0, None)
    assert (people.stats().json["waiting"], people.stats().json["not_ready"]) == (3, 1)
    assert people.claimed(2) == ["bob", "cyd"]
    assert people.claimed() == []
    assert people.events("ada") == ["joined", "rested"]


def test_a_rest_ends_by_itself_for_a_claim_without_a_poll_before(people: Admissions) -> None:
    people.rest("ada", DAY)
    people.world.advance(DAY - 1)
    assert people.claimed() == ["bob"]
    people.world.advance(1)
    assert people.claimed() == ["ada"]


def test_a_rest_that_is_over_is_not_shown(people: Admissions) -> None:
    people.rest("ada", DAY)
    people.world.advance(DAY)
    assert seen(people, "ada") == (1, True, 0, None)
    assert people.poll("ada").json["rest_until"] is None
    assert people.stats().json["not_ready"] == 0


def test_a_customer_resumes(people: Admissions) -> None:
    rested = people.rest("ada", DAY).json
    for _ in range(2):
        resumed = people.resume("ada", rested["rest_until"]).json
        assert (
            (resumed["ready"], resumed["rests_left"]) == (True, rested["rests_left"]) == (True, 1)
        )
    assert people.claimed() == ["ada"]
    assert people.events("ada") == ["joined", "rested", "resumed", "offered"]


def test_a_late_resume_leaves_the_next_rest(people: Admissions) -> None:
    first = people.rest("ada", DAY).json["rest_until"]
    people.resume("ada", first)
    second = people.rest("ada", 2 * DAY).json["rest_until"]
    assert people.resume("ada", first).json["rest_until"] == second
    assert people.claimed() == ["bob"]
    assert people.events("ada") == ["joined", "rested", "resumed", "rested"]


def test_rests_are_bounded_in_length_and_number(people: Admissions) -> None:
    assert people.rest("ada", 11 * DAY).code == "invalid_request"
    assert people.rest("ada", -1).code == "invalid_request"
    for seconds in (DAY, 2 * DAY):
        assert people.rest("ada", seconds, key=f"rest-{seconds}").status == 200
    assert people.rest("ada", 2 * DAY, key="rest-172800").status == 200, "a repeat"
    assert people.rest("ada", 3 * DAY).status == 409
    people.configure(rest=None)
    assert people.rest("bob", DAY).status == 409


def test_only_an_entry_that_waits_rests(people: Admissions) -> None:
    assert people.claimed() == ["ada"]
    assert people.rest("ada", DAY).code == "not_waiting"


def test_an_operator_holds_an_entry_back_and_lets_it_go(people: Admissions) -> None:
    assert people.hold_back("ada", reason="papers missing").json["not_ready"] == ["held_back"]
    people.rest("ada", DAY)
    assert seen(people, "ada") == (1, False, 0, ["resting", "held_back"])
    assert people.admit_one("ada").code == "entry_not_ready"
    assert people.hold_back("ada", ready=True).json["not_ready"] == ["resting"]
    assert people.claimed() == ["bob"]
    assert people.person("ada").json["held_back_reason"] is None


def test_an_entry_that_is_held_back_while_claimed_is_skipped_after_its_release(
    people: Admissions,
) -> None:
    assert people.claimed() == ["ada"]
    assert people.hold_back("ada").status == 200
    people.release("ada")
    assert seen(people, "ada") == (1, False, 0, ["held_back"])
    assert people.claimed() == ["bob"]


def test_entries_that_are_not_ready_are_listed_apart(people: Admissions) -> None:
    people.hold_back("bob")
    for ready, names in (("false", ["bob"]), ("true", ["ada", "cyd"])):
        page = people.page(f"status=waiting&ready={ready}").json["entries"]
        assert [people.names[one["entry_id"]] for one in page] == names


def test_an_imported_entry_may_wait_to_be_ready(people: Admissions) -> None:
    people.bring({"customer_id": "dan", "ready": False})
    people.id_of("dan")
    assert people.claimed(4) == ["ada", "bob", "cyd"]
    people.hold_back("dan", ready=True)
    assert people.claimed() == ["dan"]


def test_the_next_stay_is_ready(people: Admissions) -> None:
    people.rest("ada", DAY)
    people.leave("ada")
    people.sign_up("ada")
    assert seen(people, "ada") == (3, True, 2, None)


def test_a_rebuild_knows_who_rests(people: Admissions) -> None:
    people.rest("ada", DAY)
    people.hold_back("bob")
    people.world.redis.flushall()
    people.world.maintain()
    assert seen(people, "ada") == (1, False, 0, ["resting"])
    assert seen(people, "bob") == (2, False, 0, ["held_back"])
    assert people.claimed(3) == ["cyd"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("retried", [True, False], ids=["retried", "by maintenance"])
def test_an_interrupted_pause_is_completed_or_leaves_nothing(
    people: Admissions, wire: Wire, step: int, retried: bool
) -> None:
    """A customer's request to pause is interrupted. DynamoDB and Redis agree again once the
    customer repeats it or maintenance runs.
    """
    until = iso(people.world.clock.now_millis() + DAY * 1000)
    wire.arm(step, crash_after)
    with suppress(Crash):
        people.rest("ada", DAY)
    wire.disarm()
    if retried:
        path, token = f"{people.entry('ada')}/rest", people.token_of("ada")
        assert people.world.request("POST", path, body={"until": until}, token=token).status == 200
    else:
        people.world.maintain()
    rests = "rested" in people.events("ada")
    assert rests or not retried
    assert seen(people, "ada")[1] is not rests
    assert people.claimed() == (["bob"] if rests else ["ada"])


def test_a_released_entry_is_not_ready_until_its_delay_is_over(people: Admissions) -> None:
    """A released entry gets no offer until its delay is over. An operator who marks the entry as
    ready does not shorten the delay (promise P2).
    """
    people.claim()
    answer = people.release("ada", delay_seconds=60)
    assert (answer.status, answer.json["position"]) == (200, 1)
    until = iso(people.world.services.now_millis() + 60_000)
    person = people.person("ada").json
    assert (person["not_ready"], person["delayed_until"]) == (["delayed"], until)
    assert people.poll("ada").json["delayed_until"] == until
    people.hold_back("ada")
    people.hold_back("ada", ready=True)
    people.rest("ada", 30)
    assert seen(people, "ada") == (1, False, 0, ["resting", "delayed"])
    people.world.advance(59)
    assert people.release("ada", delay_seconds=600).status == 200
    assert people.claimed() == ["bob"]
    people.world.advance(1)
    assert people.person("ada").json["delayed_until"] is None
    assert people.claimed(3) == ["ada", "cyd"]
    history = people.person("ada").json["history"]
    (event,) = [one for one in history if one["event"] == "released"]
    assert event["detail"]["until"] == until
    for wrong in (-1, 43_201, 1.5, "5", None):
        assert people.release("ada", delay_seconds=wrong).code == "invalid_request"


@pytest.mark.parametrize("how", ["whole", "unrecorded", "unrecorded, then moved"])
def test_a_rebuild_knows_who_waits_out_a_delay(people: Admissions, wire: Wire, how: str) -> None:
    """An entry is released with a delay and then moved before DynamoDB has recorded the release. A
    rebuild restores the delay (promise P3).
    """
    people.claim()
    wire.arm(0, crash_after)
    if how == "whole":
        wire.disarm()
    with suppress(Crash):
        people.release("ada", delay_seconds=DAY // 2)
    wire.disarm()
    if how == "unrecorded, then moved":
        wire.arm(2, crash_before)
        with suppress(Crash):
            people.bump("ada", to="back")
        wire.disarm()
    # A rebuild also reads the last few minutes of changes. Wait long enough that it does not find
    # the release there.
    for seconds in (120, 3600):
        people.world.advance(seconds)
        people.world.maintain()
    order = people.order()
    people.world.redis.flushall()
    people.world.maintain()
    assert people.order() == order
    assert seen(people, "ada")[1::2] == (False, ["delayed"])
    people.world.advance(DAY // 2 - 3720)
    assert sorted(people.claimed(3)) == ["ada", "bob", "cyd"]


def test_a_move_recorded_before_the_release_keeps_the_delay(people: Admissions, wire: Wire) -> None:
    """Redis has released Ada with a delay, but DynamoDB has not recorded it yet. If an operator
    moves Ada now, her record still gets the delay (promise P3).
    """
    people.claim()
    move = BumpCommand(
        waitlist_id=people.waitlist_id, entry_id=people.id_of("ada"), by="rival", to="back"
    )
    wire.arm(1, before(lambda: people.world.services.bumps.bump(move)))
    assert people.release("ada", delay_seconds=60).status == 200
    wire.disarm()
    until = people.world.services.now_millis() + 60_000
    assert people.recorded("ada")["hold"]["delayed_until_millis"] == until
    assert people.events("ada") == ["joined", "offered", "released", "bumped"]
