"""Tests for customers who decline an offer and keep their place, and of customers who miss too many
offers.
"""

from typing import Any

import pytest

from tests.queue.behaviour.admitting import OFFER_SECONDS, admit, admitted, filled, policy
from tests.support.line import Answer, Line, accepted, readiness_of

PAUSE = 3600


def decline(line: Line, name: str, **fields: Any) -> Answer:
    rules = {"to": "place", "pause_seconds": PAUSE, "at_most": 2}
    return accepted(line.send("decline", entry_id=line.id_of(name), **(rules | fields)))


def ann_and_others(line: Line, **admission: Any) -> list[str]:
    policy(line, **admission)
    line.all_sign_up(["ann", "bob", "cyd"])
    return ["ann", "bob", "cyd"]


def test_a_person_who_declines_keeps_the_rank_and_is_passed_over_for_the_pause(line: Line) -> None:
    """If a customer declines, the next customer gets the offer. After a pause, the first customer
    gets another offer.
    """
    ann_and_others(line, max_inside=1)
    before = line.position("ann")
    assert admitted(line) == ["ann"]
    declined = decline(line, "ann")
    assert (declined["rank"], declined["position"]) == (before["rank"], 1)
    assert declined["until_millis"] == line.clock.millis + PAUSE * 1000
    assert admitted(line) == ["bob"]
    seen = line.position("ann")
    assert (seen["rank"], seen["position"], seen["ready_ahead"]) == (before["rank"], 1, 0)
    assert seen["not_ready"] == [{"reason": "declined", "until_millis": declined["until_millis"]}]
    assert line.send("admit", entry_id=line.id_of("ann"))["code"] == "entry_not_ready"
    line.clock.advance(seconds=PAUSE)
    assert line.position("ann")["not_ready"] == []
    assert admitted(line) == ["ann"]


def test_declines_after_the_last_that_keeps_the_place_go_to_the_back(line: Line) -> None:
    """When a customer declines an offer, the response says how many times they have declined. Redis
    keeps this count itself, because DynamoDB may not be up to date.
    """
    ann_and_others(line, max_inside=1)
    for number in (1, 2):
        assert admitted(line) == ["ann"]
        declined = decline(line, "ann", pause_seconds=0, declines=0)
        assert (declined["declines"], declined["position"]) == (number, 1)
    assert admitted(line) == ["ann"]
    declined = decline(line, "ann", pause_seconds=0, declines=0)
    assert (declined["declines"], declined["position"], declined["until_millis"]) == (3, 3, 0)


def test_the_number_in_the_record_counts_if_redis_has_forgotten_the_declines(line: Line) -> None:
    ann_and_others(line, max_inside=1)
    assert admitted(line) == ["ann"]
    assert decline(line, "ann", declines=2)["position"] == 3


def test_a_decline_without_rules_goes_to_the_back_and_is_counted(line: Line) -> None:
    ann_and_others(line, max_inside=1)
    admit(line)
    declined = accepted(line.send("decline", entry_id=line.id_of("ann")))
    assert (declined["position"], declined["declines"]) == (3, 1)


@pytest.mark.parametrize("then", ["another offer", "another stay"])
def test_a_late_copy_of_a_decline_neither_pauses_nor_counts(line: Line, then: str) -> None:
    """A late copy of a request to decline changes nothing, because the offer has already ended
    (promise P2).
    """
    ann_and_others(line, max_inside=1)
    (offer,) = admit(line)["entries"]
    named = {"ticket": offer["ticket"], "offered_until_millis": offer["deadline_millis"]}
    decline(line, "ann", **named)
    if then == "another stay":
        line.leave("ann")
        accepted(line.signup("ann", stay=2))
    line.clock.advance(seconds=PAUSE)
    admit(line, entry_id=line.id_of("ann"))
    before = line.contents()
    copy = line.send("decline", entry_id=line.id_of("ann"), to="place", at_most=2, **named)
    assert copy.get("outcome", copy.get("code")) in ("repeat", "not_offered", "expiring")
    assert line.contents() == before


def test_a_restored_entry_has_the_pause_of_its_record(line: Line) -> None:
    """After declining an offer, a customer gets no offer for a while. If Redis loses its data, it
    learns from the record when this pause ends.
    """
    ann_and_others(line)
    end = line.clock.millis + PAUSE * 1000
    line.init(mode="open")
    line.restore("eve", rank=1, ticket=1, readiness=readiness_of(0, declined=end))
    assert line.position("eve")["not_ready"] == [{"reason": "declined", "until_millis": end}]
    line.readiness("eve", 0, delayed=end - 1)
    assert line.position("eve")["not_ready"] == [{"reason": "declined", "until_millis": end}]
    line.readiness("eve", 0, delayed=end + 1)
    assert line.position("eve")["not_ready"] == [{"reason": "delayed", "until_millis": end + 1}]


@pytest.mark.parametrize("no_show", ["keep_place", "to_back"])
@pytest.mark.parametrize(("then", "state"), [("leave", "no_show"), ("park", "parked")])
def test_after_too_many_missed_offers_the_entry_leaves_or_is_parked(
    line: Line, no_show: str, then: str, state: str
) -> None:
    """After three missed offers, an entry leaves or is parked, whatever the `no_show` setting says.
    Missed offers do not count towards `max_attempts`.
    """
    filled(line, no_show=no_show, misses_at_most=3, misses_then=then)
    policy(line, version=2, no_show=no_show, misses_at_most=3, misses_then=then, max_attempts=2)
    for attempts in (1, 2):
        accepted(line.send("admit", entry_id=line.id_of("person-0")))
        line.clock.advance(seconds=OFFER_SECONDS)
        seen = line.position("person-0")
        assert seen["outcome"] == "waiting"
        assert seen["position"] == (1 if no_show == "keep_place" else 12)
        (place,) = line.expire(min_age_seconds=0)["places"]
        assert place["attempts"] == attempts
    accepted(line.send("admit", entry_id=line.id_of("person-0")))
    line.clock.advance(seconds=OFFER_SECONDS)
    assert line.position("person-0")["outcome"] == state


def test_a_list_without_misses_counts_as_before(line: Line) -> None:
    """An operator can remove the limit on missed offers."""
    filled(line, no_show="to_back", misses_at_most=1, misses_then="leave")
    policy(line, version=2, no_show="to_back")
    admit(line, count=1)
    line.clock.advance(seconds=OFFER_SECONDS)
    assert line.position("person-0")["position"] == 12
