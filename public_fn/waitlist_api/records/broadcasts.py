"""Read and write broadcasts, which are messages that operators send to several people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Self

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.records.deliveries import KEPT_SECONDS
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.invitations import ONCE_SECONDS, RUNNING_PK
from waitlist_api.records.ledger import Commit
from waitlist_api.records.table import ConditionFailed, Item, Key, Table
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language
from waitlist_shared.errors import IdempotencyKeyReused, Throttled

# Maintenance reads the keys of running broadcasts together with its own progress
# (records/rounds.py).
RUNNING = "MESSAGING#"
ID, KEY = "ID#", "KEY#"
# The event in the history of a person to whom a broadcast is sent.
MESSAGED = "messaged"

BroadcastStatus = Literal["waiting", "offered", "parked", "inside"]


class Broadcast(Struct, frozen=True, kw_only=True):
    """A message that an operator sends to several people, and how far it has come.

    The stamp identifies the broadcast within the waitlist. The event `messaged` of each recipient
    has the same stamp.
    """

    waitlist_id: str
    stamp: int
    created_millis: int
    by: str
    text: Mapping[Language, OwnText]
    # Either the ids of the recipients, or the lists of people that are read one after the other.
    entries: tuple[str, ...] = ()
    statuses: tuple[BroadcastStatus, ...] = ()
    filter: Mapping[str, str] = {}
    # The progress: the number of pages that are done, the list that is being read, and the cursor
    # of its next page.
    page: int = 0
    step: int = 0
    cursor: str | None = None
    # The number of recipients by channel, and the number of other people by the reason why they get
    # no message.
    reached: Mapping[str, int] = {}
    skipped: Mapping[str, int] = {}
    running: bool = True

    @property
    def key(self) -> Key:
        return _key(self.waitlist_id, f"{ID}{self.stamp:016d}")

    @property
    def running_key(self) -> Key:
        return {"pk": RUNNING_PK, "sk": f"{RUNNING}{self.waitlist_id}#{self.stamp}"}

    @property
    def expires_at(self) -> int:
        # A message can be retried for as long as the note about its delivery is kept.
        return self.created_millis // 1000 + KEPT_SECONDS

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return convert(item, cls)

    def to_item(self) -> Item:
        return {**self.key, **to_builtins(self), "expires_at": self.expires_at}


def messaged(record: EntryRecord, broadcast: Broadcast) -> Commit:
    """Return the change that sends a broadcast to a person.

    The key of the event consists of its stamp and its name. If the event is written again, it
    replaces itself, and no second message is sent.
    """
    event = HistoryEvent(stamp=broadcast.stamp, event=MESSAGED, by=broadcast.by)
    return Commit(after=record, events=(event,))


class BroadcastRecords(Struct, frozen=True):
    """Reads and writes the items of broadcasts."""

    table: Table
    now_millis: NowMillis

    def create(self, broadcast: Broadcast, once_key: str, body: str) -> Broadcast:
        """Store a new broadcast, and return it.

        If a broadcast with the same idempotency key exists, return that broadcast.
        """
        now = self.now_millis() // 1000
        once = {
            **_key(broadcast.waitlist_id, f"{KEY}{once_key}"),
            "stamp": broadcast.stamp,
            "body": body,
            "expires_at": now + ONCE_SECONDS,
        }
        is_unused = "attribute_not_exists(#pk) OR #expires_at < :now"
        running = {**broadcast.running_key, "expires_at": broadcast.expires_at}
        writes = [
            self.table.put_write(once, is_unused, {"now": now}),
            self.table.put_write(broadcast.to_item()),
            self.table.put_write(running),
        ]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            # Another copy of the request was faster.
            former = self.find_by_key(broadcast.waitlist_id, once_key, body)
            if former is None:
                raise Throttled from None
            return former
        return broadcast

    def find_by_key(self, waitlist_id: str, once_key: str, body: str) -> Broadcast | None:
        """Return the broadcast that was requested with this idempotency key, or None.

        Raise IdempotencyKeyReused if it was requested with another body.
        """
        found = self.table.get(_key(waitlist_id, f"{KEY}{once_key}"))
        if not found or not self._is_kept(found):
            return None
        if found["body"] != body:
            raise IdempotencyKeyReused
        return self.find(waitlist_id, found["stamp"])

    def find(self, waitlist_id: str, stamp: int) -> Broadcast | None:
        """Return a broadcast, or None if it does not exist or has expired."""
        item = self.table.get(_key(waitlist_id, f"{ID}{stamp:016d}"))
        return Broadcast.from_item(item) if item and self._is_kept(item) else None

    def advance(self, before: Broadcast, after: Broadcast) -> Broadcast | None:
        """Store the progress after a page, and return the broadcast.

        Return None if another run has stored the progress of this page.
        """
        after = replace(after, page=before.page + 1)
        writes = [
            self.table.put_write(after.to_item(), "#page = :read_page", {"read_page": before.page})
        ]
        if not after.running:
            writes.append(self.table.delete_write(after.running_key))
        try:
            self.table.transact(writes)
        except ConditionFailed:
            return None
        return after

    def running(self, sort_keys: Sequence[str]) -> Iterator[Broadcast]:
        """Yield the broadcasts with these sort keys in `RUNNING_PK` that are not complete."""
        for sort_key in sort_keys:
            if not sort_key.startswith(RUNNING):
                continue
            waitlist_id, _, stamp = sort_key.removeprefix(RUNNING).partition("#")
            found = self.find(waitlist_id, int(stamp))
            if found is not None and found.running:
                yield found
            else:
                # The waitlist was deleted.
                self.table.delete_many([{"pk": RUNNING_PK, "sk": sort_key}])

    def delete_all(self, waitlist_id: str) -> None:
        """Delete the broadcasts of a waitlist."""
        after: Item | None = {}
        while after is not None:
            pk = _key(waitlist_id, "")["pk"]
            items, after = self.table.query("#pk = :pk", {"pk": pk}, after or None)
            self.table.delete_many([{"pk": item["pk"], "sk": item["sk"]} for item in items])

    def _is_kept(self, item: Item) -> bool:
        return bool(item["expires_at"] * 1000 > self.now_millis())


def _key(waitlist_id: str, sort: str) -> dict[str, str]:
    return {"pk": f"BROADCASTS#{waitlist_id}", "sk": sort}
