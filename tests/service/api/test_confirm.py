"""Tests the question whether customers are still waiting. A customer who does not answer before the
deadline loses their place.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.faults import Call, Crash, Wire, crash_after, operation_of
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.clock import iso, never
from waitlist_api.maintenance import confirm_walk
from waitlist_shared import contracts as c

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
RULES = {"every_days": 90, "answer_days": 14, "reminders_days": [7, 1]}


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def people(wire: Wire) -> Admissions:
    table = wire.client(new_table())
    clock = RedisClock.standing()
    people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    assert people.configure(confirm=RULES, rest={}).status == 201
    people.all_sign_up("ada", "bob", "cyd")
    return people


def run(people: Admissions, seconds: float = 2 * MINUTE) -> None:
    """Run maintenance without comparing the journal with Redis, because comparing several days
    would be slow.
    """
    people.world.advance(seconds)
    people.world.maintenance.intent_finisher.finish_intents()
    people.world.maintenance.run_one(people.waitlist_id)


def on(people: Admissions, days: float) -> None:
    people.world.advance(days * DAY)
    run(people)


def asked(people: Admissions) -> Admissions:
    on(people, 90)
    return people


def deadline(people: Admissions, name: str) -> Any:
    return people.poll(name).json["confirm_by"]


def answer(people: Admissions, *names: str) -> None:
    for name in names:
        found = people.confirm(name)
        assert (found.status, found.json["confirm_by"]) == (200, None), found.text


def test_a_customer_is_asked_and_confirms(people: Admissions) -> None:
    on(people, 89)
    assert deadline(people, "ada") is None
    on(people, 1)
    assert deadline(people, "ada") == iso(people.world.clock.now_millis() + 14 * DAY * 1000)
    answer(people, "ada", "ada")
    assert people.events("ada") == ["joined", "asked", "confirmed"]
    assert people.person("ada").json["confirmed_at"] is not None
    on(people, 15)
    assert people.poll("ada").json["position"] == 1
    assert [people.person(name).json["status"] for name in ("bob", "cyd")] == ["parked"] * 2
    on(people, 74)
    assert deadline(people, "ada") is None
    on(people, 2)
    assert deadline(people, "ada") is not None


def test_silence_parks_with_history(people: Admissions) -> None:
    answer(asked(people), "ada", "cyd")
    on(people, 14)
    assert people.poll("bob").json["status"] == "waiting", (
        "the functions' clocks may be ten minutes ahead"
    )
    run(people, 10 * MINUTE)
    assert (people.poll("bob").json["status"], deadline(people, "bob")) == ("parked", None)
    assert people.confirm("bob").code == "not_waiting"
    run(people)
    assert people.events("bob") == ["joined", "asked", "unanswered", "parked"]
    person = people.person("bob").json
    assert (person["park_reason"], person["history"][-1]["by"]) == ("unanswered", "maintenance")
    people.redrive("bob")
    on(people, 1)
    assert people.poll("bob").json["position"] == 2
    assert deadline(people, "bob") is None, "asked again 90 days after the last time"


def test_an_unreachable_customer_is_neither_asked_nor_silent(people: Admissions) -> None:
    """A customer may become unreachable because the email with the question bounces. Such a
    customer must not lose their place.
    """
    mark = people.world.services.recipients.mark_unreachable

    def bounces(name: str) -> None:
        assert mark(people.waitlist_id, people.id_of(name), people.stay_of(name))

    bounces("ada")
    asked(people)
    bounces("bob")
    assert [deadline(people, name) is None for name in ("ada", "bob", "cyd")] == [
        True,
        False,
        False,
    ]
    on(people, 15)
    on(people, 90)
    states = [people.person(name).json["status"] for name in ("ada", "bob", "cyd")]
    assert states == ["waiting", "waiting", "parked"]
    assert people.events("ada") == ["joined"]
    assert people.events("bob") == ["joined", "asked"]
    answer(people, "bob")
    assert people.ask_all(dry_run=True).json["asked"] == 0


def test_silence_moves_to_the_back(people: Admissions) -> None:
    people.configure(confirm={**RULES, "then": "to_back"})
    answer(asked(people), "bob", "cyd")
    on(people, 15)
    on(people, 0)
    assert people.poll("ada").json["position"] == 3
    assert people.events("ada")[-2:] == ["unanswered", "bumped"]
    on(people, 30)
    assert people.poll("ada").json["status"] == "waiting"


def test_silence_takes_off_the_list(people: Admissions) -> None:
    people.configure(confirm={**RULES, "then": "leave"})
    answer(asked(people), "bob", "cyd")
    on(people, 15)
    assert people.poll("ada").json["status"] == "left"
    on(people, 0)
    person = people.person("ada").json
    assert people.events("ada")[-2:] == ["unanswered", "left"]
    assert (person["status"], person["history"][-1]["reason"]) == ("left", "unanswered")
    assert people.stats().json["waiting"] == 2
    assert people.sign_up("ada", key="again").json["position"] == 3


@pytest.mark.parametrize("then", ["park", "to_back"])
def test_a_move_right_after_the_end_leaves_no_question_behind(
    people: Admissions, then: str
) -> None:
    """Ada did not answer the question in time, and only Redis knows about it. When an operator
    moves her back into the queue, the question must be gone.
    """
    people.configure(confirm={**RULES, "then": then}, rest={})
    answer(asked(people), "bob", "cyd")
    on(people, 15)
    moved = people.redrive("ada") if then == "park" else people.bump("ada", to="front")
    assert moved.status == 200, moved.text
    on(people, 0)
    assert people.confirm("ada").status == 200
    assert people.events("ada").count("asked") == 1
    assert people.rest("ada", DAY).status == 200


@pytest.mark.parametrize(("then", "event"), [("park", "parked"), ("to_back", "bumped")])
def test_an_edit_right_after_the_end_does_not_bring_the_question_back(
    people: Admissions, then: str, event: str
) -> None:
    """Ada's wait has ended in Redis, but the record in DynamoDB still contains the question. An
    edit must not bring the question back to Redis.
    """
    people.configure(confirm={**RULES, "then": then})
    answer(asked(people), "bob", "cyd")
    on(people, 15)
    for ready in (False, True):
        assert people.hold_back("ada", ready=ready).status == 200
    assert deadline(people, "ada") is None
    people.world.advance(1)
    people.world.maintenance.run_one(people.waitlist_id)
    run(people)
    assert (deadline(people, "ada"), people.stats().json["asked"]) == (None, 0)
    assert people.events("ada").count(event) == 1


def test_customers_are_reminded(people: Admissions) -> None:
    asked(people)
    seen = []
    for _ in range(13):
        on(people, 1)
        seen.append(people.events("ada").count("reminded"))
    assert seen == [0] * 6 + [1] * 6 + [2]
    details = [one["detail"] for one in people.person("ada").json["history"]]
    assert [one["days"] for one in details if "days" in one] == [7, 1]


@pytest.mark.parametrize("functions", [-10 * MINUTE, 10 * MINUTE])
@pytest.mark.parametrize("redis", [-HOUR, HOUR])
def test_no_wrong_clock_ends_a_wait_before_the_deadline(
    people: Admissions, functions: int, redis: int
) -> None:
    """Nobody loses their place before the deadline, even if the functions' clocks are off by ten
    minutes and Redis' clock by an hour.
    """
    asked(people)
    world = people.world
    end = world.clock.now_millis() + 14 * DAY * 1000
    world.clock.advance(functions)
    world.redis_clock.advance(redis)
    run(people, 14 * DAY - 1)
    assert world.clock.now_millis() == end + (functions - 1) * 1000
    assert people.poll("ada").json["status"] == "waiting"
    run(people, HOUR + 20 * MINUTE)
    assert people.poll("ada").json["status"] == "parked"


def test_only_ready_entries_are_asked(people: Admissions) -> None:
    on(people, 89)
    people.rest("ada", 10 * DAY)
    people.hold_back("bob")
    on(people, 1)
    assert [deadline(people, name) is None for name in ("ada", "bob", "cyd")] == [True, True, False]
    on(people, 9)
    assert deadline(people, "ada") is not None


def test_a_rest_is_an_answer(people: Admissions) -> None:
    asked(people)
    assert people.rest("ada", 30 * DAY).json["confirm_by"] is None
    on(people, 31)
    assert people.poll("ada").json["position"] == 1


@pytest.mark.parametrize("ends", ["held", "released"])
def test_a_claim_meanwhile_keeps_the_place(people: Admissions, ends: str) -> None:
    """A customer who is claimed at the deadline for the answer keeps their place, and is asked
    again after the claim.
    """
    answer(asked(people), "bob", "cyd")
    on(people, 13)
    assert people.claimed(lease_seconds=12 * HOUR) == ["ada"]
    if ends == "released":
        people.release("ada")
    run(people, DAY + 11 * MINUTE)
    for _ in range(2):
        run(people, HOUR)
    assert people.poll("ada").json["position"] == 1
    assert people.events("ada").count("asked") == 2


def test_a_question_ends_nothing_once_the_setting_is_null(people: Admissions) -> None:
    asked(people)
    people.configure(confirm=None)
    people.world.advance(MINUTE)
    assert deadline(people, "ada") is None
    on(people, 20)
    assert people.poll("ada").json["status"] == "waiting"
    people.configure(confirm=RULES)
    on(people, 0)
    assert deadline(people, "ada") == iso(people.world.clock.now_millis() + 14 * DAY * 1000)


def test_operators_ask_by_hand(people: Admissions) -> None:
    people.hold_back("bob")
    assert people.ask_all(dry_run=True).json == {"asked": 2, "cursor": None}
    assert deadline(people, "ada") is None
    first = people.ask_all("limit=1").json
    assert (first["asked"], first["cursor"] is None) == (1, False)
    assert people.ask_all(f"cursor={first['cursor']}").json == {"asked": 1, "cursor": None}
    assert people.ask_all().json["asked"] == 0
    assert people.person("ada").json["history"][-1]["by"].startswith("arn:aws:")
    answer(people, "ada")
    assert people.ask_all(days=1, dry_run=True).json["asked"] == 0
    people.world.advance(DAY)
    assert people.ask_all(days=1, dry_run=True).json["asked"] == 1
    people.configure()
    assert people.ask_all().code == "confirm_off"


def test_a_run_takes_some_entries_and_the_next_goes_on(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm_walk, "PAGES", 1)
    monkeypatch.setattr(confirm_walk, "MAX_PAGE", 2)
    asked(people)
    names = ("ada", "bob", "cyd")
    assert [deadline(people, name) is not None for name in names] == [True, True, False]
    run(people)
    assert all(deadline(people, name) for name in names)


def test_a_rebuild_knows_whom_it_has_asked(people: Admissions) -> None:
    asked(people)
    before = deadline(people, "ada")
    people.world.redis.flushall()
    people.world.maintain()
    assert deadline(people, "ada") == before
    on(people, 15)
    assert people.poll("ada").json["status"] == "parked"


def test_the_rules_of_a_list_are_in_order(people: Admissions) -> None:
    assert people.configure(confirm={"every_days": 7, "answer_days": 8}).code == "invalid_request"
    by_default = people.configure(confirm={"every_days": 7})
    assert "answer_days (14)" in by_default.json["detail"]
    reminders = {"every_days": 7, "answer_days": 3, "reminders_days": [3]}
    assert people.configure(confirm=reminders).code == "invalid_request"
    changed = people.configure(confirm={"every_days": 30, "reminders_days": [1, 7, 1]})
    assert changed.json["confirm"] == {
        "every_days": 30,
        "answer_days": 14,
        "reminders_days": [7, 1],
        "then": "park",
    }


@pytest.mark.parametrize("step", range(7))
def test_an_answer_that_is_cut_off_is_whole_or_was_never(
    people: Admissions, wire: Wire, step: int
) -> None:
    asked(people)
    wire.arm(step, crash_after)
    with suppress(Crash):
        people.confirm("ada")
    wire.disarm()
    run(people)
    has_confirmed = "confirmed" in people.events("ada")
    assert (deadline(people, "ada") is None) is has_confirmed
    answer(people, "ada")
    on(people, 15)
    assert people.poll("ada").json["position"] == 1


@pytest.mark.parametrize(
    ("then", "end"), [("park", "parked"), ("leave", "left"), ("to_back", "bumped")]
)
def test_later_runs_finish_an_interrupted_end_of_a_wait(then: str, end: str) -> None:
    """If a maintenance run crashes after any of its calls to AWS, the next runs finish the work and
    do nothing twice.
    """
    for step in count():
        wire = Wire()
        table, clock = wire.client(new_table()), RedisClock.standing()
        people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
        people.configure(confirm={"every_days": 30, "answer_days": 1, "then": then})
        people.all_sign_up("ada")
        people.ask_all()
        people.world.advance(DAY + 10 * MINUTE)
        waitlist = people.world.services.waitlist_records.get(people.waitlist_id)
        assert waitlist is not None
        stats = people.world.services.queue.send(c.Stats(waitlist_id=people.waitlist_id))
        wire.arm(step, crash_after)
        is_cut_off = False
        try:
            people.world.maintenance.steps.confirm_walker.run(waitlist, stats, never)
        except Crash:
            is_cut_off = True
        wire.disarm()
        for _ in range(3):
            run(people, 30 * MINUTE)
        assert people.events("ada") == ["joined", "asked", "unanswered", end], step
        if not is_cut_off:
            assert step > 8
            return


def refuse_ends(wire: Wire, held_up: list[Call] | None = None) -> None:
    """Crash the process instead of telling Redis to end a customer's wait. The unsent messages are
    added to `held_up`.
    """

    def fault(call: Call) -> Any:
        if call.is_invoke and operation_of(call) == "end_wait":
            if held_up is not None:
                held_up.append(call)
            raise Crash
        return call.make()

    wire.disarm()
    for step in range(100):
        wire.also(step, fault)


def silent(people: Admissions, **settings: Any) -> None:
    """Let the time for Ada's answer pass, so that her wait ends in Redis."""
    people.configure(confirm={**RULES, "then": "leave"}, **settings)
    answer(asked(people), "bob", "cyd")
    on(people, 15)
    assert people.poll("ada").json["status"] == "left"


def reasons_for_leaving(people: Admissions) -> list[tuple[str, str]]:
    history = people.person("ada").json["history"]
    return [(one["by"], one["reason"]) for one in history if one["event"] == "left"]


def test_a_leave_that_is_cut_off_keeps_its_reason() -> None:
    """If maintenance crashes while it records that a silent customer has left, the history contains
    the right reason once (promise P3).
    """
    for step in count():
        wire = Wire()
        table, clock = wire.client(new_table()), RedisClock.standing()
        people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
        people.configure(confirm={**RULES, "then": "leave"})
        people.all_sign_up("ada", "bob", "cyd")
        silent(people)
        people.world.advance(2 * MINUTE)
        wire.arm(step, crash_after)
        is_cut_off = False
        try:
            people.world.maintenance.run_one(people.waitlist_id)
        except Crash:
            is_cut_off = True
        wire.disarm()
        run(people)
        assert reasons_for_leaving(people) == [("maintenance", "unanswered")], step
        if not is_cut_off:
            assert step > 8
            return


@pytest.mark.parametrize("is_reinstated", [False, True])
def test_a_silent_customer_who_gets_an_offer_first_leaves_as_a_no_show(
    people: Admissions, wire: Wire, is_reinstated: bool
) -> None:
    """Ada did not answer, but maintenance crashes before it ends her wait. If she then gets an
    offer and misses it, she leaves because of the missed offer.
    """
    people.configure(
        confirm={**RULES, "then": "leave"}, admission={"no_show": "leave", "offer_seconds": 60}
    )
    answer(asked(people), "bob", "cyd")
    people.world.advance(15 * DAY)

    refuse_ends(wire)
    with pytest.raises(Crash):
        people.world.maintenance.run_one(people.waitlist_id)
    wire.disarm()
    assert people.admit_one("ada").status == 200
    if is_reinstated:
        people.world.advance(2 * MINUTE)
        assert people.claimed() == ["bob"], "the claim also ends offers whose time is over"
        assert people.reinstate("ada").status == 200
    else:
        run(people)
        run(people)
        assert people.events("ada")[-4:] == ["unanswered", "offered", "no_show", "left"]
    assert reasons_for_leaving(people) == [("policy", "no_show")]


def noted(people: Admissions, wire: Wire) -> None:
    """Let maintenance record that Ada did not answer and then crash before it ends her wait."""
    asked(people)
    answer(people, "bob", "cyd")
    people.world.advance(15 * DAY)
    refuse_ends(wire)
    with pytest.raises(Crash):
        people.world.maintenance.run_one(people.waitlist_id)
    wire.disarm()
    assert people.events("ada")[-1] == "unanswered"
    assert people.poll("ada").json["status"] == "waiting"


def switch_off(people: Admissions) -> None:
    people.configure(confirm=None, rest={})


def switch_off_and_on(people: Admissions) -> None:
    switch_off(people)
    people.world.advance(MINUTE)
    people.configure(confirm=RULES, rest={})


def claim_and_release(people: Admissions) -> None:
    assert people.claimed() == ["ada"]
    people.release("ada")


def offer_and_withdraw(people: Admissions) -> None:
    people.admit_one("ada")
    people.withdraw("ada")


ENDS_OF_A_NOTE = [switch_off, switch_off_and_on, claim_and_release, offer_and_withdraw]


@pytest.mark.parametrize("happen", ENDS_OF_A_NOTE)
@pytest.mark.parametrize("how", ["confirm", "rest"])
def test_a_customer_can_answer_a_question_that_has_become_void(
    people: Admissions, wire: Wire, happen: Callable[[Admissions], None], how: str
) -> None:
    """Maintenance has recorded that Ada did not answer. If the question then no longer applies, for
    example because an operator switches the questions off, Ada can answer and keep her place.
    """
    noted(people, wire)
    assert people.confirm("ada").code == "not_waiting"
    assert people.rest("ada", DAY).code == "not_waiting"
    happen(people)
    answered = people.confirm("ada") if how == "confirm" else people.rest("ada", DAY)
    assert (answered.status, answered.json["confirm_by"]) == (200, None)
    on(people, 15)
    assert people.poll("ada").json["position"] == 1
    assert people.events("ada").count("asked") == 1


@pytest.mark.parametrize("happen", ENDS_OF_A_NOTE[1:])
def test_an_operator_asks_anew_where_a_question_no_longer_stands(
    people: Admissions, wire: Wire, happen: Callable[[Admissions], None]
) -> None:
    noted(people, wire)
    assert people.ask_all().json["asked"] == 2, "Ada is not asked, because her wait is about to end"
    happen(people)
    assert people.ask_all().json["asked"] == 1
    assert people.ask_all().json["asked"] == 0
    assert deadline(people, "ada") == iso(people.world.clock.now_millis() + 14 * DAY * 1000)
    answer(people, "ada")


def test_an_unreachable_customer_is_not_asked_anew(people: Admissions, wire: Wire) -> None:
    noted(people, wire)
    switch_off_and_on(people)
    stay = (people.waitlist_id, people.id_of("ada"), people.stay_of("ada"))
    assert people.world.services.recipients.mark_unreachable(*stay)
    on(people, 1)
    assert people.events("ada").count("asked") == 1
    assert people.poll("ada").json["position"] == 1


def test_a_late_end_of_a_wait_obeys_the_settings_of_today(people: Admissions, wire: Wire) -> None:
    """A message that ends a customer's wait may reach Redis late. If an operator has switched the
    questions off by then, the customer keeps their place (promise P2).
    """
    held_up: list[Call] = []
    asked(people)
    answer(people, "bob", "cyd")
    people.world.advance(15 * DAY)
    refuse_ends(wire, held_up)
    with pytest.raises(Crash):
        people.world.maintenance.run_one(people.waitlist_id)
    wire.disarm()
    switch_off(people)
    held_up[0].make()
    assert people.poll("ada").json["position"] == 1


@pytest.mark.parametrize("then", ["park", "leave", "to_back"])
def test_a_wait_without_an_answer_ends_by_the_newest_settings(
    people: Admissions, wire: Wire, then: str
) -> None:
    noted(people, wire)
    people.configure(confirm={**RULES, "then": then})
    on(people, 0)
    on(people, 0)
    last = {"park": "parked", "leave": "left", "to_back": "bumped"}[then]
    assert people.events("ada")[-2:] == ["unanswered", last]


def test_a_list_that_no_longer_asks_shows_no_question(people: Admissions) -> None:
    asked(people)
    assert people.stats().json["asked"] == 3
    assert len(people.page("only=asked").json["entries"]) == 3
    switch_off(people)
    assert people.stats().json["asked"] == 0
    assert people.page("only=asked").json["entries"] == []
    assert [one["confirm_by"] for one in people.page().json["entries"]] == [None] * 3
    assert people.person("ada").json["confirm_by"] is None


def test_a_silent_customer_who_is_reinstated_at_once_left_by_silence(people: Admissions) -> None:
    silent(people)
    assert people.reinstate("ada", reason="was on a ship").status == 200
    run(people)
    assert reasons_for_leaving(people) == [("maintenance", "unanswered")]
