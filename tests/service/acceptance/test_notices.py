"""Tests for the events that announce something to a customer. A `near` event says that the
customer's turn is near, and an `ending` event says that an offer ends soon.
"""

from collections.abc import Callable
from json import dumps
from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Call, Crash, Fault, Wire, crash_after, in_conflict, throttled
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.records.asks import ask_for_link
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.notices import Notice
from waitlist_api.records.table import Table
from waitlist_shared import contracts as c

OFFER_SECONDS = 600
# The tests' clock starts at 14:13:20 UTC.
BY_DAY = {"from": "08:00", "to": "14:20", "timezone": "UTC"}


def telling(*kinds: str, near: int = 2, **admission: object) -> dict[str, object]:
    policy = {"offer_seconds": OFFER_SECONDS, "no_show": "keep_place", **admission}
    return {"admission": policy, "messages": {"kinds": [*kinds], "near": near}}


def kept(world: World, *pauses: float) -> None:
    for pause in pauses:
        world.advance(pause)
        world.maintenance.run_all()


def told(people: Admissions, word: str) -> list[str]:
    return [name for name in people.names.values() if word in people.events(name)]


def test_the_first_who_are_ready_are_near(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", "cyd", "dan", **telling("near"))
    people.hold_back("ann")
    kept(world, 60, 60)
    assert told(people, "near") == ["bob", "cyd"]
    people.leave("bob")
    kept(world, 60, 60)
    assert told(people, "near") == ["bob", "cyd", "dan"]
    people.configure(**telling("near", near=3))
    people.hold_back("ann", ready=True)
    kept(world, 60, 60)
    assert [people.events(name).count("near") for name in ("ann", "cyd", "dan")] == [1, 1, 1]


def rest(people: Admissions) -> None:
    assert people.rest("ann", 1800).status == 200
    kept(people.world, *[600] * 3)


def rest_and_resume(people: Admissions) -> None:
    assert people.rest("ann", 1800).status == 200
    kept(people.world, 60)
    assert people.resume("ann").status == 200


def be_held_back(people: Admissions) -> None:
    people.hold_back("ann")
    people.hold_back("ann", ready=True)


def be_delayed(people: Admissions) -> None:
    assert people.claimed(1) == ["ann"]
    assert people.release("ann", delay_seconds=90).status == 200
    kept(people.world, 60, 60)


def be_delayed_and_moved_by_callers_who_were_cut_off(people: Admissions) -> None:
    assert people.claimed(1) == ["ann"]
    release_in_redis(people)
    bump = c.Bump(
        waitlist_id=people.waitlist_id,
        entry_id=people.id_of("ann"),
        to="front",
        once_key="0" * 32,
    )
    people.world.services.queue.send(bump)
    kept(people.world, *[60] * 3)


def be_delayed_and_moved(people: Admissions) -> None:
    assert people.claimed(1) == ["ann"]
    release_in_redis(people)
    assert people.bump("ann", to="front").status == 200
    kept(people.world, *[60] * 3)


def release_in_redis(people: Admissions) -> None:
    release = c.Release(
        waitlist_id=people.waitlist_id,
        entry_id=people.id_of("ann"),
        token=people.tokens["ann"],
        delay_seconds=150,
    )
    people.world.services.queue.send(release)


def move_to_the_end(people: Admissions) -> None:
    assert people.bump("ann", to="back").status == 200
    kept(people.world, 60)
    people.leave("bob")


def be_parked(people: Admissions) -> None:
    assert people.claimed(1) == ["ann"]
    assert people.park("ann").status == 200
    kept(people.world, 60, 60)
    assert people.redrive("ann").status == 200


@pytest.mark.parametrize(
    "go_away",
    [
        rest,
        rest_and_resume,
        be_held_back,
        be_delayed,
        be_delayed_and_moved,
        be_delayed_and_moved_by_callers_who_were_cut_off,
        move_to_the_end,
        be_parked,
    ],
)
def test_a_person_who_went_away_is_told_when_they_come_near_again(
    waitlist: Waitlist, world: World, go_away: Callable[[Admissions], None]
) -> None:
    people = waitlist("ann", "bob", **telling("near"), rest={})
    kept(world, *[60] * 5)
    assert people.events("ann").count("near") == 1
    go_away(people)
    kept(world, *[60] * 5)
    assert people.events("ann").count("near") == 2
    kept(world, *[60] * 20)
    assert people.events("ann").count("near") == 2


def move_ahead(people: Admissions) -> None:
    assert people.bump("bob", to="front").status == 200


def be_claimed_and_released(people: Admissions) -> None:
    assert people.claimed(2) == ["ann", "bob"]
    assert [people.release(name).status for name in ("ann", "bob")] == [200, 200]


def miss_an_offer(people: Admissions) -> None:
    people.admit(2)
    kept(people.world, *[60] * 12)
    assert "no_show" in people.events("bob")


def let_others_come_and_go(people: Admissions) -> None:
    for _ in range(3):
        people.bump("cyd", to="front")
        kept(people.world, 60)
        people.bump("cyd", to="back")
        kept(people.world, 60)
        people.hold_back("ann")
        kept(people.world, 60)
        people.hold_back("ann", ready=True)
        kept(people.world, 60)


@pytest.mark.parametrize(
    "happen", [move_ahead, be_claimed_and_released, miss_an_offer, let_others_come_and_go]
)
def test_a_person_who_did_not_go_away_is_told_once(
    waitlist: Waitlist, world: World, happen: Callable[[Admissions], None]
) -> None:
    """When other people come and go, a person's turn can become near a second time. The person must
    not get a second message.
    """
    people = waitlist("ann", "bob", "cyd", **telling("near"))
    kept(world, *[60] * 3)
    happen(people)
    kept(world, *[60] * 5)
    assert people.events("bob").count("near") == 1


def test_a_person_who_comes_and_goes_is_told_less_and_less_often(
    waitlist: Waitlist, world: World
) -> None:
    """A backend may mark a person as not ready and as ready again every minute. The person must not
    get an email each time.
    """
    people = waitlist("ann", **telling("near"))
    for _ in range(18):
        kept(world, 30)
        people.hold_back("ann")
        people.hold_back("ann", ready=True)
        kept(world, 30)
    assert people.recorded("ann")["contact"]["near_count"] == 5
    kept(world, *[60] * 18)
    assert people.recorded("ann")["contact"]["near_count"] == 6, (
        "the last return, when its pause is over"
    )


def test_a_list_whose_people_are_told_is_at_rest(waitlist: Waitlist, world: World) -> None:
    waitlist("ann", "bob", "cyd", **telling("near"))
    kept(world, *[60] * 5)
    before = beat(world)
    kept(world, *[60] * 20)
    assert beat(world) == before


def beat(world: World) -> int:
    (waitlist,) = world.services.waitlist_records.all()
    return waitlist.checkpoint.beat


@pytest.mark.parametrize(
    "happen",
    [
        lambda people: people.rest("ann", 3600),
        lambda people: people.hold_back("ann"),
        lambda people: people.bump("ann", to="back"),
        lambda people: people.leave("ann"),
    ],
    ids=["rest", "hold back", "move", "leave"],
)
def test_who_goes_away_while_the_head_is_read_has_no_notice(
    waitlist: Waitlist,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    happen: Callable[[Admissions], object],
) -> None:
    people = waitlist("ann", "bob", "cyd", **telling("near"), rest={})
    read = EntryRecords.get_many

    def late(records: EntryRecords, waitlist_id: str, ids: list[str]) -> Any:
        if people.id_of("ann") in ids and "near" not in people.events("bob"):
            monkeypatch.setattr(EntryRecords, "get_many", read)
            happen(people)
        return read(records, waitlist_id, ids)

    monkeypatch.setattr(EntryRecords, "get_many", late)
    kept(world, 60)
    assert (told(people, "near"), people.events("ann").count("near")) == (["bob"], 0)
    kept(world, 60, 60)
    assert told(people, "near") == ["bob", "cyd"]


def about_to_tell(wire: Wire) -> Admissions:
    """Return a waitlist with three people. The next maintenance run tells them that their turn is
    near.
    """
    table, clock = wire.client(new_table()), RedisClock.standing()
    people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    assert people.configure().status == 201
    people.all_sign_up("ann", "bob", "cyd")
    kept(people.world, *[60] * 5)
    people.configure(**telling("near", near=3))
    return people


def strike(wire: Wire, fault: Fault, text: str) -> None:
    is_over = False

    def once(call: Call) -> Any:
        nonlocal is_over
        is_hit = call.name == "TransactWriteItems" and text in dumps(call.arguments)
        if is_over or not is_hit:
            return call.make()
        is_over = True
        return fault(call)

    wire.disarm()
    for step in range(1000):
        wire.also(step, once)


@pytest.mark.parametrize("fault", [throttled, in_conflict])
def test_a_notice_that_failed_is_written_by_the_next_run(fault: Fault) -> None:
    """If one notice cannot be written, the next run writes it. The other people get theirs at once
    (promise P3).
    """
    wire = Wire()
    people = about_to_tell(wire)
    strike(wire, fault, "#near")
    kept(people.world, 60)
    assert len(told(people, "near")) == 2
    kept(people.world, 60)
    assert told(people, "near") == ["ann", "bob", "cyd"]
    wire.disarm()


def test_a_notice_that_another_write_has_overtaken_is_written_by_the_next_run() -> None:
    """If another request changes the record while maintenance is writing a notice, the next run
    writes the notice (promise P3).
    """
    wire = Wire()
    people = about_to_tell(wire)

    def overtaken(call: Call) -> Any:
        services = people.world.services
        record = services.entries.find(people.waitlist_id, people.id_of("ann"))
        stamp = services.address_changes.recovering_queue.draw_stamp(record)
        decided = ask_for_link(record, stamp, people.world.clock.millis)
        assert decided is not None
        ledger = Ledger(Table(people.world.dynamodb, TABLE))
        ledger.commit(record, decided, people.world.clock.millis)
        return call.make()

    strike(wire, overtaken, people.id_of("ann"))
    kept(people.world, 60)
    assert told(people, "near") == ["bob", "cyd"]
    kept(people.world, 60)
    assert told(people, "near") == ["ann", "bob", "cyd"]
    wire.disarm()


def test_notices_are_written_once_if_maintenance_crashes_at_any_step() -> None:
    """P3"""
    wire = Wire()
    people = about_to_tell(wire)
    wire.disarm()
    kept(people.world, 60)
    steps = wire.different_steps
    assert len(steps) > 5
    for step in steps:
        wire.disarm()
        people = about_to_tell(wire)
        wire.arm(step, crash_after)
        with pytest.raises(Crash):
            kept(people.world, 60)
        wire.disarm()
        kept(people.world, 60, 60)
        counts = [people.events(name).count("near") for name in ("ann", "bob", "cyd")]
        assert counts == [1, 1, 1], step


def test_a_higher_number_reaches_a_list_at_rest(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", **telling("near", near=1))
    kept(world, *[60] * 5)
    assert told(people, "near") == ["ann"]
    people.configure(**telling("near"))
    kept(world, 60)
    assert told(people, "near") == ["ann", "bob"]


def test_a_customer_gets_one_notice_before_an_offer_ends(waitlist: Waitlist, world: World) -> None:
    """A customer gets one notice before an offer ends. Claimed customers get none."""
    people = waitlist("ann", "bob", "cyd", **telling("ending"))
    people.admit(1)
    assert people.claimed() == ["bob"]
    kept(world, *[60] * 5)
    assert told(people, "ending") == []
    kept(world, 60, 60, 60)
    assert told(people, "ending") == ["ann"]
    assert people.events("ann").count("ending") == 1
    assert people.enter("ann").status == 200


def test_an_offer_that_has_ended_or_hardly_lasts_has_no_notice(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", **telling("ending"))
    people.admit(2)
    people.decline("ann")
    # Maintenance first runs half a minute before the offer ends.
    kept(world, OFFER_SECONDS - 30, 60)
    assert told(people, "ending") == []
    people.configure(**telling("ending", offer_seconds=60))
    people.admit(1)
    kept(world, 20, 20)
    assert told(people, "ending") == []


def test_no_notice_is_sent_outside_the_hours(waitlist: Waitlist, world: World) -> None:
    """A notice that is due at night is sent in the morning, when the offer hours begin."""
    policy = {"max_inside": 1, "offer_hours": BY_DAY}
    people = waitlist("ann", "bob", "cyd", **telling("near", "ending", near=1, **policy))
    kept(world, 0, 60)
    assert told(people, "near") == ["bob"]
    world.advance(420)
    people.leave("bob")
    opening = 400 + 17 * 3600 + 40 * 60
    kept(world, 60, opening - 540 - 10)
    assert (told(people, "near"), told(people, "ending")) == (["bob"], [])
    kept(world, 20)
    assert (told(people, "near"), told(people, "ending")) == (["bob", "cyd"], ["ann"])


@pytest.mark.parametrize("happen", ["offer again", "leave", "edit"])
def test_a_late_notice_changes_nothing(waitlist: Waitlist, world: World, happen: str) -> None:
    """If the entry changes just before a notice would be written, the notice is not written."""
    people = waitlist("ann", **telling("ending"))
    people.admit(1)
    entry = (people.waitlist_id, people.id_of("ann"))
    before = world.services.entries.find(*entry)
    if happen == "edit":
        people.edit("ann", profile={"name": "Ann"})
    elif happen == "leave":
        people.leave("ann")
    else:
        people.withdraw("ann")
        people.admit(1)
    events = people.events("ann")
    decided = Notice(before, "ending").decide(before.stamp + 99)
    with pytest.raises(EntryChanged):
        world.maintenance.notifier.ledger.commit(before, decided, world.clock.now_millis())
    assert people.events("ann") == events


@pytest.mark.parametrize(
    "messages",
    [
        {},
        {"kinds": ["near", "near"]},
        {"kinds": ["far"]},
        {"kinds": [], "sms_countries": ["XX"]},
        {"kinds": [], "sms_countries": ["DE", "DE"]},
        {"kinds": [], "sms_number_types": []},
        {"kinds": [], "sms_number_types": ["premium_rate"]},
        *({"kinds": [], name: 0} for name in ("sms_parts_per_day", "mails_per_day")),
        *({"kinds": [], "near": n} for n in (0, 101)),
    ],
)
def test_rules_that_say_nothing_are_refused(waitlist: Waitlist, messages: object) -> None:
    people = waitlist()
    assert people.configure(messages=messages).code == "invalid_request"
    assert people.configure(messages={"kinds": ["near"]}).json["messages"] == {
        "kinds": ["near"],
        "near": 3,
        "language": "en",
        "timezone": None,
        "texts": {},
        "sms_countries": [],
        "sms_number_types": ["mobile"],
        "sms_parts_per_day": None,
        "mails_per_day": None,
    }
    assert people.configure().json["messages"] is None
