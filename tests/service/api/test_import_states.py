"""Tests imports that move people from one waitlist to another. Everyone keeps their status and
their place.
"""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from tests.service.api.test_imports import codes, outcomes, row
from tests.service.api.test_verification import ADA, BOB, RULES, Guests
from tests.support.faults import Crash, Wire, before, crash_after
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import CONFIG, START_MILLIS, RedisClock, World
from waitlist_api.clock import iso
from waitlist_shared.ranks import rank_of, ticket_of_millis

DAY_MILLIS = 86_400_000
AGO, LATER = iso(START_MILLIS - DAY_MILLIS), iso(START_MILLIS + DAY_MILLIS)
RANK = rank_of(0, ticket_of_millis(START_MILLIS - 5000))
CUT_OFF = [
    {"customer_id": "ada", "joined_at": AGO, "rank": RANK},
    {"customer_id": "bob", "joined_at": AGO, "rank": RANK - 500, "messages": "off"},
]


def new_list() -> People:
    people = People(World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing()))
    assert people.configure().status == 201
    return people


@pytest.fixture
def people() -> People:
    return new_list()


def ranks(people: People) -> dict[str, tuple[int, str]]:
    shown = people.page().json["entries"]
    return {one["customer_id"]: (one["rank"], one["joined_at"]) for one in shown}


def test_an_import_restores_the_ranks_of_people_who_were_moved(people: People) -> None:
    """When an operator moves an entry, its rank (sort key) changes. An import must restore the new
    rank (promise P1).
    """
    people.all_sign_up("ada", "bob", "cyd", "dan")
    people.bump("dan", to="front")
    people.bump("cyd", key="by-one", places=1)
    people.bump("ada", to="back")
    people.bump("bob", priority=7)
    before = ranks(people)
    assert list(before) == ["bob", "dan", "cyd", "ada"]
    priorities = {"bob": 7}
    rows = [
        row(name, joined_at, rank=rank, priority=priorities.get(name, 0))
        for name, (rank, joined_at) in sorted(before.items())
    ]
    copy = new_list()
    copy.world.clock.advance(1)
    copy.world.redis_clock.advance(1)
    assert outcomes(copy.bring(*rows)) == ["joined"] * 4
    assert ranks(copy) == before
    assert [copy.events(name) for name in before] == [["joined"]] * 4
    copy.all_sign_up("eve")
    assert copy.order() == ["bob", "dan", "cyd", "ada", "eve"]


def test_a_rank_that_is_taken_becomes_the_nearest_free_one_ahead(people: People) -> None:
    rank = rank_of(0, ticket_of_millis(START_MILLIS - 1000))
    people.bring(row("ada", AGO, rank=rank), row("bob", AGO, rank=rank), row("cyd", AGO, rank=rank))
    assert people.order() == ["cyd", "bob", "ada"]


def test_a_rank_is_of_the_rows_priority_and_not_of_the_future(people: People) -> None:
    """P5"""
    future = rank_of(0, ticket_of_millis(START_MILLIS + 3_600_000))
    vip = rank_of(3, ticket_of_millis(START_MILLIS - 1000))
    answer = people.bring(row("ada", rank=vip), row("bob", rank=future), row("cyd", rank=2**60))
    assert codes(answer) == ["invalid_request"] * 3
    details = [one["detail"] for one in answer.json["results"]]
    assert "belongs to priority 3. Send this priority" in details[0]
    assert "in the future" in details[1]
    assert people.order() == []


def test_a_rank_is_not_behind_the_signups_that_follow_if_redis_clock_is_behind() -> None:
    """P1"""
    behind = RedisClock.standing(START_MILLIS - 600_000)
    people = People(World.on(new_table(), empty_redis(), redis_clock=behind))
    people.configure()
    people.bring(row("ada", AGO, rank=rank_of(0, ticket_of_millis(START_MILLIS - 1000))))
    people.all_sign_up("bob")
    assert people.order() == ["ada", "bob"]


def import_until_crash_after(step: int) -> tuple[People, Wire]:
    wire = Wire()
    world = World.on(
        wire.client(new_table()), empty_redis(), wire.client, redis_clock=RedisClock.standing()
    )
    people = People(world)
    people.configure()
    wire.arm(step, crash_after)
    with suppress(Crash):
        people.bring(*CUT_OFF)
    return people, wire


def test_an_interrupted_import_is_completed_with_the_same_ranks() -> None:
    """An import that crashes can be completed by maintenance or repeated by the operator (promises
    P1, P2 and P3).
    """
    _, whole = import_until_crash_after(1000)
    for step in range(len(whole.calls)):
        for repeats in (True, False):
            people, wire = import_until_crash_after(step)
            wire.disarm()
            if not repeats:
                people.world.clock.advance(120)
                people.world.redis_clock.advance(120)
                people.world.maintenance.run_all()
            assert set(outcomes(people.bring(*CUT_OFF))) <= {"joined", "already"}
            found = {name: rank for name, (rank, _) in ranks(people).items()}
            assert found == {"bob": RANK - 500, "ada": RANK}, (step, repeats)
            assert listed(people, "messages_off") == ["bob"]


def test_an_import_does_not_overwrite_a_signup_that_happens_during_the_import() -> None:
    """A customer in the imported file signs up just before the import writes the first records. The
    customer's entry token stays valid (promise P2).
    """
    _, whole = import_until_crash_after(1000)
    step = [call.name for call in whole.calls].index("TransactWriteItems")
    wire, table, redis = Wire(), new_table(), empty_redis()
    clock = RedisClock.standing()
    people = People(World.on(wire.client(table), redis, wire.client, redis_clock=clock))
    people.configure()
    guest = People(World.on(table, redis, redis_clock=clock))
    wire.arm(step, before(partial(guest.all_sign_up, "ada")))
    assert outcomes(people.bring(*CUT_OFF)) == ["already", "joined"]
    assert guest.poll("ada").status == 200


def test_a_person_who_pauses_or_is_held_back_is_skipped(people: People) -> None:
    people.bring(
        row("ada", rest_until=LATER),
        row("bob", rest_until=AGO),
        row("cyd", ready=False, reason="papers missing", rest_until=LATER),
    )
    ada, bob, cyd = people.page().json["entries"]
    assert (ada["not_ready"], ada["rest_until"]) == (["resting"], LATER)
    assert (bob["not_ready"], bob["rest_until"]) == (None, None)
    assert set(cyd["not_ready"]) == {"resting", "held_back"}
    assert cyd["held_back_reason"] == "papers missing"
    resumed = people.resume("ada", LATER)
    assert (resumed.status, resumed.json["ready"]) == (200, True)


def test_people_without_messages_are_listed_and_get_none(people: People) -> None:
    people.configure(messages={"kinds": ["offered"]})
    people.bring(
        row("ada", messages="off", language="de"), row("bob", unreachable=True), row("cyd")
    )
    shown = people.page().json["entries"]
    said = [(one["messages_off"], one["unreachable"], one["language"]) for one in shown]
    assert said == [(True, False, "de"), (False, True, None), (False, False, None)]
    assert listed(people, "messages_off") == ["ada"]
    assert listed(people, "unreachable") == ["bob"]
    stats = people.stats().json
    assert (stats["messages_off"], stats["unreachable"]) == (1, 1)


def listed(people: People, status: str) -> list[str]:
    return [one["customer_id"] for one in people.page(f"status={status}").json["entries"]]


def test_who_has_confirmed_before_is_not_asked_at_once(people: People) -> None:
    rules = {"every_days": 30, "answer_days": 7, "reminders_days": [], "then": "park"}
    people.configure(confirm=rules)
    old, recent = iso(START_MILLIS - 90 * DAY_MILLIS), iso(START_MILLIS - DAY_MILLIS)
    people.bring(row("ada", old), row("bob", old, confirmed_at=recent))
    assert people.person("bob").json["confirmed_at"] == recent
    assert people.ask_all(days=30, dry_run=True).json["asked"] == 1
    refused = people.bring(row("cyd", confirmed_at=iso(START_MILLIS + 60_000)))
    assert "in the future" in refused.json["results"][0]["detail"]


def test_customers_who_are_banned_are_refused_and_taken_off_the_list(people: People) -> None:
    """Repeating an import that bans customers does not change them a second time (promise P5)."""
    people.all_sign_up("ada")
    rows = [row("ada", banned=True, reason="sold it"), row("bob", banned=True), row("cyd")]
    tried = people.bring(*rows, dry_run=True)
    assert [one["outcome"] for one in tried.json["results"]] == ["banned", "banned", "joined"]
    assert people.order() == ["ada"]
    for outcome in ("joined", "already"):
        answer = people.bring(*rows)
        assert outcomes(answer) == ["banned", "banned", outcome]
        assert answer.json["banned"] == 2
    assert people.order() == ["cyd"]
    bans = people.page("status=banned").json["entries"]
    assert {one["customer_id"]: one["ban_reason"] for one in bans} == {
        "ada": "sold it",
        "bob": None,
    }
    assert people.sign_up("bob").code == "banned"
    assert people.events("ada") == ["joined", "banned", "left"]


@pytest.mark.parametrize("channels", [(), ("mail",), ("sms",), ("mail", "sms")])
def test_the_answer_counts_whose_address_gets_no_messages_of_the_list(
    channels: tuple[str, ...],
) -> None:
    """The response to an import says how many people have no usable address, even if the stack
    cannot send emails or SMS.
    """
    config = replace(CONFIG, message_channels=channels)
    people = People(World.on(new_table(), empty_redis(), config=config))
    people.configure()
    rows: list[Any] = [
        row("ada", profile={"email": "ada@example.com"}),
        row("bob", profile={"Email Address": "bob@example.com"}),
        row("cyd", profile={"phone": "+49 30 901820"}),
        row("dan", profile={"email": "dan", "phone": "030 1"}),
        row("eve", profile={"phone": "+33 6 12 34 56 78"}),
    ]
    answer = people.bring(*rows, dry_run=True)
    assert answer.json["without_address"] == 0
    numbers = {"sms_countries": ["DE"], "sms_number_types": ["mobile", "fixed_line"]}
    people.configure(messages={"kinds": ["offered"], **numbers})
    for dry_run in (True, False):
        answer = people.bring(*rows, dry_run=dry_run)
        said = [one["has_no_address"] for one in answer.json["results"]]
        assert (answer.json["without_address"], said) == (3, [False, True, False, True, True])
    assert people.bring(*rows).json["without_address"] == 0
    people.configure(messages={"kinds": ["offered"]}, identity={"field": "phone"})
    answer = people.bring({"customer_id": "flo", "profile": {"email": "flo@example.com"}})
    assert answer.json["without_address"] == 1


@pytest.fixture
def guests() -> Guests:
    guests = Guests(World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing()))
    assert guests.configure(identity=RULES).status == 201
    return guests


def test_an_imported_person_whose_address_is_unverified_must_verify_it(guests: Guests) -> None:
    """An imported person with an unverified address is sent a link at once, as after a signup. If
    they do not verify the address in time, they leave the waitlist (promise P5).
    """
    rows = [{"profile": {"email": one}, "joined_at": AGO, "verified": False} for one in (ADA, BOB)]
    assert outcomes(guests.bring(*rows)) == ["joined", "joined"]
    assert guests.history(ADA) == ["joined", "verification_asked"]
    assert guests.claimed(2) == []
    assert guests.stats().json["unverified"] == 2
    assert guests.verify(guests.code(BOB)).json["ready"]
    assert guests.claimed(2) == [BOB]
    guests.world.clock.advance(65 * 60)
    guests.world.redis_clock.advance(65 * 60)
    guests.world.maintenance.run_all()
    assert guests.of(ADA)["status"] == "left"
    assert guests.of(BOB)["status"] == "waiting"


def test_a_list_that_verifies_no_address_asks_for_no_proof(guests: Guests) -> None:
    guests.configure(identity={**RULES, "verify": "off"})
    guests.bring({"profile": {"email": ADA}, "verified": False})
    guests.id_of(ADA)
    assert guests.claimed() == [ADA]
