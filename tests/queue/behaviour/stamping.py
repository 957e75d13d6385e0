"""Tests that each new stamp (logical timestamp) from Redis is higher than the stamps in the entry's
record.
"""

from collections.abc import Callable

import pytest

from tests.support.line import EPOCH, Answer, Line, accepted

# This stamp (logical timestamp) comes from a function whose clock is ahead of Redis' clock.
AHEAD = 16_000 * 600
Send = Callable[[Line, int], Answer]


def restore_many(line: Line, known: int) -> Answer:
    stay = line.stay("eve")
    row = [stay["entry_id"], stay["join_id"], 2, 2, known]
    return line.send("restore_many", epoch=EPOCH, stays=[row])


SENDS: dict[str, Send] = {
    "a signup": lambda line, known: line.signup("eve", known_stamp=known),
    "an import": lambda line, known: line.insert("eve", known_stamp=known),
    "a reinstatement": lambda line, known: line.insert("eve", rank=5, known_stamp=known),
    "a leave": lambda line, known: line.leave("ann", known_stamp=known),
    "an end of another stay": lambda line, known: line.drop("eve", known_stamp=known),
    "a mark": lambda line, known: line.send(
        "mark_dirty", entry_id=line.id_of("ann"), known_stamp=known
    ),
    "a draw": lambda line, known: line.send("draw_stamp", known_stamp=known),
    "an allocation": lambda line, known: line.send("allocate_tickets", count=1, known_stamp=known),
    "a restored entry": lambda line, known: line.restore("eve", 2, 2, known_stamp=known),
    "many restored entries": restore_many,
}


@pytest.mark.parametrize("name", SENDS)
def test_what_redis_draws_after_a_message_comes_after_what_the_record_has(
    line: Line, name: str
) -> None:
    """After Redis has received a stamp (logical timestamp) in a message, it gives out only higher
    stamps, even for other entries (promises P1 and P3).
    """
    line.init()
    known = line.signup("ann")["stamp"] + AHEAD
    answer = accepted(SENDS[name](line, known))
    assert answer.get("stamp", known + 1) > known
    assert line.signup("bob")["ticket"] > known
    assert accepted(line.bump("bob", to="front"))["stamp"] > known


def test_a_stamp_is_drawn_once(line: Line) -> None:
    """Redis never gives out the same stamp (logical timestamp) twice, even if its clock does not
    advance (promise P3).
    """
    line.init()
    line.signup("ann")
    stamps = [line.send("draw_stamp")["stamp"] for _ in range(3)]
    stamps.append(accepted(line.bump("ann", to="front"))["stamp"])
    assert stamps == sorted(set(stamps))
