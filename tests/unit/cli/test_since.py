"""The `--since` option accepts several formats, and the command line converts its value to UTC."""

from datetime import UTC, datetime

import pytest

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.times import since_of

NOW = datetime(2026, 3, 29, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("today", "2026-03-29T00:00:00Z"),
        ("30min", "2026-03-29T09:00:00Z"),
        ("1h", "2026-03-29T08:30:00Z"),
        ("2d", "2026-03-27T09:30:00Z"),
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01T09:30:00+01:00", "2026-03-01T08:30:00Z"),
    ],
)
def test_a_time_can_be_given_in_several_formats(text: str, since: str) -> None:
    assert since_of(text, NOW) == {"since": since}


def test_days_begin_in_the_time_zone_of_the_waitlist() -> None:
    """The clocks in Berlin go forward on this day."""
    evening = datetime(2026, 3, 29, 22, 30, tzinfo=UTC)
    for text, since in (
        ("today", "2026-03-29T22:00:00Z"),
        ("2026-03-29", "2026-03-28T23:00:00Z"),
        ("1h", "2026-03-29T21:30:00Z"),
    ):
        assert since_of(text, evening, lambda: "Europe/Berlin") == {"since": since}


def test_without_a_time_there_is_no_limit() -> None:
    assert since_of(None) == {}


@pytest.mark.parametrize("text", ["", "1", "1w", "-1h", "yesterday", "2026-13-01", "999999d"])
def test_an_invalid_time_is_wrong_usage(text: str) -> None:
    with pytest.raises(WrongUsage, match="--since"):
        since_of(text, NOW)
