"""Admission policies: shown, changed, and how long they take."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_cli.errors import WrongUsage
from waitlist_cli.policies import (
    DEFAULTS,
    policy_text,
    rate_of,
    schedule_of,
    simulate,
    simulation_text,
)

MONDAY = datetime(2026, 6, 1, 8, tzinfo=UTC)
HOUR = 3600


def policy(**settings: Any) -> dict[str, Any]:
    return {**DEFAULTS, **settings}


def seconds(people: int, **settings: Any) -> int:
    found = simulate(policy(**settings), people, MONDAY)
    assert found.admitted == people
    return found.seconds


def test_a_rate_admits_evenly_from_an_empty_bucket() -> None:
    per_minute = policy(rate=rate_of("500/minute"))
    found = simulate(per_minute, 50_000, MONDAY)
    text = simulation_text(per_minute, 50_000, found)
    assert text == "500 a minute: 50,000 people in 1 h 40 min"
    assert seconds(1, rate=rate_of("1/day")) == 24 * HOUR
    assert seconds(7, rate=rate_of("1/second")) == 7


def test_a_schedule_admits_at_its_times() -> None:
    daily = schedule_of(["100 at 0 9 * * * Europe/Berlin"])
    # 9:00 in Berlin's summer is 7:00 UTC, so the first time is the next day's.
    assert seconds(100, schedule=daily) == 23 * HOUR
    assert seconds(101, schedule=daily) == 47 * HOUR
    both = schedule_of(["5 at 2026-06-01T10:00:00Z", "5 at 30 8 * * *"])
    assert seconds(5, schedule=both) == HOUR // 2
    assert seconds(10, schedule=both) == 2 * HOUR


def test_places_that_no_longer_come_leave_people_waiting() -> None:
    once = policy(schedule=schedule_of(["30 at 2026-06-01T09:00:00Z"]))
    found = simulate(once, 50, MONDAY)
    assert (found.admitted, found.seconds) == (30, HOUR)
    assert "20 are still waiting 10 years from now" in simulation_text(once, 50, found)


def test_a_place_is_not_there_before_its_time() -> None:
    start = datetime(2026, 3, 1, 7, 0, 0, 400_000, tzinfo=UTC)
    found = simulate(policy(schedule=schedule_of(["5 at 2026-03-01T08:00:00Z"])), 5, start)
    assert start + timedelta(seconds=found.seconds) >= datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert found.seconds == 3600


def test_room_is_free_after_the_longest_stay() -> None:
    """Given an offer of 10 minutes and a pass of one hour, a place is free after 70 minutes."""
    assert seconds(10, max_inside=10) == 0
    assert seconds(11, max_inside=10) == 70 * 60
    assert seconds(31, max_inside=10) == 3 * 70 * 60
    assert seconds(31, max_inside=10, acceptance="automatic") == 3 * HOUR


def test_the_slowest_limit_decides() -> None:
    fast = rate_of("10/second")
    assert seconds(1000, rate=fast, max_inside=500, acceptance="automatic") == HOUR + 50
    daily = schedule_of(["600 at 0 9 * * *"])
    # A bucket that waits for the schedule holds a minute's places: 600 at once, as the service has.
    assert seconds(600, rate=fast, schedule=daily) == HOUR
    assert seconds(1200, rate=fast, schedule=daily) == 25 * HOUR


def test_a_rate_begins_at_its_time() -> None:
    begins = {**(rate_of("60/minute") or {}), "from": "2026-06-01T09:00:00Z"}
    assert seconds(10, rate=begins) == HOUR + 10
    assert policy_text(policy(rate=begins)) == "60 a minute from 2026-06-01T09:00:00Z"


def test_a_rush_and_a_rate_are_added() -> None:
    """Given 500 at nine, and 50 a minute from then on."""
    begins = {**(rate_of("50/minute") or {}), "from": "2026-06-01T09:00:00Z", "counts": "entered"}
    rush = schedule_of(["500 at 2026-06-01T09:00:00Z"])
    both = policy(rate=begins, schedule=rush, combine="sum")
    assert [simulate(both, people, MONDAY).seconds for people in (500, 550)] == [HOUR, HOUR + 60]
    assert policy_text(both) == (
        "50 a minute who enter from 2026-06-01T09:00:00Z and 500 at 2026-06-01T09:00:00Z"
    )
    assert seconds(550, rate=begins, schedule=rush, combine="sum", max_inside=550) == HOUR + 60


@pytest.mark.parametrize("text", ["500", "500/week", "x/minute", "1.5/hour", "-1/minute"])
def test_a_rate_that_cannot_be_meant_is_wrong_usage(text: str) -> None:
    with pytest.raises(WrongUsage, match="500/minute"):
        rate_of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("100", "100 at", "at noon", "100 at 0 9 *", "1 at a b c d e f g"),
        *("1 at noon", "1 at 2026-12-01T09:00:00", "1 at 2026-13-01T09:00:00Z"),
    ],
)
def test_a_time_that_cannot_be_meant_is_wrong_usage(text: str) -> None:
    with pytest.raises(WrongUsage, match=r"--schedule .*2026-12-01T09:00:00Z"):
        schedule_of([text])


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1 at 99 9 * * *", "such as 0 9 * * 1-5"),
        ("1 at 0 9 * * * Nowhere/Town", "such as Europe/Berlin"),
    ],
)
def test_a_time_that_does_not_exist_is_wrong_usage_in_a_simulation(text: str, advice: str) -> None:
    with pytest.raises(WrongUsage, match=f"Schedule 1 at .*{re.escape(advice)}"):
        simulate(policy(schedule=schedule_of([text])), 1, MONDAY)


def test_a_policy_is_set_shown_changed_and_removed(bakery: Bakery) -> None:
    shown = bakery.typed.done("policy", bakery.waitlist_id)
    assert shown == "admission\tby hand only\n"
    bakery.typed.done(
        *("policy", bakery.waitlist_id, "--rate", "500/minute", "--max-inside", "2000"),
        *("--schedule", "100 at 0 9 * * * Europe/Berlin", "--no-show", "to_back"),
    )
    bakery.typed.done("policy", bakery.waitlist_id, "--pass-seconds", "120", "--rate", "")
    admission = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert admission["rate"] is None
    assert (admission["max_inside"], admission["pass_seconds"]) == (2000, 120)
    assert admission["no_show"] == "to_back"
    text = "100 at 0 9 * * * Europe/Berlin, at most 2,000 inside"
    assert policy_text(admission) == text
    assert f"admission\t{text}\n" in bakery.typed.done("show", bakery.waitlist_id)
    bakery.typed.done("policy", bakery.waitlist_id, "--off")
    assert bakery.typed.json("policy", bakery.waitlist_id) == {"admission": None}


def test_keeping_the_place_of_no_shows_is_warned_about(bakery: Bakery) -> None:
    def warned(*words: str) -> str:
        result = bakery.typed("policy", bakery.waitlist_id, *words)
        assert result.exit_code == 0
        return result.stderr

    assert warned("--max-inside", "5") == ""
    text = warned("--no-show", "keep_place")
    assert "gets 5 offers of 10 min, which is 50 min of a slot" in text
    assert "5 offers of 1 min, which is 5 min of a slot" in warned("--offer-seconds", "60")
    assert "keep_place" in warned("--simulate", "10")
    assert warned("--acceptance", "automatic") == ""
    assert warned("--acceptance", "enter", "--no-show", "to_back") == ""


def test_a_new_schedule_with_a_time_that_has_passed_is_warned_about(bakery: Bakery) -> None:
    words = ("policy", bakery.waitlist_id, "--schedule", "5 at 2020-01-01T09:00:00Z")
    text = bakery.typed(*words).stderr
    assert "2020-01-01T09:00:00Z has passed: a new schedule gives no slots" in text
    # The saved schedule has given its slots.
    assert bakery.typed(*words, "--max-inside", "5").stderr == ""


def test_an_own_exit_frees_the_room_as_the_policy_says(bakery: Bakery) -> None:
    bakery.typed.done("policy", bakery.waitlist_id, "--max-inside", "5")
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert found["customer_exit"] == "frees_now"
    bakery.typed.done("policy", bakery.waitlist_id, "--customer-exit", "frees_at_end")
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert (found["customer_exit"], found["max_inside"]) == ("frees_at_end", 5)
    assert "frees_at_end" in bakery.typed.done("policy", bakery.waitlist_id)


def test_other_changes_keep_the_policy(bakery: Bakery) -> None:
    """P5: `pause` sends the whole configuration."""
    bakery.typed.done("policy", bakery.waitlist_id, "--max-inside", "5")
    before = bakery.typed.json("policy", bakery.waitlist_id)
    bakery.typed.done("pause", bakery.waitlist_id)
    bakery.typed.done("edit", bakery.waitlist_id, "--capacity", "9")
    assert bakery.typed.json("policy", bakery.waitlist_id) == before


def test_a_simulation_changes_nothing(fake: FakeService) -> None:
    typed = Typed(fake.url)
    fake.script = [answer(200, {"admission": policy(rate=rate_of("1/second"))})] * 2
    words = ["policy", "bakery", "--rate", "500/minute", "--simulate", "50000"]
    assert typed.done(*words) == "500 a minute: 50,000 people in 1 h 40 min\n"
    found = {"people": 50000, "admitted": 50000, "seconds": 6000}
    assert typed.json(*words) == found
    assert {method for method, *_ in fake.requests} == {"GET"}


def test_a_policy_by_hand_has_nothing_to_simulate(fake: FakeService) -> None:
    fake.script = [answer(200, {"admission": None})]
    result = Typed(fake.url)("policy", "bakery", "--simulate", "5")
    assert (result.exit_code, "--rate" in result.stderr) == (1, True)


def test_off_stands_alone(fake: FakeService) -> None:
    assert Typed(fake.url)("policy", "bakery", "--off", "--rate", "1/day").exit_code == 2
    assert fake.requests == []


def test_what_is_not_named_of_a_rate_stays(bakery: Bakery) -> None:
    def rate(*words: str) -> Any:
        bakery.typed.done("policy", bakery.waitlist_id, *words)
        return bakery.typed.json("policy", bakery.waitlist_id)["admission"]["rate"]

    begins = "2026-12-01T09:00:00Z"
    first = rate("--rate", "5/minute", "--rate-from", begins, "--rate-counts", "entered")
    assert first == {"count": 5, "per": "minute", "counts": "entered", "from": begins}
    assert rate("--rate", "7/hour") == first | {"count": 7, "per": "hour"}
    assert rate("--rate-from", "") == first | {"count": 7, "per": "hour", "from": None}
    assert rate("--rate", "") is None


@pytest.mark.parametrize("begins", ["tomorrow", "2026-12-01T09:00:00"])
def test_a_rate_begins_at_no_unclear_time(bakery: Bakery, begins: str) -> None:
    words = ["--rate", "5/minute", "--rate-from", begins]
    assert bakery.typed("policy", bakery.waitlist_id, *words).exit_code == 2
    assert bakery.typed("policy", bakery.waitlist_id, "--rate-counts", "entered").exit_code == 2
    assert bakery.typed("policy", bakery.waitlist_id, "--off", "--rate-from", "").exit_code == 2
