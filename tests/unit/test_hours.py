"""An admission policy can have offer hours in its own time zone.

No offers are made outside them, so they change the waitlist's pace.
"""

from datetime import UTC, datetime
from itertools import islice

import pytest

from waitlist_api.estimates.hours import open_seconds, spread
from waitlist_api.estimates.pace import Pace, Piece
from waitlist_api.settings.admission import OfferHours
from waitlist_api.settings.hours import hours_after, is_closed, last_closing, next_time_within

# In Berlin, the clocks skip the hour from 2:00 to 3:00 on 29 March 2026 and repeat it on 25 October
# 2026.
BERLIN = "Europe/Berlin"


def millis(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("span", "after", "expected"),
    [
        (("08:00", "22:00"), "2026-11-25T12:00", ["25T07:00-25T21:00", "26T07:00-26T21:00"]),
        (("22:00", "02:00"), "2026-11-25T00:30", ["24T21:00-25T01:00", "25T21:00-26T01:00"]),
        (("08:00", "22:00"), "2026-11-25T21:00", ["26T07:00-26T21:00", "27T07:00-27T21:00"]),
        # On this night, the clocks skip the time at which the offer hours would begin, so the hours
        # begin right after the skipped time.
        (("02:30", "22:00"), "2026-03-29T00:00", ["29T01:00-29T20:00", "30T00:30-30T20:00"]),
        (("22:00", "02:30"), "2026-03-28T20:00", ["28T21:00-29T01:00", "29T20:00-30T00:30"]),
        # If the clocks skip all of a day's offer hours, that day has none. If they skip only some
        # of them, the rest remain.
        (("02:10", "02:50"), "2026-03-28T20:00", ["30T00:10-30T00:50", "31T00:10-31T00:50"]),
        (("02:50", "02:10"), "2026-03-28T20:00", ["28T01:50-29T01:00", "29T01:00-30T00:10"]),
        # The clocks go back on this night, so it is an hour longer than usual.
        (("22:00", "04:00"), "2026-10-24T19:00", ["24T20:00-25T03:00", "25T21:00-26T03:00"]),
    ],
)
def test_hours_follow_the_clocks_of_their_time_zone(
    span: tuple[str, str], after: str, expected: list[str]
) -> None:
    hours = OfferHours(from_=span[0], to=span[1], timezone=BERLIN)
    found = islice(hours_after(hours, millis(after)), 2)
    shown = [
        "-".join(
            f"{datetime.fromtimestamp(at / 1000, UTC):%dT%H:%M}" for at in (one.opens, one.closes)
        )
        for one in found
    ]
    assert shown == expected


def test_a_time_outside_the_hours_moves_to_the_next_opening() -> None:
    hours = OfferHours(from_="08:00", to="22:00")
    opening, closing = millis("2026-11-25T08:00"), millis("2026-11-25T22:00")
    assert [is_closed(hours, at) for at in (opening - 1, opening, closing - 1, closing)] == [
        *(True, False, False, True)
    ]
    assert next_time_within(hours, opening - 1) == next_time_within(hours, opening) == opening
    assert last_closing(hours, opening - 1) == closing - 86_400_000
    assert last_closing(hours, closing) == closing
    assert not is_closed(None, opening)
    assert next_time_within(None, opening - 1) == opening - 1


HOUR = 3600
# Offers are made from 8:00 to 18:00, and it is 17:00 now. Each pair says when a day's offers begin
# and end, in seconds from now.
DAYS = [(day * 24 * HOUR - 9 * HOUR, day * 24 * HOUR + HOUR) for day in range(14)]


def test_a_rate_opens_no_places_outside_the_hours() -> None:
    pace = spread(Pace(at=0, rate=100 / HOUR), DAYS)
    waits = [pace._wait(places, 0)[0] for places in (100, 101, 1100, 2100)]
    hours = [1, 15 + 0.01, 15 + 10, 15 + 24 + 10]
    assert waits == pytest.approx([one * HOUR for one in hours])
    # The pace lists the offer hours of the next two weeks. After that, it uses a day's average
    # rate.
    assert pace.rate == pytest.approx(100 / HOUR * 10 / 24, rel=0.05)


def test_times_outside_the_hours_become_the_next_opening() -> None:
    night, morning = open_seconds(DAYS, 0, 2 * HOUR), open_seconds(DAYS, 0, 15 * HOUR)
    assert night == morning == HOUR
    pieces = (Piece(night, night, 20.0), Piece(night + 2 * HOUR, night + 11 * HOUR, 90.0))
    found = spread(Pace(at=0, pieces=pieces), DAYS).pieces
    times = [(15, 15, 20), (17, 25, 80), (39, 40, 10)]
    assert [(one.start / HOUR, one.end / HOUR, one.places) for one in found] == [
        pytest.approx(one) for one in times
    ]
