"""Tests for waitlists that admit people automatically, at a rate or on a schedule, with a limit on
the people inside. They cover offers, no-shows, passes and exits.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.faults import Crash, Wire, crash_after
from tests.support.gateway import Answer
from tests.support.snapshot import RedisState
from tests.support.world import START_MILLIS, World
from waitlist_api.admission.admit import AdmitCommand
from waitlist_api.admission.offers import OfferWriter
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Joined
from waitlist_api.records.leaves import Leave
from waitlist_api.records.ledger import EntryChanged
from waitlist_shared import contracts as c

RATE = {"rate": {"count": 60, "per": "minute"}}
ONE_INSIDE = {"max_inside": 1}
OFFER_SECONDS, PASS_SECONDS = 600, 3600
NAMES = [f"customer-{number}" for number in range(10)]


def iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(START_MILLIS / 1000, UTC) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def offered(people: Admissions) -> list[str]:
    return [name for name in NAMES if people.status(name) == "offered"]


def maintained(people: Admissions) -> list[str]:
    people.world.maintenance.run_all()
    return [name for name in people.names.values() if people.recorded(name)["status"] == "offered"]


def actor_of_last(people: Admissions, name: str) -> tuple[str, str]:
    event = people.person(name).json["history"][-1]
    return event["event"], event["by"]


def test_polls_alone_make_the_offers_of_a_rate(waitlist: Waitlist, world: World) -> None:
    """A waitlist admits one person per second even if maintenance never runs. Whenever any customer
    polls, the service makes all offers that are due.
    """
    people = waitlist("ann", "bob", "cyd", admission=RATE)
    assert people.order() == ["ann", "bob", "cyd"]
    for name in ("ann", "bob", "cyd"):
        world.advance(1)
        people.poll("cyd")
        assert people.status(name) == "offered"
    assert people.events("ann") == ["joined", "offered"]


def test_a_rate_collects_at_most_a_minute(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*NAMES, admission={"rate": {"count": 6, "per": "minute"}})
    world.advance(3600)
    assert maintained(people) == NAMES[:6]


def test_a_new_rate_begins_with_nothing_due(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*NAMES, admission={"rate": {"count": 1, "per": "day"}})
    world.advance(3600)
    people.configure(admission={"rate": {"count": 6, "per": "minute"}})
    assert maintained(people) == []
    world.advance(10)
    assert maintained(people) == NAMES[:1]


def test_an_offer_shows_its_end_and_admits_who_enters(waitlist: Waitlist) -> None:
    people = waitlist("ann", admission=ONE_INSIDE)
    people.poll("ann")
    assert people.poll("ann").json["offered_until"] == iso(OFFER_SECONDS)
    admitted = people.enter("ann").json
    assert admitted["status"] == "admitted"
    assert admitted["inside_until"] == iso(PASS_SECONDS)
    assert people.enter("ann").json == admitted
    assert people.status("ann") == "admitted"
    assert people.events("ann") == ["joined", "offered", "admitted"]


def test_the_room_inside_bounds_offers(waitlist: Waitlist, world: World) -> None:
    """Two people may be inside at the same time. When one of them exits, the next customer
    immediately gets an offer.
    """
    people = waitlist("ann", "bob", "cyd", "dan", admission={"max_inside": 2})
    assert maintained(people) == ["ann", "bob"]
    people.enter("ann")
    assert maintained(people) == ["bob"]
    assert people.stats().json["inside"] == 1
    assert people.exit("ann").json["exited_at"] == iso(0)
    people.poll("dan")
    assert people.status("cyd") == "offered"
    assert people.exit("ann").status == 200
    assert maintained(people) == ["bob", "cyd"]
    assert people.events("ann") == ["joined", "offered", "admitted", "exited"]


def test_signing_up_again_frees_the_place(waitlist: Waitlist, world: World) -> None:
    """A customer who is inside and signs up again is no longer inside, so the next customer gets an
    offer at once.
    """
    people = waitlist("ann", "bob", admission=ONE_INSIDE, rejoin="always")
    people.poll("ann")
    people.enter("ann")
    assert people.sign_up("ann", key="the-second-signup").status == 201
    assert people.stats().json["inside"] == 0
    assert people.exit("ann").code == "not_inside"
    people.poll("ann")
    assert (people.status("ann"), people.status("bob")) == ("waiting", "offered")
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.stats().json["inside"] == 0
    assert maintained(people) == ["bob"]


def test_a_signup_that_is_refused_leaves_its_customer_inside(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", admission=ONE_INSIDE, rejoin="always", capacity=2)
    people.poll("ann")
    people.enter("ann")
    people.all_sign_up("cyd")
    assert people.sign_up("ann").code == "waitlist_full"
    assert people.stats().json["inside"] == 1
    assert people.exit("ann").status == 200
    assert people.sign_up("ann").code == "waitlist_full"
    assert people.recorded("ann")["end"]["exited_millis"] == START_MILLIS


def intent_of(former: EntryRecord) -> EntryRecord:
    """Return the record that the customer's next signup writes before it calls Redis."""
    return EntryRecord(
        waitlist_id=former.waitlist_id,
        entry_id=former.entry_id,
        customer_id=former.customer_id,
        status="joining",
        join_id="0000beef",
        joined=Joined(millis=former.updated_millis),
        updated_millis=former.updated_millis,
    )


def test_a_rebuild_keeps_a_customer_inside_until_the_new_signup_has_a_place(
    waitlist: Waitlist, world: World
) -> None:
    """Ann is inside when her next signup is interrupted and the queue is rebuilt. Until the signup
    is completed, Ann still counts as inside (promise P3).
    """
    people = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    people.poll("ann")
    people.enter("ann")
    former = world.services.entries.get(people.waitlist_id, people.id_of("ann"))
    assert former is not None
    world.services.entries.begin_rejoin(intent_of(former), former)
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.stats().json["inside"] == 1
    world.maintain()
    assert people.recorded("ann")["status"] == "offered"
    assert people.stats().json["inside"] == 0


def test_an_exit_stays_when_a_new_signup_has_read_the_record_before(
    waitlist: Waitlist, world: World
) -> None:
    """Ann's exit is recorded while she is signing up again. The signup must fail, because its write
    would undo the exit (promise P3).
    """
    people = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    people.poll("ann")
    people.enter("ann")
    former = world.services.entries.get(people.waitlist_id, people.id_of("ann"))
    assert former is not None
    world.advance(1)
    people.exit("ann")
    with pytest.raises(EntryChanged):
        world.services.entries.begin_rejoin(intent_of(former), former)


def test_entering_after_an_unrecorded_complete_leaves_its_record_to_maintenance(
    waitlist: Waitlist, world: World
) -> None:
    """Only Redis knows that an operator has completed Ann's claim. If Ann then asks to enter, the
    service must not record that she accepted an offer.
    """
    people = waitlist("ann", admission={})
    (claim,) = people.claim().json["claims"]
    hold = {"waitlist_id": people.waitlist_id, "entry_id": claim["entry_id"]}
    world.services.queue.send(c.Complete(**hold, token=claim["claim_token"]))
    assert people.enter("ann").code == "not_offered"
    world.maintain()
    assert people.enter("ann").json["status"] == "admitted"
    assert actor_of_last(people, "ann") == ("admitted", "maintenance")


def test_declining_to_leave_keeps_the_actor_of_a_leave_under_way(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", admission={})
    people.admit(1)
    entry = (people.waitlist_id, people.id_of("ann"))
    world.services.leaves.begin(*entry, Leave(by="operator", reason="closed"))
    assert people.decline("ann", "leave").json["status"] == "left"
    assert actor_of_last(people, "ann") == ("left", "operator")


def test_the_end_of_a_pass_frees_the_place(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", admission=ONE_INSIDE)
    people.poll("ann")
    people.enter("ann")
    world.advance(PASS_SECONDS - 1)
    people.poll("bob")
    assert people.status("bob") == "waiting"
    world.advance(1)
    people.poll("bob")
    assert people.status("bob") == "offered"
    assert people.exit("ann").code == "not_inside"


@pytest.mark.parametrize(
    ("no_show", "order", "events"),
    [
        ("keep_place", ["ann", "bob"], ["joined", "offered", "no_show"]),
        ("to_back", ["bob", "ann"], ["joined", "offered", "no_show"]),
        ("leave", ["bob"], ["joined", "offered", "no_show", "left"]),
    ],
)
def test_an_offer_that_ends_unused(
    waitlist: Waitlist, world: World, no_show: str, order: list[str], events: list[str]
) -> None:
    people = waitlist("ann", "bob", admission={"no_show": no_show})
    assert people.admit(1).json["entries"][0]["offered_until"] == iso(OFFER_SECONDS)
    world.advance(OFFER_SECONDS)
    assert people.enter("ann").code in ("offer_expired", "not_offered")
    world.maintain()
    world.maintain()
    assert people.order() == order
    assert people.events("ann") == events


def test_no_shows_with_their_place_are_parked_after_the_last_attempt(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", max_attempts=2, admission={"no_show": "keep_place"})
    for _ in range(2):
        people.admit(1)
        world.advance(OFFER_SECONDS)
        world.maintain()
    world.maintain()
    assert people.status("ann") == "parked"
    story = ["joined", "offered", "no_show", "offered", "no_show", "parked"]
    assert people.events("ann") == story


@pytest.mark.parametrize("following", ["admit", "claim"])
def test_a_no_show_before_the_next_offer_survives_a_lost_redis(
    waitlist: Waitlist, world: World, following: str
) -> None:
    """Ann misses an offer and gets a second one. Even if Redis then loses its data, the history
    says that she missed the first (promise P3).
    """
    people = waitlist("ann", admission={})
    people.admit(1)
    world.advance(OFFER_SECONDS)
    assert getattr(people, following)(1).status == 200
    world.redis.flushall()
    world.maintain()
    assert people.events("ann") == ["joined", "offered", "no_show", "offered"]


def test_a_declined_place_goes_to_the_next(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd", admission=ONE_INSIDE)
    people.poll("ann")
    declined = people.decline("ann").json
    assert (declined["status"], declined["position"]) == ("waiting", 3)
    assert people.decline("ann").json == declined
    people.poll("cyd")
    assert people.status("bob") == "offered"
    assert people.decline("bob", "leave").json["status"] == "left"
    assert people.status("bob") == "left"
    assert (people.status("cyd"), people.order()) == ("offered", ["ann"])
    assert people.events("ann") == ["joined", "offered", "declined"]
    assert people.events("bob") == ["joined", "offered", "left"]


def test_an_action_that_comes_too_late_is_refused(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", admission=ONE_INSIDE)
    assert people.enter("ann").code == "not_offered"
    assert people.decline("ann").code == "not_offered"
    assert people.decline("ann", "leave").code == "not_offered"
    assert people.exit("ann").code == "not_inside"
    people.claim()
    assert people.enter("ann").code == "not_offered"
    assert people.order() == ["bob"]


def get_pass(people: Admissions, name: str) -> Answer:
    path = f"{people.path}/entries/{people.id_of(name)}/pass"
    return people.world.request("GET", path, token=people.token_of(name))


def test_an_automatic_admission_whose_answer_is_lost_has_its_pass(
    waitlist: Waitlist, world: World
) -> None:
    """The service crashes after Redis has admitted Ann but before DynamoDB knows about it. Ann can
    still get her pass (promise P3).
    """
    people = waitlist("ann", "bob", admission={**ONE_INSIDE, "acceptance": "automatic"})
    world.services.queue.send(c.Admit(waitlist_id=people.waitlist_id))
    assert people.recorded("ann")["status"] == "waiting"
    answer = get_pass(people, "ann")
    assert (answer.status, answer.json["status"]) == (200, "admitted")
    assert answer.json["pass"]
    assert get_pass(people, "bob").json["code"] == "not_inside"
    assert actor_of_last(people, "ann") == ("admitted", "policy")


def test_asking_for_a_pass_accepts_no_offer(waitlist: Waitlist, world: World) -> None:
    """A customer with an open offer asks for a pass and gets none.

    The offer stays open, whether or not it is recorded in DynamoDB.
    """
    people = waitlist("ann", admission=ONE_INSIDE)
    world.services.queue.send(c.Admit(waitlist_id=people.waitlist_id))
    assert get_pass(people, "ann").json["code"] == "not_inside"
    assert people.status("ann") == "offered"
    world.maintain()
    assert get_pass(people, "ann").json["code"] == "not_inside"
    assert people.status("ann") == "offered"


def test_automatic_acceptance_admits_at_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", admission={**ONE_INSIDE, "acceptance": "automatic"})
    people.poll("bob")
    assert people.status("ann") == "admitted"
    end = people.recorded("ann")["end"]
    assert end["inside_until_millis"] == START_MILLIS + PASS_SECONDS * 1000
    assert people.stats().json["admitted"] == 1
    assert people.events("ann") == ["joined", "admitted"]
    people.poll("bob")
    assert people.status("bob") == "waiting"


def test_a_paused_list_offers_nothing_and_keeps_its_people(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", "cyd", admission=RATE)
    world.advance(1)
    people.poll("ann")
    people.configure(admission=RATE, paused=True)
    world.advance(30)
    assert maintained(people) == ["ann"]
    assert people.admit(1).code == "waitlist_paused"
    assert people.enter("ann").status == 200
    assert people.order() == ["bob", "cyd"]


def test_an_operators_admission_is_made_once(waitlist: Waitlist) -> None:
    people = waitlist(*NAMES)
    first = people.admit(3, key="a-key-of-a-batch").json["entries"]
    assert [people.names[one["entry_id"]] for one in first] == NAMES[:3]
    assert people.admit(3, key="a-key-of-a-batch").json["entries"] == first
    assert people.admit(4, key="a-key-of-a-batch").code == "idempotency_key_reused"
    assert offered(people) == NAMES[:3]


def test_an_admission_that_was_cut_off_and_repeated_is_recorded_once(
    waitlist: Waitlist, world: World
) -> None:
    """If a request to make offers is interrupted and repeated, each offer appears in the history
    once (promise P2).
    """
    people = waitlist("ann", "bob")
    command = AdmitCommand(
        waitlist_id=people.waitlist_id, count=1, by="operator", idempotency_key="a-key-of-a-batch"
    )
    with patch.object(OfferWriter, "write_all", side_effect=Crash), suppress(Crash):
        world.services.admissions.admit(command)
    assert people.recorded("ann")["status"] == "waiting"
    assert len(world.services.admissions.admit(command).offers) == 1
    world.maintain()
    assert people.events("ann") == ["joined", "offered"]


def test_an_operator_admits_within_a_segment(waitlist: Waitlist) -> None:
    people = waitlist(segments=[["language"]], admission=ONE_INSIDE)
    for name, language in (("ann", "en"), ("bob", "es"), ("cyd", "es")):
        people.sign_up(name, attributes={"language": language})
    offers = people.admit(2, filter={"language": "es"}).json["entries"]
    assert [people.names[one["entry_id"]] for one in offers] == ["bob"]


def schedule(*times: dict[str, Any]) -> dict[str, Any]:
    return {"schedule": list(times)}


def test_an_instant_counts_once(waitlist: Waitlist, world: World) -> None:
    at_a_minute = {"at": iso(60), "count": 2}
    people = waitlist(*NAMES, admission=schedule(at_a_minute))
    world.advance(59)
    assert maintained(people) == []
    world.advance(1)
    people.poll(NAMES[9])
    assert offered(people) == NAMES[:2]
    assert maintained(people) == NAMES[:2]
    world.advance(300)
    assert maintained(people) == NAMES[:2]


def test_an_instant_without_maintenance_counts_late(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 1}))
    minutes = 5
    world.advance(60 * minutes)
    assert maintained(people) == NAMES[:minutes]


def test_places_without_customers_lapse_at_the_next_instant(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", admission=schedule({"cron": "* * * * *", "count": 3}))
    world.advance(60)
    assert maintained(people) == ["ann"]
    people.all_sign_up("bob")
    people.poll("bob")
    assert people.status("bob") == "offered"
    world.advance(60)
    maintained(people)
    people.all_sign_up(*NAMES)
    assert maintained(people) == ["ann", "bob", *NAMES[:3]]


def test_a_rate_spreads_scheduled_places(waitlist: Waitlist, world: World) -> None:
    admission = RATE | schedule({"at": iso(60), "count": 5})
    people = waitlist(*NAMES, admission=admission)
    world.advance(60)
    people.configure(admission=admission)
    assert len(maintained(people)) == 5


def test_a_lost_redis_counts_no_instant_twice(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 2}))
    world.advance(60)
    assert maintained(people) == NAMES[:2]
    world.redis.flushall()
    world.maintenance.run_all()
    assert maintained(people) == NAMES[:2]
    world.advance(60)
    assert maintained(people) == NAMES[:4]


def test_a_lost_redis_leaves_customers_inside_and_the_bucket_empty(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(*NAMES, admission={**RATE, "max_inside": 3})
    world.advance(60)
    assert maintained(people) == NAMES[:3]
    people.enter(NAMES[0])
    people.enter(NAMES[1])
    people.exit(NAMES[1])
    world.redis.flushall()
    world.maintenance.run_all()
    assert maintained(people) == [NAMES[2]]
    assert people.stats().json["inside"] == 1
    world.advance(60)
    assert maintained(people) == NAMES[2:4]


def test_a_lost_redis_gets_old_offers_and_customers_inside_from_the_index(
    waitlist: Waitlist, world: World
) -> None:
    """A rebuild rereads only recent changes, so it must find older offers and admissions in the
    index (promise P3).
    """
    people = waitlist("ann", "bob", "cyd", admission={"max_inside": 3, "offer_seconds": 3600})
    assert maintained(people) == ["ann", "bob", "cyd"]
    people.enter("ann")
    people.enter("bob")
    people.exit("bob")
    for _ in range(2):
        world.advance(20 * 60)
        world.maintenance.run_all()
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.stats().json["inside"] == 1
    assert people.status("cyd") == "offered"
    assert people.enter("cyd").json["status"] == "admitted"


def test_an_offer_cut_off_before_the_record_is_recorded(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", admission=ONE_INSIDE)
    world.services.queue.send(c.Admit(waitlist_id=people.waitlist_id))
    assert people.status("ann") == "offered"
    assert people.recorded("ann")["status"] == "waiting"
    world.maintain()
    assert people.recorded("ann")["status"] == "offered"
    assert people.events("ann") == ["joined", "offered"]
    assert people.enter("ann").status == 200


def test_a_process_with_a_remembered_schedule_counts_no_instant_of_it(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 1}))
    other = World.on(world.dynamodb, world.redis, clock=world.clock, redis_clock=world.redis_clock)
    assert people.poll(NAMES[0]).status == 200
    other.request(
        "PUT",
        people.admin_path,
        body={"name": "Bakery", "admission": schedule({"at": iso(7200), "count": 1})},
        operator=True,
    )
    world.clock.millis, remembered = world.clock.millis + 25_000, world.clock.millis
    world.redis_clock.advance(60)
    world.services.admissions.run(people.waitlist_id)
    world.clock.millis = remembered + 60_000
    world.services.admissions.run(people.waitlist_id)
    assert offered(people) == []


def test_rows_of_one_time_give_the_slots_of_each(waitlist: Waitlist, world: World) -> None:
    rows = [{"cron": "* * * * *", "count": 2}, {"cron": "* * * * *", "count": 1}]
    people = waitlist(*NAMES, admission=schedule(*rows))
    world.advance(60)
    assert maintained(people) == NAMES[:3]


def test_an_instant_whose_run_was_cut_off_counts_after_a_change_of_other_settings(
    waitlist: Waitlist, world: World
) -> None:
    """Maintenance crashes while it admits people at a scheduled time. The next run admits them,
    even if an operator has changed other settings in the meantime (promise P3).
    """
    terms = {**schedule({"cron": "0 * * * *", "count": 2}), "acceptance": "automatic"}
    people = waitlist(*(f"person-{number}" for number in range(12)), admission=terms)
    wire = Wire()
    clocks: dict[str, Any] = {"clock": world.clock, "redis_clock": world.redis_clock}
    other = World.on(wire.client(world.dynamodb), world.redis, wire.client, **clocks)
    for number, step in enumerate(range(6), 1):
        world.advance(3600)
        other.services.waitlist_cache.forget(people.waitlist_id)
        wire.arm(step, crash_after)
        with suppress(Crash):
            other.services.admissions.run(people.waitlist_id)
        assert people.configure(admission=terms, max_attempts=1 + number).status == 200
        world.maintenance.run_all()
        assert people.stats().json["admitted"] == 2 * number, step


def test_another_schedule_begins_without_the_slots_of_the_former_one(
    waitlist: Waitlist, world: World
) -> None:
    """If an operator postpones a launch to the next day, the earlier schedule's offers must not be
    made today.
    """
    people = waitlist(admission=schedule({"at": iso(60), "count": 500}))
    world.advance(120)
    maintained(people)
    people.configure(admission=schedule({"at": iso(86_400), "count": 500}))
    people.all_sign_up(*NAMES)
    assert maintained(people) == []
    world.advance(86_400)
    assert maintained(people) == NAMES


def test_a_decline_of_a_former_schedules_offer_gives_no_slot_to_the_next(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(*NAMES, admission=schedule({"at": iso(60), "count": 1}))
    world.advance(60)
    assert maintained(people) == NAMES[:1]
    people.configure(admission=schedule({"at": iso(86_400), "count": 1}))
    assert people.decline(NAMES[0]).status == 200
    assert maintained(people) == []


def test_a_run_sends_redis_the_schedule_that_it_has_missed(
    waitlist: Waitlist, world: World
) -> None:
    """An operator saved a new schedule, but the request never reached Redis. The next time any
    customer polls, the service sends the schedule to Redis (promise P3).
    """
    people = waitlist(*NAMES, admission=schedule({"at": iso(60), "count": 1}))
    before = RedisState.of(world.redis)
    people.configure(admission=schedule({"at": iso(60), "count": 3}))
    before.restore(world.redis)
    world.advance(60)
    people.poll(NAMES[9])
    assert offered(people) == NAMES[:3]
    assert maintained(people) == NAMES[:3]


def test_the_list_of_the_offered_has_the_end_of_offers_and_claims(waitlist: Waitlist) -> None:
    """A list of offers and claims shows the same times as the single entry: `offered_until` for an
    offer, and `claimed_until` for a claim.
    """
    people = waitlist("ann", "bob", admission={"max_inside": 2})
    people.admit(1)
    people.claim(1, lease_seconds=60)
    listed = people.page("status=offered").json["entries"]
    untils = {
        people.names[one["entry_id"]]: (one["offered_until"], one["claimed_until"])
        for one in listed
    }
    assert untils == {"ann": (iso(OFFER_SECONDS), None), "bob": (None, iso(60))}
    for name, times in untils.items():
        alone = people.person(name).json
        assert (alone["offered_until"], alone["claimed_until"]) == times


def test_each_end_of_an_offer_is_counted(waitlist: Waitlist, world: World) -> None:
    """The service counts how many offers end in each way. Operators see the counts for the last
    hour.
    """
    people = waitlist("ann", "bob", "cyd", "dan", "eve", admission={"no_show": "leave"})
    world.maintain()
    people.admit(5)
    people.enter("ann")
    people.enter("ann")
    people.decline("bob")
    people.decline("cyd", "leave")
    people.leave("dan")
    world.advance(OFFER_SECONDS)
    for _ in range(2):
        world.maintain()
    stats = people.stats().json
    ends = {"entered": 1, "declined": 2, "no_shows": 1}
    assert {name: stats[name] for name in ends} == ends
    assert {name: stats[f"{name}_last_hour"] for name in ends} == ends
    path = f"{people.admin_path}/stats/history"
    points = world.request("GET", path, operator=True, query="period=hour").json["points"]
    assert {name: sum(one[name] for one in points) for name in ends} == ends


HOURS = {"from": "08:00", "to": "14:20", "timezone": "UTC"}
CLOSES = 400
OPENS = CLOSES + 17 * 3600 + 40 * 60


def test_no_place_is_offered_outside_the_hours(waitlist: Waitlist, world: World) -> None:
    """No offers are made outside offer hours. An offer that is open when the offer hours end
    continues when they next begin.
    """
    people = waitlist("ann", "bob", "cyd", admission={"max_inside": 1, "offer_hours": HOURS})
    assert maintained(people) == ["ann"]
    assert people.poll("ann").json["offered_until"] == iso(OPENS + OFFER_SECONDS - CLOSES)
    world.advance(CLOSES)
    people.decline("ann", "leave")
    people.poll("bob")
    assert maintained(people) == []
    seen = people.poll("bob").json
    assert seen["status"] == "waiting"
    assert world.request("GET", people.path).json["admits_at"] == iso(OPENS)
    world.advance(OPENS - CLOSES - 1)
    assert maintained(people) == []
    world.advance(1)
    people.poll("cyd")
    assert people.status("bob") == "offered"
