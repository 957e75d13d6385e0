"""Tests for the `restore_many` operation.

It restores many waiting entries in one run of a script, with the same result as many single
restores.
"""

from typing import Any

import pytest

from tests.support.line import EPOCH, Answer, Line, accepted
from waitlist_shared.ranks import TIER

RANK = 255 * TIER
TOKEN = "a" * 40
LATER_EPOCH = "0000bbbb"
WHEN = {"epoch": EPOCH, "segments_version": 1}
# The name of an entry, its rank (sort key), ticket number, stamp (logical timestamp), signup and
# attempts, its segments, and the version of its attributes.
Stay = tuple[str, int, int, int, int, int, tuple[str, ...], int]
NEW: Stay = ("ann", RANK + 1, 1, 1, 1, 0, (), 0)
STAYS: list[Stay] = [
    NEW,
    ("bob", RANK - 7, 2, 9, 1, 3, ("red", "blue"), 2),  # was moved, and was claimed before
    ("cyd", RANK + 1, 3, 3, 1, 0, ("red",), 0),  # has the same rank as ann
    ("dan", RANK + 4, 4, 4, 1, 0, ("blue",), 5),  # signed up during the rebuild
    ("eve", RANK + 5, 5, 5, 1, 0, ("blue",), 1),  # is claimed
    ("fay", RANK + 6, 6, 6, 1, 0, ("blue",), 1),  # has left during the rebuild
    ("gus", RANK + 7, 7, 2**44, 2, 0, (), 1),  # has left and signed up again
    ("hal", RANK + 4, 8, 8, 1, 1, ("red", "blue"), 3),  # has the rank that dan has in Redis
    ("ivy", RANK + 8, 9, 9, 1, 0, ("red",), 1),
    ("jon", RANK + 8, 10, 10, 1, 0, ("blue",), 1),  # has the same rank as ivy
]


def prepare(line: Line) -> None:
    """Start a rebuild during which some customers sign up and leave."""
    line.send("purge")
    line.init(mode="open", segments_version=1)
    accepted(line.restore("dan", RANK + 4, 4, epoch=EPOCH, **line.within("red", edit=1)))
    held: dict[str, Any] = {"state": "held", "token": TOKEN, "time_millis": 2**41}
    accepted(line.restore("eve", RANK + 5, 5, **held, **line.within("red", edit=2)))
    accepted(line.leave("fay"))
    accepted(line.leave("gus"))


def restore_many(line: Line, *stays: Stay, **fields: Any) -> Answer:
    packed = [
        [
            *line.stay(name, stay).values(),
            rank,
            ticket,
            stamp,
            attempts,
            [line.segment(one) for one in segments],
            edit,
        ]
        for name, rank, ticket, stamp, stay, attempts, segments, edit in stays
    ]
    return line.send("restore_many", **{**WHEN, **fields}, stays=packed)


def restore(line: Line, one: Stay) -> Answer:
    name, rank, ticket, stamp, stay, attempts, segments, edit = one
    more: dict[str, Any] = {"stamp": stamp, "attempts": attempts, "epoch": EPOCH}
    return line.restore(name, rank, ticket, stay, **more, **line.within(*segments, edit=edit))


def test_a_fill_is_as_many_restores(line: Line) -> None:
    """`restore_many` gives the same result as single restores.

    In this test, entries are absent, waiting, claimed or gone, and some of their ranks (sort keys)
    are taken (promises P1, P3 and P7).
    """
    prepare(line)
    answers = [restore(line, one) for one in STAYS]
    outcomes = [one.get("outcome", one.get("code")) for one in answers]
    restored = line.contents()
    prepare(line)
    filled = accepted(restore_many(line, *STAYS))
    assert line.contents() == restored
    counts = [filled[name] for name in ("restored", "present", "gone")]
    assert counts == [outcomes.count(name) for name in ("restored", "present", "gone")]
    assert 0 not in counts


def test_a_repeated_fill_changes_nothing(line: Line) -> None:
    """A rebuild that resumes after an interruption restores its last page's entries again, which
    changes nothing (promise P2).
    """
    prepare(line)
    restore_many(line, *STAYS)
    before = line.contents()
    again = accepted(restore_many(line, *STAYS))
    assert again["restored"] == 0
    assert line.contents() == before


def test_a_signup_after_a_fill_is_behind_all_entries(line: Line) -> None:
    """After many entries have been restored, new ticket numbers are higher than all of their stamps
    (logical timestamps), even if Redis' clock is behind (promise P1).
    """
    prepare(line)
    restore_many(line, *STAYS)
    joined = accepted(line.signup("zoe", segments_version=1))
    assert joined["ticket"] > 2**44
    line.init()
    assert line.order()[-1] == "zoe"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"epoch": LATER_EPOCH}, "stale_epoch"),
        ({"segments_version": 2}, "stale_segments"),
        ({"segments_version": 0}, "stale_segments"),
    ],
)
def test_a_fill_of_another_life_or_declaration_is_refused(
    line: Line, fields: dict[str, Any], code: str
) -> None:
    """If `restore_many` is refused, it restores no entry (promise P7)."""
    prepare(line)
    before = line.contents()
    assert restore_many(line, NEW, **fields)["code"] == code
    assert line.contents() == before


def test_an_order_that_is_lost_takes_no_fill(line: Line) -> None:
    """P7"""
    line.send("purge")
    assert restore_many(line, NEW)["code"] == "cold"


def test_a_fill_has_between_one_and_fifty_entries(line: Line) -> None:
    """P5, P9"""
    prepare(line)
    many = [(f"person {number}", RANK + number, number, 1, 1, 0, (), 0) for number in range(51)]
    assert restore_many(line)["code"] == "invalid_request"
    assert restore_many(line, *many)["code"] == "invalid_request"
    assert accepted(restore_many(line, *many[:50]))["restored"] == 50
