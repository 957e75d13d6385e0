"""Tests for entries that leave while they are claimed, parked or admitted, and for their effect on
the capacity.
"""

from collections.abc import Callable

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.line import Answer, Line, accepted

ENTRY_KEYS = ("queue", "tickets_of_moved", "held", "claimed", "claims", "parked", "attempts")


def claim_ann_twice(line: Line) -> Answer:
    """Ann was moved, so the rank (sort key) of her entry differs from its ticket number. Her first
    claim has expired.
    """
    line.init(lease_seconds=60, max_claims=5)
    line.all_sign_up(["bob", "eve", "ann"])
    line.bump("ann", to="front")
    line.claim()
    line.clock.advance(seconds=60)
    return line.claimed()["ann"]


def parked(line: Line) -> Answer:
    ann = claim_ann_twice(line)
    accepted(line.park("ann", ann["token"]))
    return ann


def back_in_line(line: Line) -> Answer:
    ann = claim_ann_twice(line)
    accepted(line.release("ann", ann["token"]))
    return ann


def done(line: Line) -> Answer:
    ann = claim_ann_twice(line)
    accepted(line.complete("ann", ann["token"]))
    return ann


ON_LIST = [claim_ann_twice, parked, back_in_line]
Setting = Callable[[Line], Answer]


def find_traces(line: Line, name: str) -> list[str]:
    keys = [f"wl:{{bakery-opening}}:{key}" for key in ENTRY_KEYS]
    contents = line.contents()
    return [key for key in keys if line.id_of(name) in str(contents.get(key))]


@pytest.mark.parametrize("with_ticket", [True, False])
@pytest.mark.parametrize("setting", ON_LIST)
def test_every_entry_on_the_list_can_leave(line: Line, setting: Setting, with_ticket: bool) -> None:
    """A claimed or parked entry can leave the waitlist.

    It is counted once as having left (promise P2), and nothing about its place remains in Redis.
    """
    ann = setting(line)
    ticket = ann["ticket"] if with_ticket else None
    assert line.leave("ann", ticket=ticket)["outcome"] == "left"
    assert find_traces(line, "ann") == []
    assert line.leave("ann", ticket=ticket)["outcome"] == "absent"
    assert line.complete("ann", ann["token"])["code"] == "not_held"
    assert line.redrive("ann")["code"] == "not_parked"
    stats = line.stats()
    assert stats["counters"] == NO_OFFERS | {"signed_up": 3, "left": 1, "admitted": 0}
    assert (stats["waiting"], stats["offered"], stats["parked"]) == (2, 0, 0)


@pytest.mark.parametrize("with_ticket", [True, False])
@pytest.mark.parametrize("setting", ON_LIST)
def test_every_entry_on_the_list_can_be_dropped(
    line: Line, setting: Setting, with_ticket: bool
) -> None:
    """The `drop` operation removes an entry and all traces of its place. The entry does not count
    as having left (promise P2).
    """
    ann = setting(line)
    ticket = ann["ticket"] if with_ticket else None
    assert line.drop("ann", ticket=ticket)["outcome"] == "dropped"
    assert find_traces(line, "ann") == []
    assert line.drop("ann", ticket=ticket)["outcome"] == "absent"
    assert line.stats()["counters"]["left"] == 0
    line.clock.advance(seconds=60)
    assert list(line.claimed(5)) == ["bob", "eve"]


@pytest.mark.parametrize(("verb", "outcome"), [("leave", "left"), ("drop", "absent")])
@pytest.mark.parametrize("with_ticket", [True, False])
def test_an_admission_after_the_intent_to_leave_does_not_count(
    line: Line, verb: str, outcome: str, with_ticket: bool
) -> None:
    """DynamoDB has recorded that a customer has left, but Redis still admits the customer. The
    `leave` operation undoes this admission, and `drop` does not (promise P4).
    """
    ann = done(line)
    ticket = ann["ticket"] if with_ticket else None
    assert line.send(verb, **line.stay("ann"), ticket=ticket)["outcome"] == outcome
    left = int(verb == "leave")
    assert line.stats()["counters"] == NO_OFFERS | {
        "signed_up": 3,
        "left": left,
        "admitted": 1 - left,
    }
    assert find_traces(line, "ann") == []
    assert line.signup("ann")["code"] == "gone"
    assert line.signup("ann", stay=2)["position"] == 3


def test_a_place_that_redis_has_lost_is_given_up_and_counted(line: Line) -> None:
    """If Redis has lost an entry, a request to leave is still counted if it contains the entry's
    ticket number (promise P3).
    """
    line.init()
    assert line.leave("ann", ticket=7)["outcome"] == "left"
    assert line.leave("bob")["outcome"] == "absent"
    assert line.stats()["counters"]["left"] == 1


def test_an_admission_that_redis_missed_is_counted_when_it_is_dropped(line: Line) -> None:
    """An admission is counted once, even if Redis has lost the entry."""
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.claim()
    for _ in range(2):
        line.drop("ann", is_admitted=True)
    line.drop("bob")
    assert line.stats()["counters"] == NO_OFFERS | {"signed_up": 2, "left": 0, "admitted": 1}


@pytest.mark.parametrize("verb", ["leave", "drop"])
@pytest.mark.parametrize("setting", [claim_ann_twice, parked, done])
def test_the_end_of_an_earlier_stay_spares_an_entry_that_is_aside(
    line: Line, setting: Setting, verb: str
) -> None:
    """A message with an earlier signup's ticket number does not end a customer's current signup,
    even if the entry is claimed or parked (promise P2).
    """
    ann = setting(line)
    before = find_traces(line, "ann")
    answer = line.send(verb, **line.stay("ann", 7), ticket=ann["ticket"] - 1)
    assert answer["outcome"] == "absent"
    assert find_traces(line, "ann") == before


def test_nothing_of_an_admission_stays_behind_once_it_is_on_record(line: Line) -> None:
    """Once DynamoDB has recorded an admission, Redis deletes everything about the entry's place,
    even if the entry was moved and claimed before (promise P9).
    """
    done(line)
    seen_stamp = line.dirty()["ann"]["seen_stamp"]
    accepted(line.settle("ann", seen_stamp, join_id="00000001"))
    assert find_traces(line, "ann") == []
    assert line.dirty() == {}


@pytest.mark.parametrize("setting", [claim_ann_twice, parked, done])
def test_a_repeated_signup_of_an_entry_that_is_aside_makes_no_place(
    line: Line, setting: Setting
) -> None:
    """If a customer whose entry is claimed, offered or parked repeats the signup, the response
    contains the entry's former place but no position (promise P2).
    """
    ann = setting(line)
    before = find_traces(line, "ann")
    answer = line.signup("ann")
    assert answer["outcome"] == "already"
    assert (answer["rank"], answer["ticket"]) == (ann["rank"], ann["ticket"])
    assert (answer["position"], answer["total"]) == (None, None)
    assert find_traces(line, "ann") == before
    assert line.order() == ["bob", "eve"]
    assert line.stats()["counters"]["signed_up"] == 3


def test_held_and_parked_entries_take_up_capacity(line: Line) -> None:
    """Claimed and parked entries count towards the capacity, because they may return to the queue.
    Admitted entries and entries that have left do not count.
    """
    line.init(capacity=3)
    line.all_sign_up(["ann", "bob", "eve"])
    given = line.claimed(3)
    assert line.signup("kim")["code"] == "waitlist_full"
    line.park("ann", given["ann"]["token"])
    line.release("bob", given["bob"]["token"])
    assert line.signup("kim", 2)["code"] == "waitlist_full"
    line.complete("eve", given["eve"]["token"])
    assert line.signup("kim", 3)["outcome"] == "joined"
    assert line.signup("zoe")["code"] == "waitlist_full"
    line.leave("ann")
    assert line.signup("zoe", 2)["outcome"] == "joined"


def test_an_entry_that_is_aside_cannot_be_bumped(line: Line) -> None:
    """P5"""
    line.init()
    line.all_sign_up(["ann", "bob"])
    given = line.claimed(2)
    line.park("bob", given["bob"]["token"])
    before = line.contents()
    for name in ["ann", "bob"]:
        assert line.bump(name, to="front")["code"] == "not_waiting"
    assert line.contents() == before
