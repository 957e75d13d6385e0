"""Store a delivery record for each message, so that a repeated event does not send the message
again.

The delivery record contains neither the customer's address nor the message's text.
"""

from collections import Counter
from contextlib import suppress
from typing import Literal, Self

from msgspec import Struct, field

from waitlist_api.records.entry import entry_pk
from waitlist_api.records.table import ConditionFailed, Item, Table

# The prefix of delivery records' sort keys. An erasure deletes all of the entry's items up to the
# last event. This prefix sorts before the prefix of events, so the delivery records are deleted
# too.
DELIVERY = "DELIVERY#"
# A message can stay in the queue and the dead-letter queue for up to 18 days, so keep delivery
# records longer than that.
KEPT_SECONDS = 20 * 86_400
# The longest time that an attempt to send a message can take. After this time, another attempt may
# begin.
ATTEMPT_MILLIS = 60_000
SHOWN = 100

Begun = Literal["begun", "done", "busy"]
State = Literal["sent", "bounced", "dropped"]
# The states that operators see in a waitlist's message counts. A message that was stopped by a
# limit counts as `limited`.
Counted = Literal["sent", "bounced", "dropped", "limited"]
# The reasons for not sending a message.
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
# This condition is true if a message has no stored state and no process is currently sending it.
UNKNOWN = "attribute_not_exists(#pk) OR (#until < :now AND attribute_not_exists(#state))"


class Delivery(Struct, frozen=True, kw_only=True):
    """A message to an entry's customer.

    `stamp` identifies the event that triggered the message.
    """

    waitlist_id: str
    entry_id: str
    ticket: int
    stamp: int
    kind: str

    @property
    def stay(self) -> tuple[str, str, int]:
        """The waitlist id, the entry id and the ticket.

        A customer who signs up again keeps the entry id but gets a new ticket, so it takes all
        three values to identify a signup.
        """
        return self.waitlist_id, self.entry_id, self.ticket

    @property
    def key(self) -> dict[str, str]:
        sort = f"{_of_stay(self.ticket)}{self.stamp:016d}#{self.kind}"
        return {"pk": entry_pk(self.waitlist_id, self.entry_id), "sk": sort}


class Note(Struct, frozen=True, kw_only=True):
    """The last known state of a message.

    If the message was sent or dropped, `millis` is when this happened. `channel` is `mail` or
    `sms`.
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
    """Reads and writes the delivery records of messages."""

    table: Table
    tally: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def begin(self, delivery: Delivery, now_millis: int) -> Begun:
        """Begin an attempt to send the message.

        The caller may send the message only if the result is `begun`. The result is `busy` if
        another attempt may still be running, and `done` if the message was already sent or dropped.
        """
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
        """Record that the message was sent, or that it was dropped for good.

        If the message has already bounced, its state stays `bounced`.
        """
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
        """Record that the message was dropped, unless it already has a state or an attempt to send
        it is running.
        """
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
        """Record that a limit has prevented this attempt from sending the message.

        A later attempt may still send the message.
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
        """Delete the delivery record after an attempt to send the message has failed, unless
        another attempt has begun in the meantime.
        """
        until = begun_millis + ATTEMPT_MILLIS
        with suppress(ConditionFailed):
            self.table.delete(delivery.key, "#until = :until", {"until": until})

    def bounce(self, delivery: Delivery) -> None:
        """Record that a sent message has bounced."""
        with suppress(ConditionFailed):
            values: Item = {"sent": "sent", "bounced": "bounced"}
            is_sent = "#state = :sent OR (#until > :none AND attribute_not_exists(#state))"
            self.table.update(delivery.key, "SET #state = :bounced", is_sent, values | {"none": 0})
            self._count(delivery, "bounced")

    def is_sent(self, delivery: Delivery, now_millis: int) -> bool:
        """Return True if the message was sent, or if an attempt to send it may still be running."""
        item = self.table.get(delivery.key) or {}
        return item.get("state") in ("sent", "bounced") or item.get("until", 0) >= now_millis

    def sent_millis(self, delivery: Delivery) -> int | None:
        """Return when the message was sent or dropped, or None if neither is recorded."""
        millis: int | None = (self.table.get(delivery.key) or {}).get("millis")
        return millis

    def _count(self, delivery: Delivery, state: Counted) -> None:
        self.tally[delivery.waitlist_id, delivery.kind, state] += 1

    def list_notes(self, waitlist_id: str, entry_id: str, ticket: int) -> list[Note]:
        """Return the delivery records of a signup's newest 100 messages, oldest first."""
        items, _ = self.table.query(
            "#pk = :pk AND begins_with(#sk, :stay)",
            {"pk": entry_pk(waitlist_id, entry_id), "stay": _of_stay(ticket)},
            ScanIndexForward=False,
            Limit=SHOWN,
        )
        # If a delivery record contains no state, an attempt to send the message may still be
        # running.
        notes = [Note.from_item(item) for item in items if "state" in item]
        return sorted(notes, key=lambda note: note.millis)


def _of_stay(ticket: int) -> str:
    return f"{DELIVERY}{ticket:016d}#"


def _expiry(now_millis: int) -> int:
    return now_millis // 1000 + KEPT_SECONDS
