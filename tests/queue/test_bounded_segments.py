"""Tests that an operation on a segment costs no more if many entries have left the segment."""

from functools import partial
from typing import Any

import pytest

from tests.queue.test_bounded_work import OF_A_MOVE, calls_during
from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_shared.limits import MAX_COMBINATIONS

STORM = 1_000
MANY = [f"segment {number}" for number in range(MAX_COMBINATIONS)]


@pytest.fixture
def line(valkey: Server) -> Line:
    line = Line(valkey.client)
    line.init(segments_version=1)
    return line


def batches(line: Line, op: str, names: list[str], **fields: Any) -> None:
    for start in range(0, len(names), 500):
        requests = [
            line.message(op, **line.stay(name), **fields) for name in names[start : start + 500]
        ]
        answer = accepted(line.handle({"op": "batch", "requests": requests}))
        assert all(one["ok"] for one in answer["results"])


def test_a_thousand_who_left_the_head_of_a_segment_cost_a_claim_nothing(
    valkey: Server, line: Line
) -> None:
    """A claim costs the same no matter how many entries have left a segment, because the segment's
    index does not contain them (promise P9).
    """
    gone = [f"gone {number}" for number in range(STORM)]
    batches(line, "signup", gone, **line.within("red", "blue"))
    batches(line, "signup", ["ann", "bob"], **line.within("red"))
    line.claim_within("red", 3)
    batches(line, "leave", gone)
    assert line.segment_counts("red", "blue") == {"red": 2}
    line.of("rehearsal").claim()
    asked: dict[str, Any] = {"segment": line.segment("red"), "segments_version": 1}
    calls = calls_during(valkey, partial(line.claim, **asked))
    assert calls.pop("evalsha") == 1
    assert sum(calls.values()) <= 16, calls
    assert line.claim_within("red", 5) == ["bob"]


def test_an_entry_of_all_the_segments_that_one_may_have_is_moved_in_a_few_commands(
    valkey: Server, line: Line
) -> None:
    """An entry can belong to at most 64 segments. Each operation updates all of them with a single
    command (promise P9).
    """
    batches(line, "signup", ["ann", "bob"], **line.within(*MANY))
    asked: dict[str, Any] = {"segment": line.segment(MANY[7]), "segments_version": 1}
    in_segments = {"segments": [line.segment(name) for name in MANY], "segments_version": 1}
    actions: dict[str, Any] = {
        "claim": lambda one: one.claim(**asked),
        "signup": lambda one: one.signup("eve", **line.within(*MANY)),
        "bump": lambda one: one.bump("bob", to="front"),
        "tag": lambda one: one.tag("bob", *MANY[1:], edit=1),
        "mark_dirty": lambda one: one.mark_dirty("bob"),
        "leave": lambda one: one.leave("eve"),
        "untagged": lambda one: one.untagged(),
    }
    for action in actions.values():
        action(line.of("rehearsal"))
    for name, action in actions.items():
        calls = calls_during(valkey, partial(action, line))
        assert calls.pop("evalsha") == 1, name
        assert sum(calls.values()) <= 24 + (OF_A_MOVE if name == "bump" else 0), (name, calls)
    calls = calls_during(valkey, partial(line.position, "bob", **in_segments))
    assert sum(calls.values()) <= 10 + 3 * MAX_COMBINATIONS, calls


def test_a_page_of_segments_costs_two_searches_for_each(valkey: Server, line: Line) -> None:
    """P9"""
    for number in range(120):
        line.signup(f"person {number}", **line.within(f"segment {number}"))
    page = partial(line.send, "segments", segments_version=1)
    page()
    calls = calls_during(valkey, page)
    assert (calls["zrangebylex"], calls["zlexcount"]) == (100, 100)
