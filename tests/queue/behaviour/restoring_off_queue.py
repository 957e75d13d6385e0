"""Tests that `restore` also restores claimed and parked entries, and entries whose claim has
expired in the meantime.
"""

from typing import Any

import pytest

from tests.support.line import EPOCH, Line, accepted, readiness_of
from waitlist_shared.ranks import TIER

RANK = 255 * TIER
TOKEN = "a" * 40
OTHER = "b" * 40


def claim_fields(line: Line, seconds: int = 60, **fields: Any) -> dict[str, Any]:
    deadline = line.clock.millis + 1_000 * seconds
    return {"state": "held", "token": TOKEN, "time_millis": deadline, **fields}


def test_a_claimer_can_still_complete_after_a_loss(line: Line) -> None:
    """After Redis has lost its data, a claim's token is still valid, and nobody else gets the entry
    (promises P3 and P4).
    """
    line.init(mode="open")
    answer = line.restore("ann", RANK + 1, 1, epoch=EPOCH, **claim_fields(line, attempts=2))
    assert (answer["outcome"], answer["state"], answer["position"]) == ("restored", "held", None)
    line.restore("bob", RANK + 2, 2, epoch=EPOCH)
    line.init()
    assert list(line.claimed(5)) == ["bob"]
    assert line.complete("ann", OTHER)["code"] == "claim_mismatch"
    assert line.complete("ann", TOKEN)["attempts"] == 2


def test_a_late_restore_does_not_move_an_entry_that_is_aside(line: Line) -> None:
    """If Redis has newer data about an entry than DynamoDB does, restoring the entry changes
    nothing. The response contains the newer data (promises P2 and P4).
    """
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    held = line.claimed(3)
    line.park("bob", held["bob"]["token"])
    line.complete("eve", held["eve"]["token"])
    before = line.contents()
    for name, state in (("ann", "held"), ("bob", "parked"), ("eve", "done")):
        for when in ("absent", "older"):
            answer = line.restore(name, RANK + 7, 7, stamp=7, when=when)
            assert (answer["outcome"], answer["state"]) == ("present", state)
            place = (held[name]["rank"], held[name]["ticket"])
            assert (answer["rank"], answer["ticket"]) == place
            assert (answer["position"], answer["total"]) == (None, None)
    assert line.contents() == before


def test_a_late_restore_does_not_hold_a_waiting_entry(line: Line) -> None:
    """If a claim has been released, a late message that restores it does not make its token valid
    again (promise P4).
    """
    line.init()
    ann = line.signup("ann")
    token = line.claimed()["ann"]["token"]
    line.release("ann", token)
    again = line.restore("ann", ann["rank"], ann["ticket"], **claim_fields(line, token=token))
    assert (again["outcome"], again["state"], again["position"]) == ("present", "waiting", 1)
    assert line.complete("ann", token)["code"] == "not_held"


STATES: dict[str, dict[str, Any]] = {
    "waiting": {"attempts": 2},
    "new in line": {},
    "held": {"state": "held", "token": OTHER, "time_millis": 2 * 10**12, "attempts": 1},
    "parked": {"state": "parked", "time_millis": 5, "attempts": 4},
}


@pytest.mark.parametrize("then", STATES)
@pytest.mark.parametrize("first", STATES)
def test_the_second_pass_corrects_the_first_from_any_state_to_any(
    line: Line, first: str, then: str
) -> None:
    """A rebuild restores each entry twice.

    The second time, it corrects the result of the first, whatever state the entry was in (promise
    P7).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 5, 3, **STATES[then])
    expected = line.contents()
    line.send("purge")
    line.init(mode="open")
    line.restore("ann", RANK + 9, 3, **STATES[first])
    again = line.restore("ann", RANK + 5, 3, when="older", **STATES[then])
    assert again["state"] == STATES[then].get("state", "waiting")
    assert line.contents() == expected


@pytest.mark.parametrize("state", STATES)
def test_an_admission_during_a_rebuild_is_not_taken_back(line: Line, state: str) -> None:
    """If an entry is admitted during a rebuild, an older record does not make the rebuild undo the
    admission (promise P4).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 5, 3, **claim_fields(line))
    stamp = line.complete("ann", TOKEN)["stamp"]
    # After a failover, a record may have a higher stamp (logical timestamp) than the admission,
    # although it is older.
    for fields in ({}, {"stamp": stamp + 1, "readiness": readiness_of(1, held_back=0)}):
        answer = line.restore("ann", RANK + 5, 3, when="older", **STATES[state], **fields)
        assert (answer["outcome"], answer["state"]) == ("present", "done")
    assert line.id_of("ann") not in str(line.contents().get("wl:{bakery-opening}:readiness"))
    line.init()
    assert line.claimed(5) == {}
    assert line.complete("ann", TOKEN)["outcome"] == "repeat"
    assert line.stats()["counters"]["admitted"] == 1


def test_an_admission_that_the_record_refuses_is_not_counted(line: Line) -> None:
    """If DynamoDB refuses to record an admission, Redis puts the entry back and no longer counts
    the admission (promise P4).
    """
    line.init()
    ann = line.signup("ann")
    line.complete("ann", line.claimed()["ann"]["token"])
    fields: dict[str, Any] = {
        "when": "unchanged",
        "expected": {"state": "done", "rank": ann["rank"]},
    }
    for _ in range(2):
        line.restore("ann", ann["rank"], ann["ticket"], **fields)
        assert line.stats()["counters"]["admitted"] == 0
    assert line.order() == ["ann"]


def test_an_admission_before_the_later_stay_counts(line: Line) -> None:
    line.init()
    ann = line.signup("ann")
    line.complete("ann", line.claimed()["ann"]["token"])
    fields: dict[str, Any] = {
        "when": "unchanged",
        "expected": {"state": "done", "rank": ann["rank"]},
    }
    line.restore("ann", ann["rank"] + 8, ann["ticket"] + 8, stay=2, **fields)
    assert line.stats()["counters"]["admitted"] == 1


def test_a_later_stay_than_the_admitted_one_is_restored(line: Line) -> None:
    line.init(mode="open")
    line.restore("ann", RANK + 5, 5, **claim_fields(line))
    stamp = line.complete("ann", TOKEN)["stamp"] + 1
    again = line.restore("ann", RANK + 8, 8, stay=2, when="older", stamp=stamp)
    assert again["outcome"] == "restored"
    line.init()
    assert line.order() == ["ann"]


@pytest.mark.parametrize("op", ["release", "park", "extend"])
def test_a_decision_that_the_record_lacks_stands_in_the_second_look(line: Line, op: str) -> None:
    """If a claim or an offer ends during a rebuild, the rebuild does not restore it from an older
    record (promises P2 and P3).
    """
    line.init(mode="open")
    held = claim_fields(line)
    line.restore("ann", RANK + 5, 5, **held)
    stamp = accepted(line.send(op, entry_id=line.id_of("ann"), token=TOKEN))["stamp"]
    before = line.contents()
    late = line.restore("ann", RANK + 5, 5, when="older", stamp=stamp - 1, **held)
    assert late["outcome"] == "present"
    assert line.contents() == before
    again = line.restore("ann", RANK + 7, 5, when="older", stamp=stamp, **held)
    assert (again["outcome"], again["state"], again["rank"]) == ("restored", "held", RANK + 7)


def test_an_outdated_record_in_a_rebuild_changes_nothing_newer(line: Line) -> None:
    """P2"""
    line.init(mode="open")
    line.restore("ann", RANK + 5, 5, stamp=20, **STATES["parked"])
    late = line.restore("ann", RANK + 5, 5, stamp=10, when="older", **claim_fields(line))
    assert (late["outcome"], late["state"]) == ("present", "parked")
    line.restore("bob", RANK + 6, 6)
    line.restore("eve", RANK + 7, 7)
    line.init()
    line.bump("eve", to="front")
    line.settle("eve", line.dirty()["eve"]["seen_stamp"])
    assert line.restore("eve", RANK + 7, 7, when="older")["outcome"] == "present"
    assert line.order() == ["eve", "bob"]


def test_the_ticket_of_a_held_entry_is_restored_too(line: Line) -> None:
    line.init()
    line.restore("ann", RANK + 9, 12, **claim_fields(line))
    assert line.position("ann")["ticket"] == 12
    line.release("ann", TOKEN)
    assert line.position("ann")["ticket"] == 12


@pytest.mark.parametrize("state", ["held", "parked"])
def test_an_entry_restored_aside_is_nowhere_else(line: Line, state: str) -> None:
    """If an entry is restored as claimed or parked, Redis no longer stores it as waiting (promise
    P9).
    """
    line.init()
    line.restore("ann", RANK + 9, 12, **{**claim_fields(line, attempts=2), "state": state})
    contents = line.contents()
    found = {key.split(":")[2] for key in contents if line.id_of("ann") in str(contents[key])}
    assert found == {state, "claims"}


def test_an_entry_that_was_passed_over_is_restored_as_another_stay_and_aside(line: Line) -> None:
    """If an entry that was not ready for admission is restored as ready or claimed, Redis forgets
    that it was not ready (promise P9).
    """
    line.init(mode="open")
    line.restore("ann", RANK + 5, 5, readiness=readiness_of(7, held_back=0))
    later: dict[str, Any] = {"stay": 2, "when": "older", "readiness": readiness_of(1)}
    line.restore("ann", RANK + 8, 8, **later)
    line.restore("bob", RANK + 9, 9, readiness=readiness_of(1, held_back=0))
    line.restore("bob", RANK + 9, 9, when="older", **claim_fields(line))
    line.init()
    assert list(line.claimed(5)) == ["ann"]
    assert line.stats()["waiting"] == 0


def test_a_hold_whose_rank_is_taken_gets_one_of_its_own_on_return(line: Line) -> None:
    """P1"""
    line.init()
    line.restore("bob", RANK + 9, 9)
    held = line.restore("ann", RANK + 9, 8, **claim_fields(line))
    assert held["rank"] == RANK + 9
    assert line.release("ann", TOKEN)["rank"] < RANK + 9
    assert line.order() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("verb", "state"), [("release", "held"), ("decline", "offered"), ("withdraw", "offered")]
)
def test_during_a_rebuild_the_end_of_a_hold_returns_no_position(
    line: Line, verb: str, state: str
) -> None:
    """During a rebuild, entries ahead may not have been restored yet, so the response contains no
    position (promise P7).
    """
    line.init(mode="open")
    line.restore("bob", RANK + 2, 2, **claim_fields(line, state=state))
    token = {"token": TOKEN} if state == "held" else {}
    answer = accepted(line.send(verb, entry_id=line.id_of("bob"), **token))
    assert (answer["position"], answer["total"]) == (None, None)
    line.restore("ann", RANK + 1, 1)
    line.init()
    assert line.order() == ["ann", "bob"]
