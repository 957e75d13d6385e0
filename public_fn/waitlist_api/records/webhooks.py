"""Store which of an entry's events have been delivered to the webhook.

The events to deliver are read from the entry's history.
"""

import uuid
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from waitlist_api.clock import A_DAY_MILLIS, NowMillis, now_millis
from waitlist_api.records.entry import HISTORY, entry_pk
from waitlist_api.records.published import Detail, is_published
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_shared.ranks import ticket_of_millis

# The delivery state shows that an event was already delivered. Keep it for weeks, because a
# duplicate of the event's queue message can arrive weeks after the original.
KEPT_SECONDS = 16 * 24 * 3600
RECEIVER_KEY = {"pk": "WEBHOOK", "sk": "RECEIVER"}


class DeadLetter(Struct, frozen=True):
    """An event that could not be delivered after many attempts.

    It is sent again only if an operator requests it.
    """

    detail: Detail
    millis: int

    @property
    def number(self) -> int:
        """The timestamp of the undelivered event, as a number."""
        return self.detail.number


class Cursor(Struct, frozen=True):
    """The delivery state of an entry's events.

    `waiting` contains the events that must still be delivered. `dead` contains events that were
    given up on and are not sent again unless an operator replays them.
    """

    # The timestamps of the last delivered events.
    settled: tuple[int, ...] = ()
    # All events up to this timestamp have been delivered or given up on, so only later events are
    # read from the history.
    floor: int = 0
    waiting: tuple[Detail, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    # The timestamp of the last delivered erasure. Events before the erasure are never delivered
    # again.
    erased: int = 0
    # The number of consecutive failed attempts.
    failures: int = 0
    not_before_millis: int = 0


class Lease(Struct, frozen=True):
    """The exclusive right to deliver an entry's events until `until_millis`."""

    holder: str
    until_millis: int
    cursor: Cursor


class WebhookRecords(Struct, frozen=True):
    """Stores the delivery state of each entry's events, and reads events from the histories."""

    table: Table
    now_millis: NowMillis = now_millis

    def take(self, waitlist_id: str, entry_id: str, seconds: int) -> Lease | None:
        """Take the lease on an entry's events. Return None if another process holds it."""
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
        """Store the delivery state and end the lease.

        Return False if another process has taken the lease in the meantime.
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
        """Return the published events later than `floor`, oldest first.

        Events older than `days` days are left out.
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
        """Return when the webhook's receiver will accept requests again, or 0 if no such time is
        stored.
        """
        item = self.table.get(RECEIVER_KEY)
        return 0 if item is None else int(item["not_before"])

    def pause_receiver(self, until_millis: int) -> None:
        """Store the time when the webhook's receiver will accept requests again.

        If a later time is already stored, keep it.
        """
        values = {"until": until_millis, "expires_at": until_millis // 1000 + KEPT_SECONDS}
        with suppress(ConditionFailed):
            self.table.update(
                RECEIVER_KEY,
                "SET #not_before = :until, #expires_at = :expires_at",
                "attribute_not_exists(#not_before) OR #not_before < :until",
                values,
            )


def _key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": f"WEBHOOK#{waitlist_id}#{entry_id}", "sk": "CURSOR"}
