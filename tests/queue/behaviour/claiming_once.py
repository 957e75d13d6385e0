"""Tests for claims with an idempotency key.

If the request is delivered twice, it claims entries only once.
"""

from tests.support.line import Line, once_key_of

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
ONCE = f"wl:{{bakery-opening}}:once:claim:{once_key_of(1)}"


def filled(line: Line, **settings: int) -> None:
    line.init(**settings)  # type: ignore[arg-type]
    line.all_sign_up(PEOPLE)


def test_a_repeated_claim_gets_the_same_people_with_the_same_tokens(line: Line) -> None:
    """P2 P4"""
    filled(line)
    first = line.claim(3, once=1)
    line.clock.advance(seconds=100)
    again = line.claim(3, once=1)
    assert (first["outcome"], again["outcome"]) == ("claimed", "repeat")
    assert len(again["entries"]) == 3
    assert again["entries"] == first["entries"]
    assert again["stamp"] > first["stamp"]
    assert line.order() == ["kim", "zoe"]


def test_a_key_with_another_body_is_refused_and_takes_no_entry(line: Line) -> None:
    """P2 P5"""
    filled(line)
    bodies = ("0" * 32, "1" * 32)
    line.claim(2, once=1, once_body=bodies[0])
    assert line.claim(2, once=1, once_body=bodies[1])["code"] == "idempotency_key_reused"
    assert line.claim(2, once=1, once_body=bodies[0])["outcome"] == "repeat"
    assert line.order() == ["eve", "kim", "zoe"]


def test_a_repeat_leaves_out_entries_that_it_no_longer_holds(line: Line) -> None:
    """P4"""
    filled(line)
    first = line.claimed(5, once=1)
    line.release("ann", first["ann"]["token"])
    line.release("bob", first["bob"]["token"])
    line.claim(1, once=2)
    line.park("eve", first["eve"]["token"])
    line.leave("kim")
    assert line.claimed(5, once=1) == {"zoe": first["zoe"]}
    assert line.order() == ["bob"]


def test_a_repeat_returns_entries_admitted_since(line: Line) -> None:
    """If a claim is repeated after some of its entries were admitted, the response still contains
    these entries.

    The claim takes no others in their place (promise P2).
    """
    filled(line)
    first = line.claimed(2, once=1)
    line.complete("ann", first["ann"]["token"])
    again = line.claimed(2, once=1)
    done = {**first["ann"], "deadline_millis": 0, "stamp": None}
    assert again == {"ann": done, "bob": first["bob"]}
    assert line.order() == ["eve", "kim", "zoe"]


def test_a_repeat_returns_the_current_deadline(line: Line) -> None:
    filled(line)
    ann = line.claimed(1, once=1)["ann"]
    extended = line.extend("ann", ann["token"], lease_seconds=500)
    assert extended["deadline_millis"] > ann["deadline_millis"]
    again = line.claimed(1, once=1)["ann"]
    lasting = {"deadline_millis": extended["deadline_millis"], "stamp": extended["stamp"]}
    assert again == {**ann, **lasting}


def test_a_repeat_after_the_deadline_gets_no_entry(line: Line) -> None:
    """P4"""
    filled(line, lease_seconds=10)
    line.claim(2, once=1)
    line.clock.advance(seconds=10)
    assert line.claimed(2, once=1) == {}
    assert line.order() == PEOPLE


def test_an_empty_claim_is_repeated_as_empty(line: Line) -> None:
    """If a claim found an empty queue, repeating it takes no entry, even if people have signed up
    since (promise P2).
    """
    line.init()
    assert line.claimed(2, once=1) == {}
    line.signup("ann")
    assert line.claimed(2, once=1) == {}
    assert list(line.claimed(2, once=2)) == ["ann"]


def test_claims_without_a_key_or_with_another_take_others(line: Line) -> None:
    filled(line)
    given = [list(line.claimed(1, once=once)) for once in (1, 2, None, None, 1)]
    assert given == [["ann"], ["bob"], ["eve"], ["kim"], ["ann"]]
    assert [key for key in line.contents() if key.endswith(":none")] == []


def test_a_refused_claim_does_not_use_up_its_key(line: Line) -> None:
    """P2"""
    filled(line)
    line.init(version=2, paused=True)
    assert line.claim(1, once=1)["code"] == "waitlist_paused"
    line.init(version=3)
    assert list(line.claimed(1, once=1)) == ["ann"]


def test_a_key_is_remembered_for_a_day(line: Line) -> None:
    """P9"""
    filled(line)
    line.claim(1, once=1)
    assert 24 * 3600 - 60 < line.client.ttl(ONCE) <= 24 * 3600
