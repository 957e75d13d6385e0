"""Interrupts requests that end an unused offer, at each of their steps.

The next entry must end up with exactly one offer.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import product

import pytest

from tests.reliability.faults.fixture import LINE, FaultFixture, Stores, TokenHolders, strikes
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from waitlist_queue import keys

ANN, BOB = LINE[:2]
ENDS: dict[str, Callable[[TokenHolders], Answer]] = {
    "declined": lambda people: people.decline(ANN),
    "declined for good": lambda people: people.decline(ANN, to="leave"),
    "left": lambda people: people.leave(ANN),
    "removed": lambda people: people.remove(ANN),
    "erased": lambda people: people.erase(ANN),
    "withdrawn": lambda people: people.withdraw(ANN),
}
LOST = ("declined", "withdrawn")


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    fixture = FaultFixture(stores)
    assert fixture.people.configure(admission={}).status == 201
    fixture.people.all_sign_up(*LINE)
    assert len(fixture.people.admit(1, refill=True).json["entries"]) == 1
    fixture.warm_up()
    return fixture


def find_offered(fixture: FaultFixture) -> list[str]:
    held = fixture.stores.redis.zrange(keys.held(fixture.people.waitlist_id), 0, -1)
    return [fixture.people.names[entry_id] for entry_id in held]


@pytest.mark.parametrize(
    ("end", "fault"),
    [*((end, faults.crash_after) for end in ENDS), *((end, faults.lost) for end in LOST)],
)
def test_the_next_entry_gets_the_slot_once(
    fixture: FaultFixture, elsewhere: TokenHolders, end: str, fault: Fault
) -> None:
    """If a request that ends an offer is interrupted, the next entry gets exactly one offer,
    whether or not the request is repeated (promises P2 and P4).
    """
    before = fixture.stores.snapshot()
    ENDS[end](fixture.people)
    calls = fixture.wire.calls
    assert len(calls) > 1
    steps = [step for step, call in enumerate(calls) if strikes(fault, call)]
    for step, retries in product(steps, (True, False)):
        fixture.stores.restore(before)
        fixture.wire.arm(step, fault)
        with suppress(Crash):
            ENDS[end](fixture.people)
        fixture.wire.disarm()
        # The interrupted request may or may not have ended Ann's offer.
        is_ended = find_offered(fixture) != [ANN]
        if retries:
            ENDS[end](elsewhere)
        fixture.maintain_elsewhere()
        assert find_offered(fixture) in ([[BOB]] if retries or is_ended else [[ANN], [BOB]])
        assert elsewhere.stats().json["quota"] == 1
