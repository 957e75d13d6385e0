"""What an admission policy says of the pace."""

from datetime import UTC, datetime

import pytest

from waitlist_api.estimates.policy import policy_of
from waitlist_api.estimates.select_pace import MOST_INSTANTS, pace_of
from waitlist_api.records.samples import Sample
from waitlist_api.settings.admission import AdmissionPolicy, Rate, Scheduled

HOUR, DAY = 3600, 86_400
MIDNIGHT = 1_780_272_000  # in UTC, in seconds; 2:00 in Berlin
AT_NINE = Scheduled(cron="0 9 * * *", timezone="Europe/Berlin", count=500)
NINE = MIDNIGHT + 7 * HOUR


def wait(policy: AdmissionPolicy, position: int, now: int) -> float:
    """Return the hours until the turn of a position, of a list without a past."""
    known = policy_of(policy, now * 1000)
    now_sample = [Sample(millis=now * 1000, waiting=9999)]
    pace = pace_of(now_sample, now_sample, known)
    assert pace is not None
    estimate = pace.estimate(position, now)
    assert estimate is not None
    return estimate.seconds / HOUR


def test_a_list_without_a_policy_or_without_limits_is_measured() -> None:
    assert policy_of(None, MIDNIGHT * 1000) is None
    assert policy_of(AdmissionPolicy(), MIDNIGHT * 1000) is None


@pytest.mark.parametrize(
    ("count", "per", "hours"),
    [(1, "second", 1), (60, "minute", 1), (1800, "hour", 2), (3600, "day", 24)],
)
def test_a_rate_is_known_in_each_period(count: int, per: str, hours: int) -> None:
    policy = AdmissionPolicy(rate=Rate(count=count, per=per))  # type: ignore[arg-type]
    assert wait(policy, 3600, MIDNIGHT) == pytest.approx(hours)


def test_a_schedule_is_known_in_its_own_time_zone() -> None:
    policy = AdmissionPolicy(schedule=(AT_NINE,))
    assert wait(policy, 500, MIDNIGHT) == 7
    assert wait(policy, 501, MIDNIGHT) == 7 + 24
    # At 9:00 itself the places have opened, so the next ones are tomorrow's.
    assert wait(policy, 1, NINE) == 24


def test_a_single_time_of_a_schedule_admits_once() -> None:
    policy = AdmissionPolicy(schedule=(Scheduled(at="2026-06-02T00:00:00Z", count=20),))
    assert wait(policy, 20, MIDNIGHT) == 24
    known = policy_of(policy, (MIDNIGHT + DAY) * 1000)
    assert known is not None
    assert known.instants == []


def test_places_of_the_last_instant_go_on_opening_at_the_rate() -> None:
    """500 places at 100 an hour take until 14:00."""
    policy = AdmissionPolicy(schedule=(AT_NINE,), rate=Rate(count=100, per="hour"))
    assert wait(policy, 100, NINE + 3 * HOUR) == pytest.approx(1)
    assert wait(policy, 300, NINE + 3 * HOUR) == pytest.approx(21 + 1)
    assert wait(policy, 100, NINE + 6 * HOUR) == pytest.approx(18 + 1)


def test_a_frequent_schedule_has_a_bounded_number_of_instants() -> None:
    each_minute = Scheduled(cron="* * * * *", count=10)
    policy = AdmissionPolicy(schedule=(each_minute,), rate=Rate(count=5, per="minute"))
    known = policy_of(policy, (MIDNIGHT + 30) * 1000)
    instants = (known and known.instants) or ()
    assert len(instants) == MOST_INSTANTS
    assert instants[0][0] == MIDNIGHT
    # Ten open each minute, of which the rate lets five through.
    assert wait(policy, 600, MIDNIGHT + 30) == pytest.approx(2, rel=0.01)


def rate_from(seconds: int, count: int) -> Rate:
    begins = datetime.fromtimestamp(seconds, UTC).isoformat()
    return Rate(count=count, per="hour", from_=begins)


def test_a_rate_opens_nothing_before_its_time() -> None:
    policy = AdmissionPolicy(rate=rate_from(NINE, 60))
    assert wait(policy, 60, MIDNIGHT) == pytest.approx(8)
    assert wait(policy, 60, NINE) == pytest.approx(1)
    at_nine = AdmissionPolicy(schedule=(AT_NINE,), rate=rate_from(NINE + 2 * HOUR, 100))
    assert wait(at_nine, 100, MIDNIGHT) == pytest.approx(10)


def test_a_sum_opens_the_places_of_an_instant_at_once_beside_the_rate() -> None:
    """100 an hour until nine, then 500 at once, then 100 an hour again."""
    rate = Rate(count=100, per="hour")
    policy = AdmissionPolicy(schedule=(AT_NINE,), rate=rate, combine="sum")
    assert wait(policy, 100, MIDNIGHT) == pytest.approx(1)
    assert wait(policy, 700 + 500, MIDNIGHT) == pytest.approx(7)
    assert wait(policy, 700 + 500 + 100, MIDNIGHT) == pytest.approx(8)


def test_a_launch_begins_with_its_instant_and_goes_on_at_the_rate() -> None:
    once = Scheduled(at=datetime.fromtimestamp(NINE, UTC).isoformat(), count=500)
    policy = AdmissionPolicy(schedule=(once,), rate=rate_from(NINE, 100), combine="sum")
    assert wait(policy, 500, MIDNIGHT) == pytest.approx(7)
    assert wait(policy, 600, MIDNIGHT) == pytest.approx(8)
    assert wait(policy, 100, NINE) == pytest.approx(1)


def test_a_pace_of_two_limits_fits_into_its_text() -> None:
    hourly = Scheduled(cron="7 * * * *", count=123_456)
    policy = AdmissionPolicy(schedule=(hourly,), rate=Rate(count=7, per="minute"), combine="sum")
    known = policy_of(policy, MIDNIGHT * 1000 + 1)
    pace = pace_of(sample := [Sample(millis=MIDNIGHT * 1000 + 1)], sample, known)
    assert pace is not None
    assert len(pace.encode()) < 2048
