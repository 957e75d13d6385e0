"""Notes of messages, so that a repeat sends nothing.

A note says what became of a message, without address and text. An erasure deletes the notes of an
entry with its history.
"""

from collections import Counter
from contextlib import suppress
from typing import Literal, Self

from msgspec import Struct, field

from waitlist_api.records.entry import entry_pk
from waitlist_api.records.table import ConditionFailed, Item, Table

# Before HISTORY#, so that the query of an erasure finds the notes too.
DELIVERY = "DELIVERY#"
# Longer than a message can be in the queue and among the dead letters, together 18 days.
KEPT_SECONDS = 20 * 86_400
# Longer than the function runs: after a crash the next attempt may send.
ATTEMPT_MILLIS = 60_000
SHOWN = 100

Begun = Literal["begun", "done", "busy"]
State = Literal["sent", "bounced", "dropped"]
# What operators count. A message that a limit did not let be sent has the state `dropped`, and is
# counted as `limited`.
Counted = Literal["sent", "bounced", "dropped", "limited"]
# Why a message was not sent.
Reason = Literal[
    "over",
    "turned_off",
    "unreachable",
    "no_address",
    "number_not_allowed",
    "refused",
    "too_many",
    "over_budget",
]
UNUSED = "attribute_not_exists(#pk) OR #until < :now"
# A message that is dropped may be sent later, if what it says is true again.
UNKNOWN = "attribute_not_exists(#pk) OR (#until < :now AND attribute_not_exists(#state))"


class Delivery(Struct, frozen=True, kw_only=True):
    """One message: of a stay, by the stamp of what it is about, of a kind."""

    waitlist_id: str
    entry_id: str
    ticket: int
    stamp: int
    kind: str

    @property
    def stay(self) -> tuple[str, str, int]:
        """Waitlist, entry and ticket."""
        return self.waitlist_id, self.entry_id, self.ticket

    @property
    def key(self) -> dict[str, str]:
        sort = f"{_of_stay(self.ticket)}{self.stamp:016d}#{self.kind}"
        return {"pk": entry_pk(self.waitlist_id, self.entry_id), "sk": sort}


class Note(Struct, frozen=True, kw_only=True):
    """What became of a message, and when.

    `channel` is `mail` or `sms`, or empty for one that had no address; `reason` that of a dropped
    one, else empty.
    """

    kind: str
    state: State
    millis: int
    channel: str = ""
    reason: str = ""

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        return cls(kind=item["sk"].rpartition("#")[2], **known)


class Deliveries(Struct, frozen=True):
    """Reads and writes the notes; `tally` counts by list, kind and state what they newly say."""

    table: Table
    tally: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def begin(self, delivery: Delivery, now_millis: int) -> Begun:
        """Note an attempt; `done` if the message was sent, `busy` while another attempt runs."""
        item: Item = {
            **delivery.key,
            "until": now_millis + ATTEMPT_MILLIS,
            "expires_at": _expiry(now_millis),
        }
        try:
            self.table.put(item, UNUSED, {"now": now_millis})
        except ConditionFailed as failed:
            return "busy" if failed.item is None or "until" in failed.item else "done"
        return "begun"

    def finish(self, delivery: Delivery, channel: str, now_millis: int, reason: str = "") -> None:
        """Note that the message was sent, or with a reason that it will never be."""
        # It may have come back already.
        update = "SET #state = if_not_exists(#state, :state), #channel = :channel, #millis = :now"
        update += ", #reason = :reason REMOVE #until" if reason else " REMOVE #until"
        state: State = "dropped" if reason else "sent"
        values: Item = {
            "state": state,
            "channel": channel,
            "now": now_millis,
            "reason": reason,
        }
        with suppress(ConditionFailed):
            self.table.update(delivery.key, update, "attribute_exists(#until)", values)
            self._count(delivery, state)

    def drop(self, delivery: Delivery, reason: Reason, now_millis: int) -> None:
        """Note that the message was not sent; no change if an attempt is noted."""
        item: Item = {
            **delivery.key,
            "state": "dropped",
            "reason": reason,
            "millis": now_millis,
            "until": 0,
            "expires_at": _expiry(now_millis),
        }
        with suppress(ConditionFailed):
            self.table.put(item, UNKNOWN, {"now": now_millis})
            self._count(delivery, "dropped")

    def note_limit(self, delivery: Delivery, channel: str, reason: Reason, now_millis: int) -> None:
        """Note that a limit did not let the message of this attempt be sent.

        As after `drop`, another attempt may send it.
        """
        update = (
            "SET #state = :state, #channel = :channel, #millis = :now, #reason = :reason,"
            " #until = :none"
        )
        values: Item = {
            "state": "dropped",
            "channel": channel,
            "now": now_millis,
            "reason": reason,
            "none": 0,
        }
        with suppress(ConditionFailed):
            self.table.update(delivery.key, update, "attribute_exists(#until)", values)
            self._count(delivery, "limited")

    def give_up(self, delivery: Delivery, begun_millis: int) -> None:
        """Take the note of a failed attempt back, unless another attempt has begun since."""
        until = begun_millis + ATTEMPT_MILLIS
        with suppress(ConditionFailed):
            self.table.delete(delivery.key, "#until = :until", {"until": until})

    def bounce(self, delivery: Delivery) -> None:
        """Note that a sent message came back."""
        with suppress(ConditionFailed):
            values: Item = {"sent": "sent", "bounced": "bounced"}
            is_sent = "#state = :sent OR (#until > :none AND attribute_not_exists(#state))"
            self.table.update(delivery.key, "SET #state = :bounced", is_sent, values | {"none": 0})
            self._count(delivery, "bounced")

    def is_sent(self, delivery: Delivery, now_millis: int) -> bool:
        """Return whether a message was sent, or is being sent by an attempt that may still run."""
        item = self.table.get(delivery.key) or {}
        return item.get("state") in ("sent", "bounced") or item.get("until", 0) >= now_millis

    def sent_millis(self, delivery: Delivery) -> int | None:
        """Return when a message was sent; None without a note of that."""
        millis: int | None = (self.table.get(delivery.key) or {}).get("millis")
        return millis

    def _count(self, delivery: Delivery, state: Counted) -> None:
        self.tally[delivery.waitlist_id, delivery.kind, state] += 1

    def of_stay(self, waitlist_id: str, entry_id: str, ticket: int) -> list[Note]:
        """Return the notes of a stay's newest messages, at most 100, oldest first."""
        items, _ = self.table.query(
            "#pk = :pk AND begins_with(#sk, :stay)",
            {"pk": entry_pk(waitlist_id, entry_id), "stay": _of_stay(ticket)},
            ScanIndexForward=False,
            Limit=SHOWN,
        )
        # Without those of which an attempt runs now.
        notes = [Note.from_item(item) for item in items if "state" in item]
        return sorted(notes, key=lambda note: note.millis)


def _of_stay(ticket: int) -> str:
    return f"{DELIVERY}{ticket:016d}#"


def _expiry(now_millis: int) -> int:
    return now_millis // 1000 + KEPT_SECONDS
