"""Computes the cost of the most expensive request on each route that customers can call.

docs/operate/exposure.md shows these costs. `tests/service/test_units.py` measures each request with
as much data as `max_guest_bytes` allows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from waitlist_cli.operations.cost import MESSAGE, MESSAGE_MS, WEBHOOK, Operation

LIST = "/v1/waitlists/{waitlist_id}"
ENTRY = f"{LIST}/entries/{{entry_id}}"
# How many invocations of the messages function can run at the same time, as in template.yaml.
MESSAGES_AT_ONCE = 10


@dataclass(frozen=True)
class Dearest:
    """The cost of one request."""

    operation: Operation
    # The write units that the table itself uses. The index uses the rest of `operation.writes`.
    table: float
    # The number of offers that the request causes.
    offers: int = 0


OFFER = Dearest(Operation(writes=13, reads=1, table_calls=2, queue_calls=0, events=1), 10)
FLOOD: dict[str, Dearest] = {
    # A signup costs most if the address must be verified and the same customer has signed up before
    # with other data.
    f"POST {LIST}/entries": Dearest(Operation(writes=37, table_calls=3, events=2), 24, offers=1),
    f"POST {LIST}/verify": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {ENTRY}/enter": Dearest(
        Operation(writes=16, reads=2, table_calls=3, events=1, signatures=1), 10
    ),
    # Either this request or `enter` writes the admission to the table. The write is counted only
    # for `enter`.
    f"GET {ENTRY}/pass": Dearest(Operation(reads=1, table_calls=1, queue_calls=0, signatures=1), 0),
    f"POST {ENTRY}/exit": Dearest(Operation(writes=13, reads=1, table_calls=2, events=1), 10),
    f"DELETE {ENTRY}": Dearest(Operation(writes=25, reads=1, table_calls=3, events=1), 13),
    # An edit costs most if it both changes the data and turns messages off.
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
    """Return how many write units per second the table uses, including writes for webhooks and
    messages. `rates` maps each route to its requests per second.
    """
    calls = [(count, FLOOD[route]) for route, count in rates.items()]
    offers = sum(count * cost.offers for count, cost in calls)
    own = sum(count * cost.table for count, cost in calls) + offers * OFFER.table
    events = sum(count * cost.operation.events for count, cost in calls) + offers
    messages = min(events, MESSAGES_AT_ONCE * 1000 / MESSAGE_MS)
    return own + events * WEBHOOK.writes + messages * MESSAGE.writes
