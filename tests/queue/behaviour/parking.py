"""Tests for the `park` and `redrive` operations.

A parked entry is out of the queue until an operator decides what happens to it. `redrive` brings
the entry back.
"""

from tests.support.line import Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60


def filled(line: Line, max_attempts: int = 5) -> None:
    line.init(lease_seconds=LEASE, max_attempts=max_attempts)
    line.all_sign_up(PEOPLE)


def park_first(line: Line, count: int = 1) -> dict[str, dict[str, int]]:
    held = line.claimed(count)
    return {name: accepted(line.park(name, entry["token"])) for name, entry in held.items()}


def test_a_parked_entry_stays_aside_until_it_is_redriven(line: Line) -> None:
    filled(line)
    answer = park_first(line)["ann"]
    assert answer["parked_millis"] == line.clock.millis
    line.clock.advance(seconds=1_000 * LEASE)
    assert list(line.claimed(5)) == PEOPLE[1:]
    assert line.off_queue("parked") == ["ann"]
    assert line.stats()["parked"] == 1


def test_a_parked_entry_has_no_token_any_more(line: Line) -> None:
    """If an entry is parked twice with the same token, the second request changes nothing and gets
    the same response.

    The token can do nothing else (promises P2 and P4).
    """
    filled(line)
    ann = line.claimed()["ann"]
    first = line.park("ann", ann["token"])
    before = line.contents()
    line.clock.advance(1_000_000)
    assert line.park("ann", ann["token"]) == {**first, "outcome": "repeat"}
    for end in (line.complete, line.release, line.extend):
        assert end("ann", ann["token"])["code"] == "not_held"
    assert line.contents() == before


def test_a_bumped_entry_is_redriven_with_the_signups_ticket(line: Line) -> None:
    filled(line)
    ticket = line.position("zoe")["ticket"]
    line.bump("zoe", to="front")
    assert park_first(line)["zoe"]["ticket"] == ticket
    for name in ["ann", "bob"]:
        line.bump(name, to="front")
    line.redrive("zoe")
    assert line.position("zoe")["ticket"] == ticket
    assert line.leave("zoe", ticket=ticket)["outcome"] == "left"


def test_a_repeated_redrive_returns_the_first_and_changes_nothing(line: Line) -> None:
    """A request to bring a parked entry back can be repeated. The response is the same, even after
    later changes (promise P2).
    """
    filled(line)
    park_first(line)
    first = line.redrive("ann", to="back")
    assert line.redrive("ann", to="back") == {**first, "outcome": "repeat"}
    line.bump("ann", to="front")
    line.claim()
    before = line.contents()
    total = line.stats()["waiting"]
    again = {**first, "outcome": "repeat", "position": None, "total": total}
    assert line.redrive("ann", to="back") == again
    assert line.contents() == before


def test_a_late_redrive_leaves_a_later_parking(line: Line) -> None:
    """A request to bring a parked entry back says when the entry was parked. It changes nothing if
    the entry has been parked again since (promise P2).
    """
    filled(line)
    first = park_first(line)["ann"]["parked_millis"]
    accepted(line.redrive("ann", parked_millis=first))
    line.clock.advance(seconds=1)
    second = park_first(line)["ann"]["parked_millis"]
    assert line.redrive("ann", parked_millis=first)["outcome"] == "repeat"
    assert line.position("ann")["outcome"] == "parked"
    line.settle("ann", line.dirty()["ann"]["seen_stamp"])
    assert line.redrive("ann", parked_millis=first)["code"] == "not_parked"
    assert line.redrive("ann", parked_millis=second)["outcome"] == "redriven"


def test_a_redrive_that_names_no_parking_is_about_the_one_that_it_finds(line: Line) -> None:
    filled(line)
    park_first(line)
    assert line.redrive("ann")["outcome"] == "redriven"


def test_a_redrive_returns_the_stamp_of_a_parking_after_too_many_attempts(line: Line) -> None:
    """An entry was parked because its last permitted claim expired. When an operator brings the
    entry back, the response says when this claim expired.
    """
    filled(line, max_attempts=1)
    line.claim()
    line.clock.advance(seconds=LEASE)
    parked_millis = line.clock.millis
    line.clock.advance(seconds=5)
    place = line.dirty()["ann"]
    assert place["time_millis"] == parked_millis
    for _repeat in range(2):
        redriven = line.redrive("ann")
        assert redriven["worn_out_stamp"] == place["stamp"]
        assert redriven["worn_out_millis"] == parked_millis
    park_first(line)
    redriven = line.redrive("ann")
    assert (redriven["worn_out_stamp"], redriven["worn_out_millis"]) == (0, 0)
