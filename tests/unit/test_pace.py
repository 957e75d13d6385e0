"""Estimated waits agree with the pace they are computed from.

A later position never has a shorter wait, and no wait is negative.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from waitlist_api.estimates.pace import STALE_SECONDS, Estimate, Pace, Piece, Wait, wait_at

AT = 1_780_000_000


def estimate_seconds(pace: Pace, position: int, after: float = 0) -> int:
    found = pace.estimate(position, AT + after)
    assert found is not None
    return found.seconds


def test_a_rate_opens_one_place_after_the_other() -> None:
    pace = Pace(at=AT, rate=0.5)
    assert estimate_seconds(pace, 1) == 2
    assert estimate_seconds(pace, 300) == 600


def test_people_who_leave_from_ahead_shorten_the_wait() -> None:
    staying, leaving = Pace(at=AT, rate=1.0), Pace(at=AT, rate=1.0, leaving=0.001)
    assert estimate_seconds(staying, 1000) == 1000
    # Some of the 999 people ahead leave. The rest are served within ln(1 + 0.001 * 999) / 0.001 =
    # 693 seconds, and the customer is served one second later.
    assert estimate_seconds(leaving, 1000) == 694
    # Nobody is ahead of the first customer, whose wait does not get shorter if people leave.
    assert estimate_seconds(leaving, 1) == estimate_seconds(staying, 1)


def test_people_also_leave_while_no_places_open() -> None:
    day = Pace(at=AT, leaving=0.0001, cycle=86_400, pieces=(Piece(3600, 3600, 50),))
    # The first places open after an hour. By then, 30% of the people ahead have left the waitlist.
    assert estimate_seconds(day, 70) == 3600
    assert estimate_seconds(day, 80) == 86_400 + 3600


def test_no_wait_ends_after_the_admission_is_over() -> None:
    """There is no estimate if the customer's turn would come after admissions have ended.

    No estimate is longer than the time until then.
    """
    pace = Pace(at=AT, rate=1.0, error=0.5, until=AT + 100)
    at_millis = AT * 1000
    assert wait_at(100, pace.encode(), at_millis) == Wait(None, "over")
    assert wait_at(1, pace.encode(), at_millis + 100_000) == Wait(None, "over")
    estimate = wait_at(90, pace.encode(), at_millis).estimate
    assert estimate is not None
    assert (estimate.seconds, estimate.high) == (90, 100)
    unlimited = wait_at(90, replace(pace, until=0).encode(), at_millis).estimate
    assert unlimited is not None
    assert unlimited.high > 100


def test_a_burst_serves_its_people_at_once() -> None:
    bursts = Pace(at=AT, cycle=300, pieces=(Piece(60, 60, 40),))
    assert [estimate_seconds(bursts, one) for one in (1, 40, 41, 80, 81)] == [60, 60, 360, 360, 660]
    # The wait for a scheduled admission gets shorter as time passes. The estimate ignores scheduled
    # admissions that are in the past.
    assert [estimate_seconds(bursts, 1, after=one) for one in (50, 70, 350)] == [10, 290, 10]


def test_a_piece_that_has_begun_has_only_its_remaining_places() -> None:
    hour = Pace(at=AT, rate=0.1, pieces=(Piece(0, 100, 100),))
    assert estimate_seconds(hour, 50, after=50) == 50
    assert estimate_seconds(hour, 51, after=50) == 60


def test_deep_in_the_queue_cycles_are_replaced_by_their_mean_rate() -> None:
    day = Pace(at=AT, cycle=86_400, pieces=(Piece(0, 3600, 10),))
    assert estimate_seconds(day, 3000) == pytest.approx(300 * 86_400, rel=0.01)


def test_a_pace_that_never_reaches_a_position_gives_no_estimate() -> None:
    assert Pace(at=AT).estimate(1, AT) is None
    once = Pace(at=AT, pieces=(Piece(60, 60, 200),))
    assert estimate_seconds(once, 200) == 60
    assert once.estimate(201, AT) is None
    assert Pace(at=AT, rate=1e-9).estimate(1, AT) is None


def test_an_old_pace_gives_no_estimate() -> None:
    pace = Pace(at=AT, rate=1.0)
    assert pace.estimate(1, AT + STALE_SECONDS) is not None
    assert pace.estimate(1, AT + STALE_SECONDS + 1) is None


def test_a_known_rate_gives_a_narrower_estimate_than_random_admissions() -> None:
    known = Pace(at=AT, rate=1.0).estimate(400, AT)
    random = Pace(at=AT, rate=1.0, dispersion=1.0).estimate(400, AT)
    assert known == Estimate(400, 399, 401)
    assert random == Estimate(400, 369, 431)


def test_text_of_another_version_is_not_decoded() -> None:
    assert Pace.decode("unknown") is None
    assert Pace.decode("") is None
    assert Pace.decode("1 1 2 3") is None


numbers = st.floats(0, 10)
some_pieces: st.SearchStrategy[tuple[Piece, ...]] = st.lists(
    st.tuples(st.floats(0, 1e5), st.floats(0, 1e4), st.floats(0, 1000)), max_size=5
).map(lambda some: _in_order(some))


def _in_order(some: list[tuple[float, float, float]]) -> tuple[Piece, ...]:
    made, clock = [], 0.0
    for gap, length, places in some:
        made.append(Piece(clock + gap, clock + gap + length, places))
        clock += gap + length
    return tuple(made)


@st.composite
def paces(draw: st.DrawFn) -> Pace:
    parts = draw(some_pieces)
    is_cycle = bool(parts) and draw(st.booleans())
    return Pace(
        at=AT,
        rate=draw(numbers),
        leaving=draw(st.one_of(st.just(0.0), st.floats(1e-9, 0.1))),
        dispersion=draw(st.floats(0, 100)),
        error=draw(st.floats(0, 1)),
        jitter=draw(st.floats(0, 1e4)),
        cycle=parts[-1].end + draw(st.floats(1, 1e5)) if is_cycle else 0.0,
        pieces=parts,
    )


@settings(deadline=None)
@given(paces(), st.integers(1, 10**9), st.floats(0, STALE_SECONDS))
def test_seconds_are_between_low_and_high(pace: Pace, position: int, after: float) -> None:
    found = pace.estimate(position, AT + after)
    if found is not None:
        assert 0 <= found.low <= found.seconds <= found.high


@settings(deadline=None)
@given(paces(), st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, STALE_SECONDS))
def test_a_later_position_never_has_a_shorter_wait(
    pace: Pace, one: int, other: int, after: float
) -> None:
    nearer, farther = (pace.estimate(at, AT + after) for at in sorted((one, other)))
    if farther is not None:
        assert nearer is not None
        # In very large sums, rounding can change the estimate by a second.
        assert nearer.seconds <= farther.seconds + 1


@settings(deadline=None)
@given(paces())
def test_an_encoded_pace_is_short_and_keeps_its_numbers(pace: Pace) -> None:
    kept = Pace.decode(pace.encode())
    assert kept is not None
    assert (kept.at, len(kept.pieces)) == (pace.at, len(pace.pieces))
    assert kept.rate == pytest.approx(pace.rate, rel=1e-5)
    assert len(pace.encode()) < 600
