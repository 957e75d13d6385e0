"""Python computes ranks and tickets exactly as the Redis scripts do."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waitlist_shared.limits import MAX_RANK, MAX_TICKET, MIN_RANK
from waitlist_shared.ranks import EPOCH, ROOM, TIER, priority_of, ticket_at, time_of

MILLIS_OF_ALL_TICKETS = MAX_TICKET // 16 - 1


@pytest.mark.parametrize("priority", [0, 1, 254, 255])
@pytest.mark.parametrize("ticket", [-ROOM, -1, 0, 1, MAX_TICKET])
def test_a_rank_contains_its_priority_with_any_ticket(priority: int, ticket: int) -> None:
    assert priority_of((255 - priority) * TIER + ticket) == priority


def test_every_rank_has_a_priority() -> None:
    assert (priority_of(MIN_RANK), priority_of(MAX_RANK)) == (255, 0)


def test_there_are_enough_tickets_until_2087() -> None:
    assert time_of(MAX_TICKET) > datetime(2087, 1, 1, tzinfo=UTC)


def test_the_first_ticket_of_a_day() -> None:
    assert ticket_at(datetime(2020, 1, 2, tzinfo=UTC)) == 24 * 3600 * 1000 * 16


@given(st.integers(0, MILLIS_OF_ALL_TICKETS))
def test_the_first_ticket_of_a_millisecond_is_exact(millis: int) -> None:
    """The first ticket of each millisecond is exact.

    No rounding moves it into the previous millisecond (promise P1).
    """
    moment = EPOCH + timedelta(milliseconds=millis)
    assert ticket_at(moment) == millis * 16
    assert time_of(ticket_at(moment)) == moment
    assert time_of(ticket_at(moment) + 15) == moment
