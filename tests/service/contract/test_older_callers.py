"""Messages of callers that know less of the contract: fields added later have defaults."""

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
    "born": 5,
    "time_millis": 5,
    "unsettled_stamp": 0,
    "first": 5,
    "as_of_millis": 5,
    "line": "open",
    "cuts": "[]",
    "confirm_by_millis": 5,
    "action": "park",
}
VALID_INIT: dict[str, Any] = {
    "waitlist_id": WAITLIST_ID,
    "settings": c.Settings(version=1),
    "epoch": EPOCH,
}
# One of several optional fields is needed.
NEEDED = {"bump": {"to": "front"}, "init": {"mode": "open"}}
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
    """A public function that is deployed first may say more."""
    message = smallest(REQUESTS[op])
    more = {**message, "new_field": {"deep": [1, None]}}
    assert msgspec.convert(more, c.AnyRequest) == msgspec.convert(message, c.AnyRequest)


@pytest.mark.parametrize("result", c.RESULTS.values(), ids=lambda one: one.__name__)
def test_a_result_with_only_its_required_fields_decodes(result: type[c.Result]) -> None:
    assert msgspec.convert(smallest(result), result).outcome == "done"


# What the first release required; a later one may require less of a message, never more.
FIRST_REQUIRED = {
    "ping": set(),
    "init": {"waitlist_id", "settings", "state", "epoch"},
    "signup": {"waitlist_id", "entry_id", "join_id"},
    "leave": {"waitlist_id", "entry_id", "join_id"},
    "drop": {"waitlist_id", "entry_id", "join_id"},
    "bump": {"waitlist_id", "entry_id", "once_key"},
    "position": {"waitlist_id", "entry_id"},
    "list_waiting": {"waitlist_id"},
    "stats": {"waitlist_id"},
    "restore": {"waitlist_id", "entry_id", "join_id", "rank", "ticket", "stamp"},
    "purge": {"waitlist_id"},
    "batch": {"requests"},
    "claim": {"waitlist_id"},
    "complete": {"waitlist_id", "entry_id", "token"},
    "release": {"waitlist_id", "entry_id", "token"},
    "extend": {"waitlist_id", "entry_id", "token"},
    "park": {"waitlist_id", "entry_id", "token"},
    "redrive": {"waitlist_id", "entry_id"},
    "expire": {"waitlist_id"},
    "settle": {"waitlist_id", "entry_id", "seen_stamp"},
    "list_off_queue": {"waitlist_id", "which"},
    "mark_dirty": {"waitlist_id", "entry_id"},
    "tag": {"waitlist_id", "entry_id", "join_id"},
    "untagged": {"waitlist_id", "segments_version"},
    "segments": {"waitlist_id", "segments_version"},
    "heartbeat": {"waitlist_id"},
    "inspect": {"waitlist_id", "entry_id"},
    "restore_many": {"waitlist_id", "epoch", "stays"},
    "allocate_tickets": {"waitlist_id"},
    "insert": {"waitlist_id", "entry_id", "join_id", "ticket"},
}


@pytest.mark.parametrize("op", FIRST_REQUIRED)
def test_no_request_needs_more_than_in_the_first_release(op: str) -> None:
    fields = msgspec.structs.fields(REQUESTS[op])
    assert {field.encode_name for field in fields if field.required} <= FIRST_REQUIRED[op]


def decoded(op: str, **fields: Any) -> Any:
    message = {**smallest(REQUESTS[op]), **fields}
    if "state" in fields:
        del message["mode"]
    return msgspec.convert(message, c.AnyRequest)


@pytest.mark.parametrize(
    ("mode", "former"),
    [
        ("create", {"state": "warm"}),
        ("open", {"state": "hydrating"}),
        ("configure", {"state": "hydrating", "only_if_known": True}),
        ("finish_rebuild", {"state": "warm", "only_if_known": True}),
    ],
)
def test_an_init_of_the_version_before_is_understood(mode: str, former: dict[str, Any]) -> None:
    """And that version understands ours: for one release each message has both."""
    ours = decoded("init", **former)
    assert ours.mode == mode
    sent = msgspec.to_builtins(c.Init(**VALID_INIT, mode=ours.mode))
    assert {name: sent[name] for name in former} == former


@pytest.mark.parametrize(
    ("when", "former"),
    [
        ("absent", {}),
        ("older", {"overwrite": True}),
        ("unchanged", {"seen": {"state": "held", "rank": 5}}),
        ("unchanged", {"seen": {"state": "held", "rank": 5}, "overwrite": True}),
    ],
)
def test_a_restore_of_the_version_before_is_understood(when: str, former: dict[str, Any]) -> None:
    """And that version understands ours: it reads `seen` first, as this one does."""
    ours = decoded("restore", **former)
    assert ours.when == when
    sent = msgspec.to_builtins(ours)
    assert sent["overwrite"] is (when == "older")
    assert sent["seen"] == former.get("seen")
