"""How far the webhook has the events of each entry, and the events that it still lacks."""

import uuid
from contextlib import suppress
from typing import Any, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType

from waitlist_api.clock import A_DAY_MILLIS, NowMillis, now_millis
from waitlist_api.records.entry import HISTORY, entry_pk
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_shared.ranks import ticket_of_millis

# In the histories alone. The bus gets every other event.
UNPUBLISHED = ("edited",)
# A message may stay in the queue for two weeks. Its second copy may reach the queue 36 hours later
# than the first: the stream is read again for 12 hours, and the bus retries for 24. The cursor
# outlives both copies.
KEPT_SECONDS = 16 * 24 * 3600
ERASED = "erased"
RECEIVER_KEY = {"pk": "WEBHOOK", "sk": "RECEIVER"}


class Detail(Struct, frozen=True, omit_defaults=True):
    """The detail of an event on the bus; an erasure has no `by` and no `jti`."""

    event: str
    waitlist_id: str
    entry_id: str
    stamp: str
    at: str
    by: str | UnsetType = UNSET
    jti: str | UnsetType = UNSET

    @property
    def number(self) -> int:
        """The stamp, by which the events of an entry are ordered."""
        return int(self.stamp)

    @property
    def body(self) -> bytes:
        """The JSON that the webhook gets: the same bytes at each attempt."""
        return msgspec.json.encode(self)

    @classmethod
    def of_history(cls, item: Item) -> Self:
        """Return the detail of an item of a history."""
        return cls(
            event=item["event"],
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            # The digit that leaves room for an erasure.
            stamp=f"{item['stamp']}0",
            at=item["at"],
            by=item["by_kind"],
            jti=item["jti"],
        )

    @classmethod
    def of_erasure(cls, item: Item, at: str) -> Self:
        """Return the detail of an erasure, of which a record was deleted.

        An erasure draws no stamp: it stands behind the last change of the record.
        """
        return cls(
            event="erased",
            waitlist_id=item["waitlist_id"],
            entry_id=item["entry_id"],
            stamp=f"{item['stamp']}1",
            at=at,
        )


class DeadLetter(Struct, frozen=True):
    """An event that was given up at a time. Only a replay that was asked for later brings it."""

    detail: Detail
    millis: int

    @property
    def number(self) -> int:
        """The stamp of the event."""
        return self.detail.number


class Cursor(Struct, frozen=True):
    """How far the webhook has the events of one entry.

    `settled` are the stamps of the last events that were delivered; no event at or below `floor` is
    looked for in the history. `waiting` were seen and not delivered, so that they keep their order
    when an erasure deletes the history; `dead` were given up. `erased` is the stamp of the last
    erasure that was delivered: no replay brings an event from before it. After `failures` failed
    attempts in a row the next one is not made before `not_before_millis`.
    """

    settled: tuple[int, ...] = ()
    floor: int = 0
    waiting: tuple[Detail, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    erased: int = 0
    failures: int = 0
    not_before_millis: int = 0


class Lease(Struct, frozen=True):
    """The right to send the events of one entry, until a time."""

    holder: str
    until_millis: int
    cursor: Cursor


class WebhookRecords(Struct, frozen=True):
    """The cursors, and the histories that the events are read from."""

    table: Table
    now_millis: NowMillis = now_millis

    def take(self, waitlist_id: str, entry_id: str, seconds: int) -> Lease | None:
        """Take an entry's lease; None while another process has it."""
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
        """Note a cursor and end the lease; False if another process has taken the lease since."""
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
        """Return the events of the last days behind a stamp, oldest first."""
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
        return [Detail.of_history(one) for one in found if is_published(one)]

    def receiver_pause(self) -> int:
        """Return until when the receiver asked to be left alone, in milliseconds."""
        item = self.table.get(RECEIVER_KEY)
        return 0 if item is None else int(item["not_before"])

    def pause_receiver(self, until_millis: int) -> None:
        """Note until when the receiver asked to be left alone; the latest time counts."""
        values = {"until": until_millis, "expires_at": until_millis // 1000 + KEPT_SECONDS}
        with suppress(ConditionFailed):
            self.table.update(
                RECEIVER_KEY,
                "SET #not_before = :until, #expires_at = :expires_at",
                "attribute_not_exists(#not_before) OR #not_before < :until",
                values,
            )


def is_published(item: Item) -> bool:
    """Return whether the bus gets an event of a history."""
    return item["event"] not in UNPUBLISHED


def _key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": f"WEBHOOK#{waitlist_id}#{entry_id}", "sk": "CURSOR"}
