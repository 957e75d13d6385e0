"""Write changes to an entry's record.

If another process has written the record in the meantime, the commit fails, and the caller reads
the record and decides again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    ended_place,
    intent_place,
    line_place,
    record_key,
    shard_of,
)
from waitlist_api.records.invitees import invitee_changes
from waitlist_api.records.journal import Change
from waitlist_api.records.table import ConditionFailed, Item, Key, Table
from waitlist_shared.errors import Throttled

DAY_MILLIS = 86_400_000
OFF_INDEX = "REMOVE #place, #place_rank"
UNKNOWN = "attribute_not_exists(#pk)"
# The revision alone is not enough. If a record was deleted and the customer signed up again, the
# new record also starts at revision 1, but its `join_id` is different.
AS_READ = "#changes.#revision = :read_revision AND #join_id = :read_stay"


class EntryChanged(Exception):
    """Raised if a record was not written because it has changed since the caller read it.

    `record` is the entry's current record, or None if there is none. `stored` is the record that is
    stored under the entry's id, which may be an alias of another entry.
    """

    def __init__(self, stored: EntryRecord | None) -> None:
        super().__init__("the entry has changed")
        self.stored = stored
        self.record = _entry(stored)


class Put(Struct, frozen=True):
    """Another item to write in the same transaction as the record.

    If its condition fails, the whole transaction fails.
    """

    item: Item
    condition: str = ""
    values: Item | None = None


class Commit(Struct, frozen=True, kw_only=True):
    """A change to an entry, with everything that must be written in the same transaction."""

    after: EntryRecord
    events: tuple[HistoryEvent, ...] = ()
    change: Change | None = None
    unindexed: tuple[Key, ...] = ()
    puts: tuple[Put, ...] = ()


class Ledger(Struct, frozen=True):
    """Commits changes to entry records."""

    table: Table

    def commit(self, before: EntryRecord | None, decided: Commit, now_millis: int) -> EntryRecord:
        """Write a change in one transaction, and return the new record.

        Raise EntryChanged if the stored record has changed since the caller read `before`.
        """
        with entry_changed():
            self.table.transact(self.writes(before, decided, now_millis))
        return _next(before, decided.after)

    def decide(
        self,
        record: EntryRecord | None,
        decide: Callable[[EntryRecord | None], Commit | None],
        now_millis: int,
    ) -> EntryRecord:
        """Write the change that `decide` returns, and return the new record.

        If the record has changed in the meantime, call `decide` again. Raise EntryChanged if
        `decide` returns None.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            decided = decide(record)
            if decided is None:
                raise EntryChanged(record)
            try:
                return self.commit(record, decided, now_millis)
            except EntryChanged as changed:
                record = changed.record
        raise Throttled

    def writes(self, before: EntryRecord | None, decided: Commit, now_millis: int) -> list[Item]:
        """Return the DynamoDB writes of a commit.

        The caller can put the writes of several commits into one transaction.
        """
        after = _next(before, decided.after)
        key = after.key
        writes = [self._write(before, after)]
        events = (replace(event, call_number=after.joined.call_number) for event in decided.events)
        writes += [self.table.put_write(event.to_item(*key)) for event in events]
        writes += [
            self.table.update_write(event, OFF_INDEX, "attribute_exists(#pk)", {})
            for event in decided.unindexed
        ]
        writes += [
            self.table.put_write(put.item, put.condition, put.values) for put in decided.puts
        ]
        if decided.change is not None:
            writes.append(self.table.put_write(decided.change.to_item(now_millis)))
        writes += [change.to_write(self.table) for change in invitee_changes(before, after)]
        return writes

    def save(self, before: EntryRecord, after: EntryRecord) -> EntryRecord:
        """Write a change that adds no event to the history, and return the new record.

        Raise EntryChanged if the stored record has changed since the caller read `before`.
        """
        if any(invitee_changes(before, after)):
            return self.commit(before, Commit(after=after), after.updated_millis)
        after = _next(before, after)
        update, values = update_of(before, after)
        with entry_changed():
            key = record_key(*after.key)
            self.table.update(key, update, AS_READ, values | values_as_read(before))
        return after

    def update(
        self, record: EntryRecord | None, decide: Callable[[EntryRecord], EntryRecord | None]
    ) -> bool:
        """Save the record that `decide` returns.

        If the record has changed in the meantime, call `decide` again. Return False if there is no
        record, or if `decide` returns None.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            after = None if record is None else decide(record)
            if record is None or after is None:
                return False
            try:
                self.save(record, after)
            except EntryChanged as changed:
                record = changed.record
            else:
                return True
        raise Throttled

    def read_stored(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record or alias stored under an id, even if it has expired."""
        item = self.table.get(record_key(waitlist_id, entry_id))
        return EntryRecord.from_item(item) if item else None

    def read(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return an entry's record, even if it has expired, or None if there is none."""
        return _entry(self.read_stored(waitlist_id, entry_id))

    def take_off_index(self, event: Key) -> None:
        """Remove the index key from an event, so that the index no longer lists it.

        Do nothing if the event no longer exists.
        """
        with suppress(ConditionFailed):
            self.table.update(event, OFF_INDEX, "attribute_exists(#pk)", {})

    def _write(self, before: EntryRecord | None, after: EntryRecord) -> Item:
        if before is None:
            return self.table.put_write(item_of(after), UNKNOWN)
        update, values = update_of(before, after)
        values |= values_as_read(before)
        return self.table.update_write(record_key(*after.key), update, AS_READ, values)


def _next(before: EntryRecord | None, after: EntryRecord) -> EntryRecord:
    """Return the changed record with its new revision."""
    revision = 1 if before is None else before.changes.revision + 1
    return replace(after, changes=replace(after.changes, revision=revision))


def values_as_read(record: EntryRecord) -> Item:
    """Return the values for AS_READ, a condition that fails if the stored record has changed since
    `record` was read.
    """
    return {"read_revision": record.changes.revision, "read_stay": record.join_id}


def update_of(before: EntryRecord, after: EntryRecord) -> tuple[str, Item]:
    """Return the update expression that changes one record into another, and its values."""
    old, new = before.values(), after.values()
    if before.status != after.status or (after.status in PRESENT and before.rank != after.rank):
        new |= index_key(after)
    changed = {name: value for name, value in new.items() if old.get(name) != value}
    update = "SET " + ", ".join(f"#{name} = :{name}" for name in changed)
    if removed := [f"#{name}" for name in old if name not in new]:
        update += f" REMOVE {', '.join(removed)}"
    return update, changed


def item_of(record: EntryRecord) -> Item:
    """Return a record's DynamoDB item, including its index key."""
    return record.to_item(**index_key(record))


def index_key(record: EntryRecord) -> Item:
    """Return the record's partition key and sort key in the index, which depend on its status."""
    shard = shard_of(record.entry_id)
    if record.status in PRESENT:
        return {"place": line_place(record.waitlist_id, shard), "place_rank": record.rank}
    if record.status in ("left", "admitted"):
        ended_millis = record.end.left_millis or record.end.admitted_millis or record.updated_millis
        return {"place": ended_place(record.waitlist_id, shard), "place_rank": ended_millis}
    # Maintenance checks each alias once a day.
    due_millis = record.updated_millis + (DAY_MILLIS if record.is_alias else 0)
    return {"place": intent_place(record.entry_id), "place_rank": due_millis}


@contextmanager
def entry_changed() -> Iterator[None]:
    """Convert ConditionFailed to EntryChanged, which carries the current record."""
    try:
        yield
    except ConditionFailed as failed:
        found = EntryRecord.from_item(failed.item) if failed.item else None
        raise EntryChanged(found) from failed


def _entry(stored: EntryRecord | None) -> EntryRecord | None:
    return None if stored is None or stored.is_alias else stored
