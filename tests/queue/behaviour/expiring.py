"""Expired holds: the entry returns to its old place, or is parked after too many attempts."""

import pytest

from tests.support.line import HOUR_MICROS, Line

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60


def filled(line: Line, names: list[str] = PEOPLE, max_attempts: int = 5) -> None:
    """Sign people up with room between their ranks."""
    line.init(lease_seconds=LEASE, max_attempts=max_attempts)
    for name in names:
        line.clock.advance(10_000)
        line.signup(name)


def test_a_hold_hides_its_person_up_to_the_deadline_and_no_longer(line: Line) -> None:
    """P4: only the claimer has the entry until the deadline; then any caller can claim it."""
    filled(line, ["ann"])
    line.claim()
    line.clock.advance(seconds=LEASE - 1)
    assert line.claimed() == {}
    line.clock.advance(999_000)
    assert line.claimed() == {}
    assert line.position("ann")["outcome"] == "held"
    line.clock.advance(1_000)
    assert list(line.claimed()) == ["ann"]


@pytest.mark.parametrize("verb", ["complete", "release", "extend", "park"])
def test_a_token_is_good_up_to_the_deadline_and_no_longer(line: Line, verb: str) -> None:
    """P4: also if no claim and no expire has returned the entry to the line yet."""
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


def test_an_expired_hold_comes_back_ahead_of_every_later_entry(line: Line) -> None:
    """P1: it returns at its old rank with one more attempt, before the claim takes any entry."""
    filled(line)
    first = line.claimed(2)
    line.clock.advance(seconds=LEASE)
    line.signup("new")
    again = line.claimed(3)
    assert list(again) == ["ann", "bob", "eve"]
    assert [again[name]["rank"] for name in first] == [first[name]["rank"] for name in first]
    assert [entry["attempts"] for entry in again.values()] == [1, 1, 0]
    assert line.order() == ["kim", "zoe", "new"]


def test_the_claim_that_meets_an_expired_hold_is_later_than_its_end(line: Line) -> None:
    """P4: the record keeps only one of two decisions with the same stamp, so stamps must differ."""
    filled(line, ["ann", "bob"])
    line.claim()
    line.clock.advance(seconds=LEASE)
    again = line.claim()
    assert [entry["attempts"] for entry in again["entries"]] == [1]
    assert line.unsettled()["ann"]["seen_stamp"] < again["stamp"]
    assert line.claim()["stamp"] > again["stamp"]


def test_attempts_are_counted_over_all_holds_of_a_stay(line: Line) -> None:
    """A bump or a release in between does not reset them."""
    filled(line, ["ann"])
    for expected in range(3):
        entry = line.claimed()["ann"]
        assert entry["attempts"] == expected
        line.clock.advance(seconds=LEASE)
    released = line.claimed()["ann"]
    assert line.release("ann", released["token"])["attempts"] == 3
    line.bump("ann", to="back")
    assert line.claimed()["ann"]["attempts"] == 3


def test_an_entry_out_of_attempts_is_parked(line: Line) -> None:
    filled(line, ["ann", "bob"], max_attempts=2)
    for _ in range(2):
        line.claim()
        line.clock.advance(seconds=LEASE)
    assert list(line.claimed(2)) == ["bob"]
    assert line.position("ann")["outcome"] == "parked"
    assert line.stats()["oldest_parked_millis"] == line.clock.millis
    (aside,) = line.shelf("parked")["entries"]
    assert (aside["attempts"], aside["time_millis"]) == (2, line.clock.millis)


def test_the_number_of_attempts_is_that_of_the_settings_now(line: Line) -> None:
    filled(line, ["ann"], max_attempts=5)
    line.claim()
    line.init(version=2, lease_seconds=LEASE, max_attempts=1)
    line.clock.advance(seconds=LEASE)
    assert line.claimed() == {}
    assert line.on_shelf("parked") == ["ann"]


def test_expire_returns_expired_holds_that_no_claim_meets(line: Line) -> None:
    """P3"""
    filled(line)
    line.claim(2)
    line.clock.advance(seconds=LEASE)
    assert line.order() == ["eve", "kim", "zoe"]
    answer = line.expire()
    assert (answer["is_all"], answer["max_attempts"]) == (True, 5)
    assert line.order() == PEOPLE
    assert line.on_shelf("held") == []


def test_expire_leaves_holds_alone_whose_time_is_not_up(line: Line) -> None:
    filled(line)
    line.claim(1, lease_seconds=LEASE + 1)
    line.claim(1)
    line.clock.advance(seconds=LEASE)
    line.expire()
    assert line.order() == ["bob", "eve", "kim", "zoe"]
    assert line.on_shelf("held") == ["ann"]


def test_a_rank_taken_during_the_hold_is_not_shared(line: Line) -> None:
    """P1: the returning entry stands right ahead of the entry that now has its rank."""
    line.init(lease_seconds=LEASE)
    first = line.all_sign_up(PEOPLE)
    held = line.claimed(3)
    line.release("ann", held["ann"]["token"])
    line.release("eve", held["eve"]["token"])
    line.restore("nia", rank=first[1]["rank"], ticket=1)
    line.clock.advance(seconds=LEASE)
    line.expire()
    ranks = [entry["rank"] for entry in line.entries()]
    assert ranks == sorted(set(ranks))
    assert len(ranks) == 6
    assert line.position("bob")["position"] == line.position("nia")["position"] - 1
    assert line.position("bob")["ticket"] == first[1]["ticket"]


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
    """P1, P9: one script run ends 200 holds; the claim repeats it until no hold is left."""
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


def test_one_expire_ends_two_hundred_holds_and_says_that_there_are_more(line: Line) -> None:
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


def test_in_a_batch_a_claim_says_that_it_could_not_end_all_holds(line: Line) -> None:
    """P1: the first claim takes no entry, and the second one ends the remaining holds."""
    names = [f"person {number}" for number in range(201)]
    line.init(lease_seconds=LEASE)
    line.all_sign_up([*names, "zoe"])
    for count in (100, 100, 1):
        line.claim(count)
    line.clock.advance(seconds=LEASE)
    requests = [line.message("claim"), line.message("claim")]
    first, second = line.handle({"op": "batch", "requests": requests})["results"]
    assert first["code"] == "expiring"
    assert second["entries"][0]["entry_id"] == line.id_of(names[0])


@pytest.mark.parametrize("jump", [-HOUR_MICROS, HOUR_MICROS])
def test_a_clock_that_jumps_loses_no_entry(line: Line, jump: int) -> None:
    """P1, P3, P4: all entries are claimed again, in order, by one claimer at a time."""
    filled(line)
    line.claim(2)
    line.clock.advance(jump)
    seen = [*line.claimed(1, lease_seconds=30), *line.on_shelf("held"), *line.order()]
    assert sorted({*seen}) == PEOPLE
    line.clock.advance(2 * HOUR_MICROS)
    again = line.claimed(5)
    assert list(again) == PEOPLE
    assert all(line.complete(name, entry["token"])["ok"] for name, entry in again.items())
    assert line.stats()["counters"]["admitted"] == 5
