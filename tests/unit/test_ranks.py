"""Ranks and tickets as Python reads them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waitlist_shared.ranks import EPOCH, TIER, priority_of, ticket_at, time_of

MILLIS_OF_ALL_TICKETS = TIER // 16 - 1


@pytest.mark.parametrize("priority", [0, 1, 254, 255])
@pytest.mark.parametrize("ticket", [0, 1, TIER - 1])
def test_a_rank_tells_its_priority_whatever_the_ticket(priority: int, ticket: int) -> None:
    assert priority_of((255 - priority) * TIER + ticket) == priority


def test_tickets_suffice_for_sixty_nine_years() -> None:
    assert time_of(TIER - 1) > EPOCH + timedelta(days=69 * 365)


def test_the_first_ticket_of_a_day() -> None:
    assert ticket_at(datetime(2020, 1, 2, tzinfo=UTC)) == 24 * 3600 * 1000 * 16


@given(st.integers(0, MILLIS_OF_ALL_TICKETS))
def test_a_milliseconds_first_ticket_is_exact(millis: int) -> None:
    """P1: no float rounds it down into the millisecond before."""
    moment = EPOCH + timedelta(milliseconds=millis)
    assert ticket_at(moment) == millis * 16
    assert time_of(ticket_at(moment)) == moment
    assert time_of(ticket_at(moment) + 15) == moment
