"""The pace of a list by its samples and its policy."""

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
    """Return samples of a list in which 1,000 people wait; the counts are those of a minute."""
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


def pace(minutes: Sequence[Sample], policy: Policy | None = None) -> Pace:
    found = pace_of(minutes, minutes[-1:], policy)
    assert found is not None
    return found


def wait(found: Pace, position: int) -> tuple[int, int, int]:
    estimate = found.estimate(position, found.at)
    assert estimate is not None
    return estimate.low, estimate.seconds, estimate.high


def test_a_steady_rate_is_measured() -> None:
    low, middle, high = wait(pace(samples(60, lambda _: 10)), 100)
    assert middle == 600
    assert 480 < low < middle < high < 720


def test_a_few_admissions_are_no_pace() -> None:
    assert pace_of([], [], None) is None
    for minutes, served in ((0, 0), (60, 0), (2, 50), (4, 1)):
        found = samples(minutes, lambda _, served=served: served)  # type: ignore[misc]
        assert pace_of(found, found[-1:], None) is None


def test_fewer_admissions_give_a_wider_estimate() -> None:
    chance = random.Random(1)
    few = samples(180, lambda _: int(chance.random() < 0.1))
    many = samples(180, lambda _: sum(chance.random() < 0.1 for _ in range(100)))
    few_low, few_middle, few_high = wait(pace(few), 10)
    low, middle, high = wait(pace(many), 1000)
    assert (few_high - few_low) / few_middle > 3 * (high - low) / middle


def test_a_rate_that_has_halved_is_noticed_and_the_old_one_forgotten() -> None:
    found = pace(samples(180, lambda minute: 20 if minute <= 150 else 10))
    assert found.rate == pytest.approx(10 / MINUTE, rel=0.02)


def test_a_list_that_stopped_has_no_pace() -> None:
    found = samples(180, lambda minute: 10 if minute <= 150 else 0)
    assert pace_of(found, found[-1:], None) is None


def test_a_pause_is_no_slow_service() -> None:
    found = samples(120, lambda minute: 0 if 60 < minute <= 90 else 10)
    paused = [replace(one, paused=60 < number <= 90) for number, one in enumerate(found)]
    assert pace(paused).rate == pytest.approx(10 / MINUTE, rel=0.05)


@pytest.mark.parametrize("none_ready", [{"waiting": 0}, {"not_ready": 50}])
def test_time_in_which_none_is_ready_is_no_slow_service(none_ready: dict[str, int]) -> None:
    found = samples(120, lambda minute: 0 if 30 < minute <= 100 else 10)
    empty = [
        replace(one, **({"waiting": 50} | (none_ready if 30 <= number < 100 else {})))
        for number, one in enumerate(found)
    ]
    assert pace(empty).rate == pytest.approx(10 / MINUTE, rel=0.05)


def test_entries_that_a_claim_gives_back_are_not_served() -> None:
    held = [
        Sample(millis=(START + n * MINUTE) * 1000, waiting=50, offered=10 * (n % 2))
        for n in range(120)
    ]
    assert pace_of(held, held[-1:], None) is None


def test_missed_minutes_lose_no_admission() -> None:
    found = samples(120, lambda _: 10)
    assert pace([*found[:40], *found[70:]]).rate == pytest.approx(10 / MINUTE, rel=0.02)


def test_regular_bursts_are_foreseen() -> None:
    found = pace(samples(122, lambda minute: 40 if minute % 5 == 0 else 0))
    assert found.cycle == 5 * MINUTE
    # The last burst was two minutes ago, or a moment more.
    assert wait(found, 1)[1] == pytest.approx(3 * MINUTE, abs=MINUTE)
    assert wait(found, 81)[1] == pytest.approx(13 * MINUTE, abs=MINUTE)


def test_bursts_that_ended_are_not_foreseen() -> None:
    found = samples(150, lambda minute: 40 if minute % 5 == 0 and minute <= 120 else 0)
    assert pace_of(found, found[-1:], None) is None


def test_daily_batches_answer_in_days() -> None:
    def batch(minute: int) -> int:
        return 100 if minute % (24 * 60) == 9 * 60 + 20 else 0

    minutes = 5 * 24 * 60 + 8 * 60  # 8:00 of the sixth day
    hours = samples(minutes, batch, every=60)
    found = pace_of(samples(minutes, batch)[-180:], hours, None)
    assert found is not None
    # The batch comes within the hour after 9:00.
    assert [wait(found, one)[1] / HOUR for one in (50, 150, 350)] == [1.5, 25.5, 73.5]
    low, _, high = wait(found, 150)
    assert low <= 25.33 * HOUR <= high < 28 * HOUR


def weekly(minutes: int, taken: Callable[[int], int]) -> Pace | None:
    """Return the pace of the last four weeks."""
    made = samples(minutes, taken)
    hours = [one for number, one in enumerate(made) if number % 60 == 0 or one is made[-1]]
    return pace_of(made[-180:], hours[-28 * 24 :], None)


WEEK_MINUTES = 7 * 24 * 60


def on_tuesdays(minute: int) -> int:
    """Serve 60 people within two hours, a few hours earlier or later each week."""
    begins = 24 * 60 + (9 + minute // WEEK_MINUTES % 3) * 60 + 10
    return 1 if 0 <= minute % WEEK_MINUTES - begins < 120 and minute % 2 else 0


def test_weekly_batches_answer_in_days() -> None:
    """Given four batches by hand, the last one on Tuesday, when asked on the Friday after."""
    found = weekly(3 * WEEK_MINUTES + 4 * 24 * 60, on_tuesdays)
    assert found is not None
    days = [wait(found, one)[1] / DAY for one in (30, 90)]
    assert days == pytest.approx([4.4, 11.4], abs=0.2)
    low, _, high = wait(found, 30)
    assert low / DAY < 4.4 < high / DAY < 5


def test_weekly_batches_that_became_a_steady_service_are_not_foreseen() -> None:
    ended = 3 * WEEK_MINUTES + 2 * 24 * 60
    found = weekly(ended + 24 * 60, lambda one: 1 if one > ended else on_tuesdays(one))
    assert found is not None
    assert wait(found, 60)[1] == pytest.approx(HOUR, rel=0.1)


def test_three_weekly_batches_are_too_few() -> None:
    assert weekly(2 * WEEK_MINUTES + 4 * 24 * 60, on_tuesdays) is None


def test_the_part_that_leaves_is_measured() -> None:
    found = pace(samples(60, lambda _: 10, lambda _: 3))
    assert found.leaving == pytest.approx(3 / (1000 * MINUTE))


def test_a_rate_policy_is_known_from_its_first_minute() -> None:
    policy = Policy(rate=500 / MINUTE)
    low, middle, high = wait(pace(samples(0, lambda _: 0, version=3), policy), 5000)
    assert (low, middle, high) == (598, 600, 602)


def test_offers_that_come_back_make_a_rate_policy_slower() -> None:
    policy = Policy(rate=10 / MINUTE)
    assert pace(samples(60, lambda _: 10), policy).rate == policy.rate
    assert pace(samples(60, lambda _: 6), policy).rate == pytest.approx(6 / MINUTE, rel=0.02)


def test_samples_of_another_policy_do_not_count() -> None:
    slow = samples(60, lambda _: 6, version=1)
    new = replace(slow[-1], version=2, millis=slow[-1].millis + MINUTE * 1000)
    assert pace([*slow, new], Policy(rate=10 / MINUTE)).rate == 10 / MINUTE


def at_nine(days: int) -> list[tuple[float, int]]:
    return [(START + day * DAY + 9 * HOUR, 500) for day in range(days)]


def test_a_schedule_is_known() -> None:
    found = pace(samples(0, lambda _: 0), Policy(instants=at_nine(MOST_INSTANTS)))
    assert [wait(found, one)[1] for one in (1, 500, 501)] == [9 * HOUR, 9 * HOUR, 33 * HOUR]
    # Behind the instants that it has one by one, a pace goes on at their mean.
    far = 500 * (MOST_INSTANTS + 10)
    assert wait(found, far)[1] == pytest.approx((MOST_INSTANTS + 9.4) * DAY, rel=0.02)


def test_a_schedule_that_ends_opens_no_place_after_it() -> None:
    found = pace(samples(0, lambda _: 0), Policy(instants=at_nine(2)))
    assert wait(found, 1000)[1] == 33 * HOUR
    assert found.estimate(1001, found.at) is None
    assert pace(samples(0, lambda _: 0), Policy(instants=())).estimate(1, START) is None


def test_a_rate_spreads_the_places_of_a_schedule() -> None:
    policy = Policy(instants=at_nine(2), rate=100 / HOUR)
    found = pace(samples(0, lambda _: 0), policy)
    assert [wait(found, one)[1] / HOUR for one in (100, 500, 600)] == [10, 14, 34]
    # What is not taken when the next instant comes lapses: 240 places in a day at 10 an hour.
    slow = pace(samples(0, lambda _: 0), Policy(instants=at_nine(2), rate=10 / HOUR))
    assert wait(slow, 241)[1] / HOUR == pytest.approx(33.1, abs=0.01)


LAUNCH = Policy(rate=100 / HOUR, max_inside=50, pass_seconds=HOUR)


def test_a_room_that_will_be_full_slows_the_estimate_before_it_is() -> None:
    """Given an empty room of 50, 100 an hour, and passes of an hour."""
    empty = pace(samples(10, lambda _: 0), LAUNCH)
    low, middle, high = wait(empty, 2003)
    assert middle == pytest.approx(2003 / 50 * 2 / 3 * HOUR, rel=0.02)
    # If all stay for their whole pass: the third of the 41st fifty.
    whole = 40 * HOUR + 3 * 36
    assert low < 20 * HOUR < middle < whole < high
    # The first of them come in at the rate, whatever happens later.
    assert wait(empty, 20)[1] == pytest.approx(20 * 36, abs=2)
    assert wait(empty, 20)[2] < 21 * 36


def test_a_room_that_never_fills_up_leaves_the_rate_as_it_is() -> None:
    slow = Policy(rate=50 / HOUR, max_inside=100, pass_seconds=HOUR)
    found = pace(samples(10, lambda _: 0), slow)
    assert (found.rate, found.error, found.pieces) == (50 / HOUR, 0.0, ())


def test_the_time_that_people_stay_is_measured_before_the_room_is_full() -> None:
    """Given 2 a minute for 10 minutes each: 20 inside, in a room of 100 for 12 a minute."""
    policy = Policy(rate=12 / MINUTE, max_inside=100, pass_seconds=HOUR)
    found = pace(samples(60, lambda _: 2, inside=20), policy)
    assert found.rate == pytest.approx(100 / 600, rel=0.01)
    low, middle, high = wait(found, 1000)
    assert low < middle < high < 1.3 * middle


def test_a_wave_of_people_who_go_out_together_is_no_pace() -> None:
    """Given passes of an hour, of which 20 minutes are busy, and a poll in such a time."""
    policy = Policy(rate=5 / MINUTE, max_inside=100, pass_seconds=HOUR)

    def served(minute: int) -> int:
        return 5 if minute % 60 < 20 else 0

    found = pace(samples(180 + 15, served, inside=100), policy)
    assert found.rate == pytest.approx(100 / HOUR, rel=0.1)


def test_places_of_a_schedule_wait_for_room() -> None:
    """Given 100 places at once, and a room of 50 from which one goes out every 48 seconds."""
    policy = Policy(instants=[(START + 20 * MINUTE, 100)], max_inside=50, pass_seconds=HOUR)
    found = pace(samples(10, lambda _: 0), policy)
    assert wait(found, 50)[1] == 10 * MINUTE
    assert wait(found, 100)[1] == pytest.approx(10 * MINUTE + 50 * 48, rel=0.01)
    assert found.estimate(101, found.at) is None


def test_a_full_list_goes_as_fast_as_people_go_out() -> None:
    policy = Policy(rate=500 / MINUTE, max_inside=200)
    full = samples(60, lambda _: 10, inside=200)
    assert pace(full, policy).rate == pytest.approx(10 / MINUTE, rel=0.02)
    free = samples(60, lambda _: 10, inside=100)
    # The free places open at the rate; then one as each person goes out, after 10 minutes.
    filling = pace(free, policy)
    assert wait(filling, 100)[1] == pytest.approx(12, abs=1)
    assert wait(filling, 1000)[1] == pytest.approx(900 / 200 * 600, rel=0.02)


def test_until_exits_are_seen_a_full_list_goes_by_the_length_of_its_passes() -> None:
    policy = Policy(max_inside=200, pass_seconds=3600)
    found = pace(samples(30, lambda _: 0, inside=200), policy)
    low, middle, high = wait(found, 200)
    # People stay for their whole pass, or less.
    assert low < 1800 < middle < 3600 < high


def test_offers_take_places_inside() -> None:
    policy = Policy(rate=500 / MINUTE, max_inside=200)
    full = samples(60, lambda _: 10, inside=150)
    offered = [replace(one, offered=50) for one in full]
    assert pace(offered, policy).rate == pytest.approx(10 / MINUTE, rel=0.02)
