"""Tests for the `claim` operation, which takes entries from the front or the back of the queue.

Until a claim ends, no other request can claim its entries.
"""

import re
from typing import Any

from tests.support.line import SECOND_MICROS, Line
from waitlist_shared.ranks import priority_of

PEOPLE = [f"person {number}" for number in range(30)]
TOKEN = re.compile(r"[0-9a-f]{40}")


def filled(line: Line, names: list[str] = PEOPLE, **settings: object) -> None:
    line.init(**settings)  # type: ignore[arg-type]
    line.all_sign_up(names)


def test_a_higher_priority_is_claimed_first(line: Line) -> None:
    """P1"""
    filled(line)
    line.bump(PEOPLE[20], priority=5)
    line.bump(PEOPLE[10], priority=255)
    line.bump(PEOPLE[15], priority=5)
    claimed = line.claimed(4)
    assert list(claimed) == [PEOPLE[10], PEOPLE[15], PEOPLE[20], PEOPLE[0]]
    assert [priority_of(entry["rank"]) for entry in claimed.values()] == [255, 5, 5, 0]
    assert list(line.claimed(1, order="newest")) == [PEOPLE[29]]


def test_a_hundred_can_be_claimed_at_once(line: Line) -> None:
    """P9"""
    names = [f"person {number}" for number in range(101)]
    filled(line, names)
    before = line.contents()
    for count in (0, 101):
        assert line.claim(count)["code"] == "invalid_request"
    assert line.contents() == before
    assert list(line.claimed(100)) == names[:100]


def test_tokens_are_forty_hex_digits_and_all_different(line: Line) -> None:
    """P4"""
    filled(line)
    first = line.claimed(20)
    tokens = [entry["token"] for entry in [*first.values(), *line.claimed(10).values()]]
    assert len(set(tokens)) == 30
    assert all(TOKEN.fullmatch(token) for token in tokens)
    assert len({token[:8] for token in tokens}) == 30


def test_the_next_token_cannot_be_derived_from_a_token(line: Line) -> None:
    """If a claim is released and the entry is then claimed again, the second claim has a new token
    (promise P4).
    """
    filled(line, ["ann"])
    tokens = set()
    for _ in range(5):
        token = line.claimed()["ann"]["token"]
        line.release("ann", token)
        tokens.add(token)
    assert len(tokens) == 5


def test_the_waitlists_own_time_counts_unless_a_claim_brings_another(line: Line) -> None:
    filled(line, ["ann", "bob", "eve"], lease_seconds=40)
    now = line.clock.millis
    deadlines = [
        line.claimed()["ann"]["deadline_millis"],
        line.claimed(lease_seconds=1)["bob"]["deadline_millis"],
        line.claimed(lease_seconds=43_200)["eve"]["deadline_millis"],
    ]
    assert deadlines == [now + 40_000, now + 1_000, now + 43_200_000]


def test_a_change_of_the_time_counts_for_later_claims_only(line: Line) -> None:
    filled(line, ["ann", "bob"], lease_seconds=40)
    now = line.clock.millis
    assert line.claimed()["ann"]["deadline_millis"] == now + 40_000
    line.init(version=2, lease_seconds=90)
    assert line.claimed()["bob"]["deadline_millis"] == now + 90_000
    line.clock.advance(39 * SECOND_MICROS)
    assert line.claimed() == {}
    line.clock.advance(SECOND_MICROS)
    assert list(line.claimed(2)) == ["ann"]


def test_a_paused_list_takes_signups_and_gives_no_claims(line: Line) -> None:
    """When a waitlist is paused, earlier claims can still be completed (promise P5)."""
    filled(line, ["ann", "bob"])
    ann = line.claimed()["ann"]
    line.init(version=2, paused=True)
    before = line.contents()
    assert line.claim()["code"] == "waitlist_paused"
    assert line.contents() == before
    assert line.signup("eve")["position"] == 2
    assert line.complete("ann", ann["token"])["outcome"] == "completed"
    line.init(version=3, paused=False)
    assert list(line.claimed(2)) == ["bob", "eve"]


def test_claims_of_two_lists_do_not_touch_each_other(line: Line) -> None:
    filled(line, ["ann", "bob"])
    other = line.of("cinema")
    filled(other, ["ann"])
    ann = line.claimed()["ann"]
    assert other.position("ann")["outcome"] == "waiting"
    assert other.complete("ann", ann["token"])["code"] == "not_held"
    assert line.complete("ann", ann["token"])["outcome"] == "completed"


def test_claims_hold_as_many_entries_as_the_list_allows(line: Line) -> None:
    """A waitlist can limit how many entries may be claimed at the same time.

    A claim counts towards this limit until it ends, even if Redis has lost and restored it (promise
    P4).
    """
    filled(line, PEOPLE[:6], max_claims=2, lease_seconds=60)
    line.restore("eve", rank=1, ticket=1, state="held", token="e" * 40, time_millis=10**13)
    first = line.claim(3, once=1)
    assert (len(first["entries"]), first["limit"]) == (1, "max_claims")
    for once in (1, 2, 2):
        again = line.claim(3, once=once)
        assert again["limit"] == "max_claims"
        assert again["entries"] == (first["entries"] if once == 1 else [])
    line.clock.advance(seconds=60)
    assert line.claim(1)["limit"] is None
    assert line.order() == PEOPLE[1:6]


def test_a_claim_that_takes_all_who_wait_is_not_limited(line: Line) -> None:
    filled(line, PEOPLE[:1], max_claims=3)
    answer = line.claim(5)
    assert (len(answer["entries"]), answer["limit"]) == (1, None)


def test_a_claim_that_the_record_has_as_an_offer_is_not_counted(line: Line) -> None:
    """If DynamoDB says that a claimed entry has an offer, maintenance replaces the claim with the
    offer. The claim then no longer counts towards the limit on claims (promise P4).
    """
    filled(line, ["ann", "bob"], max_claims=1)
    ann = line.claimed()["ann"]
    offer: dict[str, Any] = {"state": "offered", "token": "e" * 40, "time_millis": 10**13}
    held = {"state": "held", "rank": ann["rank"]}
    line.restore("ann", ann["rank"], ann["ticket"], **offer, when="unchanged", expected=held)
    assert line.position("ann")["outcome"] == "offered"
    assert list(line.claimed()) == ["bob"]


def test_a_lower_limit_gives_no_claims_until_fewer_are_held(line: Line) -> None:
    """The limit on claims does not count offers (promise P4)."""
    filled(line, PEOPLE[:8])
    assert not [
        name for name in line.client.hkeys(f"wl:{{{line.waitlist_id}}}:meta") if "max_c" in name
    ]
    line.send("admit", count=3)
    held = line.claimed(3)
    line.init(version=2, max_claims=2)
    for name in [*held][:2]:
        assert line.claim()["entries"] == []
        line.complete(name, held[name]["token"])
    assert (len(line.claim(2)["entries"]), line.claim()["limit"]) == (1, "max_claims")
    line.init(version=3)
    assert (len(line.claim(1)["entries"]), line.claim()["limit"]) == (1, None)
