"""Tests for call numbers, the short numbers by which staff can call customers."""

from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Crash, Fault, Wire, crash_after, unheard
from tests.support.redis_servers import Server
from tests.support.snapshot import RedisState
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords

DAILY = {"prefix": "A", "restart": "daily"}
EVER = {"prefix": "A", "restart": "never"}
BERLIN = "Europe/Berlin"
DAY = 24 * 3600


def number_shown_to(people: Admissions, name: str) -> Any:
    answer = people.poll(name)
    assert answer.status == 200, answer.text
    return answer.json["call_number"]


def numbers_of(people: Admissions, *names: str) -> list[Any]:
    return [number_shown_to(people, name) for name in names]


def number_at_signup(people: Admissions, name: str) -> Any:
    answer = people.sign_up(name)
    assert answer.status == 201, answer.text
    return answer.json["call_number"]


def go_to(world: World, time: str, zone: str = "UTC") -> None:
    moment = datetime.fromisoformat(time).replace(tzinfo=ZoneInfo(zone))
    seconds = moment.timestamp() - world.clock.millis / 1000
    assert seconds > 0
    world.advance(seconds)


def test_each_customer_gets_the_next_number(waitlist: Waitlist) -> None:
    people = waitlist(call_numbers=DAILY)
    assert [number_at_signup(people, name) for name in ("ann", "bob")] == ["A001", "A002"]
    assert numbers_of(people, "ann", "bob") == ["A001", "A002"]
    assert people.person("ann").json["call_number"] == "A001"
    assert [entry["call_number"] for entry in people.page().json["entries"]] == ["A001", "A002"]


def test_a_number_has_more_digits_when_it_needs_them(waitlist: Waitlist) -> None:
    people = waitlist(call_numbers={"restart": "daily"})
    for start in range(0, 1000, 100):
        people.bring(*(f"early-{number}" for number in range(start, start + 100)))
    assert people.person("early-99").json["call_number"] == "100"
    assert number_at_signup(people, "ann") == "1001"


def test_a_waitlist_without_the_setting_gives_no_numbers(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    assert number_shown_to(people, "ann") is None
    assert people.person("ann").json["call_number"] is None
    assert people.claim().json["claims"][0]["call_number"] is None


def test_the_number_stays_with_the_customer_until_the_end(waitlist: Waitlist) -> None:
    people = waitlist(
        "ann", "bob", call_numbers=DAILY, admission={"max_inside": 1}, segments=[["language"]]
    )
    people.world.maintenance.run_all()
    assert (people.status("ann"), number_shown_to(people, "ann")) == ("offered", "A001")
    declined = people.decline("ann").json
    assert (declined["status"], declined["call_number"]) == ("waiting", "A001")
    assert people.poll("ann", "segment=language").json["call_number"] == "A001"
    assert people.confirm("ann").json["call_number"] == "A001"
    people.bump("ann", to="front")
    assert number_shown_to(people, "ann") == "A001"
    people.leave("ann")
    assert number_shown_to(people, "ann") == "A001"


def test_a_claim_and_a_call_say_whom_to_call(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    (claim,) = people.claim(call={"to": "Room 2"}).json["claims"]
    assert claim["call_number"] == "A001"
    assert people.call("ann", "Room 3").json["call_number"] == "A001"
    assert people.poll("ann").json["call_number"] == "A001"
    assert people.claim_one("bob").json["call_number"] == "A002"


def test_an_offer_of_an_operator_says_whose_number_it_is(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY, admission={})
    assert people.admit(1).json["entries"][0]["call_number"] == "A001"
    assert people.admit_one("bob").json["call_number"] == "A002"


def test_a_repeated_signup_keeps_its_number_and_uses_up_none(waitlist: Waitlist) -> None:
    """P2"""
    people = waitlist(call_numbers=DAILY)
    first = people.sign_up("ann", key="first")
    assert people.sign_up("ann", key="first").json["call_number"] == first.json["call_number"]
    assert people.sign_up("ann").code == "already_on_list"
    assert number_at_signup(people, "bob") == "A002"


@pytest.mark.parametrize(
    ("settings", "code"), [({"capacity": 1}, "waitlist_full"), ({"open": False}, "waitlist_closed")]
)
def test_a_refused_signup_uses_up_no_number(
    waitlist: Waitlist, settings: dict[str, Any], code: str
) -> None:
    """P5"""
    people = waitlist("ann", call_numbers=DAILY)
    people.configure(call_numbers=DAILY, **settings)
    for _ in range(3):
        assert people.sign_up("bob").code == code
    people.configure(call_numbers=DAILY)
    assert number_at_signup(people, "bob") == "A002"


def test_a_customer_who_joins_again_gets_a_new_number(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.leave("ann")
    assert number_at_signup(people, "ann") == "A003"


def test_a_reinstated_customer_gets_the_former_number_back(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.remove("ann")
    assert people.reinstate("ann").status == 200
    assert number_shown_to(people, "ann") == "A001"
    assert number_at_signup(people, "cyd") == "A003"


def test_a_customer_who_had_no_number_gets_one_when_reinstated(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.remove("ann")
    people.configure(call_numbers=DAILY)
    people.reinstate("ann")
    assert number_shown_to(people, "ann") == "A001"


def test_imported_customers_are_numbered_in_the_order_of_the_rows(waitlist: Waitlist) -> None:
    people = waitlist("ann", call_numbers=DAILY)
    names = [f"row-{number:02d}" for number in range(60)]
    people.bring(*names)
    people.bring(*names, "zoe")
    expected = [f"A{number:03d}" for number in range(2, 63)]
    assert [people.person(name).json["call_number"] for name in (*names, "zoe")] == expected


def test_only_signups_after_the_setting_was_turned_on_get_numbers(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.configure(call_numbers=DAILY)
    assert number_at_signup(people, "bob") == "A001"
    assert numbers_of(people, "ann", "bob") == [None, "A001"]
    people.configure()
    assert number_at_signup(people, "cyd") is None
    assert number_shown_to(people, "bob") is None
    people.configure(call_numbers=DAILY)
    assert number_at_signup(people, "dan") == "A002"
    assert number_shown_to(people, "bob") == "A001"


def test_a_new_prefix_does_not_restart_the_numbers(waitlist: Waitlist) -> None:
    """Two customers never get the same number, even if an operator changes the prefix and later
    changes it back.
    """
    people = waitlist("ann", call_numbers=DAILY)
    people.configure(call_numbers={**DAILY, "prefix": "B"})
    assert number_at_signup(people, "bob") == "B002"
    people.configure(call_numbers=DAILY)
    assert number_at_signup(people, "cyd") == "A003"
    assert numbers_of(people, "ann", "bob", "cyd") == ["A001", "B002", "A003"]


@pytest.mark.parametrize("prefix", ["a", "A1", "ABCDE", "Ä", "A ", "A\n"])
def test_a_prefix_has_only_a_few_capital_letters(waitlist: Waitlist, prefix: str) -> None:
    """A prefix must not end in a digit, because A1 with the number 001 would look like A with the
    number 1001.
    """
    people = waitlist()
    refused = people.configure(call_numbers={"prefix": prefix})
    assert refused.code == "invalid_request"
    (error,) = refused.json["errors"]
    assert error["field"] == "body.call_numbers.prefix"


@pytest.mark.parametrize(
    ("zone", "last", "next_day"),
    [
        ("UTC", "2026-10-25T23:59:59", "2026-10-26T00:00:01"),
        (BERLIN, "2026-09-22T23:59:59", "2026-09-23T00:00:01"),
        # Summer time ends on the first of these days, which has 25 hours, and begins on the second,
        # which has 23 hours.
        (BERLIN, "2026-10-25T23:59:59", "2026-10-26T00:00:01"),
        (BERLIN, "2027-03-28T23:59:59", "2027-03-29T00:00:01"),
    ],
)
def test_daily_numbers_restart_at_midnight_in_the_time_zone_of_the_waitlist(
    waitlist: Waitlist, world: World, zone: str, last: str, next_day: str
) -> None:
    people = waitlist(timezone=zone, call_numbers=DAILY)
    go_to(world, last[:11] + "00:00:01", zone)
    assert [number_at_signup(people, name) for name in ("ann", "bob")] == ["A001", "A002"]
    go_to(world, last, zone)
    assert number_at_signup(people, "cyd") == "A003"
    go_to(world, next_day, zone)
    assert number_at_signup(people, "dan") == "A001"
    assert number_at_signup(people, "eve") == "A002"


def test_numbers_that_never_restart_continue_on_the_next_day(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", call_numbers=EVER)
    world.advance(3 * DAY)
    assert number_at_signup(people, "bob") == "A002"


def test_a_change_of_the_restart_repeats_no_number_of_the_day(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", call_numbers=EVER)
    world.advance(DAY)
    assert number_at_signup(people, "bob") == "A002"
    people.configure(call_numbers=DAILY)
    assert number_at_signup(people, "cyd") == "A003"
    world.advance(DAY)
    assert number_at_signup(people, "dan") == "A001"
    people.configure(call_numbers=EVER)
    assert number_at_signup(people, "eve") == "A002"
    world.advance(DAY)
    assert number_at_signup(people, "fay") == "A003"


def test_a_time_zone_in_which_it_is_still_yesterday_repeats_no_number(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist(timezone="Pacific/Auckland", call_numbers=DAILY)
    go_to(world, "2026-09-22T18:00:00")
    assert number_at_signup(people, "ann") == "A001"
    people.configure(timezone="America/Los_Angeles", call_numbers=DAILY)
    assert number_at_signup(people, "bob") == "A002"
    people.configure(timezone="Pacific/Auckland", call_numbers=DAILY)
    assert number_at_signup(people, "cyd") == "A003"
    world.advance(DAY)
    assert number_at_signup(people, "dan") == "A001"


def test_a_loss_of_redis_changes_no_number_and_repeats_none(
    waitlist: Waitlist, world: World
) -> None:
    """P3"""
    people = waitlist("ann", "bob", call_numbers=DAILY)
    world.maintain()
    world.redis.flushall()
    assert number_at_signup(people, "cyd") == "A003"
    world.maintain()
    assert numbers_of(people, "ann", "bob", "cyd") == ["A001", "A002", "A003"]


def test_a_failover_that_loses_signups_repeats_no_number(waitlist: Waitlist, world: World) -> None:
    """A replica that is missing Bob's signup takes over. Bob knows his number by then, so no other
    customer may get it (promise P3).
    """
    people = waitlist("ann", call_numbers=DAILY)
    world.maintain()
    past = RedisState.of(world.redis)
    assert number_at_signup(people, "bob") == "A002"
    past.restore(world.redis)
    assert number_at_signup(people, "cyd") == "A003"
    world.maintain()
    world.maintain()
    assert numbers_of(people, "ann", "bob", "cyd") == ["A001", "A002", "A003"]


@pytest.mark.parametrize("fault", [crash_after, unheard])
@pytest.mark.parametrize("name", ["bob", "ann"])
def test_a_signup_that_is_cut_off_at_any_step_gets_one_number(
    valkey: Server, name: str, fault: Fault
) -> None:
    """A customer whose signup is interrupted at any step and repeated gets only one number. This
    holds for new customers and for customers who have left (promise P2).
    """
    wire, step = Wire(), 0
    while True:
        valkey.client.flushall()
        world = World.on(
            wire.client(new_table()), valkey.client, wire.client, redis_clock=RedisClock.standing()
        )
        people = Admissions(world)
        people.configure(call_numbers=DAILY)
        people.all_sign_up("ann", "cyd")
        people.leave("ann")
        wire.disarm()
        wire.arm(step, fault)
        with suppress(Crash):
            people.sign_up(name, key="first")
        is_past = step >= len(wire.calls)
        wire.disarm()
        world.maintain()
        answer = people.sign_up(name, key="first")
        number = answer.json["call_number"]
        assert number in ("A003", "A004"), (step, answer.text)
        assert people.sign_up(name, key="first").json["call_number"] == number
        assert number_shown_to(people, name) == number
        assert number_at_signup(people, "dan") > number
        assert number_shown_to(people, "cyd") == "A002"
        if is_past:
            break
        step += 1
    assert step > 3


def test_a_signup_that_a_claim_or_a_move_records_has_a_number(waitlist: Waitlist) -> None:
    """Only Redis knows about a customer's signup. When an operator moves or claims the customer,
    the record is written to DynamoDB and must contain the call number.
    """
    people = waitlist("ann", call_numbers=DAILY)
    halfway.joining(people, "bob", numbered=True)
    assert people.person("bob").json["call_number"] is None
    people.bump("bob", to="front")
    assert number_shown_to(people, "bob") == "A002"
    halfway.joining(people, "cyd", numbered=True)
    claims = people.claim(3).json["claims"]
    assert [claim["call_number"] for claim in claims] == ["A002", "A001", "A003"]


def test_the_events_of_a_customer_carry_the_number(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    people.complete("ann")
    records = WebhookRecords(Table(world.dynamodb, TABLE), world.clock.now_millis)
    events = records.events(people.waitlist_id, people.id_of("ann"), 0, 1)
    assert [(event.event, event.call_number) for event in events] == [
        (event, "A001") for event in ("joined", "offered", "called", "admitted")
    ]


def test_an_erased_customer_leaves_no_number_behind(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", call_numbers=DAILY)
    people.erase("ann")
    world.maintain()
    assert number_at_signup(people, "ann") == "A002"


def test_a_waitlist_that_is_created_again_begins_with_the_first_number(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", call_numbers=EVER)
    people.delete_waitlist()
    for _ in range(4):
        world.maintain()
    people.configure(call_numbers=EVER)
    assert number_at_signup(people, "ann") == "A001"
