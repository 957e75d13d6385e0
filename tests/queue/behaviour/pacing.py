"""Tests for a waitlist's pace, which says how fast people get in.

Maintenance stores the pace in Redis. Responses to polls and signups contain the pace, so that the
service can estimate the waiting time.
"""

from tests.support.line import Line, accepted

PACE = "2 1780000000 0.5 0 1 0.1 0 0 0 60:60:40"


def beat(line: Line, **fields: str) -> None:
    accepted(line.send("heartbeat", **fields))


def paces(line: Line) -> list[str]:
    looks = (line.position("ann"), line.signup("ann"), line.stats())
    return [accepted(one)["pace"] for one in looks]


def test_a_pace_is_unknown_until_the_first_heartbeat_that_brings_one(line: Line) -> None:
    line.init()
    line.signup("ann")
    assert paces(line) == ["unknown"] * 3
    beat(line)
    assert paces(line) == ["unknown"] * 3


def test_a_heartbeat_replaces_the_pace_and_one_without_keeps_it(line: Line) -> None:
    line.init()
    line.signup("ann")
    beat(line, pace=PACE)
    assert paces(line) == [PACE] * 3
    beat(line)
    assert paces(line) == [PACE] * 3
    beat(line, pace="unknown")
    assert paces(line) == ["unknown"] * 3


def test_customers_of_a_paused_list_read_at_once_that_it_is_paused(line: Line) -> None:
    line.init()
    line.signup("ann")
    beat(line, pace=PACE)
    line.init(version=2, paused=True)
    assert paces(line) == ["paused", "paused", PACE]
    line.init(version=3, paused=False)
    assert paces(line) == [PACE] * 3


def test_only_waiting_entries_have_a_pace(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    beat(line, pace=PACE)
    line.claim()
    assert accepted(line.position("ann"))["pace"] is None
    assert accepted(line.signup("ann"))["pace"] is None
    assert accepted(line.insert("eve"))["pace"] is None


def test_a_lost_order_begins_without_a_pace(line: Line) -> None:
    line.init()
    beat(line, pace=PACE)
    line.send("purge")
    line.init()
    assert accepted(line.stats())["pace"] == "unknown"
