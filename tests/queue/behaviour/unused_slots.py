"""Tests for offers that nobody accepts.

The next entry gets an offer instead, which counts towards the same rate, schedule or quota.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.line import EPOCH, Answer, Line, accepted
from waitlist_queue import keys

PEOPLE = [f"person-{number}" for number in range(8)]
FIRST, NEXT = PEOPLE[:2]
OFFER_SECONDS, PASS_SECONDS = 600, 3600
MINUTE_MILLIS = 60_000
A_RATE = {"rate_count": 60, "rate_millis": MINUTE_MILLIS}


def policy(line: Line, version: int = 1, **admission: Any) -> None:
    line.init(
        version=version,
        admission=True,
        offer_seconds=OFFER_SECONDS,
        pass_seconds=PASS_SECONDS,
        **admission,
    )


def run_policy(line: Line, *instants: tuple[int, int], **fields: Any) -> list[str]:
    fields = {
        "settings_version": 9,
        "schedule_version": 1,
        "schedule_from": 0,
        "instants": instants,
        **fields,
    }
    answer = accepted(line.send("admit", **fields))
    return [line.name_of(one["entry_id"]) for one in answer["entries"]]


def by_hand(line: Line, count: int, **fields: Any) -> list[str]:
    answer = accepted(line.send("admit", count=count, **fields))
    return [line.name_of(one["entry_id"]) for one in answer["entries"]]


def make_only_offer(line: Line, **admission: Any) -> str:
    policy(line, schedule_version=1, **admission)
    line.all_sign_up(PEOPLE)
    answer = accepted(
        line.send(
            "admit",
            settings_version=9,
            schedule_version=1,
            instants=[(line.clock.millis, 1)],
            schedule_from=0,
        )
    )
    (offer,) = answer["entries"]
    assert line.name_of(offer["entry_id"]) == FIRST
    assert run_policy(line) == []
    return str(offer["token"])


def on_first(verb: str) -> Callable[[Line, str], Answer]:
    return lambda line, _token: line.send(verb, entry_id=line.id_of(FIRST))


def leave(line: Line, _token: str) -> Answer:
    return line.leave(FIRST)


def erase(line: Line, _token: str) -> Answer:
    return line.drop(FIRST, is_erased=True)


def park(line: Line, token: str) -> Answer:
    return line.park(FIRST, token)


def release(line: Line, token: str) -> Answer:
    return line.release(FIRST, token, to="back")


def end_expired_offers(line: Line, _token: str) -> Answer:
    return line.expire()


ENDS: dict[str, tuple[dict[str, Any], Callable[[Line, str], Answer]]] = {
    "decline": ({}, on_first("decline")),
    "leave": ({}, leave),
    "erase": ({}, erase),
    "park": ({}, park),
    "release": ({}, release),
    "no-show to the back": ({"no_show": "to_back"}, end_expired_offers),
    "no-show leaves": ({"no_show": "leave"}, end_expired_offers),
    "no-show is parked": ({"no_show": "keep_place", "max_attempts": 1}, end_expired_offers),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_offer_that_ends_unused_gives_its_slot_to_the_next(line: Line, name: str) -> None:
    """If the message that ends an unused offer is repeated, only one other entry gets an offer."""
    settings, end = ENDS[name]
    token = make_only_offer(line, **settings)
    if end is end_expired_offers:
        line.clock.advance(seconds=OFFER_SECONDS)
    accepted(end(line, token))
    assert line.position(NEXT)["is_due"]
    end(line, token)
    assert run_policy(line) == [NEXT]
    end(line, token)
    assert run_policy(line) == []


@pytest.mark.parametrize("name", ENDS)
def test_a_slot_that_was_used_is_not_given_back(line: Line, name: str) -> None:
    settings, end = ENDS[name]
    token = make_only_offer(line, **settings)
    accepted(line.send("enter", entry_id=line.id_of(FIRST)))
    if name == "leave":
        # The customer left before being admitted, so the admission does not count.
        assert end(line, token)["outcome"] == "left"
        assert run_policy(line) == [NEXT]
        return
    end(line, token)
    assert run_policy(line) == []


def test_a_no_show_that_keeps_its_place_gets_the_slot_again(line: Line) -> None:
    make_only_offer(line, no_show="keep_place")
    line.clock.advance(seconds=OFFER_SECONDS)
    assert run_policy(line) == [FIRST]
    assert run_policy(line) == []


@pytest.mark.parametrize("verb", ["admit", "claim"])
def test_the_script_that_meets_the_end_of_an_offer_gives_its_slot_back(
    line: Line, verb: str
) -> None:
    """After an offer has expired, an operator claims the entry. The admission policy then makes the
    unused offer to a different entry.
    """
    make_only_offer(line, no_show="to_back")
    line.clock.advance(seconds=OFFER_SECONDS)
    if verb == "claim":
        line.claimed(1)
        assert line.position(PEOPLE[3])["is_due"]
        assert run_policy(line) == PEOPLE[2:3]
    else:
        assert run_policy(line) == [NEXT]
    assert run_policy(line) == []


def test_a_look_at_the_end_of_an_offer_triggers_the_next(line: Line) -> None:
    make_only_offer(line, no_show="to_back")
    line.clock.advance(seconds=OFFER_SECONDS - 1)
    assert not line.position(NEXT)["is_due"]
    line.clock.advance(seconds=1)
    assert line.position(NEXT)["is_due"]


def test_a_withdrawn_offer_goes_to_the_next_and_its_entry_to_its_old_place(line: Line) -> None:
    """A repeated request to withdraw an offer changes nothing, even if the same entry has received
    a new offer since.
    """
    make_only_offer(line)
    until = line.clock.millis + OFFER_SECONDS * 1000
    named = {"entry_id": line.id_of(FIRST), "offered_until_millis": until}
    withdrawn = accepted(line.send("withdraw", **named))
    assert (withdrawn["outcome"], withdrawn["position"]) == ("withdrawn", 1)
    (offer,) = withdrawn["entries"]
    assert line.name_of(offer["entry_id"]) == NEXT
    assert line.position(NEXT)["outcome"] == "offered"
    repeat = accepted(line.send("withdraw", **named))
    assert repeat == {**withdrawn, "outcome": "repeat", "entries": []}
    assert run_policy(line) == []
    line.clock.advance(seconds=1)
    assert by_hand(line, 1) == [FIRST]
    assert line.send("withdraw", **named)["outcome"] == "repeat"
    assert line.position(FIRST)["outcome"] == "offered"


def test_a_withdrawal_names_its_offer(line: Line) -> None:
    make_only_offer(line)
    until = line.clock.millis + OFFER_SECONDS * 1000 + 1
    late = line.send("withdraw", entry_id=line.id_of(FIRST), offered_until_millis=until)
    assert late["code"] == "not_offered"
    assert line.position(FIRST)["outcome"] == "offered"


def test_an_offer_that_is_withdrawn_while_no_other_entry_waits_leaves_its_slot_due(
    line: Line,
) -> None:
    policy(line, schedule_version=1)
    line.all_sign_up([FIRST])
    assert run_policy(line, (line.clock.millis, 1)) == [FIRST]
    accepted(line.send("withdraw", entry_id=line.id_of(FIRST)))
    assert line.order() == [FIRST]
    assert run_policy(line) == [FIRST]


def test_a_withdrawal_frees_room_for_the_next(line: Line) -> None:
    policy(line, max_inside=1)
    line.all_sign_up(PEOPLE)
    assert run_policy(line) == [FIRST]
    withdrawn = accepted(line.send("withdraw", entry_id=line.id_of(FIRST)))
    assert [line.name_of(one["entry_id"]) for one in withdrawn["entries"]] == [NEXT]
    assert line.order() == [FIRST, *PEOPLE[2:]]


def test_a_paused_list_offers_a_withdrawn_slot_when_it_goes_on(line: Line) -> None:
    make_only_offer(line)
    policy(line, version=2, schedule_version=1, paused=True)
    assert accepted(line.send("withdraw", entry_id=line.id_of(FIRST)))["entries"] == []
    policy(line, version=3, schedule_version=1)
    assert run_policy(line) == [FIRST]


def test_a_slot_of_a_schedule_that_was_taken_away_is_not_given_back(line: Line) -> None:
    make_only_offer(line)
    policy(line, version=2)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    policy(line, version=3, schedule_version=1)
    assert run_policy(line) == []


def test_a_hold_that_was_restored_gives_nothing_back(line: Line) -> None:
    """If an offer was restored after a loss of data and is then declined, nobody else gets an offer
    in its place.
    """
    token = make_only_offer(line)
    until = line.clock.millis + OFFER_SECONDS * 1000
    line.client.flushall()
    policy(line, schedule_version=1, scheduled_until=line.clock.millis)
    line.all_sign_up(PEOPLE[1:])
    line.restore(FIRST, 16, 16, state="offered", token=token, time_millis=until)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == []


@pytest.mark.parametrize("state", ["waiting", "parked", "held"])
def test_an_offer_that_its_record_has_ended_gives_its_slot_back(line: Line, state: str) -> None:
    """After a failover, Redis has an offer that DynamoDB says has ended. When maintenance removes
    this offer, the next entry gets an offer.
    """
    make_only_offer(line)
    offered = line.position(FIRST)
    place = {"rank": offered["rank"], "ticket": offered["ticket"]}
    until = line.clock.millis + 9000
    held: dict[str, Any] = {"token": "b" * 40, "time_millis": until} if state == "held" else {}
    parked: dict[str, Any] = {"time_millis": until} if state == "parked" else {}
    seen = {"state": "offered", "rank": place["rank"]}
    accepted(line.restore(FIRST, **place, state=state, **held, **parked, expected=seen))
    assert run_policy(line) == ([FIRST] if state == "waiting" else [NEXT])
    assert run_policy(line) == []


def test_a_later_offer_of_the_record_keeps_the_slot_of_the_former_one(line: Line) -> None:
    """DynamoDB has recorded a newer offer for an entry than Redis has. Redis restores the newer
    offer and makes no other offer while it is open.
    """
    make_only_offer(line)
    seen_place = line.position(FIRST)
    place = {"rank": seen_place["rank"], "ticket": seen_place["ticket"]}
    offer: dict[str, Any] = {"token": "b" * 40, "time_millis": line.clock.millis + 9000}
    seen = {"state": "offered", "rank": place["rank"]}
    accepted(line.restore(FIRST, **place, state="offered", **offer, expected=seen))
    assert run_policy(line) == []
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == [NEXT]
    assert run_policy(line) == []


def test_a_stay_that_has_ended_leaves_the_slot_of_a_place_that_came_back(line: Line) -> None:
    make_only_offer(line)
    place = line.position(FIRST)
    accepted(line.leave(FIRST, ticket=place["ticket"]))
    assert run_policy(line) == [NEXT]
    # Simulate a failover to a server that still has the offer, although the customer has left.
    key, entry_id = keys.claims(line.waitlist_id), line.id_of(FIRST)
    token = "c" * 40
    hold = f"offered|{token}|{place['rank']}|{place['ticket']}|0|{place['ticket']}"
    line.client.hset(key, mapping={entry_id: hold, f"{entry_id}:paid": f"{token} s1"})
    line.client.zadd(keys.held(line.waitlist_id), {entry_id: line.clock.millis + 9000})
    accepted(line.leave(FIRST, ticket=place["ticket"]))
    assert run_policy(line) == PEOPLE[2:3]


def test_a_quota_ends_after_a_restore_over_a_paid_offer(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    assert by_hand(line, 1, refill=True) == [FIRST]
    offered = line.position(FIRST)
    place = {"rank": offered["rank"], "ticket": offered["ticket"]}
    seen = {"state": "offered", "rank": place["rank"]}
    accepted(line.restore(FIRST, **place, state="waiting", expected=seen))
    assert run_policy(line) == [FIRST]
    accepted(line.send("enter", entry_id=line.id_of(FIRST)))
    assert line.stats()["quota"] == 0
    assert run_policy(line) == []


def test_a_hold_without_the_payment_of_its_token_gives_nothing_back(line: Line) -> None:
    token = make_only_offer(line)
    key, entry_id = keys.claims(line.waitlist_id), line.id_of(FIRST)
    hold = line.client.hget(key, entry_id)
    line.client.hset(key, entry_id, hold.replace(token, "a" * 40))
    declined = accepted(line.send("decline", entry_id=entry_id))
    assert declined["position"] == len(PEOPLE)
    assert run_policy(line) == []


@pytest.mark.parametrize("name", ["park", "no-show leaves", "no-show is parked"])
def test_no_payment_stays_beside_an_entry_that_is_off_the_queue(line: Line, name: str) -> None:
    settings, end = ENDS[name]
    token = make_only_offer(line, **settings)
    line.clock.advance(seconds=OFFER_SECONDS if end is end_expired_offers else 0)
    accepted(end(line, token))
    fields = line.client.hkeys(keys.claims(line.waitlist_id))
    assert fields == [line.id_of(FIRST)]


@pytest.mark.parametrize("end", ["settled", "dropped"])
def test_nothing_stays_of_what_paid_for_an_offer(line: Line, end: str) -> None:
    """Once DynamoDB has recorded an admission, Redis deletes everything about the offer (promise
    P8).
    """
    make_only_offer(line)
    entry_id = line.id_of(FIRST)
    entered = accepted(line.send("enter", entry_id=entry_id))
    if end == "settled":
        accepted(line.settle(FIRST, entered["done_stamp"]))
    else:
        accepted(line.drop(FIRST, is_erased=True))
    assert line.client.hlen(keys.claims(line.waitlist_id)) == 0


def test_a_claim_gives_no_slot_back(line: Line) -> None:
    policy(line, schedule_version=1)
    line.all_sign_up(PEOPLE)
    (claim,) = line.claimed(1).values()
    accepted(line.release(FIRST, claim["token"]))
    assert run_policy(line) == []


def test_a_rate_caps_offers(line: Line) -> None:
    policy(line, **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=1)
    assert run_policy(line) == [FIRST]
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == []


def test_a_rate_that_counts_who_enters_gets_unused_slots_back(line: Line) -> None:
    policy(line, rate_counts="entered", **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=2)
    assert run_policy(line) == PEOPLE[:2]
    accepted(line.send("enter", entry_id=line.id_of(FIRST)))
    accepted(line.send("decline", entry_id=line.id_of(NEXT)))
    assert line.position(PEOPLE[2])["is_due"]
    assert run_policy(line) == PEOPLE[2:3]
    assert run_policy(line) == []


def test_slots_that_come_back_never_fill_a_bucket_above_its_size(line: Line) -> None:
    """The policy can save at most one offer for later. If it has saved one, a declined offer is not
    added.
    """
    policy(line, rate_counts="entered", rate_count=1, rate_millis=MINUTE_MILLIS)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=60)
    assert run_policy(line) == [FIRST]
    line.clock.advance(seconds=120)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == [NEXT]
    assert run_policy(line) == []


def test_another_rate_gets_no_slot_of_the_one_before(line: Line) -> None:
    policy(line, rate_counts="entered", **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=1)
    assert run_policy(line) == [FIRST]
    policy(line, version=2, rate_counts="entered", rate_count=2, rate_millis=1000)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == []


def test_a_rate_begins_at_its_instant(line: Line) -> None:
    begin = line.clock.millis + 10_000
    policy(line, rate_from=begin, **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=10)
    assert run_policy(line) == []
    line.clock.advance(seconds=2)
    assert run_policy(line) == PEOPLE[:2]


def test_the_smaller_of_rate_and_schedule_decides(line: Line) -> None:
    policy(line, schedule_version=1, **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=2)
    assert run_policy(line, (line.clock.millis, 5)) == PEOPLE[:2]
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    line.clock.advance(seconds=60)
    assert run_policy(line) == PEOPLE[2:6], (
        "three slots of the schedule are left, and one came back"
    )


def test_the_sum_of_rate_and_schedule_decides(line: Line) -> None:
    """The schedule allows three offers at nine o'clock. From then on, the rate allows one more per
    second.
    """
    nine = line.clock.millis + 60_000
    policy(line, schedule_version=1, combine="sum", rate_from=nine, **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=59)
    assert run_policy(line, next_instant=nine) == []
    assert not line.position(FIRST)["is_due"]
    line.clock.advance(seconds=1)
    assert line.position(FIRST)["is_due"]
    assert run_policy(line, (nine, 3)) == PEOPLE[:3]
    line.clock.advance(seconds=1)
    assert line.position(PEOPLE[4])["is_due"]
    assert run_policy(line) == PEOPLE[3:4]
    line.clock.advance(seconds=1)
    assert run_policy(line) == PEOPLE[4:5]


def test_the_sum_leaves_no_more_inside_than_there_is_room(line: Line) -> None:
    policy(line, schedule_version=1, combine="sum", max_inside=4, **A_RATE)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=2)
    assert run_policy(line, (line.clock.millis, 5)) == PEOPLE[:4]
    for name in PEOPLE[:4]:
        accepted(line.send("decline", entry_id=line.id_of(name)))
    # The schedule can repeat its two declined offers and allows three more. The rate's offers
    # cannot be repeated.
    line.clock.advance(micros=1)
    assert run_policy(line) == PEOPLE[4:]
    for name in PEOPLE[4:]:
        accepted(line.send("enter", entry_id=line.id_of(name)))
        line.send("exit", entry_id=line.id_of(name))
    assert run_policy(line) == PEOPLE[:1]
    assert run_policy(line) == []


def quota(line: Line) -> int:
    return int(line.stats()["quota"])


@pytest.mark.parametrize("has_policy", [True, False])
def test_a_quota_goes_on_until_so_many_have_entered(line: Line, has_policy: bool) -> None:
    line.init(admission=has_policy, max_inside=5 if has_policy else None)
    line.all_sign_up(PEOPLE[:4])
    assert by_hand(line, 2, refill=True) == PEOPLE[:2]
    assert quota(line) == 2
    accepted(line.send("enter", entry_id=line.id_of(FIRST)))
    accepted(line.send("decline", entry_id=line.id_of(NEXT)))
    assert quota(line) == 1
    assert line.position(PEOPLE[2])["is_due"]
    if has_policy:
        # If the waitlist has an admission policy, further offers do not depend on the quota.
        return
    assert run_policy(line) == PEOPLE[2:3]
    accepted(line.send("enter", entry_id=line.id_of(PEOPLE[2])))
    assert (quota(line), run_policy(line)) == (0, [])
    line.clock.advance(seconds=2)
    assert not line.position(PEOPLE[3])["is_due"]


def test_the_rest_of_a_quota_waits_for_entries(line: Line) -> None:
    line.init()
    assert by_hand(line, 2, refill=True) == []
    line.all_sign_up(PEOPLE[:3])
    assert line.position(FIRST)["is_due"]
    assert run_policy(line) == PEOPLE[:2]
    assert (quota(line), run_policy(line)) == (2, [])


def test_a_look_at_the_end_of_an_offer_of_a_quota_triggers_the_next(line: Line) -> None:
    line.init(no_show="to_back", offer_seconds=OFFER_SECONDS)
    line.all_sign_up(PEOPLE)
    by_hand(line, 1, refill=True)
    line.clock.advance(seconds=OFFER_SECONDS)
    assert line.position(NEXT)["is_due"]
    assert run_policy(line) == [NEXT]


def test_a_count_of_zero_ends_the_quota(line: Line) -> None:
    """An operator ends a quota while two of its offers are open. If one of these offers is
    declined, nobody else gets an offer in its place.
    """
    line.init()
    line.all_sign_up(PEOPLE)
    assert by_hand(line, 2, refill=True) == PEOPLE[:2]
    assert by_hand(line, 0) == []
    assert quota(line) == 0
    assert by_hand(line, 1, refill=True) == PEOPLE[2:3]
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    accepted(line.send("enter", entry_id=line.id_of(NEXT)))
    assert (quota(line), run_policy(line)) == (1, [])


def test_a_paused_list_takes_the_end_of_its_quota(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    by_hand(line, 2, refill=True)
    line.init(version=2, paused=True)
    by_hand(line, 0)
    line.init(version=3)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert run_policy(line) == []


def test_a_quota_waits_out_a_pause(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    by_hand(line, 1, refill=True)
    line.init(version=2, paused=True)
    accepted(line.send("decline", entry_id=line.id_of(FIRST)))
    assert not line.position(NEXT)["is_due"]
    line.init(version=3)
    assert line.position(NEXT)["is_due"]
    assert run_policy(line) == [NEXT]


def test_a_repeated_refill_is_one_quota(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    once = {"once_key": "a" * 32, "once_body": "b" * 32, "refill": True}
    assert by_hand(line, 2, **once) == PEOPLE[:2]
    assert by_hand(line, 2, **once) == PEOPLE[:2]
    assert quota(line) == 2


@pytest.mark.parametrize("verb", ["enter", "complete", "drop"])
def test_an_admission_counts_against_the_quota_once(line: Line, verb: str) -> None:
    """An admission counts only once towards the quota, no matter whether the customer, an operator
    or maintenance has admitted the entry.
    """
    line.init()
    line.all_sign_up(PEOPLE)
    (offer, _) = accepted(line.send("admit", count=2, refill=True))["entries"]
    fields = {
        "enter": {"entry_id": offer["entry_id"]},
        "complete": {"entry_id": offer["entry_id"], "token": offer["token"]},
        "drop": {**line.stay(FIRST), "is_admitted": True},
    }[verb]
    for _ in range(2):
        line.send(verb, **fields)
        assert (quota(line), run_policy(line)) == (1, [])


def test_an_admission_without_an_offer_counts_against_the_quota(line: Line) -> None:
    line.init(acceptance="automatic")
    line.all_sign_up(PEOPLE[:1])
    assert by_hand(line, 2, refill=True) == PEOPLE[:1]
    assert quota(line) == 1
    line.all_sign_up(PEOPLE[1:])
    assert run_policy(line) == PEOPLE[1:2]
    assert (quota(line), run_policy(line)) == (0, [])


def test_a_leave_before_an_admission_gives_its_slot_back(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    by_hand(line, 1, refill=True)
    accepted(line.send("enter", entry_id=line.id_of(FIRST)))
    accepted(line.leave(FIRST))
    assert (quota(line), run_policy(line)) == (1, [NEXT])


def test_a_rebuilt_order_has_no_quota(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    by_hand(line, 2, refill=True)
    line.client.flushall()
    line.init(epoch=EPOCH[::-1])
    line.all_sign_up(PEOPLE)
    assert (quota(line), run_policy(line)) == (0, [])


def test_one_entry_is_offered_a_slot_wherever_it_waits(line: Line) -> None:
    line.init(segments_version=1)
    for name in PEOPLE:
        line.signup(name, **line.within("red"))
    fields = {"entry_id": line.id_of(PEOPLE[4]), "once_key": "a" * 32, "once_body": "b" * 32}
    (offer,) = accepted(line.send("admit", **fields))["entries"]
    assert line.name_of(offer["entry_id"]) == PEOPLE[4]
    assert line.position(PEOPLE[4])["outcome"] == "offered"
    assert line.segment_counts("red") == {"red": len(PEOPLE) - 1}
    repeat = accepted(line.send("admit", **fields))
    assert (repeat["outcome"], repeat["entries"]) == ("repeat", [offer])
    accepted(line.send("decline", entry_id=offer["entry_id"]))
    assert accepted(line.send("admit", **fields))["entries"] == []
    assert run_policy(line) == [], "the offer used no slot, so no slot comes back"


def test_one_entry_waits_where_there_is_no_room(line: Line) -> None:
    policy(line, max_inside=1)
    line.all_sign_up(PEOPLE)
    run_policy(line)
    refused = line.send("admit", entry_id=line.id_of(PEOPLE[3]))
    assert refused["code"] == "inside_full"
    assert line.order() == PEOPLE[1:]
