"""Tests for bans. The service refuses all of a banned customer's signups until an operator lifts
the ban.
"""

from collections.abc import Callable
from typing import Any

import pytest
from redis import exceptions

from tests.service.api.refusing import refused
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Crash, Wire, crash_after
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import items_of, new_table
from tests.support.world import RedisClock, World

DAY = 24 * 3600
REASON = "sold the place"
STEPS = range(7)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def table() -> Any:
    return new_table()


@pytest.fixture
def people(table: Any, wire: Wire) -> Admissions:
    clock = RedisClock.standing()
    world = World.on(wire.client(table), empty_redis(), wire.client, redis_clock=clock)
    people = Admissions(world)
    assert configure(people).status == 201
    return people


def configure(people: Admissions, **fields: Any) -> Answer:
    return people.configure(**{"max_attempts": 1, "admission": {}, **fields})


def absent(people: Admissions) -> None:
    people.id_of("ada")


def signs_up(people: Admissions) -> None:
    data: dict[str, Any] = {"profile": {"name": "Ada"}, "attributes": {"language": "English"}}
    assert people.sign_up("ada", key="signup-ada", **data).status == 201


def waits(people: Admissions) -> None:
    signs_up(people)


def is_claimed(people: Admissions) -> None:
    signs_up(people)
    assert people.claimed() == ["ada"]


def is_offered(people: Admissions) -> None:
    signs_up(people)
    assert people.admit(1).status == 200


def is_parked(people: Admissions) -> None:
    is_claimed(people)
    assert people.park("ada").status == 200


def has_left(people: Admissions) -> None:
    signs_up(people)
    assert people.leave("ada").status == 204


def is_inside(people: Admissions) -> None:
    is_offered(people)
    assert people.enter("ada").status == 200


STATES: list[Callable[[Admissions], None]] = [
    absent,
    waits,
    is_claimed,
    is_offered,
    is_parked,
    has_left,
    is_inside,
]


def let_a_minute_pass(people: Admissions) -> None:
    """Advance the clock, so that the next change gets a later timestamp than the ban."""
    people.world.advance(60)


@pytest.mark.parametrize(
    ("has_state", "rejoin"),
    [*((state, "always") for state in STATES), (has_left, "after_leaving"), (waits, "never")],
)
def test_a_ban_in_any_state_refuses_the_next_signup(
    people: Admissions, has_state: Callable[[Admissions], None], rejoin: str
) -> None:
    configure(people, rejoin=rejoin)
    has_state(people)
    assert people.ban("ada", reason=REASON).status == 204
    person = people.person("ada").json
    assert person["status"] == ("admitted" if has_state is is_inside else "left")
    assert (person["ban_reason"], person["banned_at"] is None) == (REASON, False)
    refused(people.sign_up("ada", key="again"), 403, "banned")
    refused(people.sign_up("ada", key="signup-ada"), 403, "banned")
    assert people.stats().json["waiting"] == 0
    assert people.listed("banned") == ["ada"]
    assert people.listed("left") == ([] if has_state in (absent, is_inside) else ["ada"])


@pytest.mark.parametrize("ended", ["skip", "rejoin"])
def test_an_import_of_a_banned_customer_is_refused(people: Admissions, ended: str) -> None:
    people.all_sign_up("ada")
    people.ban("ada")
    answer = people.bring("bob", "ada", ended=ended).json
    assert [one["outcome"] for one in answer["results"]] == ["joined", "refused"]
    assert answer["results"][1]["code"] == "banned"


@pytest.mark.parametrize("has_state", STATES)
def test_an_unbanned_customer_joins_as_the_list_allows(
    people: Admissions, has_state: Callable[[Admissions], None]
) -> None:
    has_state(people)
    people.ban("ada")
    let_a_minute_pass(people)
    assert people.unban("ada", reason="an error").status == 204
    assert people.person("ada").json["banned_at"] is None
    assert people.person("ada").json["ban_reason"] is None
    assert people.listed("banned") == []
    answer = people.sign_up("ada", key="again")
    if has_state is is_inside:
        refused(answer, 409, "already_admitted")
    else:
        assert answer.status == 201


def test_a_customer_who_was_banned_before_the_first_signup_may_join_a_list_for_one_stay(
    people: Admissions,
) -> None:
    configure(people, rejoin="never")
    for name in ("ada", "bob"):
        people.id_of(name)
        people.ban(name)
        let_a_minute_pass(people)
        people.unban(name)
    assert people.sign_up("ada").status == 201
    assert people.bring("bob").json["joined"] == 1
    assert [one["event"] for one in people.person("ada").json["history"]] == [
        "banned",
        "unbanned",
        "joined",
    ]


def test_a_banned_customer_who_is_inside_stays_there_and_keeps_the_pass(people: Admissions) -> None:
    is_inside(people)
    people.ban("ada")
    assert people.stats().json["inside"] == 1
    path = f"{people.entry('ada')}/pass"
    assert people.world.request("GET", path, token=people.token_of("ada")).status == 200
    assert people.exit("ada").status == 200
    assert people.stats().json["inside"] == 0


def test_an_offer_of_a_banned_customer_goes_to_the_next(people: Admissions) -> None:
    configure(people, admission={"max_inside": 1})
    people.all_sign_up("ada", "bob")
    people.world.maintain()
    assert people.poll("ada").json["status"] == "offered"
    people.ban("ada")
    people.world.maintain()
    assert people.enter("ada").code == "not_offered"
    assert people.poll("bob").json["status"] == "offered"


def test_a_ban_and_its_end_are_in_the_history_with_operator_and_reason(people: Admissions) -> None:
    people.all_sign_up("ada")
    people.ban("ada", reason=REASON)
    let_a_minute_pass(people)
    people.unban("ada", reason="an error")
    history = [
        (one["event"], one["by"].rpartition("/")[2], one["reason"])
        for one in people.person("ada").json["history"][1:]
    ]
    assert history == [
        ("banned", "operator", REASON),
        ("left", "operator", REASON),
        ("unbanned", "operator", "an error"),
    ]


@pytest.mark.parametrize("has_state", STATES)
def test_a_repeated_ban_has_one_effect(
    people: Admissions, has_state: Callable[[Admissions], None]
) -> None:
    has_state(people)
    for reason in (REASON, "another"):
        assert people.ban("ada", reason=reason).status == 204
        let_a_minute_pass(people)
    assert people.events("ada").count("banned") == 1
    assert people.person("ada").json["ban_reason"] == REASON
    for _repeat in range(2):
        assert people.unban("ada").status == 204
        let_a_minute_pass(people)
    assert people.events("ada").count("unbanned") == 1


def test_a_late_copy_of_a_ban_leaves_the_stay_after_the_unban(people: Admissions) -> None:
    people.all_sign_up("ada")
    people.ban("ada", key="first")
    let_a_minute_pass(people)
    people.unban("ada")
    let_a_minute_pass(people)
    assert people.sign_up("ada", key="again").status == 201
    assert people.ban("ada", key="first").status == 204
    assert people.order() == ["ada"]
    assert people.ban("ada", key="second").status == 204
    assert people.order() == []


def test_a_late_copy_of_an_unban_leaves_a_later_ban(people: Admissions) -> None:
    people.id_of("ada")
    people.ban("ada")
    first = people.person("ada").json["banned_at"]
    let_a_minute_pass(people)
    assert people.unban("ada", banned_at=first).status == 204
    assert people.unban("ada", banned_at=first).status == 204
    people.ban("ada")
    refused(people.unban("ada", banned_at=first), 409, "ban_mismatch")
    assert people.listed("banned") == ["ada"]


@pytest.mark.parametrize(
    ("has_state", "step"),
    [
        *((state, step) for state in (waits, is_offered, is_parked) for step in STEPS),
        # Banning these customers takes fewer calls, so there are fewer steps to interrupt.
        *((state, step) for state in (absent, has_left) for step in range(5)),
    ],
)
def test_a_ban_that_is_cut_off_is_finished_by_its_repeat_or_by_maintenance(
    people: Admissions, wire: Wire, has_state: Callable[[Admissions], None], step: int
) -> None:
    has_state(people)
    wire.arm(step, crash_after)
    try:
        people.ban("ada", reason=REASON)
    except Crash:
        wire.disarm()
        if step % 2:
            people.world.advance(120)
            people.world.maintain()
    wire.disarm()
    assert people.ban("ada", reason=REASON).status == 204
    refused(people.sign_up("ada", key="again"), 403, "banned")
    events = people.events("ada")
    assert events.count("banned") == 1
    assert events.count("left") == (has_state not in (absent, is_inside))
    assert people.stats().json["waiting"] == people.stats().json["offered"] == 0


def cut_off(people: Admissions, wire: Wire, step: int, request: Callable[[], Any]) -> None:
    wire.arm(step, crash_after)
    with pytest.raises(Crash):
        request()
    wire.disarm()


@pytest.mark.parametrize("has_state", STATES)
def test_a_ban_does_not_wait_for_redis(
    people: Admissions, monkeypatch: pytest.MonkeyPatch, has_state: Callable[[Admissions], None]
) -> None:
    """If Redis is unreachable during a ban, maintenance later removes the customer from the queue
    (promise P3).
    """

    def fail(*_: object) -> None:
        raise exceptions.ConnectionError

    has_state(people)
    is_on_list = has_state not in (absent, has_left, is_inside)
    with monkeypatch.context() as patch:
        patch.setattr(people.world.redis, "execute_command", fail)
        assert people.ban("ada").status == (503 if is_on_list else 204)
    refused(people.sign_up("ada", key="again"), 403, "banned")
    people.world.maintain()
    assert people.stats().json["waiting"] == people.stats().json["offered"] == 0
    expected = ["banned", "left"] if is_on_list else ["banned"]
    assert people.events("ada")[-len(expected) :] == expected


@pytest.mark.parametrize("ahead", [-600, -0.05, 0.05, 600])
def test_a_signup_after_a_ban_counts_once_whatever_the_clocks_say(
    people: Admissions, ahead: float
) -> None:
    """A ban begins and ends by a function's clock, and a signup uses Redis' clock. Even if these
    clocks differ, the signup counts once (promise P2).
    """
    people.world.clock.advance(ahead)
    configure(people, rejoin="always")
    for banned in (lambda: people.id_of("ada"), lambda: people.leave("ada")):
        banned()
        people.ban("ada")
        people.unban("ada")
        assert people.sign_up("ada").status == 201
    assert people.stats().json["signed_up"] == 2
    assert people.events("ada") == [
        *("banned", "unbanned", "joined"),
        *("left", "banned", "unbanned", "joined"),
    ]


def test_a_customer_whose_signup_was_cut_off_is_banned(people: Admissions, wire: Wire) -> None:
    cut_off(people, wire, 0, lambda: people.sign_up("ada"))
    assert people.ban("ada").status == 204
    people.world.advance(120)
    people.world.maintain()
    assert people.order() == []
    refused(people.sign_up("ada"), 403, "banned")


def test_a_ban_within_a_leave_keeps_the_record(people: Admissions, wire: Wire) -> None:
    """Ada is banned while her request to leave is running. A banned customer's record must not
    expire, so the request must not set an expiry date.
    """
    configure(people, retention_days=30)
    people.all_sign_up("ada")
    cut_off(people, wire, 0, lambda: people.leave("ada"))
    record = people.world.services.entries.get(people.waitlist_id, people.id_of("ada"))
    assert record is not None
    # The fourth call to AWS writes the ban. The process crashes after this call.
    cut_off(people, wire, 3, lambda: people.ban("ada"))
    people.world.services.leaves.finish(record)
    person = people.person("ada").json
    assert (person["status"], person["expires_at"]) == ("left", None)
    assert person["banned_at"] is not None


def expire(people: Admissions, table: Any, days: int) -> None:
    people.world.advance(days * DAY)
    now_seconds = people.world.clock.millis // 1000
    for item in items_of(table):
        if int(item.get("expires_at", {"N": "9" * 12})["N"]) <= now_seconds:
            table.delete_item(TableName=TABLE, Key={name: item[name] for name in ("pk", "sk")})


@pytest.mark.parametrize("has_state", [waits, is_offered, has_left, is_inside])
def test_a_ban_outlives_the_retention_without_profile_and_attributes(
    people: Admissions, table: Any, has_state: Callable[[Admissions], None]
) -> None:
    """A ban is stored for longer than the customer's personal data, which is deleted after
    `retention_days` (promise P8).
    """
    configure(people, retention_days=30)
    has_state(people)
    people.ban("ada", reason=REASON)
    person = people.person("ada").json
    assert (person["profile"], person["attributes"]) == ({}, {})
    expire(people, table, 40)
    person = people.person("ada").json
    assert [(one["event"], one["reason"]) for one in person["history"]] == [("banned", REASON)]
    refused(people.sign_up("ada", key="again"), 403, "banned")
    assert people.unban("ada").status == 204
    assert people.person("ada").json["expires_at"] is not None
    expire(people, table, 31)
    assert people.person("ada").status == 404
    assert [one for one in items_of(table) if one["pk"]["S"].startswith("E")] == []


def test_a_ban_on_a_list_that_keeps_people_keeps_the_profile(people: Admissions) -> None:
    people.sign_up("ada", profile={"name": "Ada"}, key="first")
    people.ban("ada")
    assert people.person("ada").json["profile"] == {"name": "Ada"}


def test_an_erasure_ends_the_ban_and_a_new_one_keeps_the_id_alone(people: Admissions) -> None:
    people.all_sign_up("ada")
    people.ban("ada", key="first", reason=REASON)
    people.erase("ada")
    people.ban("ada")
    refused(people.sign_up("ada", key="again"), 403, "banned")
    person = people.person("ada").json
    assert (person["customer_id"], person["ban_reason"], person["profile"]) == (None, None, {})
    let_a_minute_pass(people)
    people.erase("ada")
    people.world.advance(300)
    people.world.maintain()
    assert people.listed("banned") == []
    assert people.sign_up("ada", key="again").status == 201


def test_bans_are_listed_page_by_page_by_their_time(people: Admissions) -> None:
    names = [f"customer-{number}" for number in range(30)]
    for name in names:
        people.id_of(name)
        people.ban(name)
        people.world.advance(1)
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = people.page(f"status=banned&limit=4{cursor and f'&cursor={cursor}'}").json
        found += [people.names[one["entry_id"]] for one in page["entries"]]
        cursor = page["cursor"]
    assert found == names
    since = people.person(names[20]).json["banned_at"]
    rest = people.page(f"status=banned&since={since}").json["entries"]
    assert [people.names[one["entry_id"]] for one in rest] == names[20:]


def test_a_ban_goes_with_the_list(people: Admissions, table: Any) -> None:
    people.id_of("ada")
    people.ban("ada")
    people.delete_waitlist()
    people.world.advance(300)
    people.world.maintain()
    assert [one for one in items_of(table) if one["pk"]["S"].startswith("E")] == []
    refused(people.ban("ada"), 404, "waitlist_not_found")


def test_a_signup_of_a_list_with_bans_makes_as_many_calls_as_one_of_a_list_without(
    people: Admissions, wire: Wire
) -> None:
    wire.disarm()
    people.sign_up("bob")
    calls = [one.name for one in wire.calls]
    people.id_of("ada")
    people.ban("ada")
    wire.disarm()
    people.sign_up("cyd")
    assert [one.name for one in wire.calls] == calls
