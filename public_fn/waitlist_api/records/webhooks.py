"""Store which events of each entry were delivered to the webhook, and find the missing ones."""

import uuid
from contextlib import suppress
from typing import Any, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType

from waitlist_api.clock import A_DAY_MILLIS, NowMillis, now_millis
from waitlist_api.records.entry import HISTORY, entry_pk
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_shared.ranks import ticket_of_millis

# These events are only stored in the histories. All other events are published on the bus.
UNPUBLISHED = ("edited",)
# A message may stay in the queue for two weeks. A second copy of it may reach the queue 36 hours
# after the first, because the stream is retried for 12 hours and the bus for 24 hours. The cursor
# must outlive both copies.
KEPT_SECONDS = 16 * 24 * 3600
ERASED = "erased"
RECEIVER_KEY = {"pk": "WEBHOOK", "sk": "RECEIVER"}


class Detail(Struct, frozen=True, omit_defaults=True):
    """The detail of an event on the bus. Events of erasures have no `by` and no `jti`."""

    event: str
    waitlist_id: str
    entry_id: str
    stamp: str
    at: str
    by: str | UnsetType = UNSET
    jti: str | UnsetType = UNSET

    @property
    def number(self) -> int:
        """The stamp as a number. The events of an entry are ordered by it."""
        return int(self.stamp)

    @property
    def body(self) -> bytes:
        """The JSON body of the webhook request. Every attempt sends the same bytes."""
        return msgspec.json.encode(self)

    @classmethod
    def from_history_item(cls, item: Item) -> Self:
        """Return the detail of an event that is stored in a history."""
        return cls(
            event=item["event"],
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            # The additional digit is 0 for events in a history and 1 for an erasure.
            stamp=f"{item['stamp']}0",
            at=item["at"],
            by=item["by_kind"],
            jti=item["jti"],
        )

    @classmethod
    def from_erased_record(cls, item: Item, at: str) -> Self:
        """Return the detail of an erasure, made from the record that it has deleted.

        An erasure has no stamp of its own. It is ordered directly after the record's last change.
        """
        return cls(
            event="erased",
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            stamp=f"{item['stamp']}1",
            at=at,
        )


class DeadLetter(Struct, frozen=True):
    """An event whose delivery was given up at `millis`.

    Only a replay that is requested after that time delivers the event.
    """

    detail: Detail
    millis: int

    @property
    def number(self) -> int:
        """The stamp of the event as a number."""
        return self.detail.number


class Cursor(Struct, frozen=True):
    """The progress of the webhook in the events of an entry.

    `settled` are the stamps of the last delivered events. Events with a stamp up to `floor` need
    not be searched in the history any more. `waiting` are events that were seen but not delivered
    yet. The cursor stores them, because an erasure may delete the history. `dead` are events that
    were given up.

    `erased` is the stamp of the last delivered erasure, and no replay delivers earlier events.
    `failures` counts the failed attempts in a row. The next attempt waits until
    `not_before_millis`.
    """

    settled: tuple[int, ...] = ()
    floor: int = 0
    waiting: tuple[Detail, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    erased: int = 0
    failures: int = 0
    not_before_millis: int = 0


class Lease(Struct, frozen=True):
    """The exclusive right to send the events of an entry until `until_millis`."""

    holder: str
    until_millis: int
    cursor: Cursor


class WebhookRecords(Struct, frozen=True):
    """Reads and writes the cursors, and reads events from the histories."""

    table: Table
    now_millis: NowMillis = now_millis

    def take(self, waitlist_id: str, entry_id: str, seconds: int) -> Lease | None:
        """Take the lease of an entry, or return None while another process has it."""
        now = self.now_millis()
        holder, until = uuid.uuid4().hex, now + seconds * 1000
        try:
            item = self.table.update(
                _key(waitlist_id, entry_id),
                "SET #holder = :holder, #held_until = :until, #expires_at = :expires_at",
                "attribute_not_exists(#holder) OR #held_until < :now",
                {
                    "holder": holder,
                    "until": until,
                    "now": now,
                    "expires_at": now // 1000 + KEPT_SECONDS,
                },
            )
        except ConditionFailed:
            return None
        text = item.get("cursor")
        cursor = msgspec.json.decode(text, type=Cursor) if text else Cursor()
        return Lease(holder, until, cursor)

    def give_back(self, waitlist_id: str, entry_id: str, lease: Lease, cursor: Cursor) -> bool:
        """Store the cursor and end the lease.

        Return False, and store nothing, if another process has taken the lease since.
        """
        try:
            self.table.update(
                _key(waitlist_id, entry_id),
                "SET #cursor = :cursor REMOVE #holder, #held_until",
                "#holder = :holder",
                {"cursor": msgspec.json.encode(cursor).decode(), "holder": lease.holder},
            )
        except ConditionFailed:
            return False
        return True

    def events(self, waitlist_id: str, entry_id: str, floor: int, days: int) -> list[Detail]:
        """Return the published events of the last `days` that follow the stamp `floor`.

        The oldest events come first.
        """
        since = ticket_of_millis(self.now_millis() - days * A_DAY_MILLIS)
        values = {
            "pk": entry_pk(waitlist_id, entry_id),
            "low": f"{HISTORY}{max(floor // 10 + 1, since):016d}",
            "high": f"{HISTORY}~",
        }
        found: list[Item] = []
        after: Any = None
        while True:
            page, after = self.table.query(
                "#pk = :pk AND #sk BETWEEN :low AND :high", values, after
            )
            found += page
            if after is None:
                break
        return [Detail.from_history_item(item) for item in found if is_published(item)]

    def receiver_pause(self) -> int:
        """Return the time until which the receiver wants no requests, or 0."""
        item = self.table.get(RECEIVER_KEY)
        return 0 if item is None else int(item["not_before"])

    def pause_receiver(self, until_millis: int) -> None:
        """Store the time until which the receiver wants no requests, unless it is already later."""
        values = {"until": until_millis, "expires_at": until_millis // 1000 + KEPT_SECONDS}
        with suppress(ConditionFailed):
            self.table.update(
                RECEIVER_KEY,
                "SET #not_before = :until, #expires_at = :expires_at",
                "attribute_not_exists(#not_before) OR #not_before < :until",
                values,
            )


def is_published(item: Item) -> bool:
    """Return whether an event in a history is published on the bus."""
    return item["event"] not in UNPUBLISHED


def _key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": f"WEBHOOK#{waitlist_id}#{entry_id}", "sk": "CURSOR"}
