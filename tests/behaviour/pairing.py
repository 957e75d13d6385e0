"""batch: a completion and the claim of the next share a run, and nothing else of each other."""

from typing import Any

import pytest

from tests.support.line import Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim"]
LEASE = 60
FOREIGN = "f" * 40


def filled(line: Line) -> str:
    """Sign people up, have ann held, and return her token."""
    line.init(lease_seconds=LEASE)
    line.all_sign_up(PEOPLE)
    token: str = line.claimed()["ann"]["token"]
    return token


def pair(line: Line, token: str, **claim: Any) -> list[dict[str, Any]]:
    """Complete ann and claim the next, in one message."""
    completion = line.message("complete", entry_id=line.id_of("ann"), token=token)
    return batch(line, completion, line.message("claim", **claim))


def batch(line: Line, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    message = {"v": 1, "op": "batch", "requests": list(requests)}
    results: list[dict[str, Any]] = accepted(line.handle(message))["results"]
    assert len(results) == len(requests)
    return results


def names(line: Line, claimed: dict[str, Any]) -> list[str]:
    by_id = {line.id_of(name): name for name in PEOPLE}
    return [by_id[entry["entry_id"]] for entry in accepted(claimed)["entries"]]


def test_a_pair_does_what_the_two_do_one_after_the_other(line: Line) -> None:
    """P4: the same answers, the same stamps, the same contents of Redis."""
    other = line.of("other")
    token, token_there = filled(line), filled(other)
    completed, claimed = pair(line, token, count=2)
    alone = other.complete("ann", token_there), other.claim(2)
    assert names(line, claimed) == names(other, alone[1]) == ["bob", "eve"]
    secret = {"entry_id", "token", "entries"}
    told = [{k: v for k, v in one.items() if k not in secret} for one in (completed, claimed)]
    assert told == [{k: v for k, v in one.items() if k not in secret} for one in alone]
    assert line.order() == other.order() == ["kim"]
    assert line.stats() == other.stats()
    assert line.position("ann")["outcome"] == "done"


def test_a_repeated_pair_completes_nobody_twice(line: Line) -> None:
    """P2, P4: with a key the claim is repeated, too."""
    token = filled(line)
    once = {"once_key": "0" * 32}
    first, again = pair(line, token, **once), pair(line, token, **once)
    assert [answer["outcome"] for answer in again] == ["repeat", "repeat"]
    assert again[1]["entries"] == first[1]["entries"]
    assert again[0]["done_stamp"] == first[0]["stamp"]
    assert line.stats()["counters"]["admitted"] == 1


def test_a_refused_completion_refuses_no_claim(line: Line) -> None:
    """P4: a foreign token changes nothing, and whoever sent it is given the next all the same."""
    filled(line)
    refused, claimed = pair(line, FOREIGN)
    assert refused["code"] == "claim_mismatch"
    assert names(line, claimed) == ["bob"]
    assert line.position("ann")["outcome"] == "held"


def test_a_refused_claim_undoes_no_completion(line: Line) -> None:
    """P3: who was admitted stays so, on a list that is paused."""
    token = filled(line)
    line.init(version=2, paused=True)
    completed, refused = pair(line, token)
    assert completed["outcome"] == "completed"
    assert refused["code"] == "waitlist_paused"
    assert line.order() == PEOPLE[1:]
    assert line.stats()["counters"]["admitted"] == 1


def test_a_late_completion_is_refused_and_its_person_claimed_again(line: Line) -> None:
    """P4: at one instant for both; the next claimer may be the same one."""
    token = filled(line)
    line.clock.advance(seconds=LEASE)
    refused, claimed = pair(line, token)
    assert refused["code"] == "claim_expired"
    assert names(line, claimed) == ["ann"]
    assert claimed["entries"][0]["attempts"] == 1
    assert claimed["entries"][0]["token"] != token


def test_of_a_line_that_is_not_known_both_say_so(line: Line) -> None:
    """P7"""
    token = filled(line)
    line.send("purge")
    assert [answer["code"] for answer in pair(line, token)] == ["cold", "cold"]


@pytest.mark.parametrize("is_claimed_first", [False, True])
def test_only_neighbours_of_one_list_in_this_order_are_a_pair(
    line: Line, is_claimed_first: bool
) -> None:
    """P1: anything else is run as it stands."""
    token = filled(line)
    other = line.of("other")
    filled(other)
    completion = line.message("complete", entry_id=line.id_of("ann"), token=token)
    if is_claimed_first:
        answers = batch(line, line.message("claim"), completion, other.message("claim"))
        claimed = [names(line, answers[0]), names(other, answers[2])]
        completed = answers[1]
    else:
        answers = batch(line, completion, other.message("claim"), line.message("claim"))
        claimed = [names(line, answers[2]), names(other, answers[1])]
        completed = answers[0]
    assert completed["outcome"] == "completed"
    assert claimed == [["bob"], ["bob"]]


def test_of_many_completions_the_last_shares_the_claims_run(line: Line) -> None:
    """P1, P4: all before the claim, in their order."""
    filled(line)
    held = line.claimed(2)
    completions = [
        line.message("complete", entry_id=line.id_of(name), token=held[name]["token"])
        for name in held
    ]
    *completed, claimed = batch(line, *completions, line.message("claim"))
    assert [answer["outcome"] for answer in completed] == ["completed"] * 2
    assert names(line, claimed) == ["kim"]
    stamps = [answer["stamp"] for answer in (*completed, claimed)]
    assert stamps == sorted(set(stamps))
