"""Tests for the `position` and `stats` operations for entries that are claimed, offered, parked or
admitted.
"""

from tests.support.counters import NO_OFFERS
from tests.support.line import Line

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]


def test_a_position_returns_that_an_entry_does_not_wait(line: Line) -> None:
    """If an entry is claimed, offered or parked, the response contains its former place and the
    number of waiting entries, but no position (promise P6).
    """
    line.init(hide_counts=True, has_call_numbers=True)
    line.all_sign_up(PEOPLE)
    line.bump("ann", priority=3)
    held = line.claimed(3)
    line.complete("ann", held["ann"]["token"])
    line.park("bob", held["bob"]["token"])
    answers = {name: line.position(name) for name in held}
    assert [answer["outcome"] for answer in answers.values()] == ["done", "parked", "held"]
    for name, answer in answers.items():
        place = {"rank": held[name]["rank"], "ticket": held[name]["ticket"]}
        token = "" if answer["outcome"] == "parked" else held[name]["token"]
        common: dict[str, object] = {
            "ok": True,
            "total": 2,
            "hide_counts": True,
            "position": None,
            "places": [],
            "ready_ahead": None,
            "not_ready": [],
            "confirm_by_millis": 0,
            "presence_seconds": None,
            "pace": None,
            "is_due": False,
            "has_call_numbers": True,
            "offered_until_millis": None,
        }
        assert answer == {**common, **place, "outcome": answer["outcome"], "token": token}


def test_statistics_count_every_entry_once(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    held = line.claimed(4)
    line.complete("ann", held["ann"]["token"])
    line.park("bob", held["bob"]["token"])
    parked_millis = line.clock.millis
    line.clock.advance(seconds=1)
    line.park("eve", held["eve"]["token"])
    stats = line.stats()
    assert [stats[name] for name in ("waiting", "offered", "parked")] == [1, 1, 2]
    assert stats["counters"] == NO_OFFERS | {"signed_up": 5, "left": 0, "admitted": 1}
    assert stats["oldest_parked_millis"] == parked_millis
    assert stats["head_ticket"] == line.position("zoe")["ticket"]


def test_without_parked_entries_there_is_no_oldest(line: Line) -> None:
    line.init()
    line.signup("ann")
    line.claim()
    stats = line.stats()
    assert (stats["oldest_parked_millis"], stats["head_ticket"]) == (None, None)
    assert (stats["waiting"], stats["offered"], stats["parked"]) == (0, 1, 0)


def test_an_entry_that_is_aside_is_on_no_page_of_the_line(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    held = line.claimed(2)
    line.park("ann", held["ann"]["token"])
    page = line.list_waiting()
    assert page["total"] == 3
    assert [entry["position"] for entry in page["entries"]] == [1, 2, 3]
    assert line.order() == ["eve", "kim", "zoe"]
