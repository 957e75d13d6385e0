"""Tests of how an admission policy limits a waitlist's pace."""

from datetime import UTC, datetime

import pytest

from waitlist_api.estimates.policy import policy_of
from waitlist_api.estimates.select_pace import MOST_INSTANTS, pace_of
from waitlist_api.records.samples import Sample
from waitlist_api.settings.admission import AdmissionPolicy, Rate, Scheduled

HOUR, DAY = 3600, 86_400
MIDNIGHT = 1_780_272_000  # midnight in UTC, in seconds. In Berlin it is 2:00.
AT_NINE = Scheduled(cron="0 9 * * *", timezone="Europe/Berlin", count=500)
NINE = MIDNIGHT + 7 * HOUR


def estimate_hours(policy: AdmissionPolicy, position: int, now: int) -> float:
    known = policy_of(policy, now * 1000)
    now_sample = [Sample(millis=now * 1000, waiting=9999)]
    pace = pace_of(now_sample, now_sample, known)
    assert pace is not None
    estimate = pace.estimate(position, now)
    assert estimate is not None
    return estimate.seconds / HOUR


def test_a_list_without_a_policy_or_without_limits_has_no_known_pace() -> None:
    assert policy_of(None, MIDNIGHT * 1000) is None
    assert policy_of(AdmissionPolicy(), MIDNIGHT * 1000) is None


@pytest.mark.parametrize(
    ("count", "per", "hours"),
    [(1, "second", 1), (60, "minute", 1), (1800, "hour", 2), (3600, "day", 24)],
)
def test_a_rate_may_count_in_any_period(count: int, per: str, hours: int) -> None:
    policy = AdmissionPolicy(rate=Rate(count=count, per=per))  # type: ignore[arg-type]
    assert estimate_hours(policy, 3600, MIDNIGHT) == pytest.approx(hours)


def test_a_schedule_counts_in_its_own_time_zone() -> None:
    policy = AdmissionPolicy(schedule=(AT_NINE,))
    assert estimate_hours(policy, 500, MIDNIGHT) == 7
    assert estimate_hours(policy, 501, MIDNIGHT) == 7 + 24
    # At 9:00, the offers of today's schedule are already being made. The next ones follow tomorrow.
    assert estimate_hours(policy, 1, NINE) == 24


def test_a_single_time_of_a_schedule_admits_once() -> None:
    policy = AdmissionPolicy(schedule=(Scheduled(at="2026-06-02T00:00:00Z", count=20),))
    assert estimate_hours(policy, 20, MIDNIGHT) == 24
    known = policy_of(policy, (MIDNIGHT + DAY) * 1000)
    assert known is not None
    assert known.instants == []


def test_places_of_the_last_instant_continue_to_open_at_the_rate() -> None:
    """The schedule allows 500 offers at 9:00. At a rate of 100 an hour, the last of them is made at
    14:00.
    """
    policy = AdmissionPolicy(schedule=(AT_NINE,), rate=Rate(count=100, per="hour"))
    assert estimate_hours(policy, 100, NINE + 3 * HOUR) == pytest.approx(1)
    assert estimate_hours(policy, 300, NINE + 3 * HOUR) == pytest.approx(21 + 1)
    assert estimate_hours(policy, 100, NINE + 6 * HOUR) == pytest.approx(18 + 1)


def test_a_frequent_schedule_has_a_bounded_number_of_instants() -> None:
    each_minute = Scheduled(cron="* * * * *", count=10)
    policy = AdmissionPolicy(schedule=(each_minute,), rate=Rate(count=5, per="minute"))
    known = policy_of(policy, (MIDNIGHT + 30) * 1000)
    instants = (known and known.instants) or ()
    assert len(instants) == MOST_INSTANTS
    assert instants[0][0] == MIDNIGHT
    # The schedule allows ten offers a minute, but the rate allows only five.
    assert estimate_hours(policy, 600, MIDNIGHT + 30) == pytest.approx(2, rel=0.01)


def hourly_rate_from(seconds: int, count: int) -> Rate:
    begins = datetime.fromtimestamp(seconds, UTC).isoformat()
    return Rate(count=count, per="hour", from_=begins)


def test_a_rate_opens_no_places_before_it_begins() -> None:
    policy = AdmissionPolicy(rate=hourly_rate_from(NINE, 60))
    assert estimate_hours(policy, 60, MIDNIGHT) == pytest.approx(8)
    assert estimate_hours(policy, 60, NINE) == pytest.approx(1)
    at_nine = AdmissionPolicy(schedule=(AT_NINE,), rate=hourly_rate_from(NINE + 2 * HOUR, 100))
    assert estimate_hours(at_nine, 100, MIDNIGHT) == pytest.approx(10)


def test_combine_sum_adds_the_places_of_an_instant_to_the_rate() -> None:
    """With `combine: sum`, scheduled admissions are added to the rate.

    The policy admits 100 people an hour, and another 500 people at nine.
    """
    rate = Rate(count=100, per="hour")
    policy = AdmissionPolicy(schedule=(AT_NINE,), rate=rate, combine="sum")
    assert estimate_hours(policy, 100, MIDNIGHT) == pytest.approx(1)
    assert estimate_hours(policy, 700 + 500, MIDNIGHT) == pytest.approx(7)
    assert estimate_hours(policy, 700 + 500 + 100, MIDNIGHT) == pytest.approx(8)


def test_a_launch_begins_with_its_instant_and_continues_at_the_rate() -> None:
    once = Scheduled(at=datetime.fromtimestamp(NINE, UTC).isoformat(), count=500)
    policy = AdmissionPolicy(schedule=(once,), rate=hourly_rate_from(NINE, 100), combine="sum")
    assert estimate_hours(policy, 500, MIDNIGHT) == pytest.approx(7)
    assert estimate_hours(policy, 600, MIDNIGHT) == pytest.approx(8)
    assert estimate_hours(policy, 100, NINE) == pytest.approx(1)


def test_an_encoded_pace_of_two_limits_is_short_enough() -> None:
    hourly = Scheduled(cron="7 * * * *", count=123_456)
    policy = AdmissionPolicy(schedule=(hourly,), rate=Rate(count=7, per="minute"), combine="sum")
    known = policy_of(policy, MIDNIGHT * 1000 + 1)
    pace = pace_of(sample := [Sample(millis=MIDNIGHT * 1000 + 1)], sample, known)
    assert pace is not None
    assert len(pace.encode()) < 2048
