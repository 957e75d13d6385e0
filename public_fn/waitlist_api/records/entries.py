"""Read and write the records of entries.

Every write is conditional, so a repeated write changes nothing.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import EntryNotFound, Forbidden
from waitlist_api.records.call_numbers import CallNumbers
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    record_key,
)
from waitlist_api.records.intents import finish_join, rejoining
from waitlist_api.records.journal import change_of
from waitlist_api.records.ledger import (
    AS_READ,
    UNKNOWN,
    Commit,
    EntryChanged,
    Ledger,
    entry_changed,
    item_of,
    values_as_read,
)
from waitlist_api.records.table import BATCH_GET, Table
from waitlist_shared.contracts import BumpResult, SignupResult


class Move(Struct, frozen=True):
    """A new rank that Redis has given to an entry.

    `events` must be recorded together with the new rank. `once_key` is a digest of the idempotency
    key of the request that moved the entry.
    """

    made: BumpResult
    once_key: str
    events: tuple[HistoryEvent, ...]

    def is_based_on(self, record: EntryRecord) -> bool:
        """Return whether the new rank may be recorded.

        If the record contains a decision that Redis did not know when it moved the entry, Redis has
        lost that decision. The new rank may then be recorded only if the record has the status
        `waiting`.
        """
        basis = self.made.basis_stamp
        return basis is None or record.stamp <= basis or record.status == "waiting"

    def decide(
        self, record: EntryRecord | None, call_number: str, now_millis: int
    ) -> Commit | None:
        """Return the change that records the new rank, or None if the signup has ended.

        If the entry still has the status `joining`, the change also finishes the signup and records
        the call number.
        """
        if record is None or record.status not in ("joining", *PRESENT):
            return None
        if record.status == "joining":
            # The customer is joining again, but Redis has moved the entry of the former signup. The
            # former signup has ended, so the new rank is not recorded.
            if record.former_ticket == self.made.ticket:
                return None
            joined = finish_join(record, self.made, call_number, now_millis)
            events = (*joined.events, *self.events)
            return replace(joined, after=self._moved(joined.after), events=events)
        if record.ticket != self.made.ticket:
            # Redis has lost the current signup and has moved the entry of an earlier signup. The
            # record belongs to the current signup, so the new rank is not recorded.
            return None
        after = replace(record, updated_millis=now_millis)
        if record.stamp < self.made.stamp:
            if not self.is_based_on(record):
                return None
            # Redis moves only waiting entries, so set the status to `waiting`, even if the record
            # has a different one.
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

    @property
    def call_numbers(self) -> CallNumbers:
        return CallNumbers(self.table, self.now_millis)

    def get(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of an entry, or None if the record is missing or has expired."""
        return self._unexpired(self.ledger.read_stored(waitlist_id, entry_id))

    def find_stored(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of an entry, even if it has expired. Return None if there is no record.

        Raise EntryNotFound if an alias is stored under this id. An alias points to an entry that
        was moved to a new address.
        """
        found = self.ledger.read_stored(waitlist_id, entry_id)
        if found is not None and found.is_alias:
            raise EntryNotFound
        return found

    def resolve(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of the entry that an id belongs to.

        The id can be the entry's own id, or the id of the address that the entry was moved to.
        """
        return self._unexpired(self.resolve_stored(waitlist_id, entry_id))

    def resolve_stored(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of the entry that an id belongs to, even if the record has expired.

        If the id belongs to an alias, return the record of the entry that the alias points to. If
        that entry was erased or moved to yet another address, return the alias itself.
        """
        return self.follow(self.ledger.read_stored(waitlist_id, entry_id))

    def follow(self, stored: EntryRecord | None) -> EntryRecord | None:
        """Return the entry that an alias points to.

        Return `stored` itself if it is not an alias, or if it no longer points to an entry.
        """
        if stored is None or not stored.is_alias:
            return stored
        entry = self.get(stored.waitlist_id, stored.customers_entry_id)
        return entry if stored.leads_to(entry) else stored

    def _unexpired(self, record: EntryRecord | None) -> EntryRecord | None:
        return None if record is None or record.is_expired(self.now_millis()) else record

    def find(self, waitlist_id: str, entry_id: str, stay: int | None = None) -> EntryRecord:
        """Return the record of an entry.

        Raise EntryNotFound if the entry has no record or is being erased. Raise Forbidden if `stay`
        is given but is not the ticket of the current signup.
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
        found = self._stored_many(waitlist_id, entry_ids)
        return {id_: stored for id_, stored in found.items() if not stored.is_alias}

    def resolve_many(self, waitlist_id: str, entry_ids: Sequence[str]) -> dict[str, EntryRecord]:
        """Return the stored record for each id.

        If an id belongs to an alias, return the record of the entry that the alias points to.
        """
        found = self._stored_many(waitlist_id, entry_ids)
        aliases = {id_: stored for id_, stored in found.items() if stored.is_alias}
        targets = self.get_many(waitlist_id, [each.customers_entry_id for each in aliases.values()])
        for id_, alias in aliases.items():
            entry = self._unexpired(targets.get(alias.customers_entry_id))
            if entry is not None and alias.leads_to(entry):
                found[id_] = entry
        return found

    def _stored_many(self, waitlist_id: str, entry_ids: Sequence[str]) -> dict[str, EntryRecord]:
        found: dict[str, EntryRecord] = {}
        # Remove duplicate ids, because DynamoDB refuses a batch that contains the same key twice.
        ids = list(dict.fromkeys(entry_ids))
        for start in range(0, len(ids), BATCH_GET):
            keys = [record_key(waitlist_id, id_) for id_ in ids[start : start + BATCH_GET]]
            stored = map(EntryRecord.from_item, self.table.get_many(keys))
            found |= {record.entry_id: record for record in stored}
        return found

    def begin_join(self, record: EntryRecord) -> EntryRecord:
        """Write the status `joining` for a new signup, and return the record.

        Raise EntryChanged if the table already has a record or an alias with this id.
        """
        with entry_changed():
            self.table.put(item_of(record), UNKNOWN)
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
            # If the response to a write is lost, the AWS SDK retries the write. The retry fails,
            # because the first write has stored the new record. A record with the same `join_id`
            # shows that this has happened.
            if changed.record is None or changed.record.join_id != again.join_id:
                raise
        return again

    def finish_join(
        self, record: EntryRecord, placed: SignupResult, now_millis: int
    ) -> EntryRecord:
        """Finish a signup with the rank that Redis has assigned, and return the new record.

        Raise EntryChanged if the signup is no longer in progress.
        """
        stay, call_number = ("joining", record.join_id), self.call_numbers.draw(record)

        def decide(now: EntryRecord | None) -> Commit | None:
            if now is None or (now.status, now.join_id) != stay:
                return None
            return finish_join(now, placed, call_number, now_millis)

        return self.ledger.decide(record, decide, now_millis)

    def cancel_join(self, record: EntryRecord) -> None:
        """Undo a signup that Redis has refused.

        Raise EntryChanged if the signup is no longer in progress.
        """
        key = record_key(record.waitlist_id, record.entry_id)
        condition = "#status = :joining AND #join_id = :join_id"
        values = {"joining": "joining", "join_id": record.join_id}
        with entry_changed():
            former = record.former
            if former is None:
                self.table.delete(key, condition, values)
            else:
                revision = record.changes.revision + 1
                kept = replace(former, changes=replace(former.changes, revision=revision))
                self.table.put(item_of(kept), condition, values)

    def record_bump(
        self,
        key: tuple[str, str],
        move: Move,
        now_millis: int,
        record: EntryRecord | None = None,
    ) -> None:
        """Record an entry's new rank. Raise EntryChanged if the signup has ended."""
        record = record or self.ledger.read(*key)
        number = "" if record is None else self.call_numbers.draw(record)
        self.ledger.decide(record, lambda now: move.decide(now, number, now_millis), now_millis)
