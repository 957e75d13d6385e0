"""Tests for estimated waits and the last hour's counts. The service computes both from samples that
maintenance stores every minute.
"""

from typing import Any

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import items_of, new_table
from tests.support.world import RedisClock, World
from waitlist_api.clock import iso

MIDNIGHT_MILLIS = 1_790_035_200_000  # 2026-09-22
TEN = 10


@pytest.fixture
def people() -> People:
    return at_midnight(600)


def at_midnight(seconds: int) -> People:
    world = World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing())
    world.advance(MIDNIGHT_MILLIS // 1000 - world.clock.millis // 1000 + seconds - 1200)
    made = People(world)
    assert made.configure().status == 201
    world.maintenance.run_all()
    world.advance(1200)
    names = [f"person {number}".replace(" ", "-") for number in range(60)]
    made.bring(*names)
    return made


def minute(people: People, admitted: int = 0) -> None:
    people.world.advance(60)
    if admitted:
        body = {"count": admitted, "complete": True}
        path = f"{people.admin_path}/claims"
        assert people.world.request("POST", path, body=body, operator=True).status == 200
    people.world.maintenance.run_all()


def steady(people: People, minutes: int = TEN) -> None:
    minute(people)
    for _ in range(minutes):
        minute(people, admitted=2)


def history(people: People, period: str) -> dict[str, Any]:
    path = f"{people.admin_path}/stats/history"
    answer = people.world.request("GET", path, operator=True, query=f"period={period}")
    assert answer.status == 200, answer.text
    return dict(answer.json)


def shown(answer: Any) -> tuple[Any, Any]:
    return answer["estimated_wait"], answer["estimate_unavailable"]


def test_a_look_and_a_signup_estimate_the_wait_by_the_pace_of_the_last_minutes(
    people: People,
) -> None:
    steady(people)
    # 40 people are waiting, and two people are admitted per minute.
    for answer in (people.poll("person-59").json, people.sign_up("zoe").json):
        estimate, unavailable = shown(answer)
        assert unavailable is None
        assert estimate["seconds"] == pytest.approx(answer["position"] * 30, rel=0.05)
        assert estimate["low"] < estimate["seconds"] < estimate["high"]
    nearer = people.poll("person-30").json["estimated_wait"]
    assert nearer["seconds"] < people.poll("person-59").json["estimated_wait"]["seconds"]


def test_a_wait_is_unknown_until_people_were_admitted(people: People) -> None:
    assert shown(people.poll("person-59").json) == (None, "unknown")
    for _ in range(3):
        minute(people)
    assert shown(people.poll("person-59").json) == (None, "unknown")


def test_a_look_within_a_segment_estimates_the_wait_too(people: People) -> None:
    people.configure(segments=[["language"]])
    people.sign_up("ada", attributes={"language": "Spanish"})
    steady(people)
    answer = people.poll("ada", "segment=language").json
    assert answer["segments"][0]["position"] == 1
    assert answer["estimated_wait"]["seconds"] == pytest.approx(answer["position"] * 30, rel=0.05)


def test_a_paused_list_has_no_estimate(people: People) -> None:
    steady(people)
    people.configure(paused=True)
    assert shown(people.poll("person-59").json) == (None, "paused")
    people.configure()
    assert people.poll("person-59").json["estimated_wait"] is not None


def test_after_the_end_of_the_admission_nobody_is_promised_a_turn(people: People) -> None:
    steady(people)
    end = people.world.clock.millis + 10 * 60_000
    people.configure(admission={"until": iso(end)})
    minute(people, admitted=2)
    assert people.poll("person-30").json["estimated_wait"]["high"] <= 9 * 60
    assert shown(people.poll("person-59").json) == (None, "over")
    public = people.world.request("GET", people.path).json
    assert (shown(public), public["admits_until"]) == ((None, "over"), iso(end))
    people.world.advance(10 * 60)
    for _ in range(2):
        assert shown(people.poll("person-30").json) == (None, "over")
        minute(people)


def test_only_a_waiting_entry_has_an_estimate(people: People) -> None:
    steady(people)
    assert people.poll("person-0").json["status"] == "admitted"
    assert shown(people.poll("person-0").json) == (None, None)
    operators = people.person("person-59").json
    assert "estimated_wait" not in operators


def test_a_loss_of_redis_makes_the_wait_unknown_for_a_minute_only(people: People) -> None:
    steady(people)
    people.world.redis.flushall()
    # The poll starts the rebuild.
    people.poll("person-59")
    people.world.maintenance.run_one(people.waitlist_id)
    assert shown(people.poll("person-59").json) == (None, "unknown")
    minute(people)
    assert people.poll("person-59").json["estimated_wait"] is not None


def test_a_second_maintenance_function_continues_with_the_stored_samples(people: People) -> None:
    steady(people)
    old = people.world
    fresh = World.on(old.dynamodb, old.redis, clock=old.clock, redis_clock=old.redis_clock)
    fresh.advance(60)
    fresh.maintenance.run_all()
    answer = people.poll("person-59").json
    assert answer["estimated_wait"]["seconds"] == pytest.approx(answer["position"] * 30, rel=0.15)


@pytest.mark.parametrize(
    ("settings", "line", "unavailable"),
    [
        ({}, "open", None),
        ({"paused": True}, "paused", "paused"),
        ({"capacity": 40}, "full", None),
        ({"open": False, "paused": True, "capacity": 40}, "closed", "closed"),
    ],
)
def test_the_public_sees_the_state_of_the_line_and_the_wait_of_who_joins_now(
    people: People, settings: dict[str, Any], line: str, unavailable: str | None
) -> None:
    steady(people)
    people.configure(**settings)
    answer = people.world.request("GET", people.path).json
    assert (answer["line"], answer["admits_at"]) == (line, None)
    estimate, reason = shown(answer)
    assert reason == unavailable
    if unavailable is None:
        assert estimate["seconds"] == pytest.approx(41 * 30, rel=0.05)
    else:
        assert estimate is None


RATE = {"count": 6, "per": "minute"}


def test_a_rate_is_known_from_the_first_run_of_maintenance(people: People) -> None:
    people.configure(admission={"rate": RATE, "acceptance": "automatic"})
    people.world.maintenance.run_all()
    answer = people.poll("person-59").json
    assert answer["estimated_wait"]["seconds"] == pytest.approx(answer["position"] * 10, abs=2)
    assert answer["estimated_wait"]["high"] <= answer["position"] * 10 + 10


def test_a_schedule_is_known_and_its_next_time_is_public(people: People) -> None:
    nine = {"cron": "0 9 * * *", "timezone": "UTC", "count": 40}
    people.configure(admission={"schedule": [nine]})
    people.world.maintenance.run_all()
    until_nine = (MIDNIGHT_MILLIS - people.world.clock.millis) // 1000 + 9 * 3600
    waits = [people.poll(name).json["estimated_wait"] for name in ("person-39", "person-40")]
    assert [one["seconds"] for one in waits] == [until_nine, until_nine + 24 * 3600]
    shown_to_all = people.world.request("GET", people.path).json
    assert shown_to_all["admits_at"] == iso(MIDNIGHT_MILLIS + 9 * 3_600_000)


def test_a_full_list_waits_for_people_to_go_out(people: People) -> None:
    admission = {"max_inside": 10, "pass_seconds": 1800, "acceptance": "automatic"}
    people.configure(admission=admission)
    minute(people)
    minute(people)
    assert people.stats().json["inside"] == 10
    answer = people.poll("person-59").json
    estimate = answer["estimated_wait"]
    # Ten people are inside, and their passes end in half an hour. 50 more people are waiting.
    assert estimate["low"] < estimate["seconds"] < 5 * 1800 < estimate["high"] * 1.2
    assert history(people, "hour")["points"][-1]["inside"] == 10


def test_a_list_at_which_no_customer_looks_is_sampled_after_its_admissions(people: People) -> None:
    limit = {"max_inside": 10, "pass_seconds": 290, "acceptance": "automatic"}
    people.configure(admission={"rate": {"count": 2, "per": "minute"}, **limit})
    for _ in range(6):
        minute(people)
    people.configure(admission=limit)
    for _ in range(TEN):
        people.world.metrics.take()
        minute(people)
        assert people.world.metrics.take()["inside"] == 10
    # Two passes end per minute, so each maintenance run admits two more people.
    found = history(people, "hour")["points"][-TEN:]
    assert [(one["admitted"], one["inside"]) for one in found] == [(2, 10)] * TEN
    answer = people.poll("person-59").json
    assert answer["estimated_wait"]["seconds"] == pytest.approx(answer["position"] * 30, rel=0.05)


def test_stats_count_the_admitted_of_today_and_estimate_the_wait() -> None:
    people = at_midnight(-1800)
    steady(people)
    stats = people.stats().json
    assert (stats["admitted"], stats["admitted_today"]) == (20, 20)
    assert stats["estimated_wait"]["seconds"] == pytest.approx(41 * 30, rel=0.05)
    people.world.advance(1800)
    # This maintenance run stores the first sample of the next day.
    minute(people)
    minute(people, admitted=3)
    stats = people.stats().json
    assert (stats["admitted"], stats["admitted_today"]) == (23, 3)


def admit(people: People, count: int) -> None:
    body = {"count": count, "complete": True}
    path = f"{people.admin_path}/claims"
    assert people.world.request("POST", path, body=body, operator=True).status == 200


def last_hour(people: People) -> tuple[int, int, int]:
    stats = people.stats().json
    return stats["joined_last_hour"], stats["admitted_last_hour"], stats["left_last_hour"]


def test_the_last_hour_of_a_launch_counts_up_to_now_as_the_day_does(people: People) -> None:
    """The last hour's counts include admissions that happened after the newest sample."""
    minute(people)
    for _ in range(5):
        people.world.advance(7)
        admit(people, 6)
        stats = people.stats().json
        assert last_hour(people) == (60, stats["admitted_today"], 0)
    assert sum(one["admitted"] for one in history(people, "hour")["points"]) == 0
    assert stats["admitted_today"] == 30


def test_the_last_hour_of_a_new_list_has_all_of_it() -> None:
    """The last hour's counts are complete even before maintenance has stored the first sample."""
    made = People(World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing()))
    made.configure()
    made.bring("ada", "bob")
    admit(made, 1)
    assert last_hour(made) == (2, 1, 0)


def test_the_last_hour_forgets_what_is_older(people: People) -> None:
    steady(people)
    people.leave("person-59")
    assert last_hour(people) == (60, 20, 1)
    people.world.advance(3600 - 5 * 60)
    # People were admitted for ten minutes, five of which belong to the last hour.
    assert last_hour(people) == (0, 10, 1)
    people.world.advance(600)
    assert last_hour(people) == (0, 0, 1)
    minute(people)
    people.world.advance(3600)
    assert last_hour(people) == (0, 0, 0)
    # The per-minute samples have been deleted by now. The hourly samples must lead to the same
    # result.
    people.world.advance(3 * 86_400)
    assert last_hour(people) == (0, 0, 0)


def test_history_has_what_happened_in_each_minute(people: People) -> None:
    steady(people, minutes=5)
    people.leave("person-59")
    minute(people)
    found = history(people, "hour")
    assert (found["period"], found["step_seconds"]) == ("hour", 60)
    assert [one["admitted"] for one in found["points"][-7:]] == [0, 2, 2, 2, 2, 2, 0]
    last = found["points"][-1]
    assert last == {
        "at": iso(people.world.clock.millis // 60_000 * 60_000),
        "joined": 0,
        "admitted": 0,
        "left": 1,
        **NO_OFFERS,
        "waiting": 49,
        "not_ready": 0,
        "offered": 0,
        "parked": 0,
        "inside": 0,
    }
    joined = [one["joined"] for one in found["points"]]
    assert (sum(joined), max(joined)) == (60, 60)


def test_history_of_a_day_and_a_week_adds_up_to_the_same(people: People) -> None:
    steady(people, minutes=25)
    people.world.advance(3600 - 25 * 60)
    minute(people)
    for period, step in (("day", 600), ("week", 3600)):
        found = history(people, period)
        assert found["step_seconds"] == step
        assert sum(one["joined"] for one in found["points"]) == 60
        assert sum(one["admitted"] for one in found["points"]) == 50
        assert found["points"][-1]["waiting"] == 10


@pytest.mark.parametrize(
    ("period", "seconds"), [("hour", 3600), ("day", 86_400), ("week", 7 * 86_400)]
)
def test_history_of_an_old_list_begins_one_period_ago(
    people: People, period: str, seconds: int
) -> None:
    steady(people)
    people.world.advance(8 * 86_400)
    minute(people)
    found = history(people, period)
    assert len(found["points"]) * found["step_seconds"] == seconds


def test_history_is_of_a_known_period_and_a_known_list(people: People) -> None:
    path = f"{people.admin_path}/stats/history"
    assert people.world.request("GET", path, operator=True, query="period=year").status == 422
    people.delete_waitlist()
    assert people.world.request("GET", path, operator=True).status == 404


def test_a_deleted_list_leaves_no_samples(people: People) -> None:
    steady(people)
    assert _samples(people)
    people.delete_waitlist()
    for _ in range(3):
        people.world.maintain()
    assert not _samples(people)
    # A new waitlist with a deleted waitlist's id does not use the old samples.
    people.configure()
    assert history(people, "hour")["points"][-1]["joined"] == 0


def test_an_idle_list_is_sampled_once_an_hour(people: People) -> None:
    idle = People(people.world, "idle")
    idle.configure()
    for _ in range(10):
        minute(people)
    assert len([one for one in _samples(idle) if "MINUTE" in one]) == 1
    assert len([one for one in _samples(idle) if "HOUR" in one]) == 1


def _samples(people: People) -> list[str]:
    items = items_of(people.world.dynamodb)
    mine = [one for one in items if one["pk"]["S"] == f"WAITLIST#{people.waitlist_id}"]
    return [one["sk"]["S"] for one in mine if one["sk"]["S"].startswith("SAMPLE#")]
