"""Write the entries of an import in bulk."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.intents import finish_join, rejoining
from waitlist_api.records.ledger import AS_READ, UNKNOWN, entry_changed, item_of, values_as_read
from waitlist_api.records.sizes import item_bytes, transactions
from waitlist_api.records.table import TRANSACTION, Item, Table
from waitlist_shared.contracts import SignupResult

# Recording an imported entry's place takes three writes: the record, the event and the change in
# the journal.
WRITES_OF_PLACE = 3
MAX_INTENTS = TRANSACTION
MAX_PLACES = TRANSACTION // WRITES_OF_PLACE
# The maximum number of bytes by which a write is larger than its item. PLACE_BYTES is larger than
# INTENT_BYTES, because a place is written together with an event, which can contain an ARN of 2,048
# bytes.
INTENT_BYTES = 1024
PLACE_BYTES = 8 * 1024

T = TypeVar("T")


class Intent(Struct, frozen=True):
    """The unfinished signup of an imported customer.

    If the customer has signed up before, `former` is the record of that signup, which the new
    record replaces.
    """

    record: EntryRecord
    former: EntryRecord | None = None

    @property
    def begun(self) -> EntryRecord:
        """The record to write for this signup.

        If there is a `former` record, the new record contains a copy of it.
        """
        return self.record if self.former is None else rejoining(self.record, self.former)


class ImportRecords(Struct, frozen=True):
    """Writes the entries of imports. Each call makes a single transaction."""

    table: Table
    entries: EntryRecords

    def first_of(self, intents: Sequence[Intent]) -> Sequence[Intent]:
        """Return as many signups from the start of the list as fit into one transaction."""
        return next(transactions(intents, MAX_INTENTS, _intent_bytes))

    def begin(self, intents: Sequence[Intent]) -> None:
        """Write a record with the status `joining` for each signup.

        Raise EntryChanged if a record has changed since the caller read it.
        """
        with entry_changed():
            self.table.transact([self._write(intent) for intent in intents])

    def groups_of(
        self, placed: Sequence[T], record_of: Callable[[T], EntryRecord]
    ) -> list[Sequence[T]]:
        """Split entries into groups that each fit into one transaction."""
        return list(transactions(placed, MAX_PLACES, lambda item: _place_bytes(record_of(item))))

    def finish(
        self, placed: Sequence[tuple[EntryRecord, SignupResult, str]], now_millis: int
    ) -> None:
        """Write the ranks that Redis has assigned to the entries, and their call numbers.

        Raise EntryChanged if an entry no longer has the status `joining`.
        """
        writes: list[Item] = []
        for record, place, call_number in placed:
            decided = finish_join(record, place, call_number, now_millis)
            writes += self.entries.ledger.writes(record, decided, now_millis)
        with entry_changed():
            self.table.transact(writes)

    def _write(self, intent: Intent) -> Item:
        item = item_of(intent.begun)
        if intent.former is None:
            return self.table.put_write(item, UNKNOWN)
        return self.table.put_write(item, AS_READ, values_as_read(intent.former))


def _intent_bytes(intent: Intent) -> int:
    return INTENT_BYTES + item_bytes(item_of(intent.begun))


def _place_bytes(record: EntryRecord) -> int:
    # DynamoDB may count the whole updated item towards a transaction's size limit. The item can be
    # large, because it can contain a copy of the previous signup's record.
    return PLACE_BYTES + item_bytes(item_of(record))
