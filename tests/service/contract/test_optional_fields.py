"""The rule of the contract: optional fields may be missing, and unknown fields are ignored."""

import json
from typing import Any, get_args

import msgspec
import pytest

from tests.service.contract.test_operations import ADA, EPOCH, WAITLIST_ID
from waitlist_shared import contracts as c

# A value for each field that some message cannot do without.
VALUES: dict[str, Any] = {
    "waitlist_id": WAITLIST_ID,
    "entry_id": ADA,
    "join_id": "00000001",
    "once_key": "0" * 32,
    "settings": {"version": 1},
    "state": "warm",
    "mode": "open",
    "epoch": EPOCH,
    "rank": 5,
    "ticket": 5,
    "stamp": 5,
    "moved_stamp": 5,
    "done_stamp": 5,
    "position": 1,
    "total": 1,
    "waiting": 1,
    "counters": {},
    "entries": [],
    "stays": [["a" * 26, "00000000", 5, 5, 5]],
    "requests": [],
    "results": [],
    "outcome": "done",
    "token": "0" * 40,
    "seen_stamp": 5,
    "settings_version": 5,
    "which": "held",
    "deadline_millis": 5,
    "parked_millis": 5,
    "is_all": True,
    "max_attempts": 5,
    "places": [],
    "segments_version": 5,
    "depths": [],
    "beat": 5,
    "epoch_start": 5,
    "ended_stamp": 5,
    "time_millis": 5,
    "dirty_stamp": 0,
    "first": 5,
    "as_of_millis": 5,
    "line": "open",
    "cuts": "[]",
    "confirm_by_millis": 5,
    "action": "park",
    "offered": 5,
    "parked": 5,
    "inside": 5,
    "segments_state": "ready",
    "pace": "unknown",
    "quota": 5,
    "is_due": True,
    "last_stamp": 5,
    "clock_stamp": 5,
    "scheduled_until": 5,
    "not_ready": 5,
    "unverified": 5,
    "asked": 5,
    "attempts": 5,
    "expired_stamp": 5,
    "expired_millis": 5,
    "inside_until_millis": 5,
}
# One of several optional fields is needed.
NEEDED = {"bump": {"to": "front"}}
REQUESTS = {one.__struct_config__.tag: one for one in get_args(c.AnyRequest)}


def smallest(message: Any) -> dict[str, Any]:
    """Return a message with nothing but its required fields."""
    tag = message.__struct_config__.tag
    required = [field.encode_name for field in msgspec.structs.fields(message) if field.required]
    head = {"op": tag} if tag else {"ok": True}
    return {**head, **NEEDED.get(tag, {}), **{name: VALUES[name] for name in required}}


@pytest.mark.parametrize("op", REQUESTS)
def test_a_request_with_only_its_required_fields_decodes(op: str) -> None:
    message = smallest(REQUESTS[op])
    decoded = msgspec.json.decode(json.dumps(message), type=c.AnyRequest)
    assert type(decoded) is REQUESTS[op]
    assert decoded.v == c.VERSION


@pytest.mark.parametrize("op", REQUESTS)
def test_a_request_with_more_than_is_known_decodes_to_the_same(op: str) -> None:
    """During a deployment, a later version of the caller may send more fields."""
    message = smallest(REQUESTS[op])
    more = {**message, "new_field": {"deep": [1, None]}}
    assert msgspec.convert(more, c.AnyRequest) == msgspec.convert(message, c.AnyRequest)


@pytest.mark.parametrize("result", c.RESULTS.values(), ids=lambda one: one.__name__)
def test_a_result_with_only_its_required_fields_decodes(result: type[c.Result]) -> None:
    assert msgspec.convert(smallest(result), result).outcome == "done"


@pytest.mark.parametrize(
    "message", [*REQUESTS.values(), *c.RESULTS.values()], ids=lambda one: one.__name__
)
def test_a_field_has_the_same_name_in_the_code_and_in_a_message(message: Any) -> None:
    assert all(field.name == field.encode_name for field in msgspec.structs.fields(message))
