"""The console's preview of a policy and the service's estimate agree about the same launch."""

from datetime import UTC, datetime
from typing import Any

import pytest

from waitlist_api.policies.policy import AdmissionPolicy
from waitlist_api.records.samples import Sample
from waitlist_api.wait.known import pace_of
from waitlist_api.wait.pace import Estimate
from waitlist_api.wait.policy import policy_of
from waitlist_cli.policies import DEFAULTS, simulate

START = datetime(2026, 6, 1, 8, tzinfo=UTC)
MILLIS = int(START.timestamp() * 1000)
DAILY = {"cron": "0 9 * * *", "timezone": "UTC", "count": 100}
NINE = "2026-06-01T09:00:00Z"
ROOM = {"max_inside": 50, "acceptance": "automatic"}
# What decides when places open is known.
EXACT: dict[str, dict[str, Any]] = {
    "a rate": {"rate": {"count": 100, "per": "hour"}},
    "a rate that begins later": {"rate": {"count": 5, "per": "minute", "from": NINE}},
    "a schedule": {"schedule": [DAILY]},
    "a rush and a rate": {
        "rate": {"count": 50, "per": "minute", "from": NINE},
        "schedule": [{"at": NINE, "count": 500}],
        "combine": "sum",
    },
    "a room that never fills up": {"rate": {"count": 20, "per": "hour"}, **ROOM},
}
# Then it depends on how long people stay; the preview takes the longest time.
BOUND: dict[str, dict[str, Any]] = {
    "a rate and a room": {"rate": {"count": 100, "per": "hour"}, **ROOM},
    "a fast rate and a room": {"rate": {"count": 500, "per": "minute"}, **ROOM},
    "a schedule and a room": {"schedule": [{**DAILY, "count": 1000}], **ROOM},
    "a room": ROOM,
    "a rate, and a room that exits do not free": {
        "rate": {"count": 100, "per": "hour"},
        "customer_exit": "frees_at_end",
        **ROOM,
    },
}


def previewed(settings: dict[str, Any], people: int) -> int:
    found = simulate({**DEFAULTS, **settings}, people, START)
    assert found.admitted == people
    return found.seconds


def estimated(settings: dict[str, Any], people: int) -> Estimate:
    """Return the estimate of the last of so many people who wait at an empty place."""
    policy = policy_of(AdmissionPolicy.from_fields(settings), MILLIS)
    empty = Sample(millis=MILLIS, waiting=people)
    pace = pace_of([empty], [empty], policy)
    assert pace is not None
    found = pace.estimate(people, MILLIS / 1000)
    assert found is not None
    return found


@pytest.mark.parametrize("people", [10, 100, 500, 2003])
@pytest.mark.parametrize("settings", EXACT.values(), ids=EXACT)
def test_what_is_known_is_the_same_in_both(settings: dict[str, Any], people: int) -> None:
    assert estimated(settings, people).seconds == pytest.approx(
        previewed(settings, people), rel=0.001, abs=60
    )


@pytest.mark.parametrize("people", [10, 40, 200, 500, 2003])
@pytest.mark.parametrize("settings", BOUND.values(), ids=BOUND)
def test_the_longest_stays_of_the_preview_are_within_the_estimate(
    settings: dict[str, Any], people: int
) -> None:
    found, longest = estimated(settings, people), previewed(settings, people)
    assert found.low <= longest <= found.high
    # All stay for their whole pass, or for two thirds of it.
    assert found.seconds <= longest * 1.01 + 60
