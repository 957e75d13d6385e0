"""What a step touches: two that touch nothing in common may change places unseen."""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.faults import Call

# Those of Redis' operations that change nothing.
READING = {"position", "stats", "page", "shelf", "ping"}
REDIS = "Redis"
EVERY_ENTRY = "every entry"
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}


@dataclass(frozen=True)
class Footprint:
    """The things touched: keys of the table, its index as a whole, or Redis."""

    things: frozenset[str]
    writes: bool

    def meets(self, other: "Footprint") -> bool:
        """Whether the order of the two steps can matter."""
        if not (self.writes or other.writes):
            return False
        if self.things & other.things:
            return True
        return self._reads_all_that_changes(other) or other._reads_all_that_changes(self)

    def _reads_all_that_changes(self, other: "Footprint") -> bool:
        return EVERY_ENTRY in self.things and REDIS not in other.things and other.writes


def footprint_of(call: Call) -> Footprint:
    if call.is_invoke:
        return _of_invocation(call)
    if call.name == "Query" and "IndexName" in call.arguments:
        return Footprint(frozenset({EVERY_ENTRY}), writes=False)
    return Footprint(frozenset(_keys(call.arguments)), call.name in WRITES)


def _of_invocation(call: Call) -> Footprint:
    if call.arguments.get("InvocationType") == "Event":
        return Footprint(frozenset(), writes=False)
    message = json.loads(call.arguments["Payload"])
    requests = message.get("requests", [message])
    return Footprint(
        frozenset({REDIS}), writes=any(one["op"] not in READING for one in requests)
    )


def _keys(value: Any) -> set[str]:
    """Return all partition keys that a request names, wherever in it."""
    if isinstance(value, list):
        return {key for one in value for key in _keys(one)}
    if not isinstance(value, dict):
        return set()
    own = {value["pk"]["S"]} if isinstance(value.get("pk"), dict) else set()
    own |= {value[":pk"]["S"]} if isinstance(value.get(":pk"), dict) else set()
    return own | {key for one in value.values() for key in _keys(one)}
