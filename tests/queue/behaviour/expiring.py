"""Tests for claims and offers that expire.

The entry returns to its old place in the queue. After too many attempts, it is parked until an
operator decides what happens to it.
"""

from collections.abc import Callable

import pytest

from tests.support.line import Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60


def filled(line: Line, names: list[str] = PEOPLE, max_attempts: int = 5) -> None:
    """Sign people up so that there are free ranks between them."""
    line.init(lease_seconds=LEASE, max_attempts=max_attempts)
    for name in names:
        line.clock.advance(10_000)
        line.signup(name)


@pytest.mark.parametrize("verb", ["complete", "release", "extend", "park"])
def test_a_token_is_good_up_to_the_deadline_and_no_longer(line: Line, verb: str) -> None:
    """A claim can no longer be completed after its deadline, even if no script has returned the
    entry to the queue yet (promise P4).
    """
    filled(line, ["ann", "bob"])
    held = line.claimed(2)
    line.clock.advance(seconds=LEASE, micros=-1_000)
    assert _end(line, verb, "ann", held["ann"]["token"])["ok"]
    line.clock.advance(1_000)
    before = line.contents()
    assert _end(line, verb, "bob", held["bob"]["token"])["code"] == "claim_expired"
    assert line.contents() == before


def _end(line: Line, verb: str, name: str, token: str) -> dict[str, object]:
    return line.send(verb, entry_id=line.id_of(name), token=token)


def test_the_claim_that_meets_an_expired_hold_is_later_than_its_end(line: Line) -> None:
    """A claim takes an entry whose previous claim has just expired. The new claim gets a higher
    stamp (logical timestamp) than the expiry, so that DynamoDB records both (promise P4).
    """
    filled(line, ["ann", "bob"])
    line.claim()
    line.clock.advance(seconds=LEASE)
    again = line.claim()
    assert [entry["attempts"] for entry in again["entries"]] == [1]
    assert line.dirty()["ann"]["seen_stamp"] < again["stamp"]
    assert line.claim()["stamp"] > again["stamp"]


def test_the_number_of_attempts_is_that_of_the_settings_now(line: Line) -> None:
    filled(line, ["ann"], max_attempts=5)
    line.claim()
    line.init(version=2, lease_seconds=LEASE, max_attempts=1)
    line.clock.advance(seconds=LEASE)
    assert line.claimed() == {}
    assert line.off_queue("parked") == ["ann"]


def test_expire_returns_expired_holds_that_no_claim_meets(line: Line) -> None:
    """P3"""
    filled(line)
    line.claim(2)
    line.clock.advance(seconds=LEASE)
    answer = line.expire()
    assert (answer["is_all"], answer["max_attempts"]) == (True, 5)
    assert line.order() == PEOPLE
    assert line.off_queue("held") == []


def test_a_bumped_entry_is_held_and_returns_with_the_signups_ticket(line: Line) -> None:
    filled(line)
    ticket = line.position("zoe")["ticket"]
    moved = line.bump("zoe", places=4)
    assert line.claimed()["zoe"]["ticket"] == ticket
    line.clock.advance(seconds=LEASE)
    line.expire()
    back = line.position("zoe")
    assert (back["position"], back["rank"], back["ticket"]) == (1, moved["rank"], ticket)
    assert line.leave("zoe", ticket=ticket)["outcome"] == "left"


def test_hundreds_of_holds_that_end_at_once_all_come_back_first(line: Line) -> None:
    """One run of the script returns at most 200 expired entries to the queue.

    A claim takes entries only after all expired entries have returned (promises P1 and P9).
    """
    names = [f"person {number}" for number in range(450)]
    line.init(lease_seconds=LEASE)
    line.handle(
        {"op": "batch", "requests": [line.message("signup", **line.stay(name)) for name in names]}
    )
    for _ in range(4):
        line.claim(100)
    line.clock.advance(seconds=LEASE)
    claimed = line.claimed(100)
    assert list(claimed) == names[:100]
    assert {entry["attempts"] for entry in claimed.values()} == {1}
    assert line.order() == names[100:]


def test_one_expire_ends_two_hundred_holds_and_marks_that_there_are_more(line: Line) -> None:
    """P9"""
    names = [f"person {number}" for number in range(201)]
    line.init(lease_seconds=LEASE)
    line.all_sign_up(names)
    for _ in range(3):
        line.claim(100)
    line.clock.advance(seconds=LEASE)
    answers = [line.expire(limit=1) for _ in range(2)]
    assert [answer["is_all"] for answer in answers] == [False, True]
    assert line.order() == names


def test_in_a_batch_a_claim_waits_until_all_holds_have_ended(line: Line) -> None:
    """Two claims in a batch take entries only after all expired entries have returned to the queue
    (promise P1).
    """
    names = [f"person {number}" for number in range(201)]
    line.init(lease_seconds=LEASE)
    line.all_sign_up([*names, "zoe"])
    for count in (100, 100, 1):
        line.claim(count)
    line.clock.advance(seconds=LEASE)
    requests = [line.message("claim"), line.message("claim")]
    first, second = line.handle({"op": "batch", "requests": requests})["results"]
    taken = [one["entry_id"] for answer in (first, second) for one in answer["entries"]]
    assert sorted(taken) == sorted(map(line.id_of, names[:2]))


def test_what_is_answered_counts_no_hold_that_is_over(line: Line) -> None:
    """Claims expire even if the waitlist has no admission policy and nobody makes another claim
    (promise P6).
    """
    filled(line)
    line.claim(2)
    line.clock.advance(seconds=LEASE)
    assert line.position("zoe")["position"] == PEOPLE.index("zoe") + 1


@pytest.mark.parametrize(
    "look",
    [
        lambda line: line.stats()["waiting"],
        lambda line: line.position("zoe")["total"],
        lambda line: accepted(line.list_waiting())["total"],
        lambda line: accepted(line.board())["total"],
        lambda line: accepted(line.signup("new"))["position"] - 1,
        lambda line: accepted(line.bump("zoe", to="back"))["total"],
        lambda line: len(PEOPLE) - accepted(line.list_off_queue("held"))["total"],
    ],
)
def test_an_entry_whose_hold_is_over_waits_in_every_answer(
    line: Line, look: Callable[[Line], int]
) -> None:
    """P6"""
    filled(line)
    line.claim(2)
    line.clock.advance(seconds=LEASE)
    assert look(line) == len(PEOPLE)


def test_the_end_of_another_hold_is_seen_by_the_end_of_a_hold(line: Line) -> None:
    """The position in the response to a release counts an entry ahead whose claim has just expired
    (promise P6).
    """
    filled(line)
    first, second = line.claimed(2).items()
    line.clock.advance(seconds=LEASE - 1)
    accepted(line.extend(second[0], second[1]["token"]))
    line.clock.advance(seconds=1)
    released = accepted(line.release(second[0], second[1]["token"]))
    assert (released["position"], released["total"]) == (2, len(PEOPLE))
    assert line.order()[:2] == [first[0], second[0]]


def test_an_offer_by_hand_ends_at_the_next_poll(line: Line) -> None:
    filled(line)
    accepted(line.send("admit", count=1))
    line.clock.advance(seconds=600)
    assert line.position(PEOPLE[0])["outcome"] == "waiting"


def test_an_offer_that_is_over_ends_by_the_settings_of_its_time(line: Line) -> None:
    """An operator changes the admission policy after an offer has expired. What happens to the
    entry still depends on the policy at the time of the expiry.
    """
    line.init(admission=True, max_inside=1, offer_seconds=LEASE, no_show="to_back")
    line.all_sign_up(PEOPLE)
    accepted(line.send("admit"))
    line.clock.advance(seconds=LEASE)
    line.init(version=2, admission=True, max_inside=1, offer_seconds=LEASE, no_show="leave")
    assert line.order() == [*PEOPLE[1:], PEOPLE[0]]
