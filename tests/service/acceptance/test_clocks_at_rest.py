"""Tests that the service acts at each time listed in docs/internals/clocks.md, even if nobody sends
a request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from tests.service.acceptance.halfway import leaving
from tests.support.admissions import Admissions
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.clock import iso
from waitlist_api.estimates.pace import UNKNOWN
from waitlist_api.estimates.recent import Recent
from waitlist_api.maintenance.notifier import RUN_MILLIS
from waitlist_api.maintenance.quiet import is_quiet
from waitlist_shared import contracts as c

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
# The longest time between two maintenance runs in these tests. It is short enough for each run to
# read the whole journal since the last run.
PAUSE = 50 * MINUTE
# The tests' clock starts at 14:13:20 UTC.
NIGHT = {"from": "16:00", "to": "14:00", "timezone": "UTC"}
UNTIL_OPENING = HOUR + 46 * MINUTE + 40
FROM = "2026-09-21T15:00:00Z"
CONFIRM = {"every_days": 1, "answer_days": 1, "reminders_days": []}


def rest(people: Admissions, seconds: float) -> float:
    assert people.rest("ann", seconds).status == 200
    return seconds


def delay(people: Admissions, seconds: int) -> float:
    assert people.claimed(1) == ["ann"]
    assert people.release("ann", delay_seconds=seconds).status == 200
    return seconds


def without_bob(people: Admissions) -> Admissions:
    people.leave("bob")
    return people


def let_in(people: Admissions, name: str) -> None:
    assert people.status(name) == "offered"
    assert people.enter(name).status == 200


@dataclass(frozen=True)
class Clock:
    """Something that the service must do at a given time."""

    settings: Mapping[str, object]
    # Prepares the waitlist, and returns the number of seconds after which the service must act.
    begin: Callable[[Admissions], float]
    # Returns whether the service has acted.
    is_done: Callable[[Admissions], bool]
    # The number of maintenance runs within which the service must act.
    runs: int = 1
    # Whether maintenance has a reason to process the waitlist before this time.
    is_busy: bool = False


def has(name: str, *events: str) -> Callable[[Admissions], bool]:
    return lambda people: people.events(name)[-len(events) :] == [*events]


def is_offered(name: str) -> Callable[[Admissions], bool]:
    return lambda people: people.recorded(name)["status"] == "offered"


NEAR = {"messages": {"kinds": ["near"], "near": 1}, "rest": {}}


def with_ann_inside(people: Admissions) -> float:
    people.world.maintenance.run_all()
    let_in(people, "ann")
    return HOUR


def offered(people: Admissions) -> float:
    people.world.maintenance.run_all()
    assert people.status("ann") == "offered"
    return HOUR


def claimed(people: Admissions) -> float:
    assert people.claimed(1) == ["ann"]
    return HOUR


def ask(people: Admissions) -> float:
    assert people.ask_all().status == 200
    return DAY + 10 * MINUTE


def cut_off(people: Admissions) -> float:
    leaving(people, "ann")
    return MINUTE


def sign_up_unverified(people: Admissions) -> float:
    path, body = f"{people.path}/entries", {"profile": {"email": "eve@example.com"}}
    assert people.world.request("POST", path, body=body).status == 202
    assert people.stats().json["unverified"] == 1
    return HOUR


def inside(**policy: object) -> dict[str, object]:
    return {"admission": {"max_inside": 1, "offer_seconds": HOUR, **policy}}


CLOCKS = {
    "the end of a rest: near": Clock(NEAR, lambda people: rest(people, HOUR), has("ann", "near")),
    "the end of a rest that a poll has seen: near": Clock(
        NEAR,
        lambda people: rest(people, HOUR),
        lambda people: people.status("bob") == "waiting" and has("ann", "near")(people),
    ),
    "the end of a delay: near": Clock(NEAR, lambda people: delay(people, HOUR), has("ann", "near")),
    "the opening of the hours: near": Clock(
        NEAR | {"admission": {"offer_hours": NIGHT}}, lambda _: UNTIL_OPENING, has("ann", "near")
    ),
    "the end of a rest: an offer": Clock(
        inside() | {"rest": {}}, lambda people: rest(without_bob(people), HOUR), is_offered("ann")
    ),
    "the end of a delay: an offer": Clock(
        inside(), lambda people: delay(without_bob(people), HOUR), is_offered("ann")
    ),
    "the opening of the hours: an offer": Clock(
        inside(offer_hours=NIGHT), lambda _: UNTIL_OPENING, is_offered("ann")
    ),
    "the end of a rest: a question": Clock(
        {"confirm": CONFIRM, "rest": {}},
        lambda people: rest(people, DAY + HOUR),
        has("ann", "asked"),
        # Maintenance sends no question to a customer who is not ready. It tries again an hour
        # later.
        runs=62,
    ),
    "a question": Clock({"confirm": CONFIRM}, lambda _: DAY, has("ann", "asked")),
    "the deadline of a question": Clock(
        {"confirm": CONFIRM}, ask, has("ann", "unanswered", "parked"), runs=3
    ),
    "a reminder": Clock(
        {"confirm": {"every_days": 3, "answer_days": 2, "reminders_days": [1]}},
        lambda people: ask(people) - 10 * MINUTE,
        has("ann", "reminded"),
    ),
    "the end of a claim": Clock({"lease_seconds": HOUR}, claimed, has("ann", "expired"), runs=3),
    "the end of an offer": Clock(inside(), offered, has("ann", "no_show"), runs=3),
    "the end of an offer: the next one": Clock(inside(), offered, is_offered("bob")),
    "the end of a pass": Clock(inside(pass_seconds=HOUR), with_ann_inside, is_offered("bob")),
    "the last quarter of an offer": Clock(
        inside() | {"messages": {"kinds": ["ending"]}},
        lambda people: offered(people) * 3 / 4 - RUN_MILLIS / 1000,
        has("ann", "ending"),
        is_busy=True,
    ),
    "a rate": Clock(
        {"admission": {"rate": {"count": 1, "per": "hour"}}},
        lambda _: HOUR,
        is_offered("ann"),
    ),
    "the time from which a rate counts": Clock(
        {"admission": {"rate": {"count": 1, "per": "minute", "from": FROM}}},
        lambda _: 47 * MINUTE + 40,
        is_offered("ann"),
    ),
    "the time of a schedule": Clock(
        {"admission": {"schedule": [{"cron": "0 15 * * *", "count": 1}]}},
        lambda _: 46 * MINUTE + 40,
        is_offered("ann"),
    ),
    "the deadline of a verification": Clock(
        {"identity": {"field": "email", "verify": "before_offer", "verify_minutes": 60}},
        sign_up_unverified,
        lambda people: people.stats().json["unverified"] == 0,
        runs=3,
    ),
    "the age of an intent": Clock({}, cut_off, has("ann", "left")),
}


@pytest.fixture
def world() -> World:
    return World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing())


def is_at_rest(people: Admissions) -> bool:
    waitlist = people.world.services.waitlist_records.get(people.waitlist_id)
    assert waitlist is not None
    (stats,) = people.world.maintenance.count([waitlist])
    assert isinstance(stats, c.StatsResult)
    steps = people.world.maintenance.steps
    return is_quiet(waitlist, stats, set(), people.world.clock.now_millis(), steps)


def pass_time(people: Admissions, seconds: float) -> None:
    """Advance the clocks. Maintenance runs rarely at first, and every minute during the last six
    minutes.
    """
    last = 6 * MINUTE
    while seconds > last + PAUSE:
        people.world.advance(PAUSE)
        people.world.maintenance.run_all()
        seconds -= PAUSE
    people.world.advance(max(0, seconds - last))
    for _ in range(int(min(seconds, last) // MINUTE)):
        people.world.maintenance.run_all()
        people.world.advance(MINUTE)


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_maintenance_acts_in_time_on_a_waitlist_without_activity(
    world: World, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Maintenance acts in time even if nothing else happens on the waitlist. The test switches off
    estimated waits, which would give maintenance work in every run.
    """
    monkeypatch.setattr(Recent, "pace", lambda *_: UNKNOWN)
    people = Admissions(world)
    answer = people.configure(**clock.settings)
    assert answer.status == 201, answer.text
    if "identity" not in clock.settings:
        people.all_sign_up("ann", "bob")
    began_millis = world.clock.millis
    strikes_millis = began_millis + int(clock.begin(people) * 1000)
    if strikes_millis - began_millis > MINUTE * 1000:
        pass_time(people, (strikes_millis - world.clock.millis) / 1000 - MINUTE)
        assert is_at_rest(people) is not clock.is_busy
        world.maintenance.run_all()
        assert not clock.is_done(people)
    world.advance((strikes_millis - world.clock.millis) / 1000 + 1)
    for _ in range(clock.runs):
        if clock.is_done(people):
            break
        world.maintenance.run_all()
        world.advance(MINUTE)
    assert clock.is_done(people)


def test_a_list_opens_and_closes_without_maintenance(world: World) -> None:
    people = Admissions(world)
    now = world.clock.now_millis()
    at = {"opens_at": iso(now + HOUR * 1000), "closes_at": iso(now + 2 * HOUR * 1000)}
    assert people.configure(**at).status == 201
    pass_time(people, HOUR)
    assert people.sign_up("ann").status == 201
    pass_time(people, HOUR + MINUTE)
    assert people.sign_up("bob").code == "waitlist_closed"
