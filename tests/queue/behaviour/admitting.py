"""Tests an admission policy.

Its rate, its schedule and the free room inside decide how many people get an offer.
"""

from typing import Any

import pytest

from tests.support.line import SECOND_MICROS, Answer, Line, accepted
from waitlist_queue import keys

PEOPLE = [f"person-{number}" for number in range(12)]
MINUTE_MILLIS = 60_000
OFFER_SECONDS, PASS_SECONDS = 600, 3600
ONCE_KEY = "0" * 32
A_SECOND = {"rate_count": 60, "rate_millis": MINUTE_MILLIS}


def policy(line: Line, version: int = 1, **admission: Any) -> None:
    lengths = {"offer_seconds": OFFER_SECONDS, "pass_seconds": PASS_SECONDS}
    line.init(version=version, admission=True, **(lengths | admission))


def filled(line: Line, **admission: Any) -> None:
    policy(line, **admission)
    line.all_sign_up(PEOPLE)


def admit(line: Line, **fields: object) -> Answer:
    return accepted(line.send("admit", **fields))


def admitted(line: Line, **fields: object) -> list[str]:
    return [line.name_of(one["entry_id"]) for one in admit(line, **fields)["entries"]]


def enter(line: Line, name: str) -> Answer:
    return line.send("enter", entry_id=line.id_of(name))


def is_due(line: Line, name: str = PEOPLE[-1]) -> bool:
    return bool(line.position(name)["is_due"])


def test_a_list_without_a_policy_admits_only_by_hand(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=3600)
    assert not is_due(line)
    assert admitted(line) == []
    assert admitted(line, count=2) == PEOPLE[:2]


@pytest.mark.parametrize(
    ("count", "period_seconds", "wait_seconds", "due"),
    [(60, 60, 1, 1), (60, 60, 2.5, 2), (7, 1, 1, 7), (1, 3600, 3599, 0), (1, 3600, 9999, 1)],
)
def test_a_rate_has_due_what_its_time_gives(
    line: Line, count: int, period_seconds: int, wait_seconds: float, due: int
) -> None:
    filled(line, rate_count=count, rate_millis=period_seconds * 1000)
    line.clock.advance(micros=int(wait_seconds * SECOND_MICROS))
    assert admitted(line) == PEOPLE[:due]
    assert admitted(line) == []


def test_no_fraction_of_a_rate_is_lost_or_gained(line: Line) -> None:
    """At this rate, one person may be admitted about every 1.4 seconds.

    Even though the policy runs more often, it makes exactly 6 offers in 9 seconds.
    """
    filled(line, rate_count=42, rate_millis=MINUTE_MILLIS)
    for _ in range(10):
        line.clock.advance(micros=900_000)
        admit(line)
    assert line.stats()["offered"] == 6


def test_one_look_a_second_finds_places_due(line: Line) -> None:
    filled(line, rate_count=60, rate_millis=MINUTE_MILLIS)
    admit(line)
    assert not is_due(line)
    line.clock.advance(seconds=1)
    assert [is_due(line), is_due(line)] == [True, False]
    line.clock.advance(seconds=1)
    assert is_due(line)
    assert admitted(line) == PEOPLE[:2]
    assert not is_due(line)


def test_a_fast_rate_waits_a_second_for_the_next_look(line: Line) -> None:
    """If the rate allows ten offers within one second, the policy makes all ten in a single run
    (promise P9).
    """
    filled(line, rate_count=600, rate_millis=MINUTE_MILLIS)
    admit(line)
    line.clock.advance(micros=999_000)
    assert not is_due(line)
    line.clock.advance(micros=1_000)
    assert is_due(line)
    assert admitted(line) == PEOPLE[:10]


def test_a_run_that_has_admitted_everyone_asks_for_no_further_run(line: Line) -> None:
    """P9"""
    filled(line, max_inside=len(PEOPLE) + 1)
    answer = admit(line)
    assert (len(answer["entries"]), answer["is_more"]) == (len(PEOPLE), False)


def test_polls_of_a_paused_waitlist_do_not_run_the_policy(line: Line) -> None:
    """P9"""
    filled(line, max_inside=3, paused=True)
    admit(line, count=0)
    line.clock.advance(seconds=2)
    assert not is_due(line)


def test_room_counts_offers_and_customers_inside(line: Line) -> None:
    filled(line, max_inside=3)
    assert is_due(line)
    assert admitted(line) == PEOPLE[:3]
    line.clock.advance(seconds=2)
    assert not is_due(line)
    accepted(enter(line, PEOPLE[0]))
    assert admitted(line) == []
    assert not is_due(line)
    assert line.stats()["inside"] == 1
    assert line.send("exit", entry_id=line.id_of(PEOPLE[0]))["outcome"] == "exited"
    assert line.send("exit", entry_id=line.id_of(PEOPLE[0]))["outcome"] == "absent"
    assert is_due(line)
    assert admitted(line) == PEOPLE[3:4]


@pytest.mark.parametrize("fields", [{"is_erased": True}, {"inside_until_millis": 0}])
def test_the_next_look_offers_the_room_of_an_erased_customer(
    line: Line, fields: dict[str, Any]
) -> None:
    filled(line, max_inside=1)
    admit(line)
    accepted(enter(line, PEOPLE[0]))
    admit(line)
    assert not is_due(line)
    accepted(line.drop(PEOPLE[0], **fields))
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


@pytest.mark.parametrize("hold", ["claim", "admit"])
def test_the_next_look_offers_the_room_of_a_hold_whose_customer_leaves(
    line: Line, hold: str
) -> None:
    filled(line, max_inside=1)
    accepted(line.send(hold, count=1))
    admit(line)
    assert not is_due(line)
    accepted(line.leave(PEOPLE[0]))
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


def test_the_next_look_offers_the_room_of_an_admission_that_does_not_hold(line: Line) -> None:
    filled(line, max_inside=1)
    ((name, claim),) = line.claimed(1).items()
    accepted(line.complete(name, claim["token"]))
    admit(line)
    assert not is_due(line)
    accepted(line.leave(name))
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


def test_a_pass_that_ends_frees_its_place(line: Line) -> None:
    filled(line, max_inside=1)
    admit(line)
    accepted(enter(line, PEOPLE[0]))
    admit(line)
    line.clock.advance(seconds=PASS_SECONDS - 1)
    assert not is_due(line)
    line.clock.advance(seconds=1)
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


def test_entering_is_once_and_in_time(line: Line) -> None:
    filled(line, max_inside=2)
    admit(line)
    first = accepted(enter(line, PEOPLE[0]))
    assert first["inside_until_millis"] == line.clock.millis + PASS_SECONDS * 1000
    again = accepted(enter(line, PEOPLE[0]))
    own = {"outcome": "", "stamp": 0, "basis_stamp": 0, "placed_stamp": 0}
    assert {**again, **own} == {**first, **own}
    line.clock.advance(seconds=OFFER_SECONDS)
    assert enter(line, PEOPLE[1])["code"] == "offer_expired"
    assert enter(line, PEOPLE[2])["code"] == "not_offered"
    assert line.stats()["counters"]["admitted"] == 1


def test_an_offer_to_another_stay_is_not_accepted(line: Line) -> None:
    filled(line, max_inside=1)
    offer = admit(line)["entries"][0]
    other = line.send("enter", entry_id=offer["entry_id"], ticket=offer["ticket"] + 1)
    assert other["code"] == "not_offered"
    assert line.send("enter", entry_id=offer["entry_id"], ticket=offer["ticket"])["ok"]


def test_a_claim_is_no_offer(line: Line) -> None:
    filled(line, max_inside=1)
    line.claimed()
    assert enter(line, PEOPLE[0])["code"] == "not_offered"
    assert line.send("decline", entry_id=line.id_of(PEOPLE[0]))["code"] == "not_offered"


def test_a_declined_entry_goes_to_the_end_and_its_place_to_the_next(line: Line) -> None:
    filled(line, max_inside=1)
    admit(line)
    declined = accepted(line.send("decline", entry_id=line.id_of(PEOPLE[0])))
    assert declined["position"] == len(PEOPLE)
    again = accepted(line.send("decline", entry_id=line.id_of(PEOPLE[0])))
    assert {**again, "outcome": "declined"} == declined
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


def two_offers(line: Line) -> tuple[Answer, Answer]:
    policy(line, max_inside=1)
    line.all_sign_up(PEOPLE[:1])
    (first,) = admit(line)["entries"]
    accepted(line.send("decline", **meant(first), once_key=ONCE_KEY))
    line.clock.advance(seconds=1)
    (second,) = admit(line)["entries"]
    return first, second


def meant(offer: Answer) -> dict[str, Any]:
    return {"entry_id": offer["entry_id"], "offered_until_millis": offer["deadline_millis"]}


def state(line: Line) -> str:
    return str(line.position(PEOPLE[0])["outcome"])


def test_a_late_decline_leaves_the_next_offer_open(line: Line) -> None:
    """A late copy of a request to decline an offer does not end the customer's next offer (promise
    P2).
    """
    first, second = two_offers(line)
    assert line.send("decline", **meant(first))["outcome"] == "repeat"
    line.settle(PEOPLE[0], line.dirty()[PEOPLE[0]]["seen_stamp"])
    assert line.send("decline", **meant(first))["code"] == "not_offered"
    assert state(line) == "offered"
    assert line.send("decline", **meant(second))["outcome"] == "declined"


def test_a_decline_with_the_same_key_is_a_repeat_also_when_the_next_offer_is_open(
    line: Line,
) -> None:
    """P2"""
    first, _ = two_offers(line)
    again = {"entry_id": first["entry_id"], "once_key": ONCE_KEY}
    before = line.send("decline", **again)
    line.settle(PEOPLE[0], line.dirty()[PEOPLE[0]]["seen_stamp"])
    after = line.send("decline", **again)
    assert (before["outcome"], before["stamp"]) == (after["outcome"], after["stamp"])
    assert after["outcome"] == "repeat"
    assert state(line) == "offered"


def test_a_late_enter_does_not_accept_the_next_offer(line: Line) -> None:
    """P2"""
    first, second = two_offers(line)
    assert line.send("enter", **meant(first))["code"] == "not_offered"
    assert state(line) == "offered"
    assert line.send("enter", **meant(second))["outcome"] == "entered"


def test_a_decline_that_names_no_offer_is_about_the_open_one(line: Line) -> None:
    _, second = two_offers(line)
    assert line.send("decline", entry_id=second["entry_id"])["outcome"] == "declined"


@pytest.mark.parametrize("verb", ["decline", "withdraw"])
def test_an_offer_of_an_earlier_stay_cannot_be_ended_through_the_next_stay(
    line: Line, verb: str
) -> None:
    """After a customer has left and signed up again, nobody can accept or end an offer made to the
    earlier signup (promise P2).
    """
    policy(line, max_inside=1)
    line.signup(PEOPLE[0])
    (offer,) = admit(line)["entries"]
    assert accepted(line.send(verb, **meant(offer)))["ticket"] == offer["ticket"]
    line.leave(PEOPLE[0])
    ticket = line.signup(PEOPLE[0], 2)["ticket"]
    assert line.send(verb, entry_id=offer["entry_id"], ticket=ticket)["code"] == "not_offered"


def test_instants_count_once_and_late(line: Line) -> None:
    filled(line, schedule_version=1)
    now = line.clock.millis
    instants = [(now + 1000, 2), (now + 2000, 3)]
    known = {
        "settings_version": 1,
        "schedule_version": 1,
        "schedule_from": 0,
        "instants": instants,
        "next_instant": now + 9000,
    }
    line.clock.advance(seconds=1)
    assert admitted(line, **known) == PEOPLE[:2]
    assert admitted(line, **known) == []
    line.clock.advance(seconds=5)
    assert admitted(line, **known) == PEOPLE[2:5]
    assert admitted(line, **known) == []
    assert not is_due(line)
    line.clock.advance(seconds=3)
    assert is_due(line)


def test_a_caller_with_too_few_instants_of_the_schedule_is_behind(line: Line) -> None:
    filled(line, schedule_version=1)
    later = line.clock.millis + 1000
    answer = admit(
        line,
        settings_version=1,
        schedule_version=1,
        schedule_from=later,
        instants=[(later + 1000, 5)],
    )
    assert (answer["outcome"], answer["entries"]) == ("behind", [])
    assert answer["scheduled_until"] == 0


def test_scheduled_places_that_find_no_room_stay_due(line: Line) -> None:
    filled(line, schedule_version=1, max_inside=1)
    now = line.clock.millis
    known = {
        "settings_version": 1,
        "schedule_version": 1,
        "schedule_from": 0,
        "instants": [(now, 3)],
    }
    assert admitted(line, **known) == PEOPLE[:1]
    accepted(enter(line, PEOPLE[0]))
    line.send("exit", entry_id=line.id_of(PEOPLE[0]))
    assert admitted(line, **known) == PEOPLE[1:2]


def test_a_repeated_admission_by_hand_takes_no_other_entry(line: Line) -> None:
    filled(line, max_inside=5)
    key = {"once_key": "a" * 32, "once_body": "b" * 32}
    first = admit(line, count=3, **key)
    assert [line.name_of(one["entry_id"]) for one in first["entries"]] == PEOPLE[:3]
    repeat = admit(line, count=3, **key)
    assert repeat["outcome"] == "repeat"
    assert (repeat["entries"], repeat["stamp"]) == (first["entries"], first["stamp"])
    other = line.send("admit", count=3, once_key="a" * 32, once_body="c" * 32)
    assert other["code"] == "idempotency_key_reused"
    assert admitted(line, count=9) == PEOPLE[3:5]
    kept = line.client.ttl(keys.once(line.waitlist_id, "admit", "a" * 32))
    assert 24 * 3600 - 60 < kept <= 24 * 3600, "P9"


def test_a_repeated_admission_without_offers_is_one_without_offers(line: Line) -> None:
    filled(line, acceptance="automatic")
    key = {"once_key": "a" * 32, "once_body": "b" * 32}
    first = admit(line, count=2, **key)
    policy(line, version=2, acceptance="enter")
    repeat = admit(line, count=2, **key)
    assert (first["is_automatic"], repeat["is_automatic"]) == (True, True)
    ended = [{**one, "stamp": None} for one in first["entries"]]
    assert repeat["entries"] == ended


def test_a_rebuilt_order_has_nothing_due_and_counts_no_instant_again(line: Line) -> None:
    filled(line, rate_count=60, rate_millis=MINUTE_MILLIS, schedule_version=1)
    line.clock.advance(seconds=60)
    now = line.clock.millis
    line.client.flushall()
    line.init(
        admission=True,
        rate_count=60,
        rate_millis=MINUTE_MILLIS,
        schedule_version=1,
        epoch="0000bbbb",
        scheduled_until=now,
    )
    line.all_sign_up(PEOPLE)
    known = {
        "settings_version": 1,
        "schedule_version": 1,
        "schedule_from": now,
        "instants": [(now, 5), (now + 500, 5)],
    }
    assert admitted(line, **known) == []
    line.clock.advance(seconds=1)
    assert admitted(line, **known) == PEOPLE[:1]


def test_an_exit_during_a_rebuild_is_not_undone_by_it(line: Line) -> None:
    """A customer exits after a rebuild has read their record. The rebuild does not count them as
    inside (promise P3).
    """
    policy(line, max_inside=1)
    line.client.flushall()
    line.init(mode="open", admission=True, max_inside=1, pass_seconds=PASS_SECONDS)
    ann = line.stay("ann")
    line.send("exit", entry_id=ann["entry_id"])
    until = line.clock.millis + PASS_SECONDS * 1000
    accepted(line.send("drop", **ann, inside_until_millis=until))
    accepted(line.send("drop", **line.stay("bob"), inside_until_millis=until))
    line.init(mode="finish_rebuild")
    assert line.stats()["inside"] == 1


def test_no_shows_of_one_run_keep_their_order_at_the_back(line: Line) -> None:
    """If several offers expire at the same moment, their entries move to the back of the queue and
    keep their order (promise P1).
    """
    filled(line, no_show="to_back")
    assert admitted(line, count=8) == PEOPLE[:8]
    line.clock.advance(seconds=OFFER_SECONDS)
    line.expire()
    assert admitted(line, count=12) == PEOPLE[8:] + PEOPLE[:8]


@pytest.mark.parametrize("no_show", ["keep_place", "to_back"])
def test_the_next_offer_or_claim_returns_the_no_show_before_it(line: Line, no_show: str) -> None:
    filled(line, no_show=no_show)
    admit(line, count=12)
    deadline = line.clock.millis + OFFER_SECONDS * 1000
    line.clock.advance(seconds=OFFER_SECONDS + 5)
    (offer,) = admit(line, count=1)["entries"]
    (claim,) = line.claimed(1).values()
    for one in (offer, claim):
        assert one["no_show_stamp"] < one["stamp"]
        assert (one["ended_millis"], one["expired_stamp"]) == (deadline, 0)


def test_a_customer_is_inside_until_exactly_the_end_of_the_pass(line: Line) -> None:
    """The next customer can get in the moment a pass expires (promise P6)."""
    filled(line, max_inside=1)
    assert admitted(line) == PEOPLE[:1]
    accepted(enter(line, PEOPLE[0]))
    line.clock.advance(seconds=PASS_SECONDS, micros=-1000)
    assert (line.stats()["inside"], admitted(line)) == (1, [])
    line.clock.advance(micros=1000)
    assert line.stats()["inside"] == 0
    assert admitted(line) == PEOPLE[1:2]


def test_a_new_signup_frees_the_place_inside(line: Line) -> None:
    filled(line, max_inside=1)
    (offer,) = admit(line)["entries"]
    accepted(enter(line, PEOPLE[0]))
    assert not is_due(line)
    accepted(line.send("drop", **line.stay(PEOPLE[0]), ticket=offer["ticket"]))
    line.signup(PEOPLE[0], 2)
    assert line.stats()["inside"] == 0
    assert is_due(line)
    assert admitted(line) == PEOPLE[1:2]


def inside_again(line: Line) -> tuple[int, int]:
    tickets = []
    for stay in (1, 2):
        tickets.append(accepted(line.signup(PEOPLE[0], stay))["ticket"])
        admit(line)
        accepted(enter(line, PEOPLE[0]))
        line.drop(PEOPLE[0], stay, ticket=tickets[-1])
    first, second = tickets
    return first, second


def test_a_late_exit_leaves_the_next_stay_inside(line: Line) -> None:
    """P2"""
    policy(line, max_inside=1)
    first, second = inside_again(line)
    exit_ = {"entry_id": line.id_of(PEOPLE[0])}
    assert line.send("exit", **exit_, ticket=first)["outcome"] == "absent"
    assert line.stats()["inside"] == 1
    assert line.send("exit", **exit_, ticket=second)["outcome"] == "exited"
    assert line.stats()["inside"] == 0


def test_a_late_admit_of_one_entry_leaves_the_next_stay_waiting(line: Line) -> None:
    """A late message that admits a customer has no effect if they have left and signed up again
    (promise P2).
    """
    policy(line)
    line.signup("ada")
    first = line.position("ada")["ticket"]
    line.drop("ada")
    line.signup("ada", stay=2)
    second = line.position("ada")["ticket"]
    late = line.send("admit", entry_id=line.id_of("ada"), ticket=first)
    assert late["code"] == "not_waiting"
    assert line.position("ada")["outcome"] == "waiting"
    assert len(admit(line, entry_id=line.id_of("ada"), ticket=second)["entries"]) == 1


def test_an_exit_that_names_no_stay_is_taken(line: Line) -> None:
    policy(line, max_inside=1)
    inside_again(line)
    assert line.send("exit", entry_id=line.id_of(PEOPLE[0]))["outcome"] == "exited"


@pytest.mark.parametrize("is_restored", [True, False])
def test_a_late_exit_during_a_rebuild_leaves_the_next_stay_inside(
    line: Line, is_restored: bool
) -> None:
    """A customer exits and later enters again. If a copy of the exit request arrives during a
    rebuild, the customer still counts as inside (promise P2).
    """
    policy(line, max_inside=1)
    first, second = inside_again(line)
    line.client.flushall()
    line.init(mode="open", admission=True, max_inside=1, pass_seconds=PASS_SECONDS)
    inside = {"ticket": second, "inside_until_millis": line.clock.millis + 1000}
    if is_restored:
        line.drop(PEOPLE[0], 2, **inside)
    line.send("exit", entry_id=line.id_of(PEOPLE[0]), ticket=first)
    line.drop(PEOPLE[0], 2, **inside)
    line.init(mode="finish_rebuild")
    assert line.stats()["inside"] == 1


@pytest.mark.parametrize("fields", [{"inside_until_millis": 0}, {"is_erased": True}])
def test_a_late_end_of_a_stay_leaves_the_next_stay_inside(
    line: Line, fields: dict[str, Any]
) -> None:
    """A customer who has been inside signs up and enters again. A late message about the first
    signup does not end the second visit (promise P2).
    """
    policy(line, max_inside=1)
    first, second = inside_again(line)
    line.drop(PEOPLE[0], 1, ticket=first, **fields)
    assert line.stats()["inside"] == 1
    line.drop(PEOPLE[0], 2, ticket=second, **fields)
    assert line.stats()["inside"] == 0


def test_passes_that_end_leave_nothing_behind(line: Line) -> None:
    policy(line, max_inside=1)
    inside_again(line)
    line.clock.advance(seconds=PASS_SECONDS + 1)
    admit(line)
    assert not line.client.exists(keys.visits(line.waitlist_id), keys.inside(line.waitlist_id))


def test_a_rebuild_during_a_new_signup_brings_no_customer_back_inside(line: Line) -> None:
    """A customer signs up again after a rebuild has read their record. The rebuild does not count
    them as inside (promise P3).
    """
    policy(line, max_inside=1)
    line.client.flushall()
    line.init(mode="open", admission=True, max_inside=1, pass_seconds=PASS_SECONDS)
    former = {**line.stay("ann"), "ticket": 1}
    line.signup("ann", 2)
    until = line.clock.millis + PASS_SECONDS * 1000
    accepted(line.send("drop", **former, inside_until_millis=until))
    line.init(mode="finish_rebuild")
    assert line.stats()["inside"] == 0


def test_a_restored_place_ends_the_time_inside_of_a_former_stay(line: Line) -> None:
    """After a failover, Redis may count a customer as inside who has already signed up again. When
    Redis learns of the new signup, the customer no longer counts as inside (promise P3).
    """
    policy(line, max_inside=1)
    until = line.clock.millis + PASS_SECONDS * 1000
    accepted(line.send("drop", **line.stay("ann"), inside_until_millis=until))
    assert line.stats()["inside"] == 1
    line.restore("ann", 16, 16, stay=2)
    assert line.stats()["inside"] == 0


def test_a_caller_with_older_settings_is_behind(line: Line) -> None:
    """Redis must not count scheduled admissions that come from outdated settings, which a process
    may have cached.
    """
    filled(line, schedule_version=1)
    policy(line, version=2, schedule_version=1)
    known = {"schedule_version": 1, "schedule_from": 0, "instants": [(line.clock.millis, 3)]}
    assert admit(line, settings_version=1, **known)["outcome"] == "behind"
    assert admitted(line, settings_version=2, **known) == PEOPLE[:3]


def test_a_list_gets_its_first_policy(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    policy(line, version=2, schedule_version=1)
    known = {
        "settings_version": 2,
        "schedule_version": 1,
        "schedule_from": 0,
        "instants": [(line.clock.millis, 3)],
    }
    assert admitted(line, **known) == PEOPLE[:3]


HOUR = 3_600_000


def test_a_policy_with_hours_offers_within_them_alone(line: Line) -> None:
    """The admission policy makes no offers outside the opening hours. It makes them when the
    opening hours begin (promise P3).
    """
    filled(line, **A_SECOND, has_hours=True, schedule_version=1, combine="sum")
    now = line.clock.millis
    known = {
        "settings_version": 1,
        "schedule_version": 1,
        "schedule_from": 0,
        "instants": [(now, 2)],
    }
    hours = [(now + HOUR, now + 2 * HOUR), (now + 25 * HOUR, now + 26 * HOUR)]
    assert admitted(line, **known, hours=hours) == []
    line.clock.advance(seconds=3599)
    assert not is_due(line)
    assert admitted(line, **known, hours=hours) == []
    # Operators can admit people even outside the opening hours.
    assert admitted(line, count=1) == PEOPLE[:1]
    line.clock.advance(seconds=1)
    assert is_due(line)
    assert admitted(line, **known, hours=hours) == PEOPLE[1:]


def test_an_offer_that_the_end_of_the_hours_interrupts_goes_on_in_the_next_ones(line: Line) -> None:
    filled(line, max_inside=2, has_hours=True)
    now = line.clock.millis
    known = {"settings_version": 1}
    hours = [(now - HOUR, now + MINUTE_MILLIS), (now + HOUR, now + 2 * HOUR)]
    ends = {one["deadline_millis"] for one in admit(line, **known, hours=hours)["entries"]}
    assert ends == {now + HOUR + OFFER_SECONDS * 1000 - MINUTE_MILLIS}
    line.leave(PEOPLE[0])
    short = [hours[0], (now + HOUR, now + HOUR + 1000)]
    (offer,) = admit(line, **known, hours=short)["entries"]
    assert offer["deadline_millis"] == now + HOUR + 1000


def test_a_run_without_the_hours_of_its_time_offers_nothing(line: Line) -> None:
    """The policy makes no offers if the request contains only yesterday's opening hours, or no
    opening hours at all (promise P3).
    """
    filled(line, max_inside=2)
    policy(line, version=2, max_inside=2, has_hours=True)
    assert admit(line)["outcome"] == "behind"
    past = [(line.clock.millis - 2 * HOUR, line.clock.millis - 1)]
    assert admitted(line, settings_version=2, hours=past) == []
    line.clock.advance(seconds=1)
    assert is_due(line)
    policy(line, version=3, max_inside=2)
    assert "has_hours" not in line.client.hgetall(keys.meta(line.waitlist_id))
    assert admitted(line) == PEOPLE[:2]


def test_a_slot_of_a_withdrawn_offer_waits_for_the_hours(line: Line) -> None:
    filled(line, max_inside=1, has_hours=True)
    now = line.clock.millis
    hours = [(now, now + 1000), (now + HOUR, now + 2 * HOUR)]
    assert admitted(line, settings_version=1, hours=hours) == PEOPLE[:1]
    line.clock.advance(seconds=2)
    answer = accepted(line.send("withdraw", entry_id=line.id_of(PEOPLE[0]), hours=hours))
    assert answer["entries"] == []
    assert admitted(line, settings_version=1, hours=hours) == []


def test_saving_other_settings_loses_no_instant_that_the_record_has_noted(line: Line) -> None:
    """A process crashes after it has noted a scheduled admission in DynamoDB, but before Redis has
    counted it. The admission is not lost (promise P3).
    """
    filled(line, schedule_version=1)
    noted = line.clock.millis
    policy(line, version=2, schedule_version=1, scheduled_until=noted)
    known = {"settings_version": 2, "schedule_version": 1, "schedule_from": 0}
    assert admitted(line, **known, instants=[(noted, 3)]) == PEOPLE[:3]


def test_another_schedule_begins_without_the_slots_of_the_former_one(line: Line) -> None:
    """Nobody was waiting when an old schedule allowed 500 offers. These offers are not made later,
    when a new schedule applies and people are waiting.
    """
    policy(line, schedule_version=1)
    now = line.clock.millis
    known = {"settings_version": 9, "schedule_from": 0}
    assert admitted(line, **known, schedule_version=1, instants=[(now, 500)]) == []
    policy(line, version=2, schedule_version=2, schedule_since=now)
    line.all_sign_up(PEOPLE)
    assert admitted(line, **known, schedule_version=2, instants=[(now, 5)]) == []
    line.clock.advance(seconds=1)
    later = (now + 1000, 1)
    assert admitted(line, **known, schedule_version=2, instants=[later]) == PEOPLE[:1]


def test_the_slots_of_a_schedule_end_with_its_policy(line: Line) -> None:
    policy(line, schedule_version=1)
    now = line.clock.millis
    known = {"settings_version": 9, "schedule_from": 0, "instants": [(now, 500)]}
    assert admitted(line, **known, schedule_version=1) == []
    line.init(version=2)
    policy(line, version=3, schedule_version=3, schedule_since=now)
    line.all_sign_up(PEOPLE)
    assert admitted(line, **known, schedule_version=3) == []


@pytest.mark.parametrize("schedule_version", [1, 3])
def test_a_caller_with_another_schedule_is_behind(line: Line, schedule_version: int) -> None:
    """If Redis has an older schedule than the public function, it makes no offers and reports the
    version of its schedule.
    """
    filled(line, version=2, schedule_version=2)
    known = {"settings_version": 3, "schedule_from": 0, "instants": [(line.clock.millis, 3)]}
    answer = admit(line, schedule_version=schedule_version, **known)
    assert (answer["outcome"], answer["settings_version"]) == ("behind", 2)


def test_a_server_that_lacks_an_instant_gets_from_the_record_what_is_left_of_it(
    line: Line,
) -> None:
    """After a failover, Redis may have forgotten which scheduled offers it has made. The message
    then says how many of them may still be made (promise P3).
    """
    filled(line, schedule_version=1)
    now = line.clock.millis
    counted = {"counted_until": now, "counted_slots": 2}
    known = {"settings_version": 1, "schedule_version": 1, "schedule_from": 0, **counted}
    first = admit(line, **known, instants=[(now, 500)])
    assert [line.name_of(one["entry_id"]) for one in first["entries"]] == PEOPLE[:2]
    assert (first["scheduled_until"], first["scheduled"]) == (now, 0)
    assert admitted(line, **known, instants=[(now, 500)]) == []


def test_an_old_note_of_what_is_counted_changes_nothing(line: Line) -> None:
    filled(line, schedule_version=1)
    now = line.clock.millis
    known = {"settings_version": 1, "schedule_version": 1, "schedule_from": 0}
    answer = admit(line, **known, instants=[(now, 1)])
    assert (answer["scheduled_until"], answer["scheduled"]) == (now, 0)
    for counted_until in (now - 1, now):
        old = {"counted_until": counted_until, "counted_slots": 5}
        assert admitted(line, **known, **old) == []


DAY_SECONDS = 86_400


@pytest.mark.parametrize(
    ("count", "period_seconds", "idle_seconds", "due"),
    [(1, DAY_SECONDS, 47 * 3600, 1), (55, 3600, 9999, 1), (7, 60, 9999, 7), (60, 3600, 9999, 1)],
)
def test_a_rate_that_nobody_waits_for_collects_one_minute_or_one_slot(
    line: Line, count: int, period_seconds: int, idle_seconds: int, due: int
) -> None:
    policy(line, rate_count=count, rate_millis=period_seconds * 1000)
    assert admitted(line) == []
    line.clock.advance(seconds=idle_seconds)
    line.all_sign_up(PEOPLE)
    assert admitted(line) == PEOPLE[:due]
    line.clock.advance(micros=period_seconds * SECOND_MICROS // count - 600_000)
    assert admitted(line) == []


@pytest.mark.parametrize("per_hour", [55, 90, 630])
def test_a_run_that_comes_each_minute_loses_nothing_of_a_rate(line: Line, per_hour: int) -> None:
    """If nobody polls, the policy runs only once a minute. Even then, it must make all offers that
    the rate allows.
    """
    policy(line, rate_count=per_hour, rate_millis=3_600_000, no_show="leave")
    line.all_sign_up([f"guest-{number}" for number in range(per_hour + 1)])
    given = 0
    for _ in range(60):
        line.clock.advance(seconds=60)
        given += len(admitted(line))
    # Let one more microsecond pass, because rounding may delay the last offer of the hour by a
    # microsecond.
    assert per_hour - given in (0, 1)


@pytest.mark.parametrize("end", ["release", "park", "expire", "complete"])
def test_the_end_of_a_claim_frees_its_room_for_the_policy(line: Line, end: str) -> None:
    filled(line, max_inside=1)
    line.init(
        version=2, admission=True, max_inside=1, lease_seconds=60, offer_seconds=OFFER_SECONDS
    )
    ((name, claim),) = line.claimed(1).items()
    assert admitted(line) == []
    line.clock.advance(seconds=30)
    assert not is_due(line)
    if end == "expire":
        line.clock.advance(seconds=30)
    else:
        accepted(getattr(line, end)(name, claim["token"]))
    assert is_due(line)
    expected = PEOPLE[:1] if end in ("release", "expire") else PEOPLE[1:2]
    assert admitted(line) == expected


FORTNIGHT_SECONDS = 14 * 86_400


def test_an_offer_can_last_for_fourteen_days(line: Line) -> None:
    filled(line)
    policy(line, version=2, offer_seconds=FORTNIGHT_SECONDS)
    (offer,) = admit(line, count=1)["entries"]
    assert offer["deadline_millis"] == line.clock.millis + FORTNIGHT_SECONDS * 1000
    line.clock.advance(seconds=FORTNIGHT_SECONDS - 1)
    assert enter(line, PEOPLE[0])["outcome"] == "entered"


@pytest.mark.parametrize("which", [{"count": 1}, {"entry_id": "the last person"}])
def test_an_operator_chooses_how_long_an_offer_lasts(line: Line, which: dict[str, Any]) -> None:
    """An operator can choose how long an offer lasts. The policy's own offers last as long as the
    policy says.
    """
    filled(line, max_inside=2)
    if "entry_id" in which:
        which = {"entry_id": line.id_of(PEOPLE[-1])}
    (offer,) = admit(line, **which, offer_seconds=FORTNIGHT_SECONDS)["entries"]
    assert offer["deadline_millis"] == line.clock.millis + FORTNIGHT_SECONDS * 1000
    (other,) = admit(line)["entries"]
    assert other["deadline_millis"] == line.clock.millis + OFFER_SECONDS * 1000


def test_a_quota_remembers_how_long_its_offers_last(line: Line) -> None:
    """An operator lets the policy make a number of extra offers (a quota) and chooses how long they
    last. The choice does not apply to the next quota.
    """
    filled(line)
    admit(line, count=1, refill=True, offer_seconds=FORTNIGHT_SECONDS)
    accepted(line.send("decline", entry_id=line.id_of(PEOPLE[0])))
    (second,) = admit(line)["entries"]
    assert second["deadline_millis"] == line.clock.millis + FORTNIGHT_SECONDS * 1000
    admit(line, count=1, refill=True)
    accepted(line.send("decline", entry_id=line.id_of(PEOPLE[1])))
    (third,) = admit(line)["entries"]
    assert third["deadline_millis"] == line.clock.millis + OFFER_SECONDS * 1000


def test_an_offer_of_a_day_does_not_depend_on_the_hours(line: Line) -> None:
    filled(line, max_inside=1, has_hours=True)
    policy(line, version=2, max_inside=1, has_hours=True, offer_seconds=86_400)
    now = line.clock.millis
    hours = [(now - HOUR, now + MINUTE_MILLIS), (now + HOUR, now + 2 * HOUR)]
    (offer,) = admit(line, settings_version=2, hours=hours)["entries"]
    assert offer["deadline_millis"] == now + 24 * HOUR
