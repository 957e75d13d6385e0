"""park and redrive: set an entry aside for the operator, and return it to the line."""

import pytest

from tests.support.line import Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60


def filled(line: Line, max_attempts: int = 5) -> None:
    line.init(lease_seconds=LEASE, max_attempts=max_attempts)
    line.all_sign_up(PEOPLE)


def parked(line: Line, count: int = 1) -> dict[str, dict[str, int]]:
    """Park the entries at the head, and return the answers by name."""
    held = line.claimed(count)
    return {name: accepted(line.park(name, entry["token"])) for name, entry in held.items()}


def test_a_parked_entry_stays_aside_until_it_is_redriven(line: Line) -> None:
    filled(line)
    answer = parked(line)["ann"]
    assert answer["parked_millis"] == line.clock.millis
    line.clock.advance(seconds=1_000 * LEASE)
    assert list(line.claimed(5)) == PEOPLE[1:]
    assert line.on_shelf("parked") == ["ann"]
    assert line.stats()["parked"] == 1


def test_a_parked_entry_has_no_token_any_more(line: Line) -> None:
    """P2, P4: a repeated park changes nothing and returns the first answer."""
    filled(line)
    ann = line.claimed()["ann"]
    first = line.park("ann", ann["token"])
    before = line.contents()
    line.clock.advance(1_000_000)
    assert line.park("ann", ann["token"]) == {**first, "outcome": "repeat"}
    for end in (line.complete, line.release, line.extend):
        assert end("ann", ann["token"])["code"] == "not_held"
    assert line.contents() == before


@pytest.mark.parametrize("order", [["ann", "bob", "eve"], ["eve", "ann", "bob"]])
def test_the_redriven_stand_at_their_old_places(line: Line, order: list[str]) -> None:
    """P1: in whatever order they are redriven."""
    filled(line)
    before = parked(line, 3)
    for name in order:
        answer = line.redrive(name)
        place = (answer["outcome"], answer["rank"], answer["ticket"])
        assert place == ("redriven", before[name]["rank"], before[name]["ticket"])
    assert line.order() == PEOPLE


def test_a_redrive_returns_the_place(line: Line) -> None:
    """P6"""
    filled(line)
    parked(line, 2)
    bob = line.redrive("bob")
    assert (bob["position"], bob["total"]) == (1, 4)
    ann = line.redrive("ann", to="back")
    assert (ann["position"], ann["total"]) == (5, 5)
    assert line.order() == ["bob", "eve", "kim", "zoe", "ann"]


def test_a_redrive_wipes_out_the_attempts(line: Line) -> None:
    filled(line, max_attempts=2)
    for _ in range(2):
        line.claim(lease_seconds=1)
        line.clock.advance(seconds=1)
    line.expire()
    assert line.shelf("parked")["entries"][0]["attempts"] == 2
    assert line.redrive("ann")["attempts"] == 0
    assert line.claimed()["ann"]["attempts"] == 0
    line.clock.advance(seconds=LEASE)
    assert line.claimed()["ann"]["attempts"] == 1


def test_a_bumped_entry_is_redriven_with_the_signups_ticket(line: Line) -> None:
    filled(line)
    ticket = line.position("zoe")["ticket"]
    line.bump("zoe", to="front")
    assert parked(line)["zoe"]["ticket"] == ticket
    for name in ["ann", "bob"]:
        line.bump(name, to="front")
    line.redrive("zoe")
    assert line.position("zoe")["ticket"] == ticket
    assert line.leave("zoe", ticket=ticket)["outcome"] == "left"


def test_a_redriven_entry_shares_no_rank(line: Line) -> None:
    """P1: the returning entry stands right ahead of the entry that now has its rank."""
    filled(line)
    held = line.claimed(2)
    line.release("ann", held["ann"]["token"])
    line.park("bob", held["bob"]["token"])
    taken = held["bob"]["rank"]
    line.restore("nia", rank=taken, ticket=1)
    assert line.redrive("bob")["rank"] == taken - 1
    ranks = [entry["rank"] for entry in line.entries()]
    assert ranks == sorted(set(ranks))
    assert line.position("bob")["position"] == line.position("nia")["position"] - 1


def test_only_the_parked_can_be_redriven(line: Line) -> None:
    """P2, P5: not an entry that waits, is held, has left and signed up again, or is unknown."""
    filled(line)
    parked(line)
    line.redrive("ann")
    line.leave("ann")
    line.signup("ann", stay=2)
    line.claim()
    before = line.contents()
    for name in ["ann", "bob", "eve", "stranger"]:
        assert line.redrive(name)["code"] == "not_parked"
    assert line.contents() == before


def test_a_repeated_redrive_returns_the_first_and_changes_nothing(line: Line) -> None:
    """P2: the caller may not have got the first answer, so later changes do not matter."""
    filled(line)
    parked(line)
    first = line.redrive("ann", to="back")
    assert line.redrive("ann", to="back") == {**first, "outcome": "repeat"}
    line.bump("ann", to="front")
    line.claim()
    before = line.contents()
    total = line.stats()["waiting"]
    again = {**first, "outcome": "repeat", "position": None, "total": total}
    assert line.redrive("ann", to="back") == again
    assert line.contents() == before


def test_a_redrive_returns_the_stamp_of_a_parking_after_too_many_attempts(line: Line) -> None:
    """The record may not have that parking yet."""
    filled(line, max_attempts=1)
    line.claim()
    line.clock.advance(seconds=LEASE)
    parked_at = line.unsettled()["ann"]["seen_stamp"]
    assert line.redrive("ann")["worn_out_stamp"] == parked_at
    assert line.redrive("ann")["worn_out_stamp"] == parked_at
    parked(line)
    assert line.redrive("ann")["worn_out_stamp"] == 0
