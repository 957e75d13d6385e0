"""Tests of scheduled times, including days on which the clocks change."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from waitlist_api.settings.admission import Scheduled
from waitlist_api.settings.schedule import Instant, instants_after, instants_between, next_instant

MINUTE, HOUR = 60_000, 3_600_000
# When the clocks of some time zones change in 2026, in UTC. They change by half an hour on Lord
# Howe Island and by two hours at Troll. In Cairo, Beirut, Havana and Santiago they change at
# midnight. The Chatham Islands' UTC offset includes 45 minutes.
CHANGES = {
    "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
    "Africa/Cairo": ("2026-04-23T22:00", "2026-10-29T21:00"),
    "Asia/Beirut": ("2026-03-28T22:00", "2026-10-24T21:00"),
    "America/Havana": ("2026-03-08T05:00", "2026-11-01T05:00"),
    "America/Santiago": ("2026-04-05T03:00", "2026-09-06T04:00"),
    "Australia/Lord_Howe": ("2026-04-04T15:00", "2026-10-03T15:30"),
    "Antarctica/Troll": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Pacific/Chatham": ("2026-04-04T14:00", "2026-09-26T14:00"),
}
CRONS = (
    "0,30 2 * * *",
    "30 2 * * *",
    "0 0 * * *",
    "15 1,2,3 * * *",
    "0,15,30,45 0-3 * * *",
    "59 1-23/2 * * *",
    "0 * * * *",
    "*/20 * * * *",
    "*/7 1 * * *",
    "30 */2 * * *",
)


def millis_of(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def find_expected_instants(cron: str, zone: ZoneInfo, begin: int, end: int) -> list[Instant]:
    """Find a schedule's times by checking every minute, as Debian's cron does."""
    fields = CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC))
    minute, hour, *_ = cron.split()

    def matches(moment: datetime) -> bool:
        is_time = moment.minute in fields.minutes and moment.hour in fields.hours
        return is_time and fields.match_day(moment.date())

    found: Counter[int] = Counter()
    if minute.startswith("*") or hour.startswith("*"):
        for millis in range(begin // MINUTE * MINUTE, end + 1, MINUTE):
            found[millis] += matches(datetime.fromtimestamp(millis / 1000, zone))
    else:
        # Check each minute of local time, including the minutes that the clocks skip. A skipped
        # minute is replaced with the first minute after the change.
        shown = datetime.fromtimestamp(begin / 1000, zone).replace(tzinfo=None, second=0)
        shown = shown.replace(microsecond=0) - timedelta(days=1)
        for _ in range((end - begin) // MINUTE + 2 * 24 * 60):
            shown += timedelta(minutes=1)
            if matches(shown):
                found[after_gap(shown, zone)] += 1
    times = sorted(one for one in +found if begin < one <= end)
    return [Instant(millis, found[millis]) for millis in times]


def after_gap(shown: datetime, zone: ZoneInfo) -> int:
    while True:
        millis = int(shown.replace(tzinfo=zone).timestamp() * 1000)
        if datetime.fromtimestamp(millis / 1000, zone).replace(tzinfo=None) == shown:
            return millis
        shown += timedelta(minutes=1)


@pytest.mark.parametrize(
    ("zone", "change"), [(zone, change) for zone, changes in CHANGES.items() for change in changes]
)
def test_on_the_day_of_a_clock_change_a_schedule_follows_debians_cron(
    zone: str, change: str
) -> None:
    """On days on which the clocks change, a schedule has the same times as in Debian's cron.

    The search begins before, at and after the change, and also between two full minutes.
    """
    at, clock = millis_of(change), ZoneInfo(zone)
    before, after = (datetime.fromtimestamp(at / 1000 - one, clock) for one in (1, 0))
    assert before.utcoffset() != after.utcoffset(), "no clock changes then"
    end = at + 6 * HOUR
    for cron in CRONS:
        row = Scheduled(cron=cron, timezone=zone, count=1)
        expected = find_expected_instants(cron, clock, at - 3 * HOUR, end)
        for begin in (at - 3 * HOUR, at - 1, at, at + 20 * MINUTE + 1, at + 90 * MINUTE):
            found = [*takewhile(lambda one: one.millis <= end, instants_after([row], begin))]
            assert found == [one for one in expected if one.millis > begin], (cron, begin - at)


def test_an_hourly_row_has_23_or_25_instants_on_the_day_of_a_clock_change() -> None:
    hourly = [Scheduled(cron="0 * * * *", timezone="Europe/Berlin", count=1)]
    for day, hours in (("2026-03-28T23:00", 23), ("2026-10-24T22:00", 25)):
        begin = millis_of(day) - 1
        assert len(instants_between(hourly, begin, begin + hours * HOUR)) == hours


def test_rows_with_the_same_time_become_a_single_instant() -> None:
    nine = millis_of("2026-01-01T09:00")
    rows = [
        Scheduled(cron="0 9 * * *", count=10),
        Scheduled(cron="0 9 * * *", count=5),
        Scheduled(cron="0 * * * *", count=2),
        Scheduled(at="2026-01-01T09:00:00Z", count=1),
    ]
    assert next_instant(rows, nine - MINUTE) == Instant(nine, 18)
    assert instants_between(rows, nine - MINUTE, nine + HOUR)[1:] == [Instant(nine + HOUR, 2)]
