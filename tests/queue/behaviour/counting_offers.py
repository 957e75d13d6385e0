"""Tests for the counters `entered`, `declined` and `no_shows`.

Each offer is counted once when it ends. Claims are not counted.
"""

import pytest

from tests.queue.behaviour.admitting import OFFER_SECONDS, ONCE_KEY, PEOPLE, admit, enter, filled
from tests.support.counters import NO_OFFERS
from tests.support.line import Line, accepted


def count_ended_offers(line: Line) -> dict[str, int]:
    counters = line.stats()["counters"]
    assert counters == line.send("heartbeat")["counters"]
    return {name: counters[name] for name in NO_OFFERS if counters[name]}


def counted(line: Line, name: str) -> int:
    return int(line.stats()["counters"][name])


def test_an_entered_offer_counts_once(line: Line) -> None:
    filled(line)
    admit(line, count=2)
    for _ in range(2):
        accepted(enter(line, PEOPLE[0]))
    assert (count_ended_offers(line), counted(line, "admitted")) == ({"entered": 1}, 1)


def test_automatic_admissions_count_as_entered(line: Line) -> None:
    filled(line, acceptance="automatic")
    for _ in range(2):
        admit(line, count=3, once_key=ONCE_KEY, once_seconds=60)
    assert (count_ended_offers(line), counted(line, "admitted")) == ({"entered": 3}, 3)


def test_a_completed_claim_is_no_end_of_an_offer(line: Line) -> None:
    filled(line)
    for name, claim in line.claimed(2).items():
        accepted(line.complete(name, claim["token"]))
    line.claimed(1, lease_seconds=1)
    line.clock.advance(seconds=2)
    line.expire()
    assert (count_ended_offers(line), counted(line, "admitted")) == ({}, 2)


def test_a_decline_counts_once(line: Line) -> None:
    filled(line)
    (offer,) = admit(line, count=1)["entries"]
    meant = {"entry_id": offer["entry_id"], "once_key": ONCE_KEY}
    for _ in range(2):
        accepted(line.send("decline", **meant))
    # While the next offer is open, deliver a copy of the message that ended the first offer.
    admit(line, count=len(PEOPLE))
    accepted(line.send("decline", **meant))
    assert count_ended_offers(line) == {"declined": 1}


def test_a_decline_that_leaves_counts_once(line: Line) -> None:
    filled(line)
    admit(line, count=2)
    for _ in range(2):
        accepted(line.leave(PEOPLE[0], is_declining=True))
    # Only the first customer declines an offer. The second customer's offer is withdrawn, and the
    # third customer has none.
    accepted(line.leave(PEOPLE[1]))
    accepted(line.leave(PEOPLE[2], is_declining=True))
    assert (count_ended_offers(line), counted(line, "left")) == ({"declined": 1}, 3)


@pytest.mark.parametrize("is_declining", [False, True])
def test_an_admission_after_the_intent_to_leave_counts_no_more(
    line: Line, is_declining: bool
) -> None:
    filled(line)
    admit(line, count=1)
    accepted(enter(line, PEOPLE[0]))
    accepted(line.leave(PEOPLE[0], is_declining=is_declining))
    assert count_ended_offers(line) == ({"declined": 1} if is_declining else {})
    assert (counted(line, "admitted"), counted(line, "left")) == (0, 1)


def test_a_completed_claim_after_the_intent_to_leave_leaves_the_entered_alone(line: Line) -> None:
    filled(line)
    admit(line, count=1)
    accepted(enter(line, PEOPLE[0]))
    ((name, claim),) = line.claimed(1).items()
    accepted(line.complete(name, claim["token"]))
    accepted(line.leave(name))
    assert (count_ended_offers(line), counted(line, "admitted")) == ({"entered": 1}, 1)


@pytest.mark.parametrize("no_show", ["keep_place", "to_back", "leave"])
@pytest.mark.parametrize("max_attempts", [1, 5])
def test_a_no_show_counts_once(line: Line, no_show: str, max_attempts: int) -> None:
    filled(line, no_show=no_show, max_attempts=max_attempts)
    admit(line, count=3)
    accepted(enter(line, PEOPLE[0]))
    line.clock.advance(seconds=OFFER_SECONDS)
    for _ in range(2):
        line.expire()
    if no_show == "leave":
        accepted(line.leave(PEOPLE[1]))
    assert count_ended_offers(line) == {"entered": 1, "no_shows": 2}


def test_a_withdrawn_offer_counts_nowhere(line: Line) -> None:
    filled(line)
    (offer,) = admit(line, count=1)["entries"]
    accepted(line.send("withdraw", entry_id=offer["entry_id"]))
    assert count_ended_offers(line) == {}


def test_the_ends_of_offers_go_on_from_where_they_were_before_a_loss(line: Line) -> None:
    counters = {
        "signed_up": 9,
        "left": 1,
        "admitted": 4,
        "entered": 3,
        "declined": 2,
        "no_shows": 1,
    }
    line.init(counters=counters)
    assert line.stats()["counters"] == counters
