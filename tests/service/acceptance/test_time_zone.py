"""Tests for a waitlist's time zone. The waitlist's days begin at midnight in this zone, and times
without a time zone are in this zone too.
"""

import pytest

from tests.service.acceptance.test_estimated_wait import at_midnight, minute, steady
from tests.support.people import People

NINE = {"cron": "0 9 * * *", "count": 5}


def test_an_unknown_time_zone_is_refused_at_its_field(people: People) -> None:
    answer = people.configure(timezone="Europe/Berln")
    assert answer.code == "invalid_request"
    assert answer.json["errors"] == [
        {
            "field": "body.timezone",
            "message": "must be an IANA time zone, such as Europe/Berlin",
        }
    ]


@pytest.fixture
def people() -> People:
    return at_midnight(0)


@pytest.mark.parametrize(
    ("timezone", "scheduled", "admits_at"),
    [
        ("UTC", NINE, "09:00"),
        ("Europe/Berlin", NINE, "07:00"),
        ("Europe/Berlin", {**NINE, "timezone": "UTC"}, "09:00"),
        ("Asia/Kolkata", NINE, "03:30"),
    ],
)
def test_a_schedule_without_a_time_zone_means_the_time_of_the_waitlist(
    people: People, timezone: str, scheduled: dict[str, object], admits_at: str
) -> None:
    people.configure(timezone=timezone, admission={"schedule": [scheduled]})
    shown = people.world.request("GET", people.path).json
    assert shown["admits_at"] == f"2026-09-22T{admits_at}:00.000Z"


def test_offer_hours_without_a_time_zone_mean_the_time_of_the_waitlist(people: People) -> None:
    hours = {"from": "08:00", "to": "22:00"}
    rate = {"count": 1, "per": "second"}
    people.configure(timezone="Europe/Berlin", admission={"rate": rate, "offer_hours": hours})
    shown = people.world.request("GET", people.path).json
    assert shown["admits_at"] == "2026-09-22T06:00:00.000Z"


def test_today_begins_at_midnight_in_the_time_zone_of_the_waitlist() -> None:
    """On the day of this test, midnight in Berlin is 22:00 UTC."""
    people = at_midnight(-2 * 3600 - 1800)
    steady(people)
    people.world.advance(1800)
    minute(people)
    minute(people, admitted=3)
    people.configure(timezone="Europe/Berlin")
    assert people.stats().json["admitted_today"] == 3
    people.configure(timezone="UTC")
    assert people.stats().json["admitted_today"] == 23
