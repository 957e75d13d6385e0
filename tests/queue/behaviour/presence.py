"""Tests for customers who stop polling. They get no offers until they poll again."""

from typing import Any

import pytest

from tests.queue.behaviour.rebuilding import LATER_EPOCH
from tests.support.line import Answer, Line, accepted
from waitlist_queue import keys

SECONDS = 120
PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
PRESENCE: dict[str, Any] = {
    "admission": True,
    "max_inside": 1,
    "offer_seconds": 30,
    "presence_seconds": SECONDS,
}


def filled(line: Line, **settings: Any) -> Line:
    line.init(**{**PRESENCE, **settings})
    line.all_sign_up(PEOPLE)
    return line


def poll(line: Line, name: str) -> Answer:
    return accepted(line.position(name, is_poll=True))


def poll_and_go_away(line: Line, *names: str) -> None:
    for name in names:
        poll(line, name)
    line.clock.advance(seconds=SECONDS + 1)


def offers(line: Line, **fields: Any) -> list[str]:
    entries = accepted(line.send("admit", **fields))["entries"]
    return [line.name_of(entry["entry_id"]) for entry in entries]


def reasons(line: Line, name: str, **fields: Any) -> list[str]:
    return [one["reason"] for one in accepted(line.position(name, **fields))["not_ready"]]


def test_a_customer_who_has_gone_away_is_passed_over_and_keeps_the_position(line: Line) -> None:
    """P1, P6"""
    filled(line)
    poll_and_go_away(line, "ann", "bob")
    assert offers(line) == ["eve"]
    assert reasons(line, "ann") == ["away"]
    assert [accepted(line.position(name))["position"] for name in ("ann", "bob", "kim")] == [
        1,
        2,
        3,
    ]
    assert accepted(line.position("kim"))["ready_ahead"] == 0
    stats = line.stats()
    assert (stats["waiting"], stats["not_ready"], stats["away"]) == (4, 2, 2)


def test_the_next_poll_makes_the_entry_ready_at_the_same_position(line: Line) -> None:
    """When a customer who has stopped polling polls again, their entry is immediately ready for
    admission and has kept its position (promise P1).
    """
    filled(line)
    before = accepted(line.position("ann"))
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    line.leave("bob")
    back = poll(line, "ann")
    assert (back["position"], back["rank"], back["not_ready"]) == (1, before["rank"], [])
    assert line.stats()["away"] == 0
    assert offers(line) == ["ann"]


@pytest.mark.parametrize(("later_seconds", "first"), [(SECONDS, "ann"), (SECONDS + 1, "bob")])
def test_a_customer_is_present_for_the_whole_time_of_the_setting(
    line: Line, later_seconds: int, first: str
) -> None:
    filled(line)
    poll(line, "ann")
    line.clock.advance(seconds=later_seconds)
    assert offers(line) == [first]


def test_customers_who_never_polled_count_as_present(line: Line) -> None:
    """A customer who has never polled counts as present, because staff may have added a person who
    does not use the page.
    """
    filled(line)
    accepted(line.position("ann"))
    poll_and_go_away(line)
    assert offers(line) == ["ann"]


def test_a_list_without_the_setting_passes_nobody_over_and_notes_no_poll(line: Line) -> None:
    line.init(admission=True, max_inside=1, offer_seconds=30)
    line.all_sign_up(PEOPLE)
    poll_and_go_away(line, "ann")
    assert not line.client.exists(keys.last_polls(line.waitlist_id))
    assert offers(line) == ["ann"]


def test_a_missed_offer_does_not_make_a_customer_present(line: Line) -> None:
    """After a customer has closed the page and missed an offer, the next offers go to others until
    the customer polls again.
    """
    filled(line, no_show="keep_place", max_attempts=5)
    poll(line, "ann")
    assert offers(line) == ["ann"]
    line.clock.advance(seconds=SECONDS + 1)
    accepted(line.send("expire"))
    assert offers(line) == ["bob"]
    assert reasons(line, "ann") == ["away"]


def test_a_customer_who_polls_during_an_offer_is_present(line: Line) -> None:
    filled(line, no_show="keep_place", max_attempts=5, offer_seconds=SECONDS + 60)
    poll(line, "ann")
    assert offers(line) == ["ann"]
    line.clock.advance(seconds=SECONDS)
    assert poll(line, "ann")["outcome"] == "offered"
    line.clock.advance(seconds=60)
    accepted(line.send("expire"))
    assert offers(line) == ["ann"]


def test_a_customer_who_polls_during_a_rest_is_present_when_it_ends(line: Line) -> None:
    filled(line)
    poll(line, "ann")
    line.rest("ann", version=1, seconds=SECONDS + 60)
    line.clock.advance(seconds=SECONDS)
    poll(line, "ann")
    line.clock.advance(seconds=60)
    assert offers(line) == ["ann"]


def test_an_operator_who_admits_a_number_of_people_passes_over_the_same_ones(line: Line) -> None:
    filled(line, max_inside=5)
    poll_and_go_away(line, "ann", "eve")
    assert offers(line, count=2) == ["bob", "kim"]


def test_an_operator_can_admit_one_customer_who_is_away(line: Line) -> None:
    filled(line, max_inside=2)
    poll_and_go_away(line, "ann", "bob")
    assert offers(line, count=1) == ["eve"]
    line.readiness("bob", 1, held_back=0)
    assert offers(line, entry_id=line.id_of("ann")) == ["ann"]
    refused = line.send("admit", entry_id=line.id_of("bob"))
    assert refused["code"] == "entry_not_ready"
    assert line.stats()["away"] == 1


def test_a_full_list_keeps_a_customer_away_whom_an_operator_wants_to_admit(line: Line) -> None:
    filled(line)
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    assert line.send("admit", entry_id=line.id_of("ann"))["code"] == "inside_full"
    assert reasons(line, "ann") == ["away"]


def test_the_next_offer_after_a_withdrawal_passes_over_them_too(line: Line) -> None:
    filled(line)
    assert offers(line) == ["ann"]
    poll_and_go_away(line, "bob")
    accepted(line.send("expire"))
    line.leave("ann")
    poll(line, "bob")
    assert offers(line) == ["bob"]
    offered = line.position("bob")
    for name in ("eve", "kim"):
        poll(line, name)
    line.clock.advance(seconds=29)
    until = offered["offered_until_millis"]
    given = accepted(line.send("withdraw", entry_id=line.id_of("bob"), offered_until_millis=until))[
        "entries"
    ]
    assert [line.name_of(entry["entry_id"]) for entry in given] == ["eve"]


def test_a_filter_passes_over_them_too(line: Line) -> None:
    line.init(**{**PRESENCE, "max_inside": 5}, segments_version=1)
    for name in PEOPLE:
        accepted(line.signup(name, **line.within("room")))
    poll_and_go_away(line, "ann", "eve")
    segment = {"segment": line.segment("room"), "segments_version": 1}
    assert offers(line, count=2, **segment) == ["bob", "kim"]
    within = {"segments": [line.segment("room")], "segments_version": 1}
    found = accepted(line.position("zoe", **within))
    assert found["places"] == [{"position": 3, "total": 3}]
    back = accepted(line.position("ann", is_poll=True, **within))
    assert back["places"] == [{"position": 1, "total": 3}]
    assert offers(line, count=1, **segment) == ["ann"]


def test_a_claim_takes_no_customer_who_is_away(line: Line) -> None:
    filled(line)
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    assert list(line.claimed(1)) == ["eve"]


def test_an_unanswered_question_ends_the_wait_of_a_customer_who_is_away(line: Line) -> None:
    """Customers are asked whether they still want to wait.

    If they do not answer in time, their wait ends, even if they are away.
    """
    filled(line)
    line.ask("ann", 1, seconds=SECONDS + 60)
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    assert line.end_wait("ann")["outcome"] == "kept"
    assert reasons(line, "ann") == ["away"]
    line.clock.advance(seconds=60)
    accepted(line.send("expire"))
    assert line.end_wait("ann", action="to_back")["outcome"] == "ended"
    assert line.order()[-1] == "ann"
    assert line.stats()["away"] == 0


def test_a_newer_record_keeps_a_customer_away(line: Line) -> None:
    """Only Redis knows who has stopped polling. A newer record from DynamoDB does not make an
    absent customer count as present (promise P2).
    """
    filled(line)
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    line.rest("ann", version=1, seconds=10)
    assert reasons(line, "ann") == ["resting", "away"]
    line.clock.advance(seconds=10)
    assert reasons(line, "ann") == ["away"]
    assert reasons(line, "ann", is_poll=True) == []


def test_a_late_copy_of_a_poll_can_only_make_present(line: Line) -> None:
    """P2"""
    filled(line)
    poll_and_go_away(line, "ann")
    assert offers(line) == ["bob"]
    line.leave("ann")
    accepted(line.signup("ann", stay=2))
    before = line.stats()
    poll(line, "ann")
    assert line.stats() == before


def test_the_next_stay_does_not_inherit_the_polls_of_the_stay_before(line: Line) -> None:
    filled(line)
    poll(line, "ann")
    line.leave("ann")
    line.clock.advance(seconds=SECONDS + 1)
    accepted(line.signup("ann", stay=2))
    for name in PEOPLE[1:]:
        line.leave(name)
    assert offers(line) == ["ann"]


def test_nothing_is_left_of_the_polls_of_an_erased_customer(line: Line) -> None:
    """P9"""
    filled(line)
    poll_and_go_away(line, "ann", "bob")
    assert offers(line) == ["eve"]
    line.drop("ann", is_erased=True)
    poll(line, "bob")
    line.drop("bob", is_erased=True)
    noted = (keys.last_polls, keys.readiness, keys.ready_at, keys.not_ready)
    assert not line.client.exists(*(key(line.waitlist_id) for key in noted))


def test_a_rebuild_makes_everybody_present(line: Line) -> None:
    """After Redis has lost its data, nobody knows when customers last polled, so all of them count
    as present.
    """
    line.server_run_id = "server-one"
    filled(line)
    poll_and_go_away(line, "ann", "bob")
    assert offers(line) == ["eve"]
    place = line.position("ann")
    line.server_run_id = "server-two"
    settings = {**PRESENCE, "max_inside": 5}
    accepted(line.init(mode="open", epoch=LATER_EPOCH, floor_ticket=place["ticket"], **settings))
    for number, name in enumerate(("ann", "bob")):
        rank, ticket = place["rank"] + number, place["ticket"] + number
        accepted(line.restore(name, rank=rank, ticket=ticket, epoch=LATER_EPOCH))
    assert accepted(line.init(epoch=LATER_EPOCH, **settings))["outcome"] == "warmed"
    assert line.stats()["away"] == 0
    assert offers(line) == ["ann", "bob"]


def test_without_the_setting_everybody_is_present_again(line: Line) -> None:
    """If an operator removes the `presence` setting, the next run of maintenance makes all
    customers count as present.
    """
    filled(line)
    poll_and_go_away(line, "ann", "bob")
    assert offers(line) == ["eve"]
    line.settle("eve", line.dirty()["eve"]["seen_stamp"], join_id="00000001")
    assert not line.stats()["is_due"]
    without = {name: value for name, value in PRESENCE.items() if name != "presence_seconds"}
    line.init(version=2, **without)
    assert not line.client.exists(keys.last_polls(line.waitlist_id))
    assert line.stats()["is_due"]
    accepted(line.send("expire"))
    stats = line.stats()
    assert (stats["away"], stats["not_ready"]) == (0, 0)
    assert reasons(line, "ann") == []


def test_the_polls_of_a_long_queue_are_noted_only_near_its_head(line: Line) -> None:
    """Redis stores poll times for the first 200 customers only, so that the hash that holds them
    stays in a compact form.
    """
    line.init(**PRESENCE)
    names = [f"{number:03d}" for number in range(450)]
    line.all_sign_up(names)
    for name in names:
        answer = poll(line, name)
        assert (answer["presence_seconds"] is None) is (int(name) >= 200)
    assert line.client.hlen(keys.last_polls(line.waitlist_id)) == 200
    for name in names[:230]:
        line.leave(name)
        poll(line, names[min(int(name) + 200, 449)])
    count = line.client.hlen(keys.last_polls(line.waitlist_id))
    assert count <= 400
    assert line.client.object("encoding", keys.last_polls(line.waitlist_id)) == "listpack"
