"""Tests for the `leave` and `drop` operations.

After a customer has left, a late message cannot bring the entry back.
"""

import pytest

from tests.support.line import Line, accepted

TOMBSTONES = "wl:{bakery-opening}:tombstones"
PENDING_DECISIONS = "wl:{bakery-opening}:pending_decisions"
DIRTY = "wl:{bakery-opening}:dirty"
QUARTER_HOUR_MICROS = 15 * 60 * 1_000_000


def test_every_entry_behind_moves_up_at_once(line: Line) -> None:
    """Positions and the total are correct as soon as an entry leaves (promise P6)."""
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    assert line.leave("bob")["outcome"] == "left"
    assert (line.position("eve")["position"], line.position("eve")["total"]) == (2, 2)
    assert line.position("bob") == {"ok": True, **_absent(total=2)}
    assert line.order() == ["ann", "eve"]


def _absent(total: int) -> dict[str, object]:
    nothing: dict[str, object] = {
        "position": None,
        "ready_ahead": None,
        "not_ready": [],
        "confirm_by_millis": 0,
        "presence_seconds": None,
        "rank": None,
        "ticket": None,
        "places": [],
        "pace": None,
        "is_due": False,
        "has_call_numbers": False,
        "offered_until_millis": None,
        "token": "",
    }
    return {"outcome": "absent", "total": total, "hide_counts": False, **nothing}


def test_a_dropped_entry_is_not_counted_as_left(line: Line) -> None:
    """P2"""
    line.init()
    line.all_sign_up(["ann", "bob"])
    assert [line.drop("ann")["outcome"] for _ in range(2)] == ["dropped", "absent"]
    assert line.order() == ["bob"]
    assert line.stats()["counters"]["left"] == 0
    assert line.signup("ann")["code"] == "gone"


@pytest.mark.parametrize("verb", ["leave", "drop"])
def test_a_late_end_of_an_earlier_stay_spares_the_later_one(line: Line, verb: str) -> None:
    """A customer has left and signed up again. If the message that ended the first signup is
    delivered again, the second signup keeps its place (promise P2).
    """
    line.init()
    first = line.signup("ann")
    accepted(line.leave("ann", ticket=first["ticket"]))
    again = line.signup("ann", stay=2)
    assert _end(line, verb, ticket=None)["outcome"] == "absent"
    assert _end(line, verb, ticket=first["ticket"])["outcome"] == "absent"
    assert line.position("ann")["rank"] == again["rank"]


@pytest.mark.parametrize("verb", ["leave", "drop"])
def test_an_end_without_a_tombstone_spares_a_later_stay(line: Line, verb: str) -> None:
    """Redis keeps a tombstone (a note that a signup has ended) only for a while.

    After that, it recognizes late messages by their ticket number (promise P2).
    """
    line.init()
    first = line.signup("ann")
    accepted(line.drop("ann"))
    line.client.delete(TOMBSTONES)
    again = line.signup("ann", stay=2)
    assert _end(line, verb, ticket=first["ticket"])["outcome"] == "absent"
    assert line.position("ann")["rank"] == again["rank"]
    assert line.stats()["counters"]["left"] == 0


def _end(line: Line, verb: str, ticket: int | None) -> dict[str, object]:
    return line.send(verb, **line.stay("ann", 1), ticket=ticket)


def test_a_moved_stay_is_identified_by_its_signups_ticket(line: Line) -> None:
    line.init()
    _, bob = line.all_sign_up(["ann", "bob"])
    line.bump("bob", to="front")
    assert line.leave("bob", ticket=bob["ticket"])["outcome"] == "left"
    assert line.order() == ["ann"]


def test_nothing_of_an_entry_stays_behind_but_its_tombstone(line: Line) -> None:
    """When an entry leaves, Redis keeps only a tombstone (a note that the signup has ended) and the
    changes that DynamoDB has not recorded yet.
    """
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.bump("bob", priority=3)
    line.bump("bob", to="back")
    front = line.bump("bob", to="front")
    line.leave("bob")
    found = [key for key in line.contents() if line.id_of("bob") in str(line.contents()[key])]
    assert found == [DIRTY, PENDING_DECISIONS, TOMBSTONES]
    line.settle("bob", front["stamp"])
    assert not {PENDING_DECISIONS, DIRTY} & set(line.contents())


def test_a_tombstone_is_kept_for_a_quarter_of_an_hour(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.leave("ann")
    line.clock.advance(QUARTER_HOUR_MICROS - 1)
    line.leave("bob")
    assert line.signup("ann")["code"] == "gone"


def test_old_tombstones_are_cleared_away_a_few_at_a_time(line: Line) -> None:
    """Tombstones (notes about signups that have ended) expire.

    Each request to leave deletes only a few of them, so no request takes long (promise P9).
    """
    line.init()
    names = [f"person {number}" for number in range(20)]
    tickets = [one["ticket"] for one in line.all_sign_up([*names, "ann", "bob"])]
    for name, ticket in zip(names, tickets, strict=False):
        line.leave(name, ticket=ticket)
    line.clock.advance(QUARTER_HOUR_MICROS, seconds=1)
    line.leave("ann", ticket=tickets[-2])
    assert len(_tombstones(line)) == 20 - 16 + 1
    line.leave("bob", ticket=tickets[-1])
    assert len(_tombstones(line)) == 2


def test_tombstones_expire_after_the_last_leave(line: Line) -> None:
    line.init()
    line.leave("ann")
    assert 0 < line.client.ttl(TOMBSTONES) <= 15 * 60


def test_a_leave_returns_the_ticket_of_the_place_that_it_took(line: Line) -> None:
    """The response to a request to leave contains the entry's ticket number. Repeating the request
    returns the same number (promise P2).
    """
    line.init()
    ticket = line.signup("ann")["ticket"]
    assert line.leave("ann")["ticket"] == ticket
    repeat = line.leave("ann")
    assert (repeat["outcome"], repeat["ticket"]) == ("absent", ticket)
    assert line.drop("ann")["ticket"] == ticket


def test_a_leave_without_a_place_returns_no_ticket(line: Line) -> None:
    line.init()
    assert [line.leave("ann")["ticket"] for _ in range(2)] == [None, None]


def _tombstones(line: Line) -> list[object]:
    found = line.contents()[TOMBSTONES]
    assert isinstance(found, list)
    return found


def test_each_former_place_of_a_customer_goes(line: Line) -> None:
    """After a failover, Redis may still have an earlier signup's place. A message with that place's
    ticket number removes it.
    """
    line.init()
    for stay in (1, 2):
        ticket = accepted(line.signup("ann", stay))["ticket"]
        accepted(line.drop("ann", 0, ticket=ticket))
        assert line.order() == []
