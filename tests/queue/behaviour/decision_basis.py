"""Tests what Redis says about each change that it makes to an entry.

Redis names the signup, the entry's previous change, and the change that gave the entry its rank
(sort key). The service can then tell whether DynamoDB lacks an earlier change.
"""

from typing import Any

import pytest

from tests.support.line import Answer, Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim"]
LEASE = 60
PENDING_DECISIONS = "wl:{bakery-opening}:pending_decisions"
CLAIMS = "wl:{bakery-opening}:claims"
TOKEN = "a" * 40


def filled(line: Line, **settings: Any) -> None:
    line.init(lease_seconds=LEASE, **settings)
    line.all_sign_up(PEOPLE)


def read_stamps(answer: Answer) -> tuple[int | None, int | None]:
    """Return the stamps (logical timestamps) of the previous change and of the change that set the
    rank.
    """
    return answer["basis_stamp"], answer["placed_stamp"]


def unrecorded_decisions(line: Line, name: str) -> list[Answer]:
    found: list[Answer] = line.dirty()[name]["decisions"]
    return found


def test_a_claim_of_an_entry_that_nothing_happened_to_has_no_basis(line: Line) -> None:
    filled(line)
    assert read_stamps(line.claimed()["ann"]) == (0, 0)


def test_a_claim_after_a_bump_is_made_from_it(line: Line) -> None:
    filled(line)
    moved = accepted(line.bump("eve", to="front"))
    assert (moved["basis_stamp"], unrecorded_decisions(line, "eve")[0]["basis_stamp"]) == (0, 0)
    eve = line.claimed()["eve"]
    assert read_stamps(eve) == (moved["stamp"], moved["stamp"])


def test_the_end_of_a_hold_is_made_from_the_hold(line: Line) -> None:
    """When a claim ends, the response contains the stamps (logical timestamps) of two earlier
    changes: the claim's last change, and the entry's last move.
    """
    filled(line)
    moved = accepted(line.bump("eve", to="front"))
    eve = line.claimed(once=1)["eve"]
    extended = accepted(line.extend("eve", eve["token"]))
    assert read_stamps(extended) == (eve["stamp"], 0)
    released = accepted(line.release("eve", eve["token"]))
    assert read_stamps(released) == (extended["stamp"], moved["stamp"])
    assert read_stamps(unrecorded_decisions(line, "eve")[-1]) == read_stamps(released)
    assert read_stamps(accepted(line.release("eve", eve["token"]))) == read_stamps(released)


@pytest.mark.parametrize("verb", ["release", "redrive"])
def test_a_new_rank_is_that_of_the_decision_itself(line: Line, verb: str) -> None:
    filled(line)
    token = line.claimed()["ann"]["token"]
    if verb == "redrive":
        parked = accepted(line.park("ann", token))
        assert parked["placed_stamp"] == 0
        assert parked["basis_stamp"] < parked["stamp"]
        assert read_stamps(accepted(line.park("ann", token))) == read_stamps(parked)
        ended = accepted(line.redrive("ann", to="back"))
        assert ended["basis_stamp"] == parked["stamp"]
    else:
        ended = accepted(line.release("ann", token, to="back"))
    assert ended["placed_stamp"] == ended["stamp"]


def test_an_expiry_is_made_from_its_hold(line: Line) -> None:
    filled(line)
    ann = line.claimed()["ann"]
    line.clock.advance(seconds=LEASE)
    [expired] = unrecorded_decisions(line, "ann")
    assert (expired["verb"], read_stamps(expired)) == ("expired", (ann["stamp"], 0))


@pytest.mark.parametrize("verb", ["enter", "decline", "withdraw"])
def test_the_end_of_an_offer_names_the_offer_as_its_basis(line: Line, verb: str) -> None:
    filled(line, admission=True, pass_seconds=600)
    admitted = accepted(line.send("admit", count=1))
    ended = accepted(line.send(verb, entry_id=line.id_of("ann")))
    assert ended["basis_stamp"] == admitted["entries"][0]["stamp"] == admitted["stamp"]
    assert ended["placed_stamp"] == (ended["stamp"] if verb == "decline" else 0)


def test_a_complete_is_made_from_its_hold(line: Line) -> None:
    filled(line)
    ann = line.claimed()["ann"]
    assert read_stamps(accepted(line.complete("ann", ann["token"]))) == (ann["stamp"], 0)


def test_a_repeated_bump_is_made_from_what_it_was(line: Line) -> None:
    filled(line)
    first = accepted(line.bump("eve", once=1, to="front"))
    again = accepted(line.bump("eve", once=1, to="front"))
    assert (again["outcome"], again["basis_stamp"]) == ("repeat", first["basis_stamp"])


def test_a_repeated_claim_has_the_stamp_of_the_hold(line: Line) -> None:
    """If a claim is repeated, the response contains the same stamp (logical timestamp), because
    later changes to the claim refer to it.
    """
    filled(line)
    first = line.claimed(once=1)["ann"]
    line.clock.advance(seconds=1)
    assert line.claimed(once=1)["ann"] == first


def test_an_entry_shows_the_ticket_of_its_stay(line: Line) -> None:
    filled(line)
    ticket = line.position("eve")["ticket"]
    line.bump("eve", to="front")
    assert accepted(line.send("inspect", entry_id=line.id_of("eve")))["ticket"] == ticket
    line.claim()
    assert accepted(line.send("inspect", entry_id=line.id_of("eve")))["ticket"] == ticket
    assert accepted(line.send("inspect", entry_id=line.id_of("zoe")))["ticket"] is None


def test_an_edit_does_not_make_a_hold_later(line: Line) -> None:
    """If a claim is extended, DynamoDB still records the stamp (logical timestamp) of the claim
    itself, because the end of the claim refers to it.
    """
    filled(line)
    ann = line.claimed(once=1)["ann"]
    line.mark_dirty("ann")
    place = line.dirty()["ann"]
    assert (place["stamp"], place["seen_stamp"] > place["stamp"]) == (ann["stamp"], True)


def test_a_place_that_is_replaced_loses_the_decisions_about_it(line: Line) -> None:
    """Maintenance moves an entry back to the place that DynamoDB has recorded. Redis then forgets
    the move that was undone, but not the release before it (promise P3).
    """
    filled(line)
    released = accepted(line.release("ann", line.claimed()["ann"]["token"]))
    moved = accepted(line.bump("ann", to="back"))
    line.restore(
        "ann",
        rank=released["rank"],
        ticket=released["ticket"],
        stamp=released["stamp"],
        expected={"state": "waiting", "rank": moved["rank"]},
    )
    assert line.order() == PEOPLE
    assert [one["verb"] for one in unrecorded_decisions(line, "ann")] == ["released"]
    assert line.dirty()["ann"]["seen_stamp"] == released["stamp"]


def test_an_unused_offer_of_an_earlier_stay_does_not_end_the_next_stay(line: Line) -> None:
    """P3"""
    filled(line, admission=True, offer_seconds=LEASE, no_show="leave")
    accepted(line.send("admit", count=1))
    line.clock.advance(seconds=LEASE)
    place = line.dirty()["ann"]
    assert place["state"] == "no_show"
    seen = {"state": "no_show", "rank": place["rank"]}
    restored = line.restore("ann", place["rank"], place["ticket"] + 1, stay=2, expected=seen)
    assert accepted(restored)["outcome"] == "restored"
    assert (line.order(), line.dirty()) == (PEOPLE, {})


def test_a_place_that_a_tombstone_did_not_take_goes_by_its_ticket(line: Line) -> None:
    """A server that has lost writes may still have the place of a customer's earlier signup. A
    message removes this place only if it contains the matching ticket number (promise P3).
    """
    filled(line)
    ticket = line.position("ann")["ticket"]
    assert line.drop("ann", stay=2, ticket=ticket + 1)["outcome"] == "absent"
    assert line.order() == PEOPLE
    line.drop("ann", stay=2)
    assert line.order() == PEOPLE
    line.drop("ann", stay=2, ticket=ticket)
    assert line.order() == PEOPLE[1:]


def test_an_admission_of_an_earlier_stay_does_not_end_the_recorded_one(line: Line) -> None:
    """Redis can restore a customer's next signup even if the customer was admitted once before
    (promise P3).
    """
    filled(line)
    ann = line.claimed()["ann"]
    line.complete("ann", ann["token"])
    place = line.dirty()["ann"]
    later = place["ticket"] + 1
    line.settle("ann", place["seen_stamp"], join_id="00000002", ticket=later)
    assert line.client.hget(CLAIMS, line.id_of("ann")) is None
    assert accepted(line.restore("ann", ann["rank"], later, stay=2))["outcome"] == "restored"
