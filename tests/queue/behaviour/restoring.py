"""Tests for the `restore` operation, which puts an entry back in the place that DynamoDB has
recorded.
"""

import pytest

from tests.support.line import EPOCH, Line, accepted
from waitlist_shared.ranks import TIER, ticket_of_millis

RANK = 255 * TIER
LATER_EPOCH = "0000bbbb"


def test_a_restore_into_a_complete_queue_returns_the_position(line: Line) -> None:
    """P6"""
    line.init()
    line.restore("ann", RANK + 1, 1)
    line.restore("eve", RANK + 3, 3)
    answer = line.restore("bob", RANK + 2, 2)
    assert (answer["outcome"], answer["position"], answer["total"]) == ("restored", 2, 3)


def test_a_waiting_entry_keeps_its_place(line: Line) -> None:
    """A late message that restores an entry does not put it back if the entry was moved in the
    meantime (promise P2).
    """
    line.init()
    _, bob = line.all_sign_up(["ann", "bob"])
    moved = line.bump("bob", to="front")
    answer = line.restore("bob", bob["rank"], bob["ticket"])
    assert (answer["outcome"], answer["position"], answer["total"]) == ("present", 1, 2)
    assert (answer["rank"], answer["ticket"]) == (moved["rank"], bob["ticket"])
    assert line.restore("bob", bob["rank"], bob["ticket"], when="older")["outcome"] == "present"
    assert line.order() == ["bob", "ann"]


def test_the_second_pass_of_a_rebuild_corrects_the_first(line: Line) -> None:
    """A rebuild reads each record twice.

    If an entry is moved after the first read, the second read corrects its place (promise P7).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 1, 1)
    line.restore("bob", RANK + 2, 2)
    assert line.restore("bob", RANK, 2)["outcome"] == "present"
    again = line.restore("bob", RANK, 2, when="older")
    assert (again["outcome"], again["position"], again["rank"]) == ("restored", None, RANK)
    assert line.restore("bob", RANK, 2, when="older")["outcome"] == "present"
    line.init()
    assert line.order() == ["bob", "ann"]


def test_no_ticket_is_stored_for_an_entry_that_was_not_moved(line: Line) -> None:
    """Redis can usually compute an entry's ticket number from its rank (sort key). Otherwise, it
    stores the number separately (promise P9).
    """
    line.init(mode="open")
    line.restore("ann", RANK - 7, 2)
    assert "wl:{bakery-opening}:tickets_of_moved" in line.contents()
    line.restore("ann", RANK + 2, 2, when="older")
    assert "wl:{bakery-opening}:tickets_of_moved" not in line.contents()


def test_restores_belong_to_the_order_that_they_rebuild(line: Line) -> None:
    """If Redis loses its data during a rebuild, it refuses late messages from this rebuild (promise
    P7).
    """
    line.init(mode="open", epoch=LATER_EPOCH)
    before = line.contents()
    assert line.restore("ann", RANK, 1, epoch=EPOCH)["code"] == "stale_epoch"
    assert line.contents() == before
    assert line.restore("ann", RANK, 1, epoch=LATER_EPOCH)["outcome"] == "restored"
    assert line.restore("bob", RANK + 1, 1)["outcome"] == "restored"


def test_a_late_restore_does_not_revive_an_entry_that_has_left(line: Line) -> None:
    """P2, P5"""
    line.init()
    ann = line.signup("ann")
    line.leave("ann")
    before = line.contents()
    assert line.restore("ann", ann["rank"], ann["ticket"])["code"] == "gone"
    assert line.contents() == before


def test_a_late_restore_of_an_earlier_stay_spares_the_later_one(line: Line) -> None:
    """P2"""
    line.init()
    first = line.signup("ann")
    line.leave("ann")
    line.signup("bob")
    second = line.signup("ann", stay=2)
    assert line.restore("ann", first["rank"], first["ticket"], stay=1)["code"] == "gone"
    assert line.position("ann")["rank"] == second["rank"]


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_a_pass_over_two_records_of_one_rank_jumps_no_queue(line: Line, passes: int) -> None:
    """Two records have the same rank (sort key). A rebuild puts their entries in the same order, no
    matter how many times it restores them (promise P1).
    """
    line.init(mode="open")
    line.restore("kim", RANK + 3, 3)
    line.restore("ann", RANK + 5, 5)
    for _ in range(passes):
        line.restore("bob", RANK + 5, 4, when="older")
    line.init()
    assert line.order() == ["kim", "bob", "ann"]


def test_the_ticket_of_a_moved_person_comes_back(line: Line) -> None:
    line.init()
    line.restore("ann", RANK - TIER + 9, 12)
    assert line.position("ann")["ticket"] == 12
    assert line.leave("ann", ticket=9)["outcome"] == "absent"
    line.restore("bob", RANK - TIER + 9, 12)
    assert line.leave("bob", ticket=12)["outcome"] == "left"


def test_later_tickets_sort_behind_every_restored_stamp(line: Line) -> None:
    """New ticket numbers are higher than the stamps (logical timestamps) of all restored entries,
    even if Redis' clock is behind (promise P1).
    """
    line.init()
    ahead = accepted(line.signup("ann"))["ticket"] + 1_000_000
    line.restore("bob", RANK + ahead, ahead, stamp=ahead + 50)
    assert line.signup("eve")["ticket"] == ahead + 51
    line.restore("kim", RANK + 1, 1, stamp=1)
    assert line.signup("zoe")["ticket"] == ahead + 52
    assert line.order() == ["kim", "ann", "bob", "eve", "zoe"]


def test_a_recorded_move_is_not_made_again(line: Line) -> None:
    """DynamoDB records a request to move an entry, and then Redis loses its data. If the client
    repeats the request, the entry does not move again (promise P2).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 1, 1)
    moved = ticket_of_millis(line.clock.micros // 1000) - 5
    line.restore("bob", RANK, 2, stamp=moved, once_key=f"{1:032x}", once_stamp=moved)
    line.init()
    answer = line.bump("bob", once=1, to="back")
    assert (answer["outcome"], answer["moved_stamp"], answer["position"]) == ("repeat", moved, 1)


def test_a_move_of_the_day_before_is_not_remembered_any_more(line: Line) -> None:
    """An idempotency key is valid for a day, which does not restart after a loss of data (promise
    P2).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 1, 1)
    moved = ticket_of_millis(line.clock.micros // 1000 - (24 * 3600 + 1) * 1000)
    line.restore("bob", RANK, 2, stamp=moved, once_key=f"{1:032x}", once_stamp=moved)
    line.init()
    assert line.bump("bob", once=1, to="back")["outcome"] == "moved"


def test_a_newer_move_in_redis_outlives_an_older_record(line: Line) -> None:
    """If Redis knows of a newer move than DynamoDB does, restoring the entry does not undo it
    (promise P2).
    """
    line.init()
    line.all_sign_up(["ann", "bob"])
    moved = line.bump("bob", once=1, to="front")
    line.restore("bob", RANK, 2, stamp=3, once_key=f"{1:032x}", once_stamp=3)
    assert line.bump("bob", once=1, to="front")["moved_stamp"] == moved["stamp"]


def test_a_restore_without_a_move_remembers_none(line: Line) -> None:
    line.init()
    line.restore("ann", RANK, 1, once_key=f"{1:032x}")
    line.restore("bob", RANK + 1, 2, once_stamp=5)
    assert line.bump("ann", once=1, to="back")["outcome"] == "moved"
    assert not [key for key in line.contents() if key.endswith(":none")]
