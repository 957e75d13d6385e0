"""Tests for customers who have not verified their address.

They have a place in the queue, but do not count in other people's positions.
"""

import json
from typing import Any

from tests.support.line import Line, accepted, readiness_of
from tests.support.palette import assert_exact, coloured, segment_counts

UNVERIFIED: Any = {"readiness": readiness_of(1, unverified=0)}
SIGNED_UP = ("ann", "bob", "eve", "kim")


def sign_up_four(line: Line) -> None:
    line.init(lease_seconds=60)
    for name in SIGNED_UP:
        line.signup(name, **(UNVERIFIED if name in ("bob", "eve") else {}))


def shown(line: Line, name: str) -> tuple[int, int]:
    answer = accepted(line.position(name))
    return answer["position"], answer["total"]


def test_a_signup_that_is_not_verified_shifts_nothing_that_others_see(line: Line) -> None:
    """The positions and totals that customers see count only people who have verified their address
    (promise P6).
    """
    line.init()
    line.signup("ann")
    before = [shown(line, "ann"), accepted(line.board())["cuts"]]
    line.signup("bob", **UNVERIFIED)
    line.clock.advance(seconds=5)
    assert [shown(line, "ann"), accepted(line.board())["cuts"]] == before
    kim = accepted(line.signup("kim"))
    assert (kim["position"], kim["total"]) == (2, 2) == shown(line, "kim")


def test_whoever_verifies_has_the_place_of_the_signup(line: Line) -> None:
    """P1"""
    sign_up_four(line)
    assert shown(line, "kim") == (2, 2)
    line.readiness("eve", 2)
    assert [shown(line, name) for name in ("ann", "eve", "kim")] == [(1, 3), (2, 3), (3, 3)]
    line.readiness("bob", 2)
    assert [shown(line, name)[0] for name in SIGNED_UP] == [1, 2, 3, 4]
    assert line.order() == list(SIGNED_UP)


def test_a_rest_after_the_verification_is_counted(line: Line) -> None:
    sign_up_four(line)
    line.readiness("bob", 2, unverified=0, held_back=0)
    assert shown(line, "kim") == (2, 2)
    line.readiness("bob", 3, held_back=0)
    assert shown(line, "kim") == (3, 3)
    line.readiness("bob", 4)
    assert shown(line, "kim") == (3, 3)


def test_an_end_of_the_stay_shifts_nothing_either(line: Line) -> None:
    sign_up_four(line)
    line.leave("bob")
    assert shown(line, "kim") == (2, 2)
    line.signup("bob", stay=2)
    assert shown(line, "bob") == (3, 3)


def test_a_move_passes_entries_that_no_position_counts(line: Line) -> None:
    sign_up_four(line)
    assert accepted(line.bump("eve", to="back"))["position"] == 3
    moved = accepted(line.bump("kim", places=2))
    assert (moved["position"], moved["total"], moved["moved_by"]) == (1, 2, 2)
    assert shown(line, "ann") == (2, 2)


def test_the_room_of_a_list_counts_them(line: Line) -> None:
    line.init(capacity=2)
    line.signup("ann")
    line.signup("bob", **UNVERIFIED)
    assert line.signup("kim")["code"] == "waitlist_full"


def test_a_board_names_no_entry_that_is_not_verified(line: Line) -> None:
    """If the board (a public snapshot of all positions) contained customers who have not verified
    their address, it would reveal when they signed up.
    """
    sign_up_four(line)
    ranks = {name: accepted(line.position(name))["rank"] for name in SIGNED_UP}
    board = accepted(line.board())
    assert (board["total"], json.loads(board["cuts"])) == (
        2,
        [[ranks["ann"], 1], [ranks["kim"], 2]],
    )


def test_a_lost_order_is_restored_with_them(line: Line) -> None:
    sign_up_four(line)
    before = [shown(line, name) for name in SIGNED_UP]
    places = [accepted(line.position(name)) for name in SIGNED_UP]
    line.client.flushall()
    line.init(mode="open", epoch="0000bbbb")
    for name, place in zip(SIGNED_UP[:2], places[:2], strict=True):
        reasons = UNVERIFIED if name == "bob" else {}
        line.restore(name, place["rank"], place["ticket"], epoch="0000bbbb", **reasons)
    stays = [
        [line.id_of(name), "00000001", place["rank"], place["ticket"], place["ticket"], 0, [], 0]
        + ([UNVERIFIED["readiness"]] if name == "eve" else [])
        for name, place in zip(SIGNED_UP[2:], places[2:], strict=True)
    ]
    accepted(line.send("restore_many", epoch="0000bbbb", stays=stays))
    line.init(mode="create", epoch="0000bbbb")
    assert [shown(line, name) for name in SIGNED_UP] == before


@coloured
def test_positions_within_segments_count_whom_positions_count(line: Line) -> None:
    """Only operators see a segment's counts, which include people who have not verified their
    address.
    """
    red = line.segment("red")

    def within(name: str) -> tuple[int, int]:
        found = accepted(line.position(name, segments=[red], segments_version=1))
        ((position, total),) = [(one["position"], one["total"]) for one in found["places"]]
        return position, total

    def tell(name: str, version: int, **reasons: int) -> None:
        readiness = readiness_of(version, **reasons)
        accepted(line.send("tag", **line.stay(name), **line.within("red"), readiness=readiness))

    _, before = within("dan")
    tell("ann", 1, unverified=0)
    assert within("dan")[1] == before - 1
    assert within("ann") == (1, before - 1)
    assert segment_counts(line)["red"] == before
    assert_exact(line)
    tell("ann", 2)
    assert within("ann") == (1, before)
    assert_exact(line)
