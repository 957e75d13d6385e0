"""The private function refuses messages that break the contract, and changes nothing.

It ignores unknown fields, because a later version may send them.
"""

from typing import Any

import pytest

from tests.support.line import Line, accepted

ENTRY = "a" * 26
JOIN = "0" * 8
ONCE = "0" * 32
LIST: dict[str, Any] = {"v": 1, "waitlist_id": "bakery-opening"}
SIGNUP = {**LIST, "op": "signup", "entry_id": ENTRY, "join_id": JOIN}
LEAVE = {**SIGNUP, "op": "leave"}
BUMP = {**LIST, "op": "bump", "entry_id": ENTRY, "once_key": ONCE}
RESTORE = {**SIGNUP, "op": "restore", "rank": 1, "ticket": 1, "stamp": 1}
LIST_WAITING = {**LIST, "op": "list_waiting"}
INIT = {**LIST, "op": "init", "settings": {"version": 2}, "mode": "create", "epoch": JOIN}
ENTRY_OF = {**LIST, "entry_id": ENTRY}
CLAIM = {**LIST, "op": "claim"}
TOKEN = "0" * 40
HOLDS = [{**ENTRY_OF, "op": op, "token": TOKEN} for op in ("complete", "release", "extend", "park")]
REDRIVE = {**ENTRY_OF, "op": "redrive"}
EXPIRE = {**LIST, "op": "expire"}
SETTLE = {**ENTRY_OF, "op": "settle", "seen_stamp": 1}
LIST_OFF_QUEUE = {**LIST, "op": "list_off_queue", "which": "held"}
TAG = {**SIGNUP, "op": "tag"}
UNTAGGED = {**LIST, "op": "untagged", "segments_version": 1}
SEGMENTS = {**LIST, "op": "segments", "segments_version": 1}
MARK_DIRTY = {**ENTRY_OF, "op": "mark_dirty"}
POSITION = {**ENTRY_OF, "op": "position"}
ALLOCATE_TICKETS = {**LIST, "op": "allocate_tickets"}
INSERT = {**SIGNUP, "op": "insert", "ticket": 16}
SEGMENT = "a" * 16
BATCH: dict[str, Any] = {"v": 1, "op": "batch", "requests": []}


class Missing:
    """Marks a field that is left out of a message."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()


def but(message: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    others = {name: old for name, old in message.items() if name != field}
    return others if value is MISSING else {**others, field: value}


NO_NUMBERS = ["1", -1, 1.5, True, 2**53, []]
NO_LEASES = [0, -1, 43_201, "60", 1.5, True]
NO_TOKENS = [MISSING, None, "", "0" * 39, "0" * 41, "0" * 40 + "\n", "G" * 40, "A" * 40, 5]
NO_RANKS = ["1", -(2**40) - 1, 1.5, True, 2**53, []]
# Ticket and priority are parts of the same number. The last ticket is so large that it would change
# the priority.
NO_TICKETS = [*NO_NUMBERS, 2**45 - 2**40]

# Each case is a message, the name of one of its fields, and invalid values for that field.
BAD_FIELDS: list[tuple[dict[str, Any], str, list[Any]]] = [
    (SIGNUP, "op", [MISSING, "", "unknown", "Signup", "signup\n", 5, None, [], "\ud800"]),
    (SIGNUP, "v", ["1", None, 1.5, True, []]),
    (SIGNUP, "waitlist_id", [MISSING, "", "-a", "A", "a_b", "a b", "a" * 64, "ä", "a}{b"]),
    (SIGNUP, "waitlist_id", ["bakery\n", "\nbakery", "a\u0000", "\ud800", 5, None]),
    (SIGNUP, "entry_id", [MISSING, "a" * 25, "a" * 27, "a" * 26 + "\n", "A" * 26, "0" * 26]),
    (SIGNUP, "entry_id", ["a" * 25 + "ä", 5, None, [ENTRY]]),
    (SIGNUP, "join_id", [MISSING, "0" * 7, "0" * 9, "0" * 8 + "\n", "G" * 8, 0, None]),
    (LEAVE, "ticket", NO_TICKETS),
    (BUMP, "priority", [-1, 256, "1", 1.5, None, True]),
    (BUMP, "places", [0, -1, 1_000_000_001, "1", 1.5, None, True]),
    (BUMP, "to", [MISSING, "", "middle", "front\n", 1, None, "\ud800"]),
    ({**BUMP, "to": "back"}, "priority", [1]),
    ({**BUMP, "to": "back"}, "places", [1]),
    ({**BUMP, "places": 1}, "priority", [1]),
    ({**BUMP, "to": "back"}, "once_key", [MISSING, "0" * 31, "0" * 32 + "\n", "G" * 32, None]),
    ({**BUMP, "to": "back"}, "once_seconds", [0, -1, 86_401, "60", None]),
    (RESTORE, "rank", [MISSING, None, *NO_RANKS]),
    *[(RESTORE, field, [MISSING, None, *NO_TICKETS]) for field in ("ticket", "stamp")],
    (RESTORE, "once_stamp", NO_TICKETS),
    (RESTORE, "epoch", ["", "0" * 8 + "\n", 5]),
    (RESTORE, "when", ["unchanged", "newer", None]),
    (RESTORE, "expected", [{"state": "held", "rank": 5}, "held:5"]),
    (LIST_WAITING, "limit", [0, -1, 101, "10", 1.5, None]),
    (LIST_WAITING, "after", [*NO_RANKS, "+inf"]),
    (LIST_WAITING, "first", [0, -1, 10**9 + 1, "1", 1.5]),
    (INIT, "settings", [MISSING, None, {}, [], {"version": -1}]),
    (INIT, "settings", [{"version": 2, "capacity": bad} for bad in (0, -1, 10**9 + 1, "5", 1.5)]),
    (INIT, "settings", [{"version": 2, "open": bad} for bad in (1, "yes", None)]),
    (INIT, "mode", [MISSING, "warm", "", None]),
    (INIT, "epoch", [MISSING, "", "0" * 8 + "\n", None]),
    (INIT, "counters", [{"left": -1}, None]),
    (INIT, "settings", [{"version": 2, "lease_seconds": bad} for bad in (*NO_LEASES, None)]),
    (INIT, "settings", [{"version": 2, "max_attempts": bad} for bad in (0, -1, 101, "5", None)]),
    (INIT, "settings", [{"version": 2, "paused": bad} for bad in (1, "yes", None)]),
    (RESTORE, "state", ["done", "absent", "", None]),
    (RESTORE, "token", NO_TOKENS[2:]),
    *[(RESTORE, field, [None, *NO_NUMBERS]) for field in ("time_millis", "attempts")],
    (CLAIM, "count", [0, -1, 101, "1", 1.5, None, True]),
    (CLAIM, "lease_seconds", NO_LEASES),
    (CLAIM, "order", ["", "random", "oldest\n", 1, None]),
    (CLAIM, "once_key", ["", "0" * 31, "0" * 32 + "\n", "G" * 32, 5]),
    *[(hold, "token", NO_TOKENS) for hold in HOLDS],
    *[(hold, "entry_id", [MISSING, "a" * 25, None]) for hold in HOLDS],
    (HOLDS[1], "to", ["", "front", "back\n", 1, None]),
    (HOLDS[2], "lease_seconds", NO_LEASES),
    (REDRIVE, "to", ["", "front", "back\n", 1, None]),
    (REDRIVE, "entry_id", [MISSING, "a" * 25, None]),
    (EXPIRE, "min_age_seconds", [-1, 3_601, "60", 1.5, None]),
    (EXPIRE, "limit", [0, -1, 501, "10", None]),
    (SETTLE, "seen_stamp", [MISSING, None, *NO_NUMBERS]),
    (SETTLE, "join_id", ["", "0" * 7, "0" * 8 + "\n", "G" * 8, 5]),
    (LIST_OFF_QUEUE, "which", [MISSING, "", "waiting", "held\n", None]),
    (LIST_OFF_QUEUE, "limit", [0, -1, 101, "10", None]),
    (LIST_OFF_QUEUE, "after", [None, *NO_NUMBERS]),
    (LIST_OFF_QUEUE, "after_id", ["", "a" * 25, "a" * 26 + "\n", 5]),
    (INIT, "floor_ticket", NO_TICKETS),
    *[
        (message, "segments", [None, "", SEGMENT, [""], ["a" * 15], ["a" * 17], [SEGMENT + "\n"]])
        for message in (SIGNUP, RESTORE, TAG, POSITION, INSERT)
    ],
    *[
        (message, "segments", [["A" * 16], ["a" * 15 + "1"], [5], [SEGMENT] * 65])
        for message in (SIGNUP, RESTORE, TAG, POSITION)
    ],
    *[
        (message, "segments_version", [None, *NO_NUMBERS])
        for message in (SIGNUP, RESTORE, TAG, POSITION, CLAIM, UNTAGGED, SEGMENTS)
    ],
    *[(message, "attributes_version", [None, *NO_NUMBERS]) for message in (SIGNUP, RESTORE, TAG)],
    (INIT, "settings", [{"version": 2, "segments_version": bad} for bad in (*NO_NUMBERS, None)]),
    (CLAIM, "segment", ["", "a" * 15, SEGMENT + "\n", "A" * 16, 5, [SEGMENT]]),
    (CLAIM, "filters", [None, "*", ["a" * 15], [SEGMENT + "\n"], [5], ["*"] * 9]),
    (TAG, "join_id", [MISSING, "", None]),
    (MARK_DIRTY, "entry_id", [MISSING, "a" * 25, None]),
    (UNTAGGED, "segments_version", [MISSING]),
    (UNTAGGED, "which", ["", "queue", "held\n", None]),
    (UNTAGGED, "offset", [None, *NO_NUMBERS]),
    (UNTAGGED, "limit", [0, -1, 501, "10", None]),
    (SEGMENTS, "segments_version", [MISSING]),
    (SEGMENTS, "after", ["", "a" * 15, SEGMENT + "\n", 5]),
    (ALLOCATE_TICKETS, "count", [-1, 501, "1", 1.5, None, True]),
    (
        ALLOCATE_TICKETS,
        "shared_milliseconds",
        [None, [16], [[16]], [[16, 0]], [[16, 501]], [[-1, 1]], [[2**45, 1]]],
    ),
    (ALLOCATE_TICKETS, "shared_milliseconds", [[["16", 1]], [[16, 1]] * 501]),
    (INSERT, "ticket", [MISSING, None, *NO_TICKETS]),
    (INSERT, "priority", [-1, 256, "1", 1.5, None, True]),
    (INSERT, "entry_id", [MISSING, "a" * 25, None]),
    (INSERT, "join_id", [MISSING, "", None]),
    (SEGMENTS, "limit", [0, -1, 101, "10", None]),
    ({**LIST_WAITING, "first": 1}, "after", [0, 5]),
    (BATCH, "requests", [MISSING, None, SIGNUP, "x"]),
]
NO_MESSAGES: list[Any] = [None, [], [SIGNUP], "x", 5, True]
MALFORMED: dict[str, list[Any]] = {
    "no message": NO_MESSAGES,
    **{
        f"{number} {message['op']}-{field}": [but(message, field, value) for value in values]
        for number, (message, field, values) in enumerate(BAD_FIELDS)
    },
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_message_changes_nothing(line: Line, kind: str) -> None:
    """A malformed message is refused with a clear error.

    It creates no key in Redis and uses up no place in the queue (promise P5).
    """
    line.init()
    line.all_sign_up(["ann", "bob"])
    before = line.contents()
    for message in MALFORMED[kind]:
        answer = line.handle(message)
        assert set(answer) == {"ok", "code", "message"}, message
        assert (answer["ok"], answer["code"]) == (False, "invalid_request"), message
        assert answer["message"], message
        assert line.contents() == before, message


@pytest.mark.parametrize("message", [object(), b"{}", {1: 2}, {"op": object()}, {"op": b"signup"}])
def test_a_message_that_is_not_json_is_refused(line: Line, message: object) -> None:
    """A message that is not JSON is refused.

    Whatever the input is, the handler raises no exception (promise P5).
    """
    assert line.service.handle(message)["code"] == "invalid_request"


def test_the_field_at_fault_is_named(line: Line) -> None:
    """P5"""
    bad_settings = {"version": 1, "capacity": 0}
    assert "$.waitlist_id" in line.handle(but(SIGNUP, "waitlist_id", 5))["message"]
    assert "$.settings.capacity" in line.handle(but(INIT, "settings", bad_settings))["message"]
    assert "exactly one of" in line.handle(BUMP)["message"]


def test_a_message_of_another_contract_is_refused_as_such(line: Line) -> None:
    """P5"""
    line.init()
    before = line.contents()
    for version in (0, -1, 2, 2**70):
        for message in (SIGNUP, BATCH, {"op": "ping"}):
            assert line.handle(but(message, "v", version))["code"] == "unsupported_version"
    assert line.contents() == before


def test_unknown_fields_are_ignored(line: Line) -> None:
    """Unknown fields are ignored, because during a deployment the caller may be a later version
    that sends more fields.
    """
    line.handle({**INIT, "color": "red", "settings": {"version": 1, "color": "red"}})
    answer = line.handle({**SIGNUP, "color": "red", "nested": {"deep": [1]}})
    assert accepted(answer)["position"] == 1


def test_a_message_without_a_version_has_the_first_one(line: Line) -> None:
    line.handle(but(INIT, "v", MISSING))
    assert line.handle(but(SIGNUP, "v", MISSING))["outcome"] == "joined"
    assert line.handle(but(LEAVE, "v", MISSING))["outcome"] == "left"


def test_ping_answers_from_redis(line: Line) -> None:
    assert line.handle({"v": 1, "op": "ping"}) == {"ok": True, "outcome": "pong"}


def test_the_longest_waitlist_id_works(line: Line) -> None:
    longest = line.of("a" * 63)
    longest.init()
    assert longest.signup("ann")["position"] == 1
