"""The service computes how fast a waitlist admits people from its samples and its admission
policy.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from waitlist_api.estimates.pace import Pace
from waitlist_api.estimates.select_pace import MOST_INSTANTS, Policy, pace_of
from waitlist_api.records.samples import Sample

MINUTE, HOUR, DAY = 60, 3600, 86_400
START = 1_780_272_000  # a midnight, in seconds


def samples(
    minutes: int,
    served: Callable[[int], int],
    left: Callable[[int], int] = lambda _: 0,
    *,
    every: int = 1,
    **fields: Any,
) -> list[Sample]:
    made, admitted, gone = [], 0, 0
    for minute in range(minutes + 1):
        if minute:
            admitted, gone = admitted + served(minute), gone + left(minute)
        if minute % every == 0 or minute == minutes:
            made.append(
                Sample(
                    millis=(START + minute * MINUTE) * 1000,
                    admitted=admitted,
                    left=gone,
                    waiting=1000,
                    **fields,
                )
            )
    return made


def compute_pace(minutes: Sequence[Sample], policy: Policy | None = None) -> Pace:
    found = pace_of(minutes, minutes[-1:], policy)
    assert found is not None
    return found


def estimate_wait(found: Pace, position: int) -> tuple[int, int, int]:
    estimate = found.estimate(position, found.at)
    assert estimate is not None
    return estimate.low, estimate.seconds, estimate.high


def test_a_steady_rate_is_measured() -> None:
    low, middle, high = estimate_wait(compute_pace(samples(60, lambda _: 10)), 100)
    assert middle == 600
    assert 480 < low < middle < high < 720


def test_a_few_admissions_give_no_pace() -> None:
    assert pace_of([], [], None) is None
    for minutes, served in ((0, 0), (60, 0), (2, 50), (4, 1)):
        found = samples(minutes, lambda _, served=served: served)  # type: ignore[misc]
        assert pace_of(found, found[-1:], None) is None


def test_fewer_admissions_give_a_wider_estimate() -> None:
    chance = random.Random(1)
    few = samples(180, lambda _: int(chance.random() < 0.1))
    many = samples(180, lambda _: sum(chance.random() < 0.1 for _ in range(100)))
    few_low, few_middle, few_high = estimate_wait(compute_pace(few), 10)
    low, middle, high = estimate_wait(compute_pace(many), 1000)
    assert (few_high - few_low) / few_middle > 3 * (high - low) / middle


def test_after_the_rate_has_halved_the_pace_is_the_new_rate() -> None:
    found = compute_pace(samples(180, lambda minute: 20 if minute <= 150 else 10))
    assert found.rate == pytest.approx(10 / MINUTE, rel=0.02)


def test_a_list_that_stopped_admitting_has_no_pace() -> None:
    found = samples(180, lambda minute: 10 if minute <= 150 else 0)
    assert pace_of(found, found[-1:], None) is None


def test_a_pause_does_not_lower_the_rate() -> None:
    found = samples(120, lambda minute: 0 if 60 < minute <= 90 else 10)
    paused = [replace(one, paused=60 < number <= 90) for number, one in enumerate(found)]
    assert compute_pace(paused).rate == pytest.approx(10 / MINUTE, rel=0.05)


@pytest.mark.parametrize("none_ready", [{"waiting": 0}, {"not_ready": 50}])
def test_time_in_which_no_entry_is_ready_does_not_lower_the_rate(
    none_ready: dict[str, int],
) -> None:
    found = samples(120, lambda minute: 0 if 30 < minute <= 100 else 10)
    empty = [
        replace(one, **({"waiting": 50} | (none_ready if 30 <= number < 100 else {})))
        for number, one in enumerate(found)
    ]
    assert compute_pace(empty).rate == pytest.approx(10 / MINUTE, rel=0.05)


def test_released_claims_do_not_count_as_served() -> None:
    held = [
        Sample(millis=(START + n * MINUTE) * 1000, waiting=50, offered=10 * (n % 2))
        for n in range(120)
    ]
    assert pace_of(held, held[-1:], None) is None


def test_missing_samples_do_not_lower_the_rate() -> None:
    found = samples(120, lambda _: 10)
    assert compute_pace([*found[:40], *found[70:]]).rate == pytest.approx(10 / MINUTE, rel=0.02)


def test_regular_bursts_are_predicted() -> None:
    found = compute_pace(samples(122, lambda minute: 40 if minute % 5 == 0 else 0))
    assert found.cycle == 5 * MINUTE
    # The last people were admitted about two minutes ago.
    assert estimate_wait(found, 1)[1] == pytest.approx(3 * MINUTE, abs=MINUTE)
    assert estimate_wait(found, 81)[1] == pytest.approx(13 * MINUTE, abs=MINUTE)


def test_bursts_that_ended_are_not_predicted() -> None:
    found = samples(150, lambda minute: 40 if minute % 5 == 0 and minute <= 120 else 0)
    assert pace_of(found, found[-1:], None) is None


def test_daily_batches_give_an_estimate_in_days() -> None:
    def batch(minute: int) -> int:
        return 100 if minute % (24 * 60) == 9 * 60 + 20 else 0

    minutes = 5 * 24 * 60 + 8 * 60  # 8:00 on the sixth day
    hours = samples(minutes, batch, every=60)
    found = pace_of(samples(minutes, batch)[-180:], hours, None)
    assert found is not None
    # The hourly samples show only that the people were admitted between 9:00 and 10:00.
    assert [estimate_wait(found, one)[1] / HOUR for one in (50, 150, 350)] == [1.5, 25.5, 73.5]
    low, _, high = estimate_wait(found, 150)
    assert low <= 25.33 * HOUR <= high < 28 * HOUR


def compute_weekly_pace(minutes: int, taken: Callable[[int], int]) -> Pace | None:
    made = samples(minutes, taken)
    hours = [one for number, one in enumerate(made) if number % 60 == 0 or one is made[-1]]
    return pace_of(made[-180:], hours[-28 * 24 :], None)


WEEK_MINUTES = 7 * 24 * 60


def serve_on_tuesdays(minute: int) -> int:
    """Serve 60 people within two hours every Tuesday, starting at a different time each week."""
    begins = 24 * 60 + (9 + minute // WEEK_MINUTES % 3) * 60 + 10
    return 1 if 0 <= minute % WEEK_MINUTES - begins < 120 and minute % 2 else 0


def test_weekly_batches_give_an_estimate_in_days() -> None:
    """If people were admitted on each of the last four Tuesdays, a customer who asks on Friday gets
    an estimate in days.
    """
    found = compute_weekly_pace(3 * WEEK_MINUTES + 4 * 24 * 60, serve_on_tuesdays)
    assert found is not None
    days = [estimate_wait(found, one)[1] / DAY for one in (30, 90)]
    assert days == pytest.approx([4.4, 11.4], abs=0.2)
    low, _, high = estimate_wait(found, 30)
    assert low / DAY < 4.4 < high / DAY < 5


def test_weekly_batches_that_became_a_steady_rate_are_not_predicted() -> None:
    ended = 3 * WEEK_MINUTES + 2 * 24 * 60
    found = compute_weekly_pace(
        ended + 24 * 60, lambda one: 1 if one > ended else serve_on_tuesdays(one)
    )
    assert found is not None
    assert estimate_wait(found, 60)[1] == pytest.approx(HOUR, rel=0.1)


def test_three_weekly_batches_are_too_few_to_predict_the_next() -> None:
    assert compute_weekly_pace(2 * WEEK_MINUTES + 4 * 24 * 60, serve_on_tuesdays) is None


def test_the_rate_of_leaving_is_measured() -> None:
    found = compute_pace(samples(60, lambda _: 10, lambda _: 3))
    assert found.leaving == pytest.approx(3 / (1000 * MINUTE))


def test_the_pace_follows_a_rate_policy_from_its_first_minute() -> None:
    policy = Policy(rate=500 / MINUTE)
    low, middle, high = estimate_wait(
        compute_pace(samples(0, lambda _: 0, version=3), policy), 5000
    )
    assert (low, middle, high) == (598, 600, 602)


def test_unused_offers_lower_the_rate_of_a_policy() -> None:
    policy = Policy(rate=10 / MINUTE)
    assert compute_pace(samples(60, lambda _: 10), policy).rate == policy.rate
    assert compute_pace(samples(60, lambda _: 6), policy).rate == pytest.approx(
        6 / MINUTE, rel=0.02
    )


def test_samples_of_another_policy_do_not_count() -> None:
    slow = samples(60, lambda _: 6, version=1)
    new = replace(slow[-1], version=2, millis=slow[-1].millis + MINUTE * 1000)
    assert compute_pace([*slow, new], Policy(rate=10 / MINUTE)).rate == 10 / MINUTE


def instants_at_nine(days: int) -> list[tuple[float, int]]:
    return [(START + day * DAY + 9 * HOUR, 500) for day in range(days)]


def test_the_pace_follows_a_schedule() -> None:
    found = compute_pace(samples(0, lambda _: 0), Policy(instants=instants_at_nine(MOST_INSTANTS)))
    assert [estimate_wait(found, one)[1] for one in (1, 500, 501)] == [
        9 * HOUR,
        9 * HOUR,
        33 * HOUR,
    ]
    # The pace lists only the next few scheduled times. For later times, it uses their average rate.
    far = 500 * (MOST_INSTANTS + 10)
    assert estimate_wait(found, far)[1] == pytest.approx((MOST_INSTANTS + 9.4) * DAY, rel=0.02)


def test_after_the_last_instant_of_a_schedule_there_is_no_estimate() -> None:
    found = compute_pace(samples(0, lambda _: 0), Policy(instants=instants_at_nine(2)))
    assert estimate_wait(found, 1000)[1] == 33 * HOUR
    assert found.estimate(1001, found.at) is None
    assert compute_pace(samples(0, lambda _: 0), Policy(instants=())).estimate(1, START) is None


def test_a_rate_spreads_the_places_of_a_schedule_over_time() -> None:
    policy = Policy(instants=instants_at_nine(2), rate=100 / HOUR)
    found = compute_pace(samples(0, lambda _: 0), policy)
    assert [estimate_wait(found, one)[1] / HOUR for one in (100, 500, 600)] == [10, 14, 34]
    # At a rate of 10 an hour, only 240 offers are made before the next scheduled time, when the
    # remaining offers expire.
    slow = compute_pace(
        samples(0, lambda _: 0), Policy(instants=instants_at_nine(2), rate=10 / HOUR)
    )
    assert estimate_wait(slow, 241)[1] / HOUR == pytest.approx(33.1, abs=0.01)


LAUNCH = Policy(rate=100 / HOUR, max_inside=50, pass_seconds=HOUR)


def test_the_estimate_considers_that_the_room_will_be_full() -> None:
    """The estimate takes into account that at most 50 people can be inside.

    Nobody is inside yet, the policy's rate is 100 an hour, and passes last an hour.
    """
    empty = compute_pace(samples(10, lambda _: 0), LAUNCH)
    low, middle, high = estimate_wait(empty, 2003)
    assert middle == pytest.approx(2003 / 50 * 2 / 3 * HOUR, rel=0.02)
    # `whole` is the wait if everyone stays inside for the whole hour. Then 50 people an hour enter,
    # which makes 2,000 people in 40 hours.
    whole = 40 * HOUR + 3 * 36
    assert low < 20 * HOUR < middle < whole < high
    # The first customers are admitted at the policy's rate, because there is still room inside.
    assert estimate_wait(empty, 20)[1] == pytest.approx(20 * 36, abs=2)
    assert estimate_wait(empty, 20)[2] < 21 * 36


def test_a_room_that_never_fills_does_not_change_the_rate() -> None:
    slow = Policy(rate=50 / HOUR, max_inside=100, pass_seconds=HOUR)
    found = compute_pace(samples(10, lambda _: 0), slow)
    assert (found.rate, found.error, found.pieces) == (50 / HOUR, 0.0, ())


def test_the_time_inside_is_measured_before_the_room_is_full() -> None:
    """The service measures how long people stay inside even before `max_inside` is reached.

    In this test, two people are admitted a minute and 20 are inside, so each of them stays for
    about ten minutes.
    """
    policy = Policy(rate=12 / MINUTE, max_inside=100, pass_seconds=HOUR)
    found = compute_pace(samples(60, lambda _: 2, inside=20), policy)
    assert found.rate == pytest.approx(100 / 600, rel=0.01)
    low, middle, high = estimate_wait(found, 1000)
    assert low < middle < high < 1.3 * middle


def test_many_exits_at_once_do_not_raise_the_rate() -> None:
    """The estimated rate is an average, even if the customer asks while many people are exiting.

    People enter during the first 20 minutes of each hour and exit an hour later.
    """
    policy = Policy(rate=5 / MINUTE, max_inside=100, pass_seconds=HOUR)

    def served(minute: int) -> int:
        return 5 if minute % 60 < 20 else 0

    found = compute_pace(samples(180 + 15, served, inside=100), policy)
    assert found.rate == pytest.approx(100 / HOUR, rel=0.1)


def test_places_of_a_schedule_open_only_when_there_is_room() -> None:
    """Scheduled offers are made only while there is room inside.

    The schedule allows 100 offers at once, but only 50 people fit inside. The other offers are made
    as people exit, one every 48 seconds.
    """
    policy = Policy(instants=[(START + 20 * MINUTE, 100)], max_inside=50, pass_seconds=HOUR)
    found = compute_pace(samples(10, lambda _: 0), policy)
    assert estimate_wait(found, 50)[1] == 10 * MINUTE
    assert estimate_wait(found, 100)[1] == pytest.approx(10 * MINUTE + 50 * 48, rel=0.01)
    assert found.estimate(101, found.at) is None


def test_a_full_list_admits_as_fast_as_people_exit() -> None:
    policy = Policy(rate=500 / MINUTE, max_inside=200)
    full = samples(60, lambda _: 10, inside=200)
    assert compute_pace(full, policy).rate == pytest.approx(10 / MINUTE, rel=0.02)
    free = samples(60, lambda _: 10, inside=100)
    # At first, the policy fills the free places inside at its rate. After 10 minutes, people begin
    # to exit, and each exit allows one admission.
    filling = compute_pace(free, policy)
    assert estimate_wait(filling, 100)[1] == pytest.approx(12, abs=1)
    assert estimate_wait(filling, 1000)[1] == pytest.approx(900 / 200 * 600, rel=0.02)


def test_before_the_first_exit_the_estimate_uses_the_length_of_passes() -> None:
    policy = Policy(max_inside=200, pass_seconds=3600)
    found = compute_pace(samples(30, lambda _: 0, inside=200), policy)
    low, middle, high = estimate_wait(found, 200)
    # Nobody has exited yet, so the service knows only that no stay is longer than a pass.
    assert low < 1800 < middle < 3600 < high


def test_open_offers_take_places_inside() -> None:
    policy = Policy(rate=500 / MINUTE, max_inside=200)
    full = samples(60, lambda _: 10, inside=150)
    offered = [replace(one, offered=50) for one in full]
    assert compute_pace(offered, policy).rate == pytest.approx(10 / MINUTE, rel=0.02)
