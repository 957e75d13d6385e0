"""Another server takes over, and may lack the newest writes: it knows no order until it moves."""

from typing import Any

import pytest

from tests.queue.behaviour.rebuilding import HOLD_VERBS, LATER_EPOCH, VERBS, each_verb
from tests.support.line import EPOCH, HOUR_MICROS, Answer, Line, accepted

FIRST, SECOND = "server-one", "server-two"
PEOPLE = ["ann", "bob", "eve"]


def taken_over(line: Line, beats: int = 2) -> None:
    """Have people on the list, and another server answer for it."""
    line.home = FIRST
    line.init()
    line.all_sign_up(PEOPLE)
    for beat in range(beats):
        accepted(line.send("beat", epoch=EPOCH, known_beat=beat))
    line.home = SECOND


def newest_stamp(line: Line) -> int:
    return int(line.client.hget("wl:{bakery-opening}:meta", "last_ticket"))


def move(line: Line, **fields: Any) -> Answer:
    known = {"known_epoch": EPOCH, "known_beat": 2, **fields}
    return accepted(line.init(state="hydrating", epoch=LATER_EPOCH, **known))


@pytest.mark.parametrize("verb", VERBS)
def test_a_server_that_has_taken_over_knows_no_order(line: Line, verb: str) -> None:
    """P7: nothing that it has is told, nor is anything changed."""
    taken_over(line)
    before = line.contents()
    assert line.handle(each_verb(line)[verb])["code"] == "cold"
    assert line.contents() == before
    line.home = FIRST
    assert line.handle(each_verb(line)[verb]).get("code") != "cold"


def test_an_order_is_at_home_wherever_servers_do_not_tell_who_they_are(line: Line) -> None:
    taken_over(line)
    line.home = ""
    assert line.position("ann")["position"] == 1


def test_an_order_moves_with_all_that_it_has(line: Line) -> None:
    """P1, P3: it is being rebuilt then, by the journal alone; later stamps are later."""
    taken_over(line)
    floor = newest_stamp(line) + 1_000_000
    counted = {"signed_up": 5, "left": 2, "admitted": 0}
    moved = move(line, counters=counted, floor_ticket=floor)
    assert (moved["outcome"], moved["state"], moved["epoch"]) == ("moved", "hydrating", LATER_EPOCH)
    assert moved["is_mending"] is True
    assert moved["born"] >= floor
    assert line.position("ann")["code"] == "rebuilding"
    assert line.signup("zoe")["ticket"] > moved["born"]
    ended = accepted(line.init(epoch=LATER_EPOCH))
    assert (ended["outcome"], ended["is_mending"]) == ("warmed", False)
    assert line.order() == [*PEOPLE, "zoe"]
    assert line.stats()["counters"] == {"signed_up": 6, "left": 2, "admitted": 0}


@pytest.mark.parametrize("verb", HOLD_VERBS)
def test_a_hold_waits_until_an_order_that_has_moved_is_mended(line: Line, verb: str) -> None:
    """P4: what ended it may be lost, and then its token would be good again."""
    taken_over(line)
    line.home = FIRST
    token = line.claimed()["ann"]["token"]
    line.home = SECOND
    move(line)
    entry_id = line.id_of("ann")
    assert line.send(verb, entry_id=entry_id, token=token)["code"] == "rebuilding"
    accepted(line.init(epoch=LATER_EPOCH))
    accepted(line.send(verb, entry_id=entry_id, token=token))


def test_a_move_is_for_once(line: Line) -> None:
    """P2: whoever meets a moved order finds it as it is, until it is mended."""
    taken_over(line)
    first = move(line)
    again = move(line, known_epoch=LATER_EPOCH)
    assert (again["outcome"], again["is_mending"], again["born"]) == ("exists", True, first["born"])


@pytest.mark.parametrize(
    "known", [{"known_epoch": LATER_EPOCH}, {"known_beat": 4}], ids=["another life", "too old"]
)
def test_an_order_that_is_of_no_use_begins_anew(line: Line, known: dict[str, Any]) -> None:
    """P7: it is rebuilt from the record."""
    taken_over(line)
    made = move(line, **known)
    assert (made["outcome"], made["is_mending"]) == ("created", False)
    assert list(line.contents()) == ["wl:{bakery-opening}:meta"]


def test_an_order_that_was_being_rebuilt_begins_anew(line: Line) -> None:
    """P3: what the rebuild had put back may be lost, and the journal does not know of it."""
    line.home = FIRST
    line.init(state="hydrating")
    line.restore("ann", rank=5, ticket=5)
    line.home = SECOND
    assert move(line, known_beat=0)["outcome"] == "created"
    assert line.restore("ann", rank=5, ticket=5, epoch=EPOCH)["code"] == "stale_epoch"


def test_settings_that_are_repeated_do_not_move_an_order(line: Line) -> None:
    taken_over(line)
    before = line.contents()
    assert line.init(only_if_known=True)["code"] == "cold"
    assert line.contents() == before


def test_new_settings_move_an_order_and_hold(line: Line) -> None:
    taken_over(line)
    assert move(line, version=2, open=False)["outcome"] == "moved"
    assert line.signup("zoe")["code"] == "waitlist_closed"


def test_the_clock_of_the_new_home_may_be_behind(line: Line) -> None:
    """P1: whoever signs up there is behind all whom it knows."""
    taken_over(line)
    line.clock.advance(-HOUR_MICROS)
    known = newest_stamp(line)
    assert move(line)["born"] > known
