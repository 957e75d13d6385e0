"""Works out which data a step reads and writes.

If neither of two steps writes data that the other uses, their order does not matter and only one
order has to be tested.
"""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.faults import Call
from waitlist_api.records.entry import shard_of

# The private function's read-only operations.
READING = {"position", "stats", "list_waiting", "list_off_queue", "ping"}
WRITING = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}
JOURNAL = "JOURNAL#"
REDIS = frozenset({"Redis"})
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Effects:
    """The data that a step reads and writes: items of the table, shards of the index, and data in
    Redis.
    """

    reads: frozenset[str] = NOTHING
    writes: frozenset[str] = NOTHING
    shows_in: frozenset[str] = NOTHING
    looks_at: frozenset[str] = NOTHING

    def __or__(self, other: "Effects") -> "Effects":
        return Effects(
            self.reads | other.reads,
            self.writes | other.writes,
            self.shows_in | other.shows_in,
            self.looks_at | other.looks_at,
        )

    def conflicts_with(self, other: "Effects") -> bool:
        """The order of two steps can matter only if one step writes data that the other step reads
        or writes.
        """
        return bool(
            self.writes & (other.reads | other.writes)
            or other.writes & self.reads
            or self.shows_in & other.looks_at
            or other.shows_in & self.looks_at
        )


def effects_of(call: Call) -> Effects:
    if call.is_invoke:
        return _of_invocation(call)
    if call.name == "Query" and "IndexName" in call.arguments:
        place = call.arguments["ExpressionAttributeValues"][":place"]["S"]
        return Effects(looks_at=frozenset({place.rpartition("#")[2]}))
    named = _keys(call.arguments)
    # A journal entry is always a new item, so it can only affect steps that read the journal.
    journal = frozenset(key for key in named if key.startswith(JOURNAL))
    keys = frozenset(named) - journal
    if call.name not in WRITING:
        return Effects(reads=keys, looks_at=journal)
    return Effects(writes=keys, shows_in=frozenset(_shards(keys)) | journal)


def may_write(name: str, arguments: dict[str, Any]) -> bool:
    if name != "Invoke":
        return name in WRITING
    if arguments.get("InvocationType") == "Event":
        return False
    message = json.loads(arguments["Payload"])
    return any(one["op"] not in READING for one in message.get("requests", [message]))


def _of_invocation(call: Call) -> Effects:
    if call.arguments.get("InvocationType") == "Event":
        return Effects()
    if may_write(call.name, call.arguments):
        return Effects(writes=REDIS)
    return Effects(reads=REDIS)


def _shards(keys: frozenset[str]) -> set[str]:
    return {str(shard_of(key.rpartition("#")[2])) for key in keys if key.startswith("ENTRY#")}


def _keys(value: Any) -> set[str]:
    if isinstance(value, list):
        return {key for one in value for key in _keys(one)}
    if not isinstance(value, dict):
        return set()
    own = {value[name]["S"] for name in ("pk", ":pk") if isinstance(value.get(name), dict)}
    return own | {key for one in value.values() for key in _keys(one)}
