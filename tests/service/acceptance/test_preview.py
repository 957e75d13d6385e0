"""Tests for the admission policy preview, which shows the estimated waits that customers will see
if an operator saves the policy.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_api.clock import iso

MIDNIGHT_MILLIS = 1_790_035_200_000  # 2026-09-22
HOUR = 3600
NAMES = [f"person-{number}" for number in range(1, 31)]
# Three people are inside, and there is room for two more.
ROOM = {"max_inside": 5, "pass_seconds": 600, "acceptance": "automatic"}
RATE = {"rate": {"count": 100, "per": "hour"}}
AT_ONE = iso(MIDNIGHT_MILLIS + HOUR * 1000)
ONCE = {"schedule": [{"at": AT_ONE, "count": 20}]}
DAILY = {"schedule": [{"cron": "0 9 * * *", "timezone": "UTC", "count": 20}]}
BY_DAY = {"from": "08:00", "to": "22:00", "timezone": "UTC"}
POLICIES: dict[str, dict[str, Any]] = {
    "a rate": RATE,
    "a rate that begins later": {"rate": {**RATE["rate"], "from": AT_ONE}},
    "a schedule": DAILY,
    "a schedule that ends": ONCE,
    "a rush and a rate": {**RATE, **ONCE, "combine": "sum"},
    "a full room": {**ROOM, "max_inside": 3},
    "a rate and a room": {**RATE, **ROOM},
    "a rate, and a room that exits do not free": {**RATE, **ROOM, "customer_exit": "frees_at_end"},
    "a rate by day": {**RATE, "offer_hours": BY_DAY},
    "a schedule at night": {**ONCE, "offer_hours": BY_DAY},
    "a rush at night, and a rate": {**RATE, **ONCE, "combine": "sum", "offer_hours": BY_DAY},
    "a room by day": {**ROOM, "offer_hours": BY_DAY},
    "offers by hand": {"pass_seconds": 60},
    "a rate with an end": {**RATE, "until": iso(MIDNIGHT_MILLIS + 12 * 60_000)},
}


@pytest.fixture
def bakery() -> People:
    world = World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing())
    world.advance((MIDNIGHT_MILLIS - world.clock.millis) / 1000 - HOUR)
    made = People(world)
    assert made.configure(admission={"pass_seconds": 2 * HOUR}).status == 201
    world.maintenance.run_all()
    made.bring("first", "second", "third", *NAMES)
    body = {"count": 3, "complete": True}
    answer = world.request("POST", f"{made.admin_path}/claims", body=body, operator=True)
    assert answer.status == 200
    world.advance(HOUR)
    return made


def asked(bakery: People, **body: Any) -> Answer:
    return bakery.world.request("POST", f"{bakery.admin_path}/preview", body=body, operator=True)


def preview(bakery: People, **body: Any) -> dict[str, Any]:
    answer = asked(bakery, **body)
    assert answer.status == 200, answer.text
    return dict(answer.json)


def previewed(bakery: People, admission: object, position: int) -> tuple[Any, Any]:
    """Return the estimated wait at a position, and the reason if there is none."""
    (found,) = preview(bakery, admission=admission, people=position)["estimates"]
    assert found["position"] == position
    return found["estimated_wait"], found["estimate_unavailable"]


def answered(bakery: People, positions: Sequence[int]) -> list[tuple[Any, Any]]:
    """Return the estimated waits that customers at the given positions see, and the reasons if
    there are none.
    """
    looks = {one["position"]: one for one in (bakery.poll(name).json for name in NAMES)}
    return [
        (looks[position]["estimated_wait"], looks[position]["estimate_unavailable"])
        for position in positions
    ]


@pytest.mark.parametrize("admission", POLICIES.values(), ids=POLICIES)
def test_customers_are_answered_what_the_preview_was_before_the_save(
    bakery: People, admission: dict[str, Any]
) -> None:
    positions = (1, 2, 3, 20, 21, 30)
    before = [previewed(bakery, admission, position) for position in positions]
    bakery.configure(admission=admission)
    bakery.world.maintenance.run_all()
    assert answered(bakery, positions) == before


def test_no_place_opens_before_the_hours(bakery: People) -> None:
    """If slots become available at night, people wait until the offer hours begin in the
    morning.
    """
    once = {**ONCE, "offer_hours": BY_DAY}
    for position in (1, 20):
        assert previewed(bakery, once, position)[0]["seconds"] == 8 * HOUR
    assert previewed(bakery, once, 21)[0] is None
    rate = {**RATE, "offer_hours": BY_DAY}
    assert previewed(bakery, rate, 100)[0]["seconds"] == 9 * HOUR
    # Each day has fourteen offer hours, which makes 1,400 slots.
    assert previewed(bakery, rate, 1500)[0]["seconds"] == (24 + 9) * HOUR
    assert previewed(bakery, {**ROOM, "offer_hours": BY_DAY}, 1)[0]["seconds"] == 8 * HOUR


def test_the_preview_of_the_saved_policy_has_what_is_measured(bakery: People) -> None:
    """For the saved policy, the preview uses the time that customers have actually spent inside,
    not the duration of their passes.
    """
    admission = {**ROOM, "pass_seconds": 6000}
    bakery.configure(admission=admission)
    bakery.world.maintenance.run_all()
    for name in NAMES[:15]:
        bakery.world.advance(60)
        path = f"{bakery.admin_entry(name)}/exit"
        assert bakery.world.request("POST", path, body={}, operator=True).status == 200
        bakery.world.maintenance.run_all()
    found = previewed(bakery, admission, 10)
    assert [found] == answered(bakery, [10])
    assert found[0]["seconds"] == pytest.approx(10 * 60, rel=0.1)
    # Nobody has been inside under this changed policy, so the preview assumes that customers stay
    # for two thirds of their pass.
    other = previewed(bakery, {**admission, "pass_seconds": 6060}, 10)
    assert other[0]["seconds"] > 8000


def test_the_preview_of_admission_by_hand_is_what_operators_have_admitted(bakery: People) -> None:
    bakery.configure()
    for _ in range(5):
        bakery.world.advance(60)
        body = {"count": 3, "complete": True}
        path = f"{bakery.admin_path}/claims"
        assert bakery.world.request("POST", path, body=body, operator=True).status == 200
        bakery.world.maintenance.run_all()
    found = preview(bakery, admission=None)
    assert [one["position"] for one in found["estimates"]] == [
        1,
        10,
        16,
        100,
        1000,
        10_000,
        100_000,
    ]
    assert found["waiting"] == 15
    (joins,) = [one for one in found["estimates"] if one["position"] == 16]
    stats = bakery.world.request("GET", f"{bakery.admin_path}/stats", operator=True).json
    assert joins["estimated_wait"] == stats["estimated_wait"]
    assert joins["estimated_wait"]["seconds"] == pytest.approx(16 * 20, rel=0.05)


def test_a_customer_who_joins_is_not_behind_those_who_are_held_back(bakery: People) -> None:
    for name in NAMES[:20]:
        assert bakery.hold_back(name).status == 200
    found = {one["position"]: one for one in preview(bakery, admission=RATE)["estimates"]}
    last = len(NAMES) + 1
    (as_11th,) = preview(bakery, admission=RATE, people=11)["estimates"]
    assert found[last]["estimated_wait"] == as_11th["estimated_wait"]


def test_the_preview_of_a_paused_list_is_that_of_a_resume_now(bakery: People) -> None:
    before = preview(bakery, admission=RATE)
    bakery.configure(paused=True)
    assert preview(bakery, admission=RATE) == before
    bakery.configure(paused=True, admission=RATE)
    assert preview(bakery, admission=RATE) == before


def test_the_preview_has_the_next_times_of_the_schedule(bakery: People) -> None:
    both = {"schedule": [*DAILY["schedule"], *ONCE["schedule"]]}
    day = 24 * HOUR
    times = [HOUR, 9 * HOUR, 9 * HOUR + day, 9 * HOUR + 2 * day, 9 * HOUR + 3 * day]
    assert preview(bakery, admission=both)["scheduled"] == [
        {"at": iso(MIDNIGHT_MILLIS + 1000 * seconds), "count": 20} for seconds in times
    ]
    assert preview(bakery, admission=RATE)["scheduled"] == []


def test_places_that_do_not_come_have_no_estimate(bakery: People) -> None:
    assert previewed(bakery, ONCE, 20)[0]["seconds"] == HOUR
    assert previewed(bakery, ONCE, 21) == (None, "unknown")
    assert previewed(bakery, {"schedule": []}, 1) == (None, "unknown")


def test_a_preview_writes_nothing(bakery: People) -> None:
    with nothing_changes(bakery.world):
        preview(bakery, admission=RATE)
        preview(bakery, admission={"pass_seconds": 2 * HOUR})


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body.admission"),
        (
            {"admission": {"offer_hours": {**BY_DAY, "to": "24:00"}}},
            "body.admission.offer_hours.to",
        ),
        ({"admission": {"offer_hours": {**BY_DAY, "to": "08:00"}}}, "body.admission.offer_hours"),
        (
            {"admission": {"offer_hours": {**BY_DAY, "timezone": "Berlin"}}},
            "body.admission.offer_hours.timezone",
        ),
        ({"admission": {"rate": {"count": 0, "per": "hour"}}}, "body.admission.rate.count"),
        (
            {"admission": {"schedule": [{"cron": "0 9", "count": 1}]}},
            "body.admission.schedule.0.cron",
        ),
        ({"admission": RATE, "people": 0}, "body.people"),
    ],
)
def test_a_policy_that_cannot_be_saved_has_no_preview(
    bakery: People, body: dict[str, Any], field: str
) -> None:
    refused(asked(bakery, **body), 422, "invalid_request", field)


def test_a_list_that_does_not_exist_has_no_preview(bakery: People) -> None:
    bakery.delete_waitlist()
    refused(asked(bakery, admission=RATE), 404, "waitlist_not_found")
