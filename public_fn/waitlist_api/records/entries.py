"""Read and write the records of entries.

Every write is conditional, so a repeated write changes nothing.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import EntryNotFound, Forbidden
from waitlist_api.records.alias import AS_ALIAS, Alias
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    record_key,
)
from waitlist_api.records.intents import (
    finish_join,
    joining_over,
    rejoining,
)
from waitlist_api.records.journal import change_of
from waitlist_api.records.ledger import (
    AS_READ,
    UNKNOWN,
    Commit,
    EntryChanged,
    Ledger,
    entry_changed,
    item_of,
    read_item,
    values_as_read,
)
from waitlist_api.records.table import BATCH_GET, Item, Table
from waitlist_shared.contracts import BumpResult, SignupResult


class Move(Struct, frozen=True):
    """A change to an entry's rank that Redis has made, with the events to record.

    `once_key` is a digest of the request's idempotency key.
    """

    made: BumpResult
    once_key: str
    events: tuple[HistoryEvent, ...]

    def is_based_on(self, record: EntryRecord) -> bool:
        """Return whether the record accepts this change of rank."""
        basis = self.made.basis_stamp
        return basis is None or record.stamp <= basis or record.status == "waiting"

    def decide(self, record: EntryRecord | None, now_millis: int) -> Commit | None:
        """Return the change that records the move, or None if the moved signup has ended."""
        if record is None or record.status not in ("joining", *PRESENT):
            return None
        if record.status == "joining":
            # If the tickets are equal, Redis moved the previous signup, which has ended.
            if record.former_ticket == self.made.ticket:
                return None
            joined = finish_join(record, self.made, now_millis)
            events = (*joined.events, *self.events)
            return replace(joined, after=self._moved(joined.after), events=events)
        if record.ticket != self.made.ticket:
            # Redis has lost either the new signup or the recorded signup.
            return None
        after = replace(record, updated_millis=now_millis)
        if record.stamp < self.made.stamp:
            if not self.is_based_on(record):
                return None
            # Redis moves only waiting entries, so a record with another status is out of date.
            moved = self._moved(after)
            after = replace(
                moved,
                status="waiting",
                hold=replace(moved.hold, until_millis=None, parked_millis=None),
                pauses=replace(moved.pauses, park_reason=""),
            )
        change = change_of(record, self.made.stamp, "waiting", rank=self.made.rank)
        return Commit(after=after, events=self.events, change=change)

    def _moved(self, record: EntryRecord) -> EntryRecord:
        return replace(
            record,
            rank=self.made.rank,
            stamp=self.made.stamp,
            hold=replace(
                record.hold,
                once_key=self.once_key,
                once_stamp=self.made.moved_stamp,
                attempts=self.made.attempts,
            ),
        )


class EntryRecords(Struct, frozen=True):
    """Reads and writes the records of entries. All writes are conditional."""

    table: Table
    now_millis: NowMillis = now_millis

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.table)

    def get(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of an entry, or None if the record is missing or has expired."""
        record = self.get_stored(waitlist_id, entry_id)
        if record is None or isinstance(record, Alias) or record.is_expired(self.now_millis()):
            return None
        return record

    def get_stored(self, waitlist_id: str, entry_id: str) -> EntryRecord | Alias | None:
        """Return the item that is stored under an entry id, even if it has expired.

        If the entry has moved to a new address, the item is an alias.
        """
        return self.ledger.read_stored(waitlist_id, entry_id)

    def resolve(self, waitlist_id: str, entry_id: str) -> EntryRecord | Alias | None:
        """Return the entry with this id.

        If the entry has moved to another id, return it from there.
        """
        found = self.get_stored(waitlist_id, entry_id)
        if isinstance(found, Alias):
            return self.find_target(found) or found
        return None if found is None or found.is_expired(self.now_millis()) else found

    def find_target(self, alias: Alias) -> EntryRecord | None:
        """Return the entry that an alias points to, or None if the alias no longer leads to an
        entry.
        """
        record = self.get(alias.waitlist_id, alias.target)
        return record if alias.is_valid_for(record) else None

    def find(self, waitlist_id: str, entry_id: str, stay: int | None = None) -> EntryRecord:
        """Return the record of an entry.

        Raise EntryNotFound if the entry has no record or is being erased.
        """
        record = self.get(waitlist_id, entry_id)
        if record is None or record.intent.erase:
            raise EntryNotFound
        if stay not in (None, record.ticket):
            raise Forbidden
        return record

    def get_many(self, waitlist_id: str, entry_ids: Sequence[str]) -> dict[str, EntryRecord]:
        """Return the records of several entries, by entry id.

        Entries without a record are left out.
        """
        found = self._kept_many(waitlist_id, entry_ids)
        return {id_: stored for id_, stored in found.items() if isinstance(stored, EntryRecord)}

    def resolve_many(
        self, waitlist_id: str, entry_ids: Sequence[str]
    ) -> dict[str, EntryRecord | Alias]:
        """Return the stored records by id, even if they have expired.

        If an entry has moved to another id, return it from there.
        """
        found = self._kept_many(waitlist_id, entry_ids)
        aliases = {id_: stored for id_, stored in found.items() if isinstance(stored, Alias)}
        if not aliases:
            return found
        targets = self.get_many(waitlist_id, [alias.target for alias in aliases.values()])
        for id_, alias in aliases.items():
            record = targets.get(alias.target)
            if record is not None and alias.is_valid_for(record):
                is_over = record.is_expired(self.now_millis())
                found[id_] = alias if is_over else record
        return found

    def _kept_many(
        self, waitlist_id: str, entry_ids: Sequence[str]
    ) -> dict[str, EntryRecord | Alias]:
        found: dict[str, EntryRecord | Alias] = {}
        # DynamoDB refuses a batch that contains the same key twice.
        ids = list(dict.fromkeys(entry_ids))
        for start in range(0, len(ids), BATCH_GET):
            keys = [record_key(waitlist_id, id_) for id_ in ids[start : start + BATCH_GET]]
            found |= {
                stored.entry_id: stored for stored in map(read_item, self.table.get_many(keys))
            }
        return found

    def begin_join(self, record: EntryRecord, stale: Alias | None = None) -> EntryRecord:
        """Write the status `joining` for a new signup, and return the record.

        Raise EntryChanged if another item is stored under the key.
        """
        condition, values = UNKNOWN, Item()
        if stale is not None:
            condition, values = AS_ALIAS, stale.values
            record = joining_over(record, stale)
        with entry_changed():
            self.table.put(item_of(record), condition, values)
        return record

    def begin_rejoin(self, record: EntryRecord, former: EntryRecord) -> EntryRecord:
        """Write the status `joining` for a customer who joins again, and return the record.

        Raise EntryChanged if the stored record has changed since `former` was read.
        """
        again = rejoining(record, former)
        try:
            with entry_changed():
                self.table.put(item_of(again), AS_READ, values_as_read(former))
        except EntryChanged as changed:
            # The AWS SDK repeats a request if the response was lost. The repeat then finds the
            # record that the first request has written.
            if changed.record is None or changed.record.join_id != again.join_id:
                raise
        return again

    def finish_join(self, record: EntryRecord, placed: SignupResult, now_millis: int) -> None:
        """Finish a signup with the rank that Redis has assigned.

        Raise EntryChanged if the signup has already ended or was finished.
        """
        stay = ("joining", record.join_id)

        def decide(now: EntryRecord | None) -> Commit | None:
            if now is None or (now.status, now.join_id) != stay:
                return None
            return finish_join(now, placed, now_millis)

        self.ledger.decide(record, decide, now_millis)

    def cancel_join(self, record: EntryRecord) -> None:
        """Undo a signup that Redis has refused.

        Raise EntryChanged if the signup has already ended or was finished.
        """
        key = record_key(record.waitlist_id, record.entry_id)
        condition = "#status = :joining AND #join_id = :join_id"
        values = {"joining": "joining", "join_id": record.join_id}
        with entry_changed():
            former = record.former
            if former is None:
                self.table.delete(key, condition, values)
            else:
                kept = replace(former, revision=record.revision + 1)
                self.table.put(item_of(kept), condition, values)

    def record_bump(
        self,
        key: tuple[str, str],
        move: Move,
        now_millis: int,
        record: EntryRecord | None = None,
    ) -> None:
        """Record the new rank of an entry. Raise EntryChanged if the signup has ended."""
        record = record or self.ledger.read(*key)
        self.ledger.decide(record, lambda now: move.decide(now, now_millis), now_millis)
