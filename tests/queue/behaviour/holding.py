"""Tests that only the worker who has claimed an entry can complete, release or extend the claim."""

import pytest

from tests.support.line import Line

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60
FOREIGN = "0" * 40


def filled(line: Line) -> None:
    line.init(lease_seconds=LEASE)
    line.all_sign_up(PEOPLE)


def outcome_of(line: Line, verb: str, name: str, token: str) -> str:
    answer = line.send(verb, entry_id=line.id_of(name), token=token)
    return str(answer["outcome"] if answer["ok"] else answer["code"])


def test_a_repeated_complete_changes_nothing_however_late(line: Line) -> None:
    """A claim can be completed a second time, even after its deadline.

    The response contains the same pass, and the admission counts once (promises P2 and P4).
    """
    filled(line)
    line.init(version=2, lease_seconds=LEASE, admission=True, pass_seconds=3 * LEASE)
    ann = line.claimed()["ann"]
    first = line.complete("ann", ann["token"])
    assert first["inside_until_millis"] == line.clock.millis + 3 * LEASE * 1000
    line.clock.advance(seconds=2 * LEASE)
    again = line.complete("ann", ann["token"])
    assert again["outcome"] == "repeat"
    assert again["stamp"] > first["stamp"]
    own = {"stamp": 0, "outcome": "completed", "basis_stamp": 0, "placed_stamp": 0}
    assert {**again, **own} == {**first, **own}
    assert line.stats()["counters"]["admitted"] == 1


@pytest.mark.parametrize("verb", ["release", "extend", "park"])
def test_an_admission_is_for_good(line: Line, verb: str) -> None:
    """Nobody can undo an admission, not even with the token that admitted the entry (promise
    P4).
    """
    filled(line)
    ann = line.claimed()["ann"]
    line.complete("ann", ann["token"])
    before = line.contents()
    assert outcome_of(line, verb, "ann", ann["token"]) == "not_held"
    assert outcome_of(line, verb, "ann", FOREIGN) == "claim_mismatch"
    assert outcome_of(line, "complete", "ann", FOREIGN) == "claim_mismatch"
    assert line.bump("ann", to="front")["code"] == "not_waiting"
    assert line.redrive("ann")["code"] == "not_parked"
    assert line.contents() == before


def test_a_bumped_entry_keeps_the_place_and_the_signups_ticket(line: Line) -> None:
    filled(line)
    ticket = line.position("kim")["ticket"]
    moved = line.bump("kim", to="front")
    held = line.claimed(2)
    line.release("ann", held["ann"]["token"])
    back = line.release("kim", held["kim"]["token"])
    assert (back["rank"], back["ticket"], back["position"]) == (moved["rank"], ticket, 1)
    assert line.position("kim")["ticket"] == ticket


def test_a_repeated_release_returns_the_first_and_changes_nothing(line: Line) -> None:
    """If a worker repeats a release, nothing changes. The response is the same as before, except
    that it contains the entry's current position (promise P2).
    """
    filled(line)
    ann = line.claimed()["ann"]
    first = line.release("ann", ann["token"])
    line.bump("ann", to="back")
    before = line.contents()
    again = line.release("ann", ann["token"], to="back")
    total = again["total"]
    assert again == {**first, "outcome": "repeat", "position": total}
    assert line.contents() == before
    line.leave("ann")
    assert line.release("ann", ann["token"])["position"] is None


def test_a_token_that_has_released_does_nothing_else(line: Line) -> None:
    """After a claim has been released, its token can repeat the release but cannot do anything else
    (promise P4).
    """
    filled(line)
    ann = line.claimed()["ann"]
    line.release("ann", ann["token"])
    later = line.claimed()["ann"]
    for end in (line.park, line.extend, line.complete):
        assert end("ann", ann["token"])["code"] == "claim_mismatch"
    line.park("ann", later["token"])
    assert line.release("ann", later["token"])["code"] == "not_held"
    assert line.release("ann", ann["token"])["outcome"] == "repeat"


def test_a_decision_is_recognised_until_it_is_settled(line: Line) -> None:
    filled(line)
    ann = line.claimed()["ann"]
    line.release("ann", ann["token"])
    line.settle("ann", line.dirty()["ann"]["seen_stamp"])
    assert outcome_of(line, "release", "ann", ann["token"]) == "not_held"


def test_the_newest_sixteen_decisions_of_an_entry_are_kept(line: Line) -> None:
    """For each entry, Redis remembers only the last 16 changes, so claiming and releasing an entry
    repeatedly does not fill the memory (promise P9).
    """
    line.init(lease_seconds=LEASE)
    line.signup("ann")
    tokens = []
    for _ in range(18):
        tokens.append(line.claimed()["ann"]["token"])
        line.release("ann", tokens[-1])
    kept = [one["token"] for one in line.dirty()["ann"]["decisions"]]
    assert kept == tokens[2:]
    assert outcome_of(line, "release", "ann", tokens[1]) == "not_held"


def test_of_two_extensions_the_last_to_arrive_decides(line: Line) -> None:
    """If two requests extend the same claim, the one that arrives last sets the deadline, even if
    this shortens the claim.
    """
    filled(line)
    token = line.claimed()["ann"]["token"]
    line.extend("ann", token, lease_seconds=10 * LEASE)
    late = line.extend("ann", token, lease_seconds=LEASE)
    assert late["deadline_millis"] == line.clock.millis + LEASE * 1000


def test_heartbeats_keep_a_hold_far_beyond_its_first_deadline(line: Line) -> None:
    filled(line)
    line.init(version=2, lease_seconds=LEASE, max_attempts=100)
    ann = line.claimed()["ann"]
    for _ in range(10):
        line.clock.advance(seconds=LEASE - 1)
        beat = line.extend("ann", ann["token"])
        assert beat["deadline_millis"] == line.clock.millis + LEASE * 1000
        assert list(line.claimed(1, lease_seconds=1)) == ["bob"]
    assert (beat["rank"], beat["ticket"]) == (ann["rank"], ann["ticket"])
    line.clock.advance(seconds=LEASE)
    assert list(line.claimed()) == ["ann"]
