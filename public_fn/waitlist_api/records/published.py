"""The events that are published on the event bus, as their subscribers get them."""

from typing import Self

import msgspec
from msgspec import UNSET, Struct, UnsetType

from waitlist_api.records.table import Item

# Events that are stored only in the histories. All other events are published on the event bus.
UNPUBLISHED = ("edited",)
ERASED = "erased"
# The value of the `event` field in a heartbeat, a test event that is sent every minute.
HEARTBEAT_EVENT = "heartbeat"


class Detail(Struct, frozen=True, omit_defaults=True):
    """The data of an event on the event bus.

    An `erased` event contains neither its actor (`by`) nor a pass id (`jti`).
    """

    event: str
    waitlist_id: str
    entry_id: str
    stamp: str
    at: str
    by: str | UnsetType = UNSET
    jti: str | UnsetType = UNSET
    # The field is missing if the customer has no call number.
    call_number: str | UnsetType = UNSET

    @property
    def number(self) -> int:
        """The event's timestamp as a number. It determines the order of an entry's events."""
        return int(self.stamp)

    @property
    def body(self) -> bytes:
        """The JSON body of the webhook request. Every attempt sends the same bytes."""
        return msgspec.json.encode(self)

    @classmethod
    def from_history_item(cls, item: Item) -> Self:
        """Return the detail of an event in a history."""
        return cls(
            event=item["event"],
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            # The digit 0 is appended to the timestamp of an event in the history, and 1 to the
            # timestamp of an erasure, so that an erasure sorts after the entry's last event.
            stamp=f"{item['stamp']}0",
            at=item["at"],
            by=item["by_kind"],
            jti=item["jti"],
            call_number=item.get("call_number", UNSET),
        )

    @classmethod
    def from_erased_record(cls, item: Item, at: str) -> Self:
        """Return the detail of the `erased` event for an entry whose record was deleted.

        Its timestamp directly follows the timestamp of the record's last change, so that the
        erasure is the entry's last event.
        """
        return cls(
            event=ERASED,
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            stamp=f"{item['stamp']}1",
            at=at,
        )


def is_published(item: Item) -> bool:
    """Return whether an event in an entry's history is also published on the event bus."""
    return item["event"] not in UNPUBLISHED
