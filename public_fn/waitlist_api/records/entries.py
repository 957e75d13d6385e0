"""What is written and read of entries; each write is conditional, each may be repeated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import get_args

from msgspec import structs

from waitlist_api.records.entry import (
    HISTORY,
    PRESENT,
    RECORD,
    EntryRecord,
    HistoryEvent,
    Status,
    ended_place,
    entry_pk,
    intent_place,
    line_place,
    record_key,
    shard_of,
)
from waitlist_api.records.table import BATCH_GET, ConditionFailed, Item, Table
from waitlist_shared.contracts import BumpResult, SignupResult

HISTORY_SHOWN = 100
ERASE_PAGE = 500
# The words that conditions and updates speak of, as their values.
STATUSES: Item = {status: status for status in get_args(Status)}


class EntryChanged(Exception):
    """A write found the entry otherwise than it expected; `record` is what stands, if anything."""

    def __init__(self, record: EntryRecord | None) -> None:
        super().__init__("the entry has changed")
        self.record = record


class EntryRecords:
    """Entries of all waitlists in one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def get(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        item = self._table.get(record_key(waitlist_id, entry_id))
        return EntryRecord.from_item(item) if item else None

    def get_many(self, waitlist_id: str, entry_ids: Sequence[str]) -> dict[str, EntryRecord]:
        """Read entries by id; those without a record are left out."""
        found: dict[str, EntryRecord] = {}
        for start in range(0, len(entry_ids), BATCH_GET):
            keys = [record_key(waitlist_id, id_) for id_ in entry_ids[start : start + BATCH_GET]]
            records = [EntryRecord.from_item(item) for item in self._table.get_many(keys)]
            found |= {record.entry_id: record for record in records}
        return found

    def get_with_history(
        self, waitlist_id: str, entry_id: str
    ) -> tuple[EntryRecord, list[HistoryEvent]] | None:
        """Read an entry and the newest 100 events of its history, oldest first."""
        items, _ = self._table.query(
            "#pk = :pk",
            {"pk": entry_pk(waitlist_id, entry_id)},
            ScanIndexForward=False,
            Limit=HISTORY_SHOWN + 1,
        )
        if not items or items[0]["sk"] != RECORD:
            return None
        events = [HistoryEvent.from_item(item) for item in reversed(items[1:])]
        return EntryRecord.from_item(items[0]), events

    def begin_join(self, record: EntryRecord) -> None:
        """Write the intent to join; raise EntryChanged if the entry exists."""
        with entry_changed():
            self._table.put(_intent_item(record), "attribute_not_exists(#pk)")

    def begin_rejoin(self, record: EntryRecord, former: EntryRecord) -> EntryRecord:
        """Write the intent to join again in place of a stay that has ended."""
        again = replace(record, previous=former.values())
        values = {"status": former.status, "former_id": former.join_id}
        with entry_changed():
            self._table.put(
                _intent_item(again), "#status = :status AND #join_id = :former_id", values
            )
        return again

    def finish_join(self, record: EntryRecord, placed: SignupResult, now_millis: int) -> None:
        """Write the place that Redis gave; raise EntryChanged if this stay no longer joins."""
        try:
            self._place(record, placed, now_millis)
        except EntryChanged as changed:
            newer = changed.record
            if newer is None or newer.status != "joining" or newer.join_id != record.join_id:
                raise
            # A bump has moved the entry since, and was recorded first: that is its place.
            moved = structs.replace(placed, rank=newer.rank, stamp=newer.stamp)
            self._place(record, moved, now_millis)

    def cancel_join(self, record: EntryRecord) -> None:
        """Take back an intent to join; raise EntryChanged if this stay no longer joins."""
        key = record_key(record.waitlist_id, record.entry_id)
        condition = "#status = :joining AND #join_id = :join_id"
        values = STATUSES | {"join_id": record.join_id}
        with entry_changed():
            if record.previous is None:
                self._table.delete(key, condition, values)
            else:
                former = EntryRecord.from_item(record.previous)
                place = ended_place(former.waitlist_id, shard_of(former.entry_id))
                item = former.to_item(place, former.left_millis or former.admitted_millis or 0)
                self._table.put(item, condition, values)

    def begin_leave(
        self, key: tuple[str, str], by: str, reason: str, now_millis: int
    ) -> EntryRecord:
        """Write the intent to leave; raise EntryChanged if there is no stay to leave."""
        update = (
            "SET #status = :leaving, #leaving_by = :by, #leaving_reason = :reason,"
            " #place = :place, #place_rank = :now, #updated_millis = :now"
        )
        values = STATUSES | {
            "by": by,
            "reason": reason,
            "place": intent_place(key[1]),
            "now": now_millis,
        }
        with entry_changed():
            item = self._table.update(
                record_key(*key),
                update,
                "#status IN (:joining, :waiting, :offered, :parked, :leaving)",
                values,
            )
        return EntryRecord.from_item(item)

    def finish_leave(self, record: EntryRecord, event: HistoryEvent, now_millis: int) -> None:
        """Write that a stay has ended; raise EntryChanged if it is not being left."""
        update = (
            "SET #status = :left, #left_millis = :now, #place = :place, #place_rank = :now,"
            " #updated_millis = :now REMOVE #previous, #leaving_by,"
            " #leaving_reason, #claimed_until_millis, #parked_millis, #park_reason"
        )
        condition = "#status = :leaving AND #join_id = :join_id AND attribute_not_exists(#erase)"
        values = STATUSES | {
            "join_id": record.join_id,
            "place": ended_place(record.waitlist_id, shard_of(record.entry_id)),
            "now": now_millis,
        }
        self._write(record.waitlist_id, record.entry_id, update, condition, values, event)

    def begin_erase(self, waitlist_id: str, entry_id: str, now_millis: int) -> EntryRecord:
        """Forget the person at once and mark the entry for erasure; EntryChanged if none is."""
        update = (
            "SET #status = :leaving, #erase = :true, #place = :place, #place_rank = :now,"
            " #updated_millis = :now"
            " REMOVE #customer_id, #profile, #attributes, #signup_key, #previous"
        )
        values = STATUSES | {"true": True, "place": intent_place(entry_id), "now": now_millis}
        with entry_changed():
            item = self._table.update(
                record_key(waitlist_id, entry_id), update, "attribute_exists(#pk)", values
            )
        return EntryRecord.from_item(item)

    def erase(self, waitlist_id: str, entry_id: str) -> None:
        """Delete an entry's history, then its record: a crash between leaves the intent."""
        pk = entry_pk(waitlist_id, entry_id)
        after: Item | None = {}
        while after is not None:
            items, after = self._table.query(
                "#pk = :pk AND begins_with(#sk, :history)",
                {"pk": pk, "history": HISTORY},
                after or None,
                Limit=ERASE_PAGE,
            )
            self._table.delete_many([{"pk": pk, "sk": item["sk"]} for item in items])
        self._table.delete_many([{"pk": pk, "sk": RECORD}])

    def record_bump(
        self,
        key: tuple[str, str],
        bump: BumpResult,
        once_key: str,
        event: HistoryEvent,
        now_millis: int,
    ) -> None:
        """Write a move unless a newer one is recorded; raise EntryChanged if none waits."""
        update = (
            "SET #rank = :rank, #stamp = :stamp, #once_key = :once_key,"
            " #once_stamp = :once_stamp, #updated_millis = :now"
        )
        values = STATUSES | {
            "rank": bump.rank,
            "stamp": bump.stamp,
            "once_key": once_key,
            "once_stamp": bump.moved_stamp,
            "now": now_millis,
        }
        # Redis moves only who waits: a record that has them elsewhere is behind.
        waiting = (
            ", #status = :waiting, #place_rank = :rank"
            " REMOVE #claimed_until_millis, #parked_millis, #park_reason"
        )
        condition = "#status IN (:waiting, :offered, :parked) AND #stamp < :stamp"
        try:
            self._write(*key, update + waiting, condition, values, event)
        except EntryChanged as changed:
            record = changed.record
            if record is None or record.status not in ("joining", *PRESENT):
                raise
            if record.stamp >= bump.stamp:
                # A newer move is recorded; this one still belongs to the history.
                self._table.transact([self._table.put_write(event.to_item(*key))])
                return
            # The signup is not finished: its intent keeps its place in the index.
            values["join_id"] = record.join_id
            condition = "#status = :joining AND #join_id = :join_id"
            self._write(*key, update, condition, values, event)

    def _place(self, record: EntryRecord, placed: SignupResult, now_millis: int) -> None:
        update = (
            "SET #status = :waiting, #rank = :rank, #ticket = :ticket, #stamp = :stamp,"
            " #place = :place, #place_rank = :rank, #updated_millis = :now REMOVE #previous"
        )
        condition = (
            "#status = :joining AND #join_id = :join_id"
            " AND (attribute_not_exists(#stamp) OR #stamp <= :stamp)"
        )
        values = STATUSES | {
            "join_id": record.join_id,
            "rank": placed.rank,
            "ticket": placed.ticket,
            "stamp": placed.stamp,
            "place": line_place(record.waitlist_id, shard_of(record.entry_id)),
            "now": now_millis,
        }
        joined = HistoryEvent(stamp=placed.ticket, event="joined", by="customer")
        self._write(record.waitlist_id, record.entry_id, update, condition, values, joined)

    def _write(
        self,
        waitlist_id: str,
        entry_id: str,
        update: str,
        condition: str,
        values: Item,
        event: HistoryEvent,
    ) -> None:
        """Change a record and its history together."""
        key = record_key(waitlist_id, entry_id)
        with entry_changed():
            self._table.transact(
                [
                    self._table.update_write(key, update, condition, values),
                    self._table.put_write(event.to_item(waitlist_id, entry_id)),
                ]
            )


def _intent_item(record: EntryRecord) -> Item:
    return record.to_item(intent_place(record.entry_id), record.updated_millis)


@contextmanager
def entry_changed() -> Iterator[None]:
    """Turn a refused write into EntryChanged, with the record that stands."""
    try:
        yield
    except ConditionFailed as failed:
        record = EntryRecord.from_item(failed.item) if failed.item else None
        raise EntryChanged(record) from failed
