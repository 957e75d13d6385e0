"""The dearest that customers can ask for by each of their routes (docs/operate/exposure.md).

`tests/service/test_units.py` measures what each takes, with data of `max_guest_bytes`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from waitlist_cli.operations.cost import MESSAGE, MESSAGE_MS, WEBHOOK, Operation

LIST = "/v1/waitlists/{waitlist_id}"
ENTRY = f"{LIST}/entries/{{entry_id}}"
# Invocations of the function of messages at once (template.yaml).
MESSAGES_AT_ONCE = 10


@dataclass(frozen=True)
class Dearest:
    """What one request takes; of its `operation.writes` so many are of the table itself.

    The others are of the index, which has no limit of its own. `offers` are made because of it.
    """

    operation: Operation
    table: float
    offers: int = 0


OFFER = Dearest(Operation(writes=13, reads=1, table_calls=2, queue_calls=0, events=1), 10)
FLOOD: dict[str, Dearest] = {
    # By an address that is to be verified, whose former stay had other data.
    f"POST {LIST}/entries": Dearest(Operation(writes=37, table_calls=3, events=2), 24, offers=1),
    f"POST {LIST}/verify": Dearest(
        Operation(writes=13, reads=1, table_calls=2, queue_calls=3, events=1), 10
    ),
    f"POST {ENTRY}/enter": Dearest(
        Operation(writes=16, reads=2, table_calls=3, events=1, signatures=1), 10
    ),
    # It writes nothing, unless it is the first to record an admission, which `enter` then does not.
    f"GET {ENTRY}/pass": Dearest(Operation(reads=1, table_calls=1, queue_calls=0, signatures=1), 0),
    f"POST {ENTRY}/exit": Dearest(Operation(writes=13, reads=1, table_calls=2, events=1), 10),
    f"DELETE {ENTRY}": Dearest(Operation(writes=25, reads=1, table_calls=3, events=1), 13),
    # Other data, and no more messages.
    f"PATCH {ENTRY}": Dearest(Operation(writes=15, reads=2, table_calls=5, events=1), 14),
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
        Operation(writes=5, reads=1, table_calls=3, queue_calls=0), 4
    ),
}


def table_units(rates: Mapping[str, float]) -> float:
    """Return the write units a second of the table, at these requests a second by route.

    With those of the webhook and of messages, which the events of the requests cause.
    """
    calls = [(count, FLOOD[route]) for route, count in rates.items()]
    offers = sum(count * one.offers for count, one in calls)
    own = sum(count * one.table for count, one in calls) + offers * OFFER.table
    events = sum(count * one.operation.events for count, one in calls) + offers
    messages = min(events, MESSAGES_AT_ONCE * 1000 / MESSAGE_MS)
    return own + events * WEBHOOK.writes + messages * MESSAGE.writes
