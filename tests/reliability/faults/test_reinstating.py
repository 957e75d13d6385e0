"""Interrupts a customer's reinstatement at each step, or sends other requests in between.

The customer must get their old place back exactly once.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product

import pytest

from tests.reliability.faults.fixture import LINE, FaultFixture, Stores, TokenHolders, strikes
from tests.support import faults
from tests.support.faults import Call, Crash, Fault
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot

BOB = LINE[1]
OTHERS = (LINE[0], *LINE[2:])
KEY = "the-request"


def is_off(people: TokenHolders) -> None:
    assert people.remove(BOB).status == 204


def is_parked(people: TokenHolders) -> None:
    for name in people.claimed(2):
        assert (people.park if name == BOB else people.release)(name).status == 200


ENDS = (is_off, is_parked)
# How the customer's time on the waitlist ended, and a fault that interrupts the reinstatement.
INTERRUPTED: list[tuple[Callable[[TokenHolders], None], Fault]] = [
    (is_off, faults.crash_after),
    (is_off, faults.lost),
    (is_off, faults.throttled),
    (is_off, faults.in_conflict),
    (is_parked, faults.crash_after),
    (is_parked, faults.unheard),
    (is_parked, faults.delivered_twice),
    (is_parked, faults.function_failed),
]
NEXT: dict[str, Callable[[TokenHolders], Answer]] = {
    "reinstated too": lambda people: people.reinstate(BOB),
    "signs up": lambda people: people.sign_up(BOB, key="another"),
    "removed": lambda people: people.remove(BOB),
    "banned": lambda people: people.ban(BOB),
    "erased": lambda people: people.erase(BOB),
    "redriven": lambda people: people.redrive(BOB),
    "moved": lambda people: people.bump(BOB, priority=0),
}
# How the customer's time on the waitlist ended, and a request that arrives in between.
IN_BETWEEN: list[tuple[Callable[[TokenHolders], None], str]] = [
    *((is_parked, other) for other in ("redriven", "signs up", "removed", "erased")),
    *((is_off, other) for other in ("reinstated too", "signs up", "banned", "moved")),
]


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    fixture = FaultFixture(stores)
    assert fixture.people.configure(rejoin="always").status == 201
    fixture.people.all_sign_up(*LINE)
    fixture.warm_up()
    return fixture


def end_stay(fixture: FaultFixture, end: Callable[[TokenHolders], None]) -> Snapshot:
    end(fixture.people)
    fixture.maintain_elsewhere()
    fixture.wire.disarm()
    return fixture.stores.snapshot()


def record_calls(fixture: FaultFixture, before: Snapshot) -> list[Call]:
    fixture.stores.restore(before)
    fixture.wire.disarm()
    assert fixture.people.reinstate(BOB, key=KEY).json["position"] == 2
    assert len(fixture.wire.calls) > 4
    return fixture.wire.calls


def count_reinstatements(people: TokenHolders) -> int:
    return people.events(BOB).count("reinstated")


@pytest.mark.parametrize(("end", "fault"), INTERRUPTED, ids=lambda one: one.__name__)
def test_the_place_is_restored_once(
    fixture: FaultFixture,
    elsewhere: TokenHolders,
    end: Callable[[TokenHolders], None],
    fault: Fault,
) -> None:
    """If a reinstatement is interrupted and the client retries, the customer gets their place back
    once.

    If the client does not retry, the reinstatement takes effect completely or not at all (promises
    P1, P2 and P3).
    """
    before = end_stay(fixture, end)
    steps = [
        step for step, call in enumerate(record_calls(fixture, before)) if strikes(fault, call)
    ]
    for step, retries in product(steps, (True, False)):
        fixture.stores.restore(before)
        fixture.wire.arm(step, fault)
        with suppress(Crash):
            fixture.people.reinstate(BOB, key=KEY)
        fixture.wire.disarm()
        if retries:
            assert elsewhere.reinstate(BOB, key=KEY).json["position"] == 2
        fixture.maintain_elsewhere()
        is_back = count_reinstatements(elsewhere) == 1
        assert is_back or not retries
        assert fixture.order() == list(LINE if is_back else OTHERS)
        assert list(fixture.contradictions()) == []


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_a_call_that_the_aws_client_repeats_belongs_to_the_same_request(
    fixture: FaultFixture, end: Callable[[TokenHolders], None], key: str | None
) -> None:
    """If the AWS client sends a call twice, the customer is still reinstated only once, even
    without an idempotency key (promise P2).
    """
    before = end_stay(fixture, end)
    for step in range(len(record_calls(fixture, before))):
        fixture.stores.restore(before)
        fixture.wire.arm(step, faults.delivered_twice)
        answer = fixture.people.reinstate(BOB, key=key)
        assert (answer.status, answer.json.get("position")) == (200, 2), (step, answer.text)
        fixture.wire.disarm()


@pytest.mark.parametrize(("key", "other_key"), [(KEY, "another-request"), (None, None)])
def test_a_request_distinguishes_itself_from_an_interrupted_request(
    fixture: FaultFixture, elsewhere: TokenHolders, key: str | None, other_key: str | None
) -> None:
    """A second request completes an interrupted reinstatement. A third one is refused, because the
    customer is on the waitlist by then (promise P2).
    """
    before = end_stay(fixture, is_off)
    joining = 0
    for step in range(len(record_calls(fixture, before))):
        fixture.stores.restore(before)
        fixture.wire.arm(step, faults.crash_after)
        with suppress(Crash):
            fixture.people.reinstate(BOB, key=key)
        fixture.wire.disarm()
        if fixture.records()[BOB]["status"] == "joining":
            joining += 1
            assert elsewhere.reinstate(BOB, key=other_key).code == "already_on_list", step
            assert fixture.order() == list(LINE)
    assert joining


@pytest.mark.parametrize(("end", "other"), IN_BETWEEN)
def test_a_request_in_between_takes_effect_wholly_or_not_at_all(
    fixture: FaultFixture,
    elsewhere: TokenHolders,
    end: Callable[[TokenHolders], None],
    other: str,
) -> None:
    """Another request may arrive between any two steps of a reinstatement. The reinstatement then
    either takes full effect or changes nothing (promises P1, P2 and P4).
    """
    before = end_stay(fixture, end)
    for step in range(len(record_calls(fixture, before))):
        fixture.stores.restore(before)
        fixture.wire.arm(step, faults.before(partial(NEXT[other], elsewhere)))
        answer = fixture.people.reinstate(BOB, key=KEY)
        leaves_at = [*fixture.wire.names, "UpdateItem"].index("UpdateItem")
        fixture.wire.disarm()
        fixture.maintain_elsewhere()
        assert list(fixture.contradictions()) == [], (step, answer.text)
        assert count_reinstatements(elsewhere) <= 1
        order = fixture.order()
        assert [name for name in order if name != BOB] == list(OTHERS)
        if BOB in order and other != "signs up":
            assert order == list(LINE), step
        if other == "redriven" and end is is_parked and step <= leaves_at:
            # Until the reinstatement has removed the parked entry, another request can return that
            # entry to the queue. The reinstatement is then refused.
            assert answer.code == "already_on_list", step
        if other in ("banned", "erased"):
            assert BOB not in order, step
