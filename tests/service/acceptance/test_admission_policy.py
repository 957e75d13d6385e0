"""Lists that admit by themselves: rate, schedule, room, offers, no-shows, customers inside."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.faults import Crash
from tests.support.gateway import Answer
from tests.support.world import START_MILLIS, World
from waitlist_api.admission.admit import AdmitCommand
from waitlist_api.admission.offers import OfferWriter
from waitlist_api.records.entries import EntryChanged
from waitlist_api.records.entry import EntryRecord
from waitlist_shared import contracts as c

RATE = {"rate": {"count": 60, "per": "minute"}}
ONE_INSIDE = {"max_inside": 1}
OFFER_SECONDS, PASS_SECONDS = 600, 3600
NAMES = [f"customer-{number}" for number in range(10)]


def iso(seconds: float) -> str:
    """Return the time some seconds after the start, as answers have it."""
    moment = datetime.fromtimestamp(START_MILLIS / 1000, UTC) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def offered(desk: Admissions) -> list[str]:
    return [name for name in NAMES if desk.status(name) == "offered"]


def maintained(desk: Admissions) -> list[str]:
    """Run maintenance now, and return the customers with an offer."""
    desk.world.maintenance.run_all()
    return [name for name in desk.names.values() if desk.recorded(name)["status"] == "offered"]


def actor_of_last(desk: Admissions, name: str) -> tuple[str, str]:
    """Return the last event of a customer's history, and its actor."""
    event = desk.person(name).json["history"][-1]
    return event["event"], event["by"]


def test_a_rate_admits_by_looks_alone(waitlist: Waitlist, world: World) -> None:
    """Given one place a second, when one customer looks, then each second offers one place. P1."""
    desk = waitlist("ann", "bob", "cyd", admission=RATE)
    assert desk.order() == ["ann", "bob", "cyd"]
    for name in ("ann", "bob", "cyd"):
        world.advance(1)
        desk.look("cyd")
        assert desk.status(name) == "offered"
    assert desk.events("ann") == ["joined", "offered"]


def test_a_rate_collects_at_most_a_minute(waitlist: Waitlist, world: World) -> None:
    desk = waitlist(*NAMES, admission={"rate": {"count": 6, "per": "minute"}})
    world.advance(3600)
    assert maintained(desk) == NAMES[:6]


def test_a_new_rate_begins_with_nothing_due(waitlist: Waitlist, world: World) -> None:
    desk = waitlist(*NAMES, admission={"rate": {"count": 1, "per": "day"}})
    world.advance(3600)
    desk.configure(admission={"rate": {"count": 6, "per": "minute"}})
    assert maintained(desk) == []
    world.advance(10)
    assert maintained(desk) == NAMES[:1]


def test_an_offer_shows_its_end_and_admits_who_enters(waitlist: Waitlist) -> None:
    desk = waitlist("ann", admission=ONE_INSIDE)
    desk.look("ann")
    assert desk.look("ann").json["offered_until"] == iso(OFFER_SECONDS)
    admitted = desk.enter("ann").json
    assert admitted["status"] == "admitted"
    assert admitted["inside_until"] == iso(PASS_SECONDS)
    assert desk.enter("ann").json == admitted
    assert desk.status("ann") == "admitted"
    assert desk.events("ann") == ["joined", "offered", "admitted"]


def test_the_room_inside_bounds_offers(waitlist: Waitlist, world: World) -> None:
    """Given room for two, when one enters and exits, then the next gets the place at once."""
    desk = waitlist("ann", "bob", "cyd", "dan", admission={"max_inside": 2})
    assert maintained(desk) == ["ann", "bob"]
    desk.enter("ann")
    assert maintained(desk) == ["bob"]
    assert desk.stats().json["inside"] == 1
    assert desk.exit("ann").json["exited_at"] == iso(0)
    desk.look("dan")
    assert desk.status("cyd") == "offered"
    assert desk.exit("ann").status == 200
    assert maintained(desk) == ["bob", "cyd"]
    assert desk.events("ann") == ["joined", "offered", "admitted", "exited"]


def test_signing_up_again_frees_the_place(waitlist: Waitlist, world: World) -> None:
    """Given one place inside, when its customer signs up again, then the next gets it. P3."""
    desk = waitlist("ann", "bob", admission=ONE_INSIDE, rejoin="always")
    desk.look("ann")
    desk.enter("ann")
    assert desk.sign_up("ann", key="the-second-signup").status == 201
    assert desk.stats().json["inside"] == 0
    assert desk.exit("ann").code == "not_inside"
    desk.look("ann")
    assert (desk.status("ann"), desk.status("bob")) == ("waiting", "offered")
    world.redis.flushall()
    world.maintenance.run_all()
    assert desk.stats().json["inside"] == 0
    assert maintained(desk) == ["bob"]


def test_a_signup_that_is_refused_leaves_its_customer_inside(
    waitlist: Waitlist, world: World
) -> None:
    """Given a full list, when a customer inside signs up again, then nothing changes. P5."""
    desk = waitlist("ann", "bob", admission=ONE_INSIDE, rejoin="always", capacity=2)
    desk.look("ann")
    desk.enter("ann")
    desk.all_sign_up("cyd")
    assert desk.sign_up("ann").code == "waitlist_full"
    assert desk.stats().json["inside"] == 1
    assert desk.exit("ann").status == 200
    assert desk.sign_up("ann").code == "waitlist_full"
    assert desk.recorded("ann")["exited_millis"] == START_MILLIS


def intent_of(former: EntryRecord) -> EntryRecord:
    """Return an intent to join again."""
    return EntryRecord(
        waitlist_id=former.waitlist_id,
        entry_id=former.entry_id,
        customer_id=former.customer_id,
        status="joining",
        join_id="0000beef",
        created_millis=former.updated_millis,
        updated_millis=former.updated_millis,
    )


def test_a_rebuild_keeps_a_customer_inside_until_the_new_signup_has_a_place(
    waitlist: Waitlist, world: World
) -> None:
    """Given a new signup cut off before Redis, then Redis is lost. P3."""
    desk = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    desk.look("ann")
    desk.enter("ann")
    former = world.services.entries.get(desk.waitlist_id, desk.id_of("ann"))
    assert former is not None
    world.services.entries.begin_rejoin(intent_of(former), former)
    world.redis.flushall()
    world.maintenance.run_all()
    assert desk.stats().json["inside"] == 1
    world.maintain()
    assert desk.recorded("ann")["status"] == "offered"
    assert desk.stats().json["inside"] == 0


def test_an_exit_stays_when_a_new_signup_has_read_the_record_before(
    waitlist: Waitlist, world: World
) -> None:
    """P3: a refused signup puts the former stay back as it has read it."""
    desk = waitlist("ann", admission=ONE_INSIDE, rejoin="always")
    desk.look("ann")
    desk.enter("ann")
    former = world.services.entries.get(desk.waitlist_id, desk.id_of("ann"))
    assert former is not None
    world.advance(1)
    desk.exit("ann")
    with pytest.raises(EntryChanged):
        world.services.entries.begin_rejoin(intent_of(former), former)


def test_entering_after_an_unrecorded_complete_leaves_its_record_to_maintenance(
    waitlist: Waitlist, world: World
) -> None:
    """Given a complete that was cut off, when the customer enters, then the history has no enter.

    P3: the history has who did what.
    """
    desk = waitlist("ann", admission={})
    (claim,) = desk.claim().json["claims"]
    hold = {"waitlist_id": desk.waitlist_id, "entry_id": claim["entry_id"]}
    world.services.queue.send(c.Complete(**hold, token=claim["claim_token"]))
    assert desk.enter("ann").code == "not_offered"
    world.maintain()
    assert desk.enter("ann").json["status"] == "admitted"
    assert actor_of_last(desk, "ann") == ("admitted", "maintenance")


def test_declining_to_leave_keeps_the_actor_of_a_leave_under_way(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist("ann", admission={})
    desk.admit(1)
    entry = (desk.waitlist_id, desk.id_of("ann"))
    world.services.entries.begin_leave(entry, "operator", "closed", world.clock.millis)
    assert desk.decline("ann", "leave").json["status"] == "left"
    assert actor_of_last(desk, "ann") == ("left", "operator")


def test_the_end_of_a_pass_frees_the_place(waitlist: Waitlist, world: World) -> None:
    desk = waitlist("ann", "bob", admission=ONE_INSIDE)
    desk.look("ann")
    desk.enter("ann")
    world.advance(PASS_SECONDS - 1)
    desk.look("bob")
    assert desk.status("bob") == "waiting"
    world.advance(1)
    desk.look("bob")
    assert desk.status("bob") == "offered"
    assert desk.exit("ann").code == "not_inside"


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
    desk = waitlist("ann", "bob", admission={"no_show": no_show})
    assert desk.admit(1).json["entries"][0]["offered_until"] == iso(OFFER_SECONDS)
    world.advance(OFFER_SECONDS)
    assert desk.enter("ann").code in ("offer_expired", "not_offered")
    world.maintain()
    world.maintain()
    assert desk.order() == order
    assert desk.events("ann") == events


def test_no_shows_with_their_place_are_parked_after_the_last_attempt(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist("ann", max_attempts=2, admission={"no_show": "keep_place"})
    for _ in range(2):
        desk.admit(1)
        world.advance(OFFER_SECONDS)
        world.maintain()
    world.maintain()
    assert desk.status("ann") == "parked"
    story = ["joined", "offered", "no_show", "offered", "no_show", "parked"]
    assert desk.events("ann") == story


@pytest.mark.parametrize("following", ["admit", "claim"])
def test_a_no_show_before_the_next_offer_survives_a_lost_redis(
    waitlist: Waitlist, world: World, following: str
) -> None:
    """Given a no-show that Redis alone has noticed, when the next offer is recorded. P3."""
    desk = waitlist("ann", admission={})
    desk.admit(1)
    world.advance(OFFER_SECONDS)
    assert getattr(desk, following)(1).status == 200
    world.redis.flushall()
    world.maintain()
    assert desk.events("ann") == ["joined", "offered", "no_show", "offered"]


def test_a_declined_place_goes_to_the_next(waitlist: Waitlist) -> None:
    desk = waitlist("ann", "bob", "cyd", admission=ONE_INSIDE)
    desk.look("ann")
    declined = desk.decline("ann").json
    assert (declined["status"], declined["position"]) == ("waiting", 3)
    assert desk.decline("ann").json == declined
    desk.look("cyd")
    assert desk.status("bob") == "offered"
    assert desk.decline("bob", "leave").json["status"] == "left"
    assert desk.status("bob") == "left"
    assert (desk.status("cyd"), desk.order()) == ("offered", ["ann"])
    assert desk.events("ann") == ["joined", "offered", "declined"]
    assert desk.events("bob") == ["joined", "offered", "left"]


def test_what_can_no_longer_be_done_is_refused(waitlist: Waitlist) -> None:
    desk = waitlist("ann", "bob", admission=ONE_INSIDE)
    assert desk.enter("ann").code == "not_offered"
    assert desk.decline("ann").code == "not_offered"
    assert desk.decline("ann", "leave").code == "not_offered"
    assert desk.exit("ann").code == "not_inside"
    desk.claim()
    assert desk.enter("ann").code == "not_offered"
    assert desk.order() == ["bob"]


def get_pass(desk: Admissions, name: str) -> Answer:
    path = f"{desk.path}/entries/{desk.id_of(name)}/pass"
    return desk.world.request("GET", path, token=desk.token_of(name))


def test_an_automatic_admission_whose_answer_is_lost_has_its_pass(
    waitlist: Waitlist, world: World
) -> None:
    """Given a run that was cut off before the record, when the pass is asked for, then it is. P3"""
    desk = waitlist("ann", "bob", admission={**ONE_INSIDE, "acceptance": "automatic"})
    world.services.queue.send(c.Admit(waitlist_id=desk.waitlist_id))
    assert desk.recorded("ann")["status"] == "waiting"
    answer = get_pass(desk, "ann")
    assert (answer.status, answer.json["status"]) == (200, "admitted")
    assert answer.json["pass"]
    assert get_pass(desk, "bob").json["code"] == "not_inside"
    assert actor_of_last(desk, "ann") == ("admitted", "policy")


def test_asking_for_a_pass_accepts_no_offer(waitlist: Waitlist, world: World) -> None:
    """Given an offer that is recorded, or not yet, when the pass is asked for, then still open."""
    desk = waitlist("ann", admission=ONE_INSIDE)
    world.services.queue.send(c.Admit(waitlist_id=desk.waitlist_id))
    assert get_pass(desk, "ann").json["code"] == "not_inside"
    assert desk.status("ann") == "offered"
    world.maintain()
    assert get_pass(desk, "ann").json["code"] == "not_inside"
    assert desk.status("ann") == "offered"


def test_automatic_acceptance_admits_at_once(waitlist: Waitlist) -> None:
    desk = waitlist("ann", "bob", admission={**ONE_INSIDE, "acceptance": "automatic"})
    desk.look("bob")
    assert desk.status("ann") == "admitted"
    assert desk.recorded("ann")["inside_until_millis"] == START_MILLIS + PASS_SECONDS * 1000
    assert desk.stats().json["admitted"] == 1
    assert desk.events("ann") == ["joined", "admitted"]
    desk.look("bob")
    assert desk.status("bob") == "waiting"


def test_a_paused_list_offers_nothing_and_keeps_its_people(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist("ann", "bob", "cyd", admission=RATE)
    world.advance(1)
    desk.look("ann")
    desk.configure(admission=RATE, paused=True)
    world.advance(30)
    assert maintained(desk) == ["ann"]
    assert desk.admit(1).code == "waitlist_paused"
    assert desk.enter("ann").status == 200
    assert desk.order() == ["bob", "cyd"]


def test_an_operators_admission_is_made_once(waitlist: Waitlist) -> None:
    desk = waitlist(*NAMES)
    first = desk.admit(3, key="a-key-of-a-batch").json["entries"]
    assert [desk.names[one["entry_id"]] for one in first] == NAMES[:3]
    assert desk.admit(3, key="a-key-of-a-batch").json["entries"] == first
    assert desk.admit(4, key="a-key-of-a-batch").code == "idempotency_key_reused"
    assert offered(desk) == NAMES[:3]


def test_an_admission_that_was_cut_off_and_repeated_is_recorded_once(
    waitlist: Waitlist, world: World
) -> None:
    """Given offers in Redis alone, when the operator repeats, then each has one event. P2."""
    desk = waitlist("ann", "bob")
    command = AdmitCommand(
        waitlist_id=desk.waitlist_id, count=1, by="operator", idempotency_key="a-key-of-a-batch"
    )
    with patch.object(OfferWriter, "write_all", side_effect=Crash), suppress(Crash):
        world.services.admissions.admit(command)
    assert desk.recorded("ann")["status"] == "waiting"
    assert len(world.services.admissions.admit(command).offers) == 1
    world.maintain()
    assert desk.events("ann") == ["joined", "offered"]


def test_an_operator_admits_within_a_segment(waitlist: Waitlist) -> None:
    desk = waitlist(segments=[["language"]], admission=ONE_INSIDE)
    for name, language in (("ann", "en"), ("bob", "es"), ("cyd", "es")):
        desk.sign_up(name, attributes={"language": language})
    offers = desk.admit(2, filter={"language": "es"}).json["entries"]
    assert [desk.names[one["entry_id"]] for one in offers] == ["bob"]


def schedule(*times: dict[str, Any]) -> dict[str, Any]:
    return {"schedule": list(times)}


def test_an_instant_counts_once(waitlist: Waitlist, world: World) -> None:
    at_a_minute = {"at": iso(60), "count": 2}
    desk = waitlist(*NAMES, admission=schedule(at_a_minute))
    world.advance(59)
    assert maintained(desk) == []
    world.advance(1)
    desk.look(NAMES[9])
    assert offered(desk) == NAMES[:2]
    assert maintained(desk) == NAMES[:2]
    world.advance(300)
    assert maintained(desk) == NAMES[:2]


def test_an_instant_without_maintenance_counts_late(waitlist: Waitlist, world: World) -> None:
    desk = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 1}))
    minutes = 5
    world.advance(60 * minutes)
    assert maintained(desk) == NAMES[:minutes]


def test_places_without_customers_lapse_at_the_next_instant(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist("ann", admission=schedule({"cron": "* * * * *", "count": 3}))
    world.advance(60)
    assert maintained(desk) == ["ann"]
    desk.all_sign_up("bob")
    desk.look("bob")
    assert desk.status("bob") == "offered"
    world.advance(60)
    maintained(desk)
    desk.all_sign_up(*NAMES)
    assert maintained(desk) == ["ann", "bob", *NAMES[:3]]


def test_a_rate_spreads_scheduled_places(waitlist: Waitlist, world: World) -> None:
    admission = RATE | schedule({"at": iso(60), "count": 5})
    desk = waitlist(*NAMES, admission=admission)
    world.advance(60)
    desk.configure(admission=admission)
    assert len(maintained(desk)) == 5


def test_a_lost_redis_counts_no_instant_twice(waitlist: Waitlist, world: World) -> None:
    desk = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 2}))
    world.advance(60)
    assert maintained(desk) == NAMES[:2]
    world.redis.flushall()
    world.maintenance.run_all()
    assert maintained(desk) == NAMES[:2]
    world.advance(60)
    assert maintained(desk) == NAMES[:4]


def test_a_lost_redis_leaves_customers_inside_and_the_bucket_empty(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist(*NAMES, admission={**RATE, "max_inside": 3})
    world.advance(60)
    assert maintained(desk) == NAMES[:3]
    desk.enter(NAMES[0])
    desk.enter(NAMES[1])
    desk.exit(NAMES[1])
    world.redis.flushall()
    world.maintenance.run_all()
    assert maintained(desk) == [NAMES[2]]
    assert desk.stats().json["inside"] == 1
    world.advance(60)
    assert maintained(desk) == NAMES[2:4]


def test_a_lost_redis_gets_old_offers_and_customers_inside_from_the_index(
    waitlist: Waitlist, world: World
) -> None:
    """P3: they changed longer ago than the records and the journal are read again."""
    desk = waitlist("ann", "bob", "cyd", admission={"max_inside": 3, "offer_seconds": 3600})
    assert maintained(desk) == ["ann", "bob", "cyd"]
    desk.enter("ann")
    desk.enter("bob")
    desk.exit("bob")
    world.advance(30 * 60)
    world.maintenance.run_all()
    world.redis.flushall()
    world.maintenance.run_all()
    assert desk.stats().json["inside"] == 1
    assert desk.status("cyd") == "offered"
    assert desk.enter("cyd").json["status"] == "admitted"


def test_an_offer_cut_off_before_the_record_is_recorded(waitlist: Waitlist, world: World) -> None:
    desk = waitlist("ann", admission=ONE_INSIDE)
    world.services.queue.send(c.Admit(waitlist_id=desk.waitlist_id))
    assert desk.status("ann") == "offered"
    assert desk.recorded("ann")["status"] == "waiting"
    world.maintain()
    assert desk.recorded("ann")["status"] == "offered"
    assert desk.events("ann") == ["joined", "offered"]
    assert desk.enter("ann").status == 200


def test_a_process_with_a_remembered_schedule_counts_no_instant_of_it(
    waitlist: Waitlist, world: World
) -> None:
    desk = waitlist(*NAMES, admission=schedule({"cron": "* * * * *", "count": 1}))
    other = World.on(world.dynamodb, world.redis, clock=world.clock, redis_clock=world.redis_clock)
    assert desk.look(NAMES[0]).status == 200
    other.request(
        "PUT",
        desk.admin_path,
        body={"name": "Bakery", "admission": schedule({"at": iso(7200), "count": 1})},
        operator=True,
    )
    world.clock.millis, remembered = world.clock.millis + 25_000, world.clock.millis
    world.redis_clock.advance(60)
    world.services.admissions.run(desk.waitlist_id)
    world.clock.millis = remembered + 60_000
    world.services.admissions.run(desk.waitlist_id)
    assert offered(desk) == []


def test_the_list_of_the_offered_has_the_end_of_offers_and_claims(waitlist: Waitlist) -> None:
    """An offer has `offered_until`, a claim `claimed_until`, in the list as in the entry."""
    desk = waitlist("ann", "bob", admission={"max_inside": 2})
    desk.admit(1)
    desk.claim(1, lease_seconds=60)
    people = desk.page("status=offered").json["entries"]
    untils = {
        desk.names[one["entry_id"]]: (one["offered_until"], one["claimed_until"]) for one in people
    }
    assert untils == {"ann": (iso(OFFER_SECONDS), None), "bob": (None, iso(60))}
    for name, times in untils.items():
        alone = desk.person(name).json
        assert (alone["offered_until"], alone["claimed_until"]) == times


def test_each_end_of_an_offer_is_counted(waitlist: Waitlist, world: World) -> None:
    """Also by the samples of each minute, from which the hour is counted."""
    desk = waitlist("ann", "bob", "cyd", "dan", "eve", admission={"no_show": "leave"})
    world.maintain()
    desk.admit(5)
    desk.enter("ann")
    desk.enter("ann")
    desk.decline("bob")
    desk.decline("cyd", "leave")
    desk.leave("dan")
    world.advance(OFFER_SECONDS)
    for _ in range(2):
        world.maintain()
    stats = desk.stats().json
    ends = {"entered": 1, "declined": 2, "no_shows": 1}
    assert {name: stats[name] for name in ends} == ends
    assert {name: stats[f"{name}_last_hour"] for name in ends} == ends
    path = f"{desk.admin_path}/stats/history"
    points = world.request("GET", path, operator=True, query="period=hour").json["points"]
    assert {name: sum(one[name] for one in points) for name in ends} == ends
