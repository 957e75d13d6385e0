"""Tests that an entry's history says when each change was made in Redis, even if DynamoDB recorded
the change later.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.faults import Crash
from tests.support.gateway import OPERATOR_ARN, Answer
from tests.support.world import RedisClock
from waitlist_shared import contracts as c

LEASE_SECONDS = 600
MAX_ATTEMPTS = 3
REASON = "their train is late"
Act = Callable[[Admissions], Answer]


def release(people: Admissions) -> Answer:
    return people.release("ann", reason=REASON)


def park(people: Admissions) -> Answer:
    return people.park("ann", reason=REASON)


def redrive(people: Admissions) -> Answer:
    return people.redrive("ann", reason=REASON)


def complete(people: Admissions) -> Answer:
    return people.complete("ann", reason=REASON)


ENDS: dict[str, Act] = {
    "released": release,
    "parked": park,
    "redriven": redrive,
    "admitted": complete,
}


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    fixture = FaultFixture(stores, RedisClock.standing())
    answer = fixture.people.configure(lease_seconds=LEASE_SECONDS, max_attempts=MAX_ATTEMPTS)
    assert answer.status == 201
    fixture.people.all_sign_up("ann", "bob")
    assert fixture.people.claimed() == ["ann"]
    return fixture


def history(fixture: FaultFixture) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = fixture.people.person("ann").json["history"]
    return events


def millis_of(event: dict[str, Any]) -> float:
    return datetime.fromisoformat(event["at"]).timestamp() * 1000


def cut_off(fixture: FaultFixture, event: str) -> int:
    """Make the function crash after Redis has made a change and before DynamoDB has recorded it."""
    if event == "redriven":
        assert park(fixture.people).status == 200
    fixture.warm_up()
    # A request that brings a parked entry back makes one call more than the other requests, because
    # it first reads when the entry was parked.
    fixture.wire.arm(int(event == "redriven"), faults.crash_after)
    with suppress(Crash):
        ENDS[event](fixture.people)
    fixture.wire.disarm()
    assert event not in [one["event"] for one in history(fixture)]
    return fixture.world.clock.millis


@pytest.mark.parametrize("event", ENDS)
def test_a_repeat_records_the_time_of_the_first_decision(fixture: FaultFixture, event: str) -> None:
    """A request is interrupted before DynamoDB has recorded its change. If the client repeats it,
    the event contains the operator, the reason and the time of the first request (promise P3).
    """
    decided_at = cut_off(fixture, event)
    fixture.world.advance(5)
    assert ENDS[event](fixture.people).status == 200
    one = history(fixture)[-1]
    assert (one["event"], one["by"], one["reason"]) == (event, OPERATOR_ARN, REASON)
    assert abs(millis_of(one) - decided_at) < 1_000


@pytest.mark.parametrize("event", ENDS)
def test_maintenance_records_the_time_of_the_decision(fixture: FaultFixture, event: str) -> None:
    """A request is interrupted before DynamoDB has recorded its change, and is never repeated.

    Maintenance records the event with the time of the change (promise P3).
    """
    decided_at = cut_off(fixture, event)
    fixture.world.maintain()
    one = history(fixture)[-1]
    assert (one["event"], one["by"]) == (event, "maintenance")
    assert abs(millis_of(one) - decided_at) < 1_000


def test_a_repeat_after_the_next_claim_records_only_its_own_event(fixture: FaultFixture) -> None:
    """A release is interrupted, and the entry is then claimed again. If the client repeats the
    release, the history gets the missing event, and the new claim does not end (promise P3).
    """
    people, token = fixture.people, fixture.people.tokens["ann"]
    cut_off(fixture, "released")
    fixture.world.advance(5)
    assert people.claimed() == ["ann"]
    assert people.release("ann", token, reason=REASON).status == 200
    events = [(one["event"], one["reason"]) for one in history(fixture)]
    assert events[1:] == [("offered", ""), ("released", REASON), ("offered", "")]
    assert people.person("ann").json["status"] == "offered"


def test_a_parking_by_attempts_keeps_its_time_if_a_redrive_records_it(
    fixture: FaultFixture,
) -> None:
    people = fixture.people
    for _ in range(MAX_ATTEMPTS - 1):
        fixture.world.advance(LEASE_SECONDS)
        assert people.claimed() == ["ann"]
    fixture.world.advance(LEASE_SECONDS)
    parked_at = fixture.world.clock.millis
    fixture.world.advance(10)
    assert people.claimed() == ["bob"]
    fixture.world.advance(10)
    assert redrive(people).status == 200
    one = history(fixture)[-2]
    assert (one["event"], one["by"], one["reason"]) == ("parked", "maintenance", "max_attempts")
    assert abs(millis_of(one) - parked_at) < 1_000


def test_a_parking_by_attempts_is_recorded_at_the_deadline(fixture: FaultFixture) -> None:
    """If too many claims on an entry have expired, the entry is parked.

    The record says that it was parked when the last claim expired, even if maintenance notices this
    later (promise P3).
    """
    people = fixture.people
    for _ in range(MAX_ATTEMPTS - 1):
        fixture.world.advance(LEASE_SECONDS)
        assert people.claimed() == ["ann"]
    fixture.world.advance(LEASE_SECONDS)
    ended_at = fixture.world.clock.millis
    for _ in range(2):
        fixture.world.maintain()
    one = history(fixture)[-1]
    assert (one["event"], one["reason"]) == ("parked", "max_attempts")
    assert abs(millis_of(one) - ended_at) < 1_000
    assert people.person("ann").json["parked_at"] == one["at"]


def test_a_no_show_that_ends_in_a_parking_is_recorded_at_its_deadline(
    fixture: FaultFixture,
) -> None:
    """A customer misses the last permitted offer, and the entry is parked. The history contains
    both events, dated to when the offer expired (promise P3).
    """
    people = fixture.people
    release(people)
    policy = {"offer_seconds": LEASE_SECONDS, "no_show": "keep_place"}
    people.configure(max_attempts=1, admission=policy)
    assert people.admit(1).status == 200
    fixture.world.advance(LEASE_SECONDS)
    ended_at = fixture.world.clock.millis
    for _ in range(2):
        fixture.world.maintain()
    no_show, parked = history(fixture)[-2:]
    assert (no_show["event"], parked["event"]) == ("no_show", "parked")
    assert abs(millis_of(no_show) - ended_at) < 1_000
    assert abs(millis_of(parked) - ended_at) < 1_000


def test_an_expiry_keeps_its_time_if_a_bump_and_a_claim_come_before_its_record(
    fixture: FaultFixture,
) -> None:
    fixture.world.advance(LEASE_SECONDS)
    fixture.world.services.queue.send(c.Expire(waitlist_id=fixture.people.waitlist_id))
    ended_at = fixture.world.clock.millis
    fixture.world.advance(10)
    assert fixture.people.bump("ann", to="front").status == 200
    fixture.world.advance(10)
    assert fixture.people.claimed() == ["ann"]
    events = history(fixture)
    assert [one["event"] for one in events] == ["joined", "offered", "expired", "bumped", "offered"]
    assert abs(millis_of(events[2]) - ended_at) < 1_000


def test_a_refused_request_about_a_hold_changes_neither_store(fixture: FaultFixture) -> None:
    """A refused request about a claim changes nothing. For example, a worker may use an earlier
    claim's token (promise P5).
    """
    people = fixture.people
    token = people.tokens["ann"]
    assert release(people).status == 200
    assert people.claimed() == ["ann"]
    fixture.world.maintain()
    before = fixture.stores.snapshot()
    for answer in (
        people.release("ann", token),
        people.park("ann", token),
        redrive(people),
    ):
        assert answer.status == 409, answer.text
    assert fixture.stores.snapshot() == before
