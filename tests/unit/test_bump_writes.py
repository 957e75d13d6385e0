"""Tests of what the service writes when an operator moves a customer."""

import pytest

from waitlist_api.records.entries import Move
from waitlist_api.records.entry import EntryRecord, Status
from waitlist_api.records.facets import Intent
from waitlist_shared.contracts import BumpResult

TICKET, STAMP = 70, 900
MADE = BumpResult(
    outcome="moved",
    ticket=TICKET,
    rank=5,
    stamp=STAMP,
    moved_stamp=STAMP,
    position=1,
    total=1,
    attempts=0,
    expired_stamp=0,
    expired_millis=0,
)
MOVE = Move(MADE, "key", ())
FORMER = {
    "status": "left",
    "join_id": "i",
    "updated_millis": 0,
}


def record(status: Status, ticket: int | None, stamp: int = 0, former: int = 0) -> EntryRecord:
    return EntryRecord(
        waitlist_id="bakery",
        entry_id="a" * 26,
        customer_id="ada",
        status=status,
        join_id="j",
        updated_millis=1,
        ticket=ticket,
        stamp=stamp,
        intent=Intent(former={**FORMER, "ticket": former} if former else None),
    )


@pytest.mark.parametrize(
    ("found", "how"),
    [
        (None, None),
        (record("left", TICKET), None),
        (record("leaving", TICKET), None),
        (record("joining", None), "join"),
        (record("joining", None, former=TICKET), None),
        (record("joining", None, former=TICKET - 1), "join"),
        (record("waiting", TICKET + 1, STAMP), None),
        (record("waiting", TICKET, STAMP - 1), "move"),
        (record("offered", TICKET, STAMP), "event"),
        (record("parked", TICKET, STAMP + 1), "event"),
    ],
)
def test_the_state_of_the_record_decides_how_a_bump_is_written(
    found: EntryRecord | None, how: str | None
) -> None:
    """A move is usually written as the customer's new place and an event.

    If the record already contains a later change, only the event is written. If the signup has not
    been recorded yet, the signup and the move are written together (promise P3).
    """
    decided = MOVE.decide(found, "A001", 1)
    if decided is None:
        assert how is None
        return
    after, is_joined = decided.after, "joined" in {event.event for event in decided.events}
    is_moved = (after.rank, after.stamp) == (MADE.rank, MADE.stamp)
    assert (is_moved, is_joined) == (how != "event", how == "join")
    assert after.joined.call_number == ("A001" if is_joined else "")
