"""Tests how the console formats numbers and times, and draws charts."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from waitlist_cli.console.numbers import FLOWS, line_of, series, sparkline
from waitlist_cli.console.rendering import Pages, ago, compact, own

WAITLIST: dict[str, Any] = {"open": True, "paused": False, "rebuild": None}


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, "-"),
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10K"),
        (12_345, "12.3K"),
        (99_999, "99.9K"),
        (999_999, "999K"),
        (1_000_000, "1M"),
        (1_234_567, "1.2M"),
        (12_345_678_901, "12.3B"),
    ],
)
def test_numbers_stay_short(number: int | None, shown: str) -> None:
    assert compact(number) == shown
    assert len(shown) <= 5


@pytest.mark.parametrize(
    ("settings", "stats", "line"),
    [
        ({}, {"line": "not_open_yet"}, "not_open_yet"),
        ({}, None, "open"),
        ({"paused": True}, None, "paused"),
        ({"open": False, "paused": True}, None, "closed"),
        ({"rebuild": {"done": 1, "total": 2}}, {"line": "full"}, "rebuilding"),
    ],
)
def test_the_state_of_a_list_comes_from_its_statistics(
    settings: dict[str, Any], stats: dict[str, Any] | None, line: str
) -> None:
    assert line_of({**WAITLIST, **settings}, stats) == line


def point(minute: int, waiting: int) -> dict[str, Any]:
    at = f"2026-06-01T08:{minute:02}:00.000Z"
    rest = dict.fromkeys((*FLOWS, "offered", "parked", "inside"), 0)
    return {**rest, "at": at, "joined": 2, "waiting": waiting}


def test_a_chart_has_a_gap_where_samples_are_missing() -> None:
    points = [point(0, 10), point(1, 1_000_000), point(5, 10), point(6, 9)]
    columns = series({"step_seconds": 60, "points": points})
    first = columns["at"][0]
    assert [at - first for at in columns["at"]] == [0, 60, 120, 300, 360]
    assert columns["waiting"] == [10, 1_000_000, None, 10, 9]
    assert columns["joined"] == [2, 2, None, 2, 2]


def test_a_list_without_samples_has_an_empty_chart() -> None:
    columns = series({"step_seconds": 60, "points": []})
    assert {tuple(columns[name]) for name in columns if name != "step"} == {()}
    assert (sparkline([]), sparkline([3])) == ("", "")


def test_a_sparkline_ends_at_the_right_edge() -> None:
    points = [one.split(",") for one in sparkline([0, 5, 10]).split()]
    assert [x for x, _ in points] == ["115.9", "118.0", "120.0"]
    assert [y for _, y in points] == ["26.0", "14.0", "2.0"]
    assert {one.split(",")[1] for one in sparkline([4, 4]).split()} == {"26.0"}


def moment(value: object, timezone: str = "Asia/Kolkata", shown: str = "moment") -> str:
    template = Pages("http://127.0.0.1").templates.from_string(f"{{{{ value|{shown} }}}}")
    return template.render(value=value, waitlist={"timezone": timezone})


def test_times_are_shown_in_the_time_zone_of_the_waitlist() -> None:
    now, zone = datetime.now(UTC), ZoneInfo("Asia/Kolkata")
    for near in (now - timedelta(hours=11), now, now + timedelta(hours=11)):
        assert moment(near.isoformat()) == f"{near.astimezone(zone):%H:%M:%S}"
    for far in (now - timedelta(hours=13), now + timedelta(hours=13)):
        there = far.astimezone(zone)
        assert moment(far.isoformat()).startswith(f"{there.day} {there:%b} ")
    assert moment("2019-03-01T12:00:00.000Z").endswith(" Mar 2019")
    assert moment("2019-02-28T23:30:00.000Z", "Europe/Berlin") == "1 Mar 2019"
    assert ago((now - timedelta(hours=2, seconds=1)).isoformat()).startswith("2 h")
    assert ago((now + timedelta(hours=2)).isoformat()) == "0 s"
    assert (moment(None), ago(None)) == ("-", "-")
    assert (moment(None, shown="text"), moment("", shown="text")) == ("-", "-")


def test_values_of_customers_are_not_formatted() -> None:
    assert (own(2026), own([1, "é"]), own("a\u202eb")) == ("2026", '[1, "é"]', "a�b")
    assert moment(2026, shown="text") == "2,026"


def test_every_template_escapes() -> None:
    environment = Pages("http://127.0.0.1").templates
    template = environment.from_string('<a title="{{ x }}">{{ x }}</a>')
    assert template.render(x='"><b>') == '<a title="&#34;&gt;&lt;b&gt;">&#34;&gt;&lt;b&gt;</a>'
