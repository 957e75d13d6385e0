"""The cost of the most expensive request that customers can send on each of their routes
(docs/operate/exposure.md).

`tests/service/test_units.py` measures the cost of each request, with as much data as
`max_guest_bytes` allows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from waitlist_cli.operations.cost import MESSAGE, MESSAGE_MS, WEBHOOK, Operation

LIST = "/v1/waitlists/{waitlist_id}"
ENTRY = f"{LIST}/entries/{{entry_id}}"
# How many invocations of the messages function can run at the same time (template.yaml).
MESSAGES_AT_ONCE = 10


@dataclass(frozen=True)
class Dearest:
    """The cost of one request. `table` is the part of `operation.writes` that goes to the table
    itself.

    The other writes go to the index, which has no limit of its own. `offers` is the number of
    offers that the request causes.
    """

    operation: Operation
    table: float
    offers: int = 0


OFFER = Dearest(Operation(writes=13, reads=1, table_calls=2, queue_calls=0, events=1), 10)
FLOOD: dict[str, Dearest] = {
    # The most expensive signup uses an address that must be verified, after an earlier signup with
    # other data.
    f"POST {LIST}/entries": Dearest(Operation(writes=37, table_calls=3, events=2), 24, offers=1),
    f"POST {LIST}/verify": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {ENTRY}/enter": Dearest(
        Operation(writes=16, reads=2, table_calls=3, events=1, signatures=1), 10
    ),
    # This request usually writes nothing. If the admission is not in the record yet, this request
    # records it, and `enter` then has nothing left to write.
    f"GET {ENTRY}/pass": Dearest(Operation(reads=1, table_calls=1, queue_calls=0, signatures=1), 0),
    f"POST {ENTRY}/exit": Dearest(Operation(writes=13, reads=1, table_calls=2, events=1), 10),
    f"DELETE {ENTRY}": Dearest(Operation(writes=25, reads=1, table_calls=3, events=1), 13),
    # The most expensive change edits the data and turns messages off.
    f"PATCH {ENTRY}": Dearest(Operation(writes=15, reads=3, table_calls=6, events=1), 14),
    f"POST {ENTRY}/decline": Dearest(
        Operation(writes=25, reads=2, table_calls=4, events=1), 13, offers=1
    ),
    f"POST {ENTRY}/rest": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {ENTRY}/resume": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {ENTRY}/confirm": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {LIST}/links": Dearest(
        Operation(writes=8, reads=2, table_calls=3, queue_calls=1, events=1), 8
    ),
    f"POST {LIST}/unsubscribe/{{code}}": Dearest(
        Operation(writes=5, reads=2, table_calls=4, queue_calls=0), 4
    ),
}


def table_units(rates: Mapping[str, float]) -> float:
    """Return the write units that the table uses in a second, for the given numbers of requests in
    a second, by route. The result includes the writes that the events of these requests cause for
    the webhook and for messages.
    """
    calls = [(count, FLOOD[route]) for route, count in rates.items()]
    offers = sum(count * cost.offers for count, cost in calls)
    own = sum(count * cost.table for count, cost in calls) + offers * OFFER.table
    events = sum(count * cost.operation.events for count, cost in calls) + offers
    messages = min(events, MESSAGES_AT_ONCE * 1000 / MESSAGE_MS)
    return own + events * WEBHOOK.writes + messages * MESSAGE.writes
