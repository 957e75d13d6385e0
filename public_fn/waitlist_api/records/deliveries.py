"""Notes of messages that were sent, so that a repeat sends nothing, and of unreachable addresses.

A note has no address and no text. An erasure deletes the notes of an entry with its history.
"""

from contextlib import suppress
from typing import Literal

from msgspec import Struct

from waitlist_api.records.entry import entry_pk, record_key
from waitlist_api.records.table import ConditionFailed, Item, Table

# Before HISTORY#, so that the query of an erasure finds the notes too.
DELIVERY = "DELIVERY#"
# Longer than a message can be in the queue and among the dead letters, together 18 days.
KEPT_SECONDS = 20 * 86_400
# Longer than the function runs: after a crash the next attempt may send.
ATTEMPT_MILLIS = 60_000

Begun = Literal["begun", "done", "busy"]
UNUSED = "attribute_not_exists(#pk) OR #until < :now"


class Delivery(Struct, frozen=True, kw_only=True):
    """One message: of a stay, by the stamp of what it is about, of a kind."""

    waitlist_id: str
    entry_id: str
    ticket: int
    stamp: int
    kind: str

    @property
    def key(self) -> dict[str, str]:
        sort = f"{DELIVERY}{self.ticket:016d}#{self.stamp:016d}#{self.kind}"
        return {"pk": entry_pk(self.waitlist_id, self.entry_id), "sk": sort}


class Deliveries(Struct, frozen=True):
    """Writes the notes."""

    table: Table

    def begin(self, delivery: Delivery, now_millis: int) -> Begun:
        """Note an attempt; `done` if the message was sent, `busy` while another attempt runs."""
        item: Item = {
            **delivery.key,
            "until": now_millis + ATTEMPT_MILLIS,
            "expires_at": now_millis // 1000 + KEPT_SECONDS,
        }
        try:
            self.table.put(item, UNUSED, {"now": now_millis})
        except ConditionFailed as failed:
            return "busy" if failed.item is None or "until" in failed.item else "done"
        return "begun"

    def finish(self, delivery: Delivery) -> None:
        """Note that the message was sent, or will never be."""
        with suppress(ConditionFailed):
            self.table.update(delivery.key, "REMOVE #until", "attribute_exists(#pk)", {})

    def give_up(self, delivery: Delivery, begun_millis: int) -> None:
        """Take the note of a failed attempt back, unless another attempt has begun since."""
        until = begun_millis + ATTEMPT_MILLIS
        with suppress(ConditionFailed):
            self.table.delete(delivery.key, "#until = :until", {"until": until})

    def mark_unreachable(self, waitlist_id: str, entry_id: str, ticket: int) -> None:
        """Note that the address of a stay takes no messages; no change if the stay has ended."""
        with suppress(ConditionFailed):
            self.table.update(
                record_key(waitlist_id, entry_id),
                "SET #unreachable = :unreachable",
                "#ticket = :ticket AND attribute_not_exists(#erase)",
                {"unreachable": True, "ticket": ticket},
            )
