"""Tests the board, a snapshot from which an app can compute every position in the queue."""

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.support.board_rule import bounds
from tests.support.line import Line, accepted


def cuts_of(line: Line) -> list[tuple[int, int]]:
    return [(rank, position) for rank, position in json.loads(accepted(line.board())["cuts"])]


def test_the_first_200_are_exact_and_the_rest_within_one_percent(line: Line) -> None:
    names = [f"person {number}" for number in range(500)]
    line.init()
    line.all_sign_up(names)
    board = accepted(line.board())
    cuts = cuts_of(line)
    assert [position for _, position in cuts[:200]] == list(range(1, 201))
    assert cuts[-1][1] == board["total"] == 500
    for (rank, position), (next_rank, next_position) in pairwise(cuts[199:]):
        assert rank < next_rank
        assert position < next_position <= position * 1.01
    for position, entry in enumerate(line.entries(), 1):
        first, last = bounds(cuts, board["total"], entry["rank"])
        assert first <= position <= last


def test_a_board_is_made_once_in_five_seconds(line: Line) -> None:
    line.init()
    line.signup("ann")
    board = line.board()
    line.signup("bob")
    line.clock.advance(seconds=4)
    assert line.board() == board
    line.clock.advance(seconds=1)
    assert (line.board()["total"], line.board()["as_of_millis"]) == (2, line.clock.millis)


def test_the_board_is_made_anew_when_the_clock_was_set_back(line: Line) -> None:
    line.init()
    line.signup("ann")
    accepted(line.board())
    line.signup("bob")
    line.clock.advance(seconds=-30)
    assert (line.board()["total"], line.board()["as_of_millis"]) == (2, line.clock.millis)


def test_an_empty_queue_has_an_empty_board(line: Line) -> None:
    line.init()
    board = accepted(line.board())
    assert (board["total"], board["cuts"]) == (0, "[]")


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ({}, "open"),
        ({"paused": True}, "paused"),
        # Claimed and parked people count towards the capacity too.
        ({"capacity": 3}, "full"),
        ({"capacity": 4}, "open"),
        ({"open": False, "paused": True, "capacity": 3}, "closed"),
    ],
)
def test_the_board_says_whether_the_line_takes_people(
    line: Line, settings: dict[str, Any], state: str
) -> None:
    line.init()
    line.all_sign_up(["ann", "bob", "cyd"])
    claimed = line.claimed(2)
    line.park("ann", claimed["ann"]["token"])
    line.init(version=2, **settings)
    assert line.board()["line"] == state


def test_the_board_is_made_anew_when_the_line_opens_and_closes(line: Line) -> None:
    opens = line.clock.millis + 1000
    line.init(opens_millis=opens, closes_millis=opens + 1000)
    shown = []
    for seconds in (0, 0.999, 1, 1.999, 2):
        line.clock.micros = int((opens - 1000 + seconds * 1000) * 1000)
        board = accepted(line.board())
        shown.append((board["line"], board["as_of_millis"] - opens))
    assert shown == [
        ("not_open_yet", -1000),
        ("not_open_yet", -1000),
        ("open", 0),
        ("open", 0),
        ("closed", 1000),
    ]


def test_hidden_counts_hide_the_board_at_once(line: Line) -> None:
    line.init()
    line.signup("ann")
    accepted(line.board())
    line.init(version=2, hide_counts=True)
    assert line.board()["code"] == "counts_hidden"


def test_a_cold_or_incomplete_queue_has_no_board(line: Line) -> None:
    assert line.board()["code"] == "cold"
    line.init("open")
    assert line.board()["code"] == "rebuilding"
